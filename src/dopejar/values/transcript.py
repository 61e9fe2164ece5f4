"""Transcripts as importers read them.

Takes: files of other programs. Gives: frozen conversations of turns. Never: drops a record without counting it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from dopejar.values.episode import EpisodeKind, Origin
from dopejar.values.host_values import member_named, parse_aware


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceTurn:
    """One turn as its source has it. `source_id` is unique in its conversation; `at` is aware, or None where unknown.

    `origin` distinguishes the user's own words (`user`) from text that a harness recorded in the user's place
    (`system`, with the reason in `note`), from tools and from the assistant. A user's turn has a note only where its
    format cannot prove that it is the user's (`UNPROVEN`). `paste` holds (start, end) spans of `text`
    with pasted logs, code or documents instead of the speaker's prose.
    """

    source_id: str
    index: int
    speaker: str
    origin: Origin
    text: str
    at: datetime | None = None
    kind: EpisodeKind = EpisodeKind.TURN
    parent: str = ""
    outcome: str = ""
    note: str = ""
    paste: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceConversation:
    """One conversation of a file. `store` is the isolated memory it belongs to in the neutral format, else ""."""

    name: str
    turns: tuple[SourceTurn, ...]
    started_at: datetime | None = None
    cwd: str = ""
    branch: str = ""
    store: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadReport:
    """The report of a read: what was read and what was not.

    `unknown` counts records by kind that no rule knows; they are kept as text. `left_out` counts by kind what is known
    to hold nobody's words (progress marks, images, the assistant's thinking, repeated records) and became no turn.
    `proves_origin` is false for formats that cannot tell the user's turns from a text that looks like one.
    """

    format: str
    conversations: int = 0
    turns: int = 0
    user_turns: int = 0
    harness_turns: int = 0
    unknown: Mapping[str, int] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()  # one sentence per part that could not be parsed, with its place
    proves_origin: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceFile:
    """A whole file, read."""

    conversations: tuple[SourceConversation, ...]
    report: ReadReport


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveTurn:
    """One turn of a conversation that is going on, as its host sees it.

    `conversation` is the host's name for it and `source_id` the turn's id within it; both, and `format`, are those that
    a transcript of the conversation would hold, so that a later import recognises the turn. `origin` says whose words
    they are, where they are not those of the speaker that the memory was opened for; `tool` names the tool of a call or
    a result, `outcome` how it ended (success, failure, rejected, confirmed), `parent` the source id of the turn that
    this one answers. `is_last` says that the conversation ends. `speaks_for_user`: the words are said to be the user's,
    and their origin proves it not: of such words only a wish for privacy is obeyed. `origin` and `kind` may be given by
    their names, and `at` as an ISO time with its time zone.
    """

    conversation: str
    source_id: str
    text: str
    origin: Origin | None = None
    at: datetime | None = None
    kind: EpisodeKind = EpisodeKind.TURN
    speaker: str = ""
    tool: str = ""
    outcome: str = ""
    parent: str = ""
    note: str = ""
    format: str = "live"
    store: str = ""
    path: str = ""
    cwd: str = ""
    is_last: bool = False
    speaks_for_user: bool = False

    def __post_init__(self) -> None:
        """Names and ISO times become values. Raises InputError where there is no such name or time."""
        object.__setattr__(self, "origin", member_named(Origin, "`origin` of LiveTurn", self.origin))
        object.__setattr__(self, "kind", member_named(EpisodeKind, "`kind` of LiveTurn", self.kind))
        object.__setattr__(self, "at", parse_aware(self.at, "`at` of LiveTurn"))
