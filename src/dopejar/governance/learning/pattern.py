"""Patterns: which action worked for inputs of a kind, counted from outcomes.

Takes: a signature, an action, outcomes, the time. Gives: the pattern after each step. Never: words of an input; its
content is held as hashes of its stems. Nothing is trimmed by itself.

A pattern decides from a confidence of .7. One that grows from outcomes begins with three successes more than failures;
from then on a success adds .1 and a failure takes .1.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from dopejar.errors import InputError
from dopejar.governance.reasoning.strategy_router import PATTERN_CONFIDENCE
from dopejar.text.words import query_terms

SUCCESSES: Final = 3
"""Successes more than failures that make a pattern."""

SIMILAR: Final = 0.5
"""The share of stems that two inputs of a kind have in common at least."""

LEAST_KEPT: Final = 0.3
"""The confidence below which trimming takes a pattern away."""

_STEP: Final = 0.1
_MOST: Final = 1.0
_DIGEST_BYTES: Final = 4
_TEXT: Final = "text"  # the field of a signature whose words become stems


class PatternType(StrEnum):
    """Where a pattern comes from."""

    SIGNAL = "signal"  # the kind of input
    ROUTING = "routing"  # the choice of a strategy
    OUTCOME = "outcome"  # feedback
    BEHAVIORAL = "behavioral"  # corrections of the user
    COACHING = "coaching"  # how the assistant should behave


BEHAVIORAL: Final[Mapping[str, str]] = {
    "timeboxing": "works in fixed slots of time so as not to analyse without end",
    "exit_criteria": "says beforehand when something counts as finished",
    "buffer_planning": "leaves spare time between appointments",
    "risk_id": "looks for risks and narrow places early",
    "schedule_underest": "takes a full day for an empty one",
    "calendar_desync": "has another calendar in mind than the real one",
    "struct_prefer": "likes an answer that is divided into clear parts",
    "numbers_not_bullets": "likes numbered lists more than bulleted ones",
    "proactive_ok": "is glad to be reminded and pushed unasked",
    "fast_context_switch": "changes quickly from one subject to another",
    "multi_project": "has several projects going at once",
}
COACHING: Final[Mapping[str, str]] = {
    "ask_impact": "wants to be asked what a task does for the larger goals",
    "surface_why": "wants to hear the reason behind a task and not its state alone",
    "strategic_questions": "wants questions about the larger picture",
    "connect_layers": "wants today's tasks tied to strategy and identity",
    "challenge_alignment": "wants an objection where a task does not fit the goals",
    "spot_overload": "wants a warning before the schedule is too full",
    "suggest_drops": "wants to be told what to drop and not only what to add",
    "match_altitude": "wants answers at the level of the question",
    "push_harder": "wants franker objections",
    "more_concise": "wants shorter answers with less explanation",
}
REASONING: Final[Mapping[str, str]] = {
    "needs_decomp": "complex problems go better in parts",
    "quick_answer_ok": "simple questions can be answered at once",
    "verify_high_stakes": "what is hard to take back is checked first",
    "explore_uncertain": "open questions are explored before a decision",
    "dialogue_conflict": "conflicting wishes are talked through first",
}
LEARNING: Final[Mapping[str, str]] = {
    "escalate_uncertain": "more care is taken where the reading is unsure",
    "deescalate_familiar": "less care is taken where a pattern fits",
    "protect_pattern": "the pattern is protected",
    "trim_stale": "the pattern was hardly used of late",
    "generalize_similar": "the pattern was made of similar ones",
}
CODES: Final[Mapping[str, str]] = {**BEHAVIORAL, **COACHING, **REASONING, **LEARNING}
"""The codes of patterns, each with what it says of the user or of the work."""

Signature = Mapping[str, object]
"""What an input is: `text`, and any other fields, such as signals, request_type, altitude."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Pattern:
    """An action for inputs of one kind.

    `kind` and `stems` are the signature as it is compared; `confidence` is 0 until the pattern is proven. A `protected`
    one neither weakens nor is trimmed; a `stale` or `trimmed` one does not decide. `regrets` counts successes that a
    trimmed one would have had.
    """

    id: str
    kind: str
    stems: tuple[str, ...]
    action_taken: str
    pattern_type: PatternType = PatternType.ROUTING
    outcome: str = "success"
    confidence: float = 0.0
    hit_count: int = 0
    miss_count: int = 0
    created_at: datetime
    last_hit: datetime | None = None
    source: str = "reasoning"
    protected: bool = False
    stale: bool = False
    trimmed: bool = False
    regrets: int = 0
    made_of: tuple[str, ...] = field(default=())

    @property
    def name(self) -> str:
        """The name under which a reason mentions it."""
        return f"user_prefers_{self.action_taken}"

    @property
    def decides(self) -> bool:
        """Whether it is sure enough to decide instead of the classifier."""
        return self.confidence >= PATTERN_CONFIDENCE and not self.stale and not self.trimmed


def new_pattern(
    signature: Signature,
    action_taken: str,
    *,
    at: datetime,
    pattern_type: PatternType | str = PatternType.ROUTING,
    confidence: float = 0.5,
    source: str = "host",
) -> Pattern:
    """A pattern that a host states. Raises InputError: it has no action, or a confidence that is none."""
    if not action_taken.strip() or not 0 <= confidence <= 1:
        raise InputError("A pattern needs an action, such as a strategy or a code, and a confidence from 0 to 1.")
    kind, stems = signature_of(signature)
    return Pattern(
        id=pattern_id(kind, stems, action_taken),
        kind=kind,
        stems=stems,
        action_taken=action_taken,
        pattern_type=PatternType(pattern_type),
        confidence=confidence,
        created_at=at,
        source=source,
    )


def signature_of(signature: Signature) -> tuple[str, tuple[str, ...]]:
    """A signature as it is compared: its fields as one text, and the hashed stems of its `text`."""
    fields = (f"{name}={_plain(value)}" for name, value in sorted(signature.items()) if name != _TEXT)
    return "|".join(fields), stems_of(query_terms(str(signature.get(_TEXT, ""))))


def stems_of(terms: Sequence[str] | frozenset[str]) -> tuple[str, ...]:
    """Terms as a pattern holds them: hashed, in order."""
    return tuple(sorted({hashlib.blake2b(term.encode(), digest_size=_DIGEST_BYTES).hexdigest() for term in terms}))


def pattern_id(kind: str, stems: Sequence[str], action: str) -> str:
    """The id of a pattern: the same for the same signature and action."""
    return hashlib.blake2b("\n".join((kind, *stems, action)).encode(), digest_size=8).hexdigest()


def lookup_stems(stems: Sequence[str]) -> tuple[str, ...]:
    """Those stems of a pattern, the first in order, one of which every input has that fits; "" where there are none."""
    return tuple(stems[: len(stems) - math.ceil(SIMILAR * len(stems)) + 1]) if stems else ("",)


def fits(pattern: Pattern, stems: Sequence[str]) -> bool:
    """Whether an input of the pattern's kind is like it; one that was made of others has to be in it as a whole."""
    if pattern.made_of:
        return set(pattern.stems) <= set(stems)
    return similarity(pattern.stems, stems) >= SIMILAR


def similarity(first: Sequence[str], second: Sequence[str]) -> float:
    """The share of stems that both have."""
    one, other = frozenset(first), frozenset(second)
    return len(one & other) / len(one | other) if one or other else 1.0


def strengthened(pattern: Pattern, at: datetime) -> Pattern:
    """The pattern after a success: proven by the third, surer with each from then on."""
    hits = pattern.hit_count + 1
    if not pattern.confidence:
        confidence = PATTERN_CONFIDENCE if hits - pattern.miss_count >= SUCCESSES else 0.0
    else:
        confidence = min(_MOST, round(pattern.confidence + _STEP, 2))
    return replace(pattern, hit_count=hits, last_hit=at, confidence=confidence, stale=False)


def weakened(pattern: Pattern) -> Pattern:
    """The pattern after a failure; a protected one stays as sure as it was."""
    counted = replace(pattern, miss_count=pattern.miss_count + 1)
    if pattern.protected or not pattern.confidence:
        return counted
    return replace(counted, confidence=max(_STEP, round(pattern.confidence - _STEP, 2)))


def is_stale(pattern: Pattern, at: datetime, days: int) -> bool:
    """Whether it is not protected, and was not hit for so many days or is hardly believed."""
    if pattern.protected or pattern.trimmed:
        return False
    is_doubted = 0 < pattern.confidence < LEAST_KEPT
    return is_doubted or (pattern.last_hit or pattern.created_at) < at - timedelta(days=days)


def _plain(value: object) -> str:
    if isinstance(value, (list, tuple, set, frozenset)):
        return "+".join(sorted(map(str, value)))
    return str(value)
