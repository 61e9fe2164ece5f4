"""The write of episodes: admits and appends them.

Takes: episodes as they were received. Gives: what was admitted and stored. Never: changes what is believed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dopejar.ports.store import WriteTransaction
from dopejar.text.words import episode_terms
from dopejar.values.digests import sha256_hex
from dopejar.values.episode import WITHHELD, Conversation, Episode, Origin
from dopejar.values.ids import EpisodeId
from dopejar.values.recall import Source

Redact = Callable[[str], tuple[str, Mapping[str, int]]]
MayAppend = Callable[[Origin], bool]
FindBuried = Callable[[Sequence[Episode]], Collection[EpisodeId]]


def _unredacted(text: str) -> tuple[str, Mapping[str, int]]:
    return text, {}


@dataclass(frozen=True, kw_only=True, slots=True)
class AdmittedEpisodes:
    """Episodes that may be stored: redacted, with consent, and not erased before. Only `admit` makes them."""

    episodes: tuple[Episode, ...]
    redactions: Mapping[str, int] = field(default_factory=dict)
    refused: Mapping[Origin, int] = field(default_factory=dict)
    buried: int = 0  # erased before
    redact: Redact = _unredacted  # for what is stored beside them


def _nothing_buried(_episodes: Sequence[Episode]) -> Collection[EpisodeId]:
    return ()


def admit(
    episodes: Sequence[Episode], redact: Redact, may_append: MayAppend, find_buried: FindBuried = _nothing_buried
) -> AdmittedEpisodes:
    """Redact each text, speaker, source id and note; drop episodes without consent and those erased before.

    All of it is counted.
    """
    admitted, refused = [], Counter[Origin]()
    beside: dict[str, str] = {"": ""}  # speakers and notes are few
    for episode in episodes:
        if not may_append(episode.origin):
            refused[episode.origin] += 1
            continue
        text, redacted_kinds = redact(episode.text)
        for name in (episode.speaker, episode.note):
            if name not in beside:
                beside[name] = redact(name)[0]
        source_id, found = redact(episode.source_id)
        if found:
            source_id = f"{source_id}:{episode.id}"  # unique in its conversation
        admitted.append(
            (
                replace(
                    episode,
                    text=text,
                    content_hash=sha256_hex(text),
                    speaker=beside[episode.speaker],
                    source_id=source_id,
                    note=beside[episode.note],
                ),
                redacted_kinds,
            )
        )
    erased = find_buried([episode for episode, _ in admitted])
    kept = [(episode, found) for episode, found in admitted if episode.id not in erased] if erased else admitted
    kinds = Counter[str]()
    for _, found in kept:
        if found:  # few texts hold a secret
            kinds.update(found)
    return AdmittedEpisodes(
        episodes=tuple(episode for episode, _ in kept),
        redactions=dict(kinds),
        refused=dict(refused),
        buried=len(admitted) - len(kept),
        redact=redact,
    )


def append(tx: WriteTransaction, conversation: Conversation, admitted: AdmittedEpisodes) -> int:
    """Write the conversation's row and its new episodes with their full-text terms; how many were new."""
    name, label = admitted.redact(conversation.name)[0], admitted.redact(conversation.project_label)[0]
    tx.put_conversation(replace(conversation, name=name, project_label=label))
    fresh = tx.append_episodes(admitted.episodes)
    texts = {episode.id: episode.text for episode in reversed(admitted.episodes)}  # of two with one id, the first
    said = [(episode_id, texts[episode_id]) for episode_id in fresh]
    terms = [(episode_id, () if text == WITHHELD else episode_terms(text)) for episode_id, text in said]
    tx.put_terms(Source.EPISODE, terms)
    return len(fresh)
