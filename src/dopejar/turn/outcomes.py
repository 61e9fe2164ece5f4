"""Outcomes of turns: what a turn was, how it came out, and the rows that keep both for learning.

Takes: governed turns, what the next turn says of them. Gives: learning tuples, and rows to write. Never: writes, or
keeps words.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Final, cast

from dopejar.governance.learning.pattern import Pattern, stems_of
from dopejar.governance.learning.retrospective import TurnOutcome
from dopejar.turn import pattern_rows
from dopejar.turn.conversation_state import LearningTuple
from dopejar.values.frozen_json import reader_of
from dopejar.values.held_bodies import json_of, list_of
from dopejar.values.turn_enums import DecisionSource, SignalType, Strategy
from dopejar.values.versioned_rows import KeyValueRow

if TYPE_CHECKING:
    from dopejar.governance.utterance import TurnReading
    from dopejar.ports.store import ReadView
    from dopejar.turn.slow_tick import SlowTick

ROWS: Final = "outcome"
"""The kind of the held rows with outcomes, by conversation."""

KEPT: Final = 200
"""Outcomes that a conversation keeps."""

_SUCCESS: Final = frozenset({SignalType.COMPLETION})
_FAILURE: Final = frozenset({SignalType.EMERGENCY, SignalType.EMOTIONAL})


def kind_of(reading: TurnReading) -> str:
    """The kind of an utterance, as patterns are kept by it."""
    signals = "+".join(sorted(str(one.type) for one in reading.signals))
    return f"altitude={reading.altitude}|request_type={reading.request_type}|signals={signals}"


def tuple_of(reading: TurnReading, governed: SlowTick) -> LearningTuple:
    """What is remembered of a governed turn until its outcome is known."""
    state = governed.state
    return LearningTuple(
        signature=kind_of(reading),
        stems=stems_of(reading.terms),
        strategy=reading.routing.strategy,
        altitude=str(reading.altitude),
        stance=str(state.focus.stance),
        held_back=governed.validation.use_micro_anchor or not governed.validation.allowed,
        asked=bool(state.proposals),
        matched=reading.routing.source is DecisionSource.PATTERN_MATCH,
        moves=tuple(f"{one.origin}>{one.target}" for one in governed.decisions if one.passed),
    )


def pattern_for(view: ReadView, reading: TurnReading) -> Pattern | None:
    """The surest pattern that decides about the utterance, if there is one."""
    found = pattern_rows.find(view, kind_of(reading), stems_of(reading.terms))
    known = set(Strategy)
    return next((one for one in found if one.decides and one.action_taken in known), None)


def outcome_of(reading: TurnReading, *, is_corrected: bool) -> bool | None:
    """How the turn before came out, by what this one says of it; None where it says nothing."""
    kinds = frozenset(one.type for one in reading.signals)
    if is_corrected or kinds & _FAILURE:
        return False
    return True if kinds & _SUCCESS else None


def rows_of_outcome(
    view: ReadView, conversation: str, turn: LearningTuple, *, succeeded: bool, corrected: bool, at: datetime
) -> Iterator[KeyValueRow]:
    """The rows of a turn's outcome: of its pattern, and of the conversation's outcomes."""
    yield from pattern_rows.with_outcome(view, turn.signature, turn.stems, turn.strategy, succeeded=succeeded, at=at)
    outcome = TurnOutcome(
        strategy=str(turn.strategy),
        succeeded=succeeded,
        signature=turn.signature,
        altitude=turn.altitude,
        stance=turn.stance,
        held_back=turn.held_back,
        asked=turn.asked,
        declined=turn.declined,
        matched=turn.matched,
        corrected=corrected,
        moves=turn.moves,
    )
    yield with_outcomes(view.held(ROWS, conversation), conversation, [outcome])


def with_outcomes(row: KeyValueRow | None, conversation: str, outcomes: Sequence[TurnOutcome]) -> KeyValueRow:
    """The next version of a conversation's row of outcomes."""
    kept = list_of(row) if row is not None else []
    body = json.dumps([*kept, *map(asdict, outcomes)][-KEPT:], separators=(",", ":"))
    return KeyValueRow(kind=ROWS, key=conversation, body=body, version=row.version if row is not None else 0)


def outcomes_of(row: KeyValueRow) -> tuple[TurnOutcome, ...]:
    """The outcomes of a row, oldest first. Raises as `values.held_bodies` does."""
    return cast("tuple[TurnOutcome, ...]", reader_of(tuple[TurnOutcome, ...])(json_of(row)))
