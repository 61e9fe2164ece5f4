"""Patterns: which strategy worked for turns of a kind, counted from outcomes.

Takes: tuples of signature, strategy and outcome. Gives: the pattern that fits a turn. Never: words; the content of a
turn is held as hashes of its stems. Nothing is trimmed by itself.

A pattern begins with three successes of one strategy at confidence .7. From then on a success adds .1 and a failure
takes .1; from .7 on it decides instead of the classifier.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Final

from dopejar.governance.reasoning.router import PATTERN_CONFIDENCE, PatternMatch
from dopejar.governance.utterance import TurnReading
from dopejar.text.words import query_terms
from dopejar.turn.conversation_state import LearningTuple
from dopejar.values.turn_enums import Strategy

ROWS: Final = "pattern"
"""The kind of the held rows with patterns, by signature."""

SUCCESSES: Final = 3
_STEP: Final = 0.1
_MOST: Final = 0.95
_SIMILAR: Final = 0.5  # share of stems that two turns of a kind have in common
_DIGEST_BYTES: Final = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """A strategy for turns of one kind; `confidence` is 0 until three successes. A `protected` one never weakens."""

    stems: tuple[str, ...]
    strategy: Strategy
    successes: int = 0
    failures: int = 0
    confidence: float = 0.0
    protected: bool = False
    stale: bool = False

    @property
    def name(self) -> str:
        """The name under which a reason mentions it."""
        return f"user_prefers_{self.strategy}"


def tuple_of(reading: TurnReading, text: str) -> LearningTuple:
    """What is remembered of a turn until its outcome is known."""
    signals = "+".join(sorted(str(one.type) for one in reading.signals))
    return LearningTuple(
        signature=f"{signals}|{reading.request_type}|{reading.altitude}",
        stems=tuple(sorted({_digest(term) for term in query_terms(text)})),
        strategy=reading.routing.strategy,
    )


def find_pattern(patterns: Sequence[Pattern], turn: LearningTuple) -> PatternMatch | None:
    """The surest pattern of turns that are similar enough; None below the confidence that decides."""
    fitting = [
        one
        for one in patterns
        if one.confidence >= PATTERN_CONFIDENCE and not one.stale and _overlap(one.stems, turn.stems) >= _SIMILAR
    ]
    best = max(fitting, key=lambda one: (one.confidence, one.successes), default=None)
    if best is None:
        return None
    return PatternMatch(strategy=best.strategy, confidence=best.confidence, name=best.name)


def record_outcome(patterns: Sequence[Pattern], turn: LearningTuple, *, succeeded: bool) -> tuple[Pattern, ...]:
    """The patterns with one more outcome; a turn like none of them begins a new one."""
    for place, one in enumerate(patterns):
        if one.strategy is turn.strategy and _overlap(one.stems, turn.stems) >= _SIMILAR:
            return (*patterns[:place], _counted(one, succeeded=succeeded), *patterns[place + 1 :])
    return (*patterns, _counted(Pattern(stems=turn.stems, strategy=turn.strategy), succeeded=succeeded))


def dump(patterns: Sequence[Pattern]) -> str:
    """Patterns as JSON."""
    return json.dumps([asdict(one) for one in patterns], separators=(",", ":"))


def load(body: str, *, least: float = 0.0) -> tuple[Pattern, ...]:
    """The patterns that `dump` wrote, of at least this confidence."""
    return tuple(
        Pattern(**{**row, "stems": tuple(row["stems"]), "strategy": Strategy(row["strategy"])})
        for row in json.loads(body)
        if row["confidence"] >= least
    )


def _counted(pattern: Pattern, *, succeeded: bool) -> Pattern:
    counted = replace(
        pattern, successes=pattern.successes + succeeded, failures=pattern.failures + (not succeeded), stale=False
    )
    if not pattern.confidence:
        is_proven = counted.successes - counted.failures >= SUCCESSES
        return replace(counted, confidence=PATTERN_CONFIDENCE if is_proven else 0.0)
    if pattern.protected and not succeeded:
        return counted
    confidence = pattern.confidence + (_STEP if succeeded else -_STEP)
    return replace(counted, confidence=round(min(_MOST, max(_STEP, confidence)), 2))


def _overlap(first: Sequence[str], second: Sequence[str]) -> float:
    one, other = frozenset(first), frozenset(second)
    if not one and not other:
        return 1.0
    return len(one & other) / len(one | other)


def _digest(term: str) -> str:
    return hashlib.blake2b(term.encode(), digest_size=_DIGEST_BYTES).hexdigest()
