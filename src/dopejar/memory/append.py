"""The write of the episodic trace: admits and appends episodes.

Takes: episodes as they were received. Gives: what was admitted and stored. Never: changes what is believed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from dopejar.ports.store import WriteTransaction
from dopejar.text.words import episode_terms
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.recall import Source

Redact = Callable[[str], tuple[str, Mapping[str, int]]]
MayAppend = Callable[[Origin], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class AdmittedEpisodes:
    """Episodes that may be stored: redacted, and with consent. Only `admit` makes them."""

    episodes: tuple[Episode, ...]
    redactions: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[Origin, int] = field(default_factory=dict)


def text_hash(text: str) -> str:
    """The SHA-256 (hex) of the text exactly as it is stored."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def admit(episodes: Sequence[Episode], redact: Redact, may_append: MayAppend) -> AdmittedEpisodes:
    """Redact each text and drop episodes without consent; both are counted, and secrets are never shown."""
    kept, kinds, refused = [], Counter[str](), Counter[Origin]()
    for episode in episodes:
        if not may_append(episode.origin):
            refused[episode.origin] += 1
            continue
        text, redacted_kinds = redact(episode.text)
        if redacted_kinds:  # few texts hold a secret
            kinds.update(redacted_kinds)
        kept.append(replace(episode, text=text, content_hash=text_hash(text)))
    return AdmittedEpisodes(episodes=tuple(kept), redactions=dict(kinds), refused=dict(refused))


def append(tx: WriteTransaction, conversation: Conversation, admitted: AdmittedEpisodes) -> int:
    """Write the conversation's row and its new episodes with their full-text terms; how many were new."""
    tx.put_conversation(conversation)
    fresh = tx.append_episodes(admitted.episodes)
    texts = {episode.id: episode.text for episode in reversed(admitted.episodes)}  # of two with one id, the first
    tx.put_terms(Source.EPISODE, [(episode_id, episode_terms(texts[episode_id])) for episode_id in fresh])
    return len(fresh)
