"""What governance reads in one utterance, before any state: signals, altitude, request type, strategy, stakes.

Takes: an utterance, the turn before it, and a model's shares where there is one. Gives: a reading. Never: keeps
anything for the next utterance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from dopejar.governance.altitude.governor import AltitudeGovernor
from dopejar.governance.reasoning.strategy_router import PatternMatch, ReasoningRouter, RoutingContext
from dopejar.governance.signals.signal_detector import SignalDetector
from dopejar.governance.signals.word_shares import weighed_together, word_shares
from dopejar.text.words import query_terms
from dopejar.values.turn_decisions import DetectedSignal, RoutingDecision, TurnShares
from dopejar.values.turn_enums import Altitude, RequestType, SignalType, Stakes

_LEAST_SURE: Final = 0.7


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnReading:
    """What an utterance asks for; the signals are ordered by priority, `terms` are the stems of its content words."""

    signals: tuple[DetectedSignal, ...]
    altitude: Altitude
    request_type: RequestType
    routing: RoutingDecision
    stakes: Stakes
    shares: TurnShares
    terms: frozenset[str] = frozenset()


def read_turn(
    text: str, before: str = "", *, model: TurnShares | None = None, shares: TurnShares | None = None
) -> TurnReading:
    """Read an utterance by its words and its cues, and with the shares of a model where there is one.

    `shares` are given where the words and the model were weighed together already.
    """
    if shares is None:
        shares = weighed_together(model, word_shares(text))
    signals = SignalDetector().detect(text, before, shares=shares.signals)
    kinds = _sure(signals)
    governor = AltitudeGovernor()
    altitude = governor.detect_level(text, shares.altitude)
    routing = _routed(text, kinds, altitude, shares)
    return TurnReading(
        signals=signals,
        altitude=altitude,
        request_type=governor.classify_request(text, kinds, shares.request_type),
        routing=routing,
        stakes=routing.classification.stakes if routing.classification else _stakes_of(kinds),
        shares=shares,
        terms=frozenset(query_terms(text)),
    )


def reroute(reading: TurnReading, text: str, *, pattern: PatternMatch | None, context: RoutingContext) -> TurnReading:
    """The reading with its strategy chosen anew, by a known pattern and by what altitude and focus tell."""
    routing = _routed(text, _sure(reading.signals), reading.altitude, reading.shares, pattern, context)
    return replace(reading, routing=routing)


def _sure(signals: tuple[DetectedSignal, ...]) -> frozenset[SignalType]:
    """The signals that decide: high stakes are told from a low share on, and stop a request where they are likely."""
    return frozenset(
        one.type for one in signals if one.type is not SignalType.HIGH_STAKES or one.confidence >= _LEAST_SURE
    )


def _routed(
    text: str,
    kinds: frozenset[SignalType],
    altitude: Altitude,
    shares: TurnShares,
    pattern: PatternMatch | None = None,
    context: RoutingContext | None = None,
) -> RoutingDecision:
    both = {"strategy": shares.strategy, "stakes": shares.stakes}
    context = context or RoutingContext()
    return ReasoningRouter().route(text, kinds, altitude, pattern=pattern, shares=both, context=context)


def _stakes_of(kinds: frozenset[SignalType]) -> Stakes:
    return Stakes.HIGH if SignalType.HIGH_STAKES in kinds else Stakes.LOW
