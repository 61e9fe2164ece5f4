"""Episodes: what was said and done, unchanged.

Takes: what importers and doors received. Gives: immutable episodes. Never: a belief.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from dopejar.values.ids import ConversationId, EpisodeId, TraceId
from dopejar.values.scope import Namespace


class Origin(StrEnum):
    """The source of the words. Trust is derived from it."""

    USER = "user"
    OTHER = "other"
    TOOL = "tool"
    ASSISTANT = "assistant"
    FETCHED = "fetched"
    SYSTEM = "system"  # the harness: summaries, hook output, slash commands; never learned from


TRUST_BY_ORIGIN: Final[Mapping[Origin, float]] = MappingProxyType(
    {
        Origin.USER: 1.0,
        Origin.TOOL: 0.7,
        Origin.OTHER: 0.6,
        Origin.ASSISTANT: 0.4,
        Origin.FETCHED: 0.2,
        Origin.SYSTEM: 0.0,
    }
)


WITHHELD: Final = "[said off the record]"
"""What is kept of a turn whose speaker asked that it be not kept."""
ERASED_MARK: Final = "[erased]"
"""What stands in the place of erased words."""
REDACTED: Final = "[redacted:"
"""How the mark begins that stands in the place of a value that was taken out."""
OFF_THE_RECORD: Final = "off the record"
"""How such turns are named among the counts of what was redacted."""


def trust_of(origin: Origin) -> float:
    """How far the words of an origin are trusted, from 0 to 1."""
    return TRUST_BY_ORIGIN[origin]


class EpisodeKind(StrEnum):
    """The kinds of episodes."""

    TURN = "turn"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    RETRIEVAL = "retrieval"
    OUTCOME = "outcome"
    DECISION = "decision"
    FILE = "file"


@dataclass(frozen=True, kw_only=True, slots=True)
class Episode:
    """One immutable entry of what was said or done. `at` is aware; `index` is the 0-based place in its conversation."""

    id: EpisodeId
    conversation: ConversationId
    index: int
    at: datetime
    speaker: str
    origin: Origin
    text: str
    kind: EpisodeKind = EpisodeKind.TURN
    parent: EpisodeId | None = None
    outcome: str = ""  # "", "success", "failure", "rejected", "confirmed"
    content_hash: str = ""
    trace_id: TraceId = TraceId("")
    project: str = ""  # the id of the project the conversation took place in, or ""
    languages: tuple[str, ...] = ()
    source_id: str = ""  # the id in its source (`turn_id` of the neutral format)
    note: str = (
        ""  # why the words are not the speaker's own ("harness: summary") or may not be (`UNPROVEN`); an odd date
    )


UNPROVEN: Final = "origin unproven"
"""The note of a user's turn whose format cannot prove whose words it holds: an assistant's or a tool's text can look
just the same. It is trusted as the assistant's words are, so that what it states waits for a person."""


REPEATED: Final = "repeated turn"
"""The note of a turn that came with a copy of another conversation: that one is the witness, and nothing is learned or
counted twice. It stands behind the note of the origin, where there is one."""


UNDATED: Final = "no time stated"
"""The note of a turn whose conversation states no time at all: it has that of its file, which says little."""


def add_note(note: str, more: str) -> str:
    """A note with another one behind it."""
    return f"{note}, {more}" if note else more


def is_order_unknown(turns: Iterable[Episode], others: Iterable[Episode]) -> bool:
    """Whether nothing tells which of them were said first: none of their texts states a time, and none holds both."""
    texts = set()
    for turn in turns:
        if UNDATED not in turn.note:
            return False
        texts.add(turn.conversation)
    known = tuple(others)
    return bool(texts and known) and all(UNDATED in turn.note and turn.conversation not in texts for turn in known)


def trust_in(turn: Episode) -> float:
    """How far the words of a turn are trusted, from 0 to 1."""
    trust = trust_of(turn.origin)
    return min(trust, trust_of(Origin.ASSISTANT)) if turn.note.startswith(UNPROVEN) else trust


def is_repeated(turn: Episode) -> bool:
    """Whether a turn is a copy of one in another conversation."""
    return turn.note.endswith(REPEATED)


def is_recorded_outcome(episode: Episode) -> bool:
    """Whether an episode is an outcome: the result of a tool or a test, or what a user confirmed; a copy is none."""
    is_outcome = bool(episode.outcome) or episode.kind in (EpisodeKind.OUTCOME, EpisodeKind.TOOL_RESULT)
    return is_outcome and episode.origin in (Origin.TOOL, Origin.USER) and not is_repeated(episode)


_NO_DIALOGUE: Final = frozenset({"remember", "bullets", "instructions", "library"})
"""Sources and formats of conversations that only collect statements."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Conversation:
    """One imported or live conversation."""

    id: ConversationId
    source: str  # absolute path, "remember", "library", ...
    name: str
    format: str = ""
    started_at: datetime | None = None
    project: str = ""
    project_label: str = ""
    languages: tuple[str, ...] = ()
    fingerprint: str = ""  # hash of what was imported, to skip an unchanged file
    imported: int = 0  # episodes appended so far; a resumed import continues here
    namespace: Namespace = Namespace.PROD
    cwd: str = ""  # the working directory of the conversation, where its source has one

    @property
    def is_dialogue(self) -> bool:
        """Whether its turns follow one another; the turns of other conversations each stand alone."""
        return self.source not in _NO_DIALOGUE and self.format not in _NO_DIALOGUE
