"""The altitude governor: at which altitude an utterance is, and what goes with a request there.

Takes: utterances, the altitude context, the user's north stars. Gives: levels, validation results, the next context.
Never: blocks a request; only one with high stakes stops, until it was verified.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from dopejar.governance.signals.word_shares import weighed_together, word_shares
from dopejar.values.turn_decisions import Shares, ValidationResult
from dopejar.values.turn_enums import Altitude, RequestType, SignalType
from dopejar.values.turn_state import AltitudeContext, AltitudeMove, FrictionEvent, NorthStars

_A, _R = Altitude, RequestType

FRICTION_THRESHOLD: Final = 3
"""The friction from which requests are executed first and aligned afterwards."""

COOLING_TURNS: Final = 5
"""Turns without friction after which it falls by one."""

HISTORY: Final = 20
"""Moves and friction events that are kept."""

REQUIRED: Final[Mapping[Altitude, Altitude | None]] = MappingProxyType(
    {_A.L4: None, _A.L3: _A.L4, _A.L2: _A.L3, _A.L1: _A.L2}
)
"""The level that must be established before one may go down to another."""

_LONGEST_QUOTATION: Final = 80  # characters
_QUESTIONS: Final[Mapping[Altitude, str]] = MappingProxyType(
    {
        _A.L4: "What should this serve in the end?",
        _A.L3: "Which of your priorities does this serve?",
        _A.L2: "Which task does this belong to?",
    }
)


class AltitudeGovernor:
    """Detects levels and request types, validates requests, moves the context; holds no state."""

    def detect_level(self, text: str, shares: Shares | None = None) -> Altitude:
        """The likeliest altitude of an utterance, by its words where no shares are given."""
        held = weighed_together(None, word_shares(text)).altitude if shares is None else shares
        return Altitude(max(held, key=lambda name: held[name]))

    def classify_request(self, text: str, signals: frozenset[SignalType], shares: Shares | None = None) -> RequestType:
        """High stakes by their signal, else the likeliest type, by the words where no shares are given."""
        if SignalType.HIGH_STAKES in signals:
            return _R.HIGH_STAKES
        held = word_shares(text).request_type if shares is None else shares
        return RequestType(max(held, key=lambda name: held[name]))

    def validate(
        self,
        context: AltitudeContext,
        level: Altitude,
        request: RequestType,
        *,
        signals: frozenset[SignalType] = frozenset(),
        stars: NorthStars | None = None,
        verified: bool = False,
    ) -> ValidationResult:
        """Whether a request at this level goes on, with a micro-anchor, or is verified first.

        An emergency and urgency execute first; so does a conversation whose friction is high. A request with high
        stakes waits until it is `verified`, whatever was established, unless an emergency stops everything anyway.
        """
        if SignalType.EMERGENCY in signals:
            return ValidationResult(
                allowed=True, reason="an emergency overrides altitude", request_type=request, execute_first=True
            )
        if request is _R.HIGH_STAKES and not verified:
            return ValidationResult(
                allowed=False,
                reason="high stakes are verified before anything is done",
                request_type=request,
                required_action="Say what will be done and what it would cost if wrong; go on when it is confirmed.",
                requires_verification=True,
            )
        missing = missing_level(context, level, stars or NorthStars())
        if missing is None:
            return ValidationResult(allowed=True, reason=f"{level} is grounded", request_type=request)
        if SignalType.URGENCY in signals or is_friction_high(context):
            reason = "urgent" if SignalType.URGENCY in signals else "friction is high"
            return ValidationResult(
                allowed=True,
                reason=f"{reason}: execute first, align after",
                request_type=request,
                suggested_level=missing,
                execute_first=True,
            )
        return ValidationResult(
            allowed=True,
            reason=f"{level} rests on {missing}, which was not established",
            request_type=request,
            suggested_level=missing,
            use_micro_anchor=True,
            micro_anchor_text=anchor_text(level, missing, stars or NorthStars()),
        )

    def advance(self, context: AltitudeContext, level: Altitude, result: ValidationResult) -> AltitudeContext:
        """The context after an exchange at this level; what was held back at L2 is friction, which cools with time."""
        turn = context.turn + 1
        moved = level is not context.current_level
        history = context.level_history
        if moved:
            history = (*history, AltitudeMove(turn=turn, origin=context.current_level, target=level))[-HISTORY:]
        established = _established(context, level) if result.allowed else context
        return _with_friction(
            replace(
                established,
                current_level=level,
                level_history=history,
                time_at_current=1 if moved else context.time_at_current + 1,
                turn=turn,
            ),
            level,
            context.current_level,
            is_held_back=_is_friction(level, result),
        )


def missing_level(context: AltitudeContext, level: Altitude, stars: NorthStars) -> Altitude | None:
    """The level below which a request would hang in the air; None where all it rests on was established.

    North stars and priorities that the user has stored count as established, whenever they were spoken of.
    """
    established = {
        _A.L4: context.l4_connected or bool(stars.north_stars),
        _A.L3: context.l3_established or bool(stars.priorities),
        _A.L2: context.l2_grounded,
        None: True,
    }
    required = REQUIRED[level]
    return None if established[required] else required


def is_friction_high(context: AltitudeContext, threshold: int = FRICTION_THRESHOLD) -> bool:
    """Whether the conversation was held back so often that it should go on without."""
    return context.friction_score >= threshold


def _is_friction(level: Altitude, result: ValidationResult) -> bool:
    """A derivative request for a task that was anchored, or one that had to wait: both feel like preaching."""
    is_held_back = result.use_micro_anchor or not result.allowed
    return level is _A.L2 and is_held_back and result.request_type is not _R.ATOMIC


def _established(context: AltitudeContext, level: Altitude) -> AltitudeContext:
    if level is _A.L4:
        return replace(context, l4_connected=True)
    if level is _A.L3:
        return replace(context, l3_established=True)
    return replace(context, l2_grounded=True) if level is _A.L2 else context


def _with_friction(
    context: AltitudeContext, level: Altitude, actual: Altitude, *, is_held_back: bool
) -> AltitudeContext:
    if is_held_back:
        event = FrictionEvent(turn=context.turn, requested=level, actual=actual)
        events = (*context.friction_events, event)[-HISTORY:]
        return replace(context, friction_events=events, friction_score=context.friction_score + 1, quiet_turns=0)
    if context.friction_score and context.quiet_turns + 1 >= COOLING_TURNS:
        return replace(context, friction_score=context.friction_score - 1, quiet_turns=0)
    return replace(context, quiet_turns=context.quiet_turns + 1)


def anchor_text(level: Altitude, missing: Altitude, stars: NorthStars) -> str:
    """The micro-anchor of a request at `level` without its `missing` level: a line that ties it to what the user wants.

    It cites the first priority, else the first north star, in the user's own words; without either it asks.
    """
    if level in {Altitude.L2, Altitude.L1} and stars.priorities:
        return f"I take this to serve your priority {_quoted(stars.priorities[0])}; say so if it does not."
    if stars.north_stars:
        return f"I take this to serve {_quoted(stars.north_stars[0])}; say so if it does not."
    return _QUESTIONS[missing]


def _quoted(words: str) -> str:
    line = " ".join(words.split())
    shown = line if len(line) <= _LONGEST_QUOTATION else line[: _LONGEST_QUOTATION - 1] + chr(0x2026)
    return f"\u201c{shown}\u201d"
