"""The input classifier: complexity, uncertainty, conflict, stakes and horizon of a request, with a confidence.

Takes: an utterance, its signals and altitude. Gives: a classification. Never: a strategy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from dopejar.governance.cue_table import read_cues, weighed
from dopejar.governance.signals.folded_clauses import spoken_clauses, spoken_sentences
from dopejar.values.turn_decisions import InputClassification, Shares
from dopejar.values.turn_enums import Altitude, Complexity, Conflict, Horizon, SignalType, Stakes

_LONG_REQUEST: Final = 45  # words; what takes so long to say has several parts
_QUIET: Final = 0.1  # uncertainty of a request that shows none
_PER_CUE: Final = 0.35
_CONFIDENCE: Final = (0.55, 0.7, 0.8, 0.85, 0.9)  # by the number of features that any cue speaks for
Cues = Mapping[str, Sequence[str]]


class InputClassifier:
    """Classifies a request by its cues; a model's share of stakes decides with them."""

    def classify(
        self, text: str, signals: frozenset[SignalType], altitude: Altitude, stakes: Shares | None = None
    ) -> InputClassification:
        """What kind of request it is. A short plain one is simple and its classification sure."""
        cues: Cues = read_cues("reasoning", "requests").find(spoken_sentences(text))
        uncertainty = min(1.0, _QUIET + _PER_CUE * len(cues.get("uncertain", ())))
        return InputClassification(
            complexity=_complexity(cues, len(text.split())),
            uncertainty=round(uncertainty, 2),
            conflict=_conflict(cues),
            stakes=_stakes(cues, signals, stakes),
            horizon=_horizon(cues, altitude),
            confidence=_confidence(cues, len(text.split())),
        )


def is_acting(text: str) -> bool:
    """Whether the utterance asks that something be done, rather than thought about."""
    return "acting" in read_cues("reasoning", "requests").find(spoken_clauses(text))


def _complexity(cues: Cues, words: int) -> Complexity:
    if len(cues.get("complex", ())) > 1 or ("complex" in cues and "moderate" in cues):
        return Complexity.COMPLEX
    return Complexity.MODERATE if {"complex", "moderate"} & cues.keys() or words > _LONG_REQUEST else Complexity.SIMPLE


def _conflict(cues: Cues) -> Conflict:
    if "internal" in cues:
        return Conflict.INTERNAL
    return Conflict.EXTERNAL if "external" in cues else Conflict.NONE


def _stakes(cues: Cues, signals: frozenset[SignalType], shares: Shares | None) -> Stakes:
    if SignalType.HIGH_STAKES in signals:
        return Stakes.HIGH
    is_medium = "medium" in cues or bool(signals & {SignalType.URGENCY, SignalType.EMERGENCY})
    ruled = Stakes.MEDIUM if is_medium else Stakes.LOW
    return ruled if shares is None else Stakes(weighed(shares, ruled))


def _horizon(cues: Cues, altitude: Altitude) -> Horizon:
    if "far" in cues or altitude in {Altitude.L4, Altitude.L3}:
        return Horizon.FAR
    return Horizon.NEAR if "near" in cues or altitude is Altitude.L2 else Horizon.IMMEDIATE


def _confidence(cues: Cues, words: int) -> float:
    """A request that shows nothing is read with little confidence, unless it is short."""
    evidence = len(cues.keys() - {"medium"})
    if not evidence and words <= 12:
        return _CONFIDENCE[2]
    return _CONFIDENCE[min(evidence, len(_CONFIDENCE) - 1)]
