"""The episodic trace grows.

Takes: episodes as they were seen. Gives: what was admitted and stored. Never: changes what is believed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256

from dopejar.ports.store import WriteTransaction
from dopejar.text.full_text import episode_terms
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.recall import Source

Redact = Callable[[str], tuple[str, Mapping[str, int]]]
MayAppend = Callable[[Origin], bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class AdmittedEpisodes:
    """Episodes that may be persisted: redacted, consented to. Only `admit` makes them."""

    episodes: tuple[Episode, ...]
    redactions: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[Origin, int] = field(default_factory=dict)


def text_hash(text: str) -> str:
    """The sha256 (hex) of the words exactly as they are kept."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def admit(episodes: Sequence[Episode], redact: Redact, may_append: MayAppend) -> AdmittedEpisodes:
    """Redact each text and leave out what was not consented to; both are counted, the secrets never shown."""
    kept, kinds, refused = [], Counter[str](), Counter[Origin]()
    for episode in episodes:
        if not may_append(episode.origin):
            refused[episode.origin] += 1
            continue
        text, found = redact(episode.text)
        if found:  # few hold a secret
            kinds.update(found)
        kept.append(replace(episode, text=text, content_hash=text_hash(text)))
    return AdmittedEpisodes(episodes=tuple(kept), redactions=dict(kinds), refused=dict(refused))


def append(tx: WriteTransaction, conversation: Conversation, admitted: AdmittedEpisodes) -> int:
    """Write the conversation's row and those of its episodes that are not there yet; how many were new."""
    tx.put_conversation(conversation)
    fresh = frozenset(tx.append_episodes(admitted.episodes))
    texts = {episode.id: episode.text for episode in reversed(admitted.episodes) if episode.id in fresh}
    tx.put_terms(Source.EPISODE, [(episode_id, episode_terms(text)) for episode_id, text in texts.items()])
    return len(fresh)
