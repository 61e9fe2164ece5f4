"""Exchanges, which corrections are detected in, and the candidates that detection gives.

Takes: the episodes of a conversation. Gives: frozen exchanges (what the assistant did, what the person answered) and
the type of frozen candidates. Never: a belief; a candidate becomes a proposal, and a proposal passes the gate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Final

from dopejar.values.episode import Episode, EpisodeKind, Origin, is_repeated, trust_in
from dopejar.values.ids import ConversationId, EpisodeId

Span = tuple[int, int]
TAIL: Final = 700  # characters kept from the end of the assistant's words, as context of the answer
HEAD: Final = 400  # characters kept from the beginning of its reply, which may concede
_NO_EPISODE: Final = EpisodeId("")
_NO_CONVERSATION: Final = ConversationId("")
_REVERTS: Final = re.compile(r"\bgit (?:restore|revert|reset|checkout (?:-- |\.|HEAD))")
_FILLER: Final = frozenset({"", "cancelled", "canceled"})


class Label(StrEnum):
    """The class of a turn."""

    CORRECTION = "correction"  # what the assistant did or said is wrong, unwanted or to be done differently
    STANDING = "standing_instruction"  # meant to hold beyond this step, with nothing violated before


class Durability(StrEnum):
    """How long a correction is meant to hold."""

    STANDING = "standing"
    ONE_OFF = "one_off"


class CorrectionType(StrEnum):
    """The kind of a wish."""

    RULE = "rule"
    PREFERENCE = "preference"
    CORRECTION = "correction"  # the repair of one mistake
    BEHAVIOUR = "behavior"
    STYLE = "style"


class Polarity(StrEnum):
    """Whether something is to be done, avoided, or replaced by something else."""

    DO = "do"
    AVOID = "avoid"
    REPLACE = "replace"


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchange:
    """A turn of a person, with what the assistant did before it and how it replied.

    `pasted` are spans of `text` that are not the person's own words. `outcome` is `rejected` where the turn is the
    reason for a refused tool call. `interrupted` means that the person stopped the assistant in the middle.
    """

    text: str
    at: datetime
    index: int = 0
    episode_id: EpisodeId = _NO_EPISODE
    conversation: ConversationId = _NO_CONVERSATION
    before: str = ""
    after: str = ""
    pasted: tuple[Span, ...] = ()
    outcome: str = ""
    interrupted: bool = False
    reverted: bool = False
    project: str = ""
    languages: tuple[str, ...] = ()
    trust: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectionCandidate:
    """A turn that corrects the assistant, or gives it a standing instruction.

    `wish` is the clause that says what the person wants; `about` are the words that name its object. `wording` is the
    clause with its conditions, as a memory would keep it; `is_whole`: it can be read without the conversation. `spans`
    are the parts of the turn it was read from. `confidence` is a probability. `features` explain it.
    """

    exchange: Exchange
    label: Label
    correction_type: CorrectionType
    durability: Durability
    polarity: Polarity
    wish: str
    about: frozenset[str]
    confidence: float
    standing: float
    spans: tuple[Span, ...]
    references: frozenset[str] = frozenset()
    language: str = "en"
    wording: str = ""
    is_whole: bool = True
    features: Mapping[str, float] = field(default_factory=dict, compare=False)

    @property
    def turn_number(self) -> int:
        """The index of the turn in its conversation."""
        return self.exchange.index

    @property
    def user_message(self) -> str:
        """The turn's words."""
        return self.exchange.text

    @property
    def ai_response(self) -> str:
        """What the assistant had said or done."""
        return self.exchange.before


def exchanges_of(
    episodes: Sequence[Episode], pasted: Sequence[Sequence[Span]] = (), skip: Sequence[Sequence[Span]] = ()
) -> tuple[Exchange, ...]:
    """The exchanges of one conversation's episodes, in order.

    `pasted` and `skip` are parallel to `episodes`: spans that are not prose, or not to be learned from. Only turns of
    origin `user` give an exchange; what the harness records in their place marks an interruption or a refusal.
    """
    exchanges: list[Exchange] = []
    before: list[str] = []
    interrupted = rejected = reverted = False
    for place, episode in enumerate(episodes):
        is_said = episode.origin is Origin.USER and episode.kind is EpisodeKind.TURN
        if is_said and is_repeated(episode):  # the conversation that it was copied from is read instead
            before, interrupted, rejected, reverted = [], False, False, False
        elif is_said:
            outside = [*(pasted[place] if place < len(pasted) else ()), *(skip[place] if place < len(skip) else ())]
            exchanges.append(
                Exchange(
                    text=episode.text,
                    at=episode.at,
                    index=episode.index,
                    episode_id=episode.id,
                    conversation=episode.conversation,
                    before="\n".join(before)[-TAIL:],
                    after=_reply(episodes, place),
                    pasted=tuple(outside),
                    outcome="rejected" if rejected or episode.outcome == "rejected" else episode.outcome,
                    interrupted=interrupted,
                    reverted=reverted,
                    project=episode.project,
                    languages=episode.languages,
                    trust=trust_in(episode),
                )
            )
            before, interrupted, rejected, reverted = [], False, False, False
        elif episode.origin is Origin.ASSISTANT:
            interrupted = interrupted or _ends_in_cancellation(episode.text)
            before.append(episode.text[-TAIL:])
        elif episode.origin is Origin.SYSTEM:
            interrupted = interrupted or "interrupt" in episode.note
            rejected = rejected or episode.outcome == "rejected"
            reverted = reverted or ("shell" in episode.note and bool(_REVERTS.search(episode.text)))
    return tuple(exchanges)


def _ends_in_cancellation(text: str) -> bool:
    last = text.rstrip().rsplit("\n", 1)[-1].strip(" .*_`").casefold()
    return last in _FILLER and bool(last)


def _reply(episodes: Sequence[Episode], place: int) -> str:
    """The beginning of the assistant's words after a turn, unless a person speaks first."""
    for later in episodes[place + 1 : place + 6]:
        if later.origin is Origin.USER and later.kind is EpisodeKind.TURN:
            return ""
        if later.origin is Origin.ASSISTANT and later.kind is EpisodeKind.TURN and later.text.strip():
            return later.text[:HEAD]
    return ""
