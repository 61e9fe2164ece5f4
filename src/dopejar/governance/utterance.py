"""What governance reads in one utterance, before any state: signals, altitude, request type, strategy, stakes.

Takes: an utterance, the turn before it, and a model's shares where there is one. Gives: a reading. Never: keeps
anything for the next utterance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dopejar.governance.altitude.governor import AltitudeGovernor
from dopejar.governance.reasoning.router import PatternMatch, ReasoningRouter, RoutingContext
from dopejar.governance.signals.signal_detector import SignalDetector
from dopejar.text.words import query_terms
from dopejar.values.turn_decisions import DetectedSignal, RoutingDecision, TurnShares
from dopejar.values.turn_enums import Altitude, RequestType, SignalType, Stakes


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnReading:
    """What an utterance asks for; the signals are ordered by priority, `terms` are the stems of its content words."""

    signals: tuple[DetectedSignal, ...]
    altitude: Altitude
    request_type: RequestType
    routing: RoutingDecision
    stakes: Stakes
    terms: frozenset[str] = frozenset()


def read_turn(
    text: str, before: str = "", *, shares: TurnShares | None = None, pattern: PatternMatch | None = None
) -> TurnReading:
    """Read an utterance by cues alone, or with a model's shares, which then decide together with the cues."""
    signals = SignalDetector().detect(text, before, shares=shares.signals if shares else None)
    kinds = frozenset(one.type for one in signals)
    governor = AltitudeGovernor()
    altitude = governor.detect_level(text, shares.altitude if shares else None)
    request = governor.classify_request(text, kinds, shares.request_type if shares else None)
    models = {"strategy": shares.strategy, "stakes": shares.stakes} if shares else {}
    routing = ReasoningRouter().route(text, kinds, altitude, pattern=pattern, shares=models)
    stakes = routing.classification.stakes if routing.classification else _stakes_of(kinds)
    return TurnReading(
        signals=signals,
        altitude=altitude,
        request_type=request,
        routing=routing,
        stakes=stakes,
        terms=frozenset(query_terms(text)),
    )


def reroute(
    reading: TurnReading,
    text: str,
    shares: TurnShares | None,
    *,
    pattern: PatternMatch | None,
    context: RoutingContext,
) -> TurnReading:
    """The reading with its strategy chosen anew, by a known pattern and by what altitude and focus tell."""
    kinds = frozenset(one.type for one in reading.signals)
    models = {"strategy": shares.strategy, "stakes": shares.stakes} if shares else {}
    routing = ReasoningRouter().route(text, kinds, reading.altitude, pattern=pattern, shares=models, context=context)
    return replace(reading, routing=routing)


def _stakes_of(kinds: frozenset[SignalType]) -> Stakes:
    return Stakes.HIGH if SignalType.HIGH_STAKES in kinds else Stakes.LOW
