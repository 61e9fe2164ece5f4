"""The state of a governed conversation, and its form in the store: one held row.

Takes: frozen state. Gives: JSON text, and the state back exactly. Never: words of a turn, but for the goals that a
person agreed to, which are redacted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, is_dataclass
from datetime import datetime
from typing import Final, cast

from dopejar.governance.focus.lanes import LaneStore
from dopejar.values.frozen_json import names_of_fields, reader_of
from dopejar.values.ids import EpisodeId
from dopejar.values.turn_enums import Strategy
from dopejar.values.turn_result import GateProposal
from dopejar.values.turn_state import AltitudeContext, FocusSnapshot, FocusState
from dopejar.values.versioned_rows import TURN_STATES

STATE_ROW: Final = TURN_STATES
"""The kind of the held rows with the state of conversations, by conversation."""

LATEST_TRACES: Final = 10
"""Turns whose traces a conversation remembers."""

KNOWN_TURNS: Final = 64
"""Turn ids that a conversation remembers, so that none is taken twice."""


@dataclass(frozen=True, kw_only=True, slots=True)
class LearningTuple:
    """What a turn was and what each layer decided, until its outcome is known; `stems` are hashes.

    The fields beside signature, stems and strategy are those of `governance.learning.retrospective.TurnOutcome`.
    """

    signature: str
    stems: tuple[str, ...]
    strategy: Strategy
    altitude: str = ""
    stance: str = ""
    held_back: bool = False
    asked: bool = False
    declined: bool = False
    matched: bool = False
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationState:
    """Where a conversation is: altitude, focus, lanes, the ids of its latest turns.

    `proposals` wait for an answer until the next turn, `pending` for an outcome; `episode` is the turn of both.
    `asked` has digests of the questions that were put to the user in this lane, so that none is put twice; `traces` the
    ids of the latest turns' traces.
    """

    altitude: AltitudeContext = field(default_factory=AltitudeContext)
    focus: FocusState = field(default_factory=FocusState)
    lanes: LaneStore = field(default_factory=LaneStore)
    turn_ids: tuple[str, ...] = ()
    proposals: tuple[GateProposal, ...] = ()
    pending: LearningTuple | None = None
    episode: EpisodeId | None = None
    asked: tuple[str, ...] = ()
    traces: tuple[str, ...] = ()

    @property
    def snapshot(self) -> FocusSnapshot:
        """What a lane is paused with."""
        return FocusSnapshot(stance=self.focus.stance, commitment=self.focus.commitment, altitude=self.altitude)


def dump_state(state: ConversationState) -> str:
    """The state as JSON text."""
    return json.dumps(_plain(state), default=_plain, separators=(",", ":"))


def load_state(body: str) -> ConversationState:
    """The state that `dump_state` wrote. Raises as `values.held_bodies` does."""
    return cast("ConversationState", reader_of(ConversationState)(json.loads(body)))


def _plain(value: object) -> object:
    """One level of a value that JSON does not know."""
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value) and not isinstance(value, type):
        return {name: getattr(value, name) for name in names_of_fields(type(value))}
    raise TypeError(f"{type(value).__name__} is no part of the state of a conversation.")
