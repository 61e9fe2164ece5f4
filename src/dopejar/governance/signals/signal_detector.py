"""The signal detector: what an utterance asks of the turn besides its content.

Takes: an utterance, the turn before it, emotional telemetry, and a model's shares where there is one. Gives: signals,
the most important first. Never: a signal from words that are quoted, denied or only supposed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from dopejar.governance.cue_table import CueTable, read_cues
from dopejar.governance.signals.folded_clauses import spoken_clauses
from dopejar.governance.signals.word_shares import weighed_together, word_shares
from dopejar.values.turn_decisions import DetectedSignal, Shares
from dopejar.values.turn_enums import SignalType, TurnGate

_S = SignalType

PRIORITY: Final = (
    _S.EMERGENCY,  # to sensemaking at once, all else paused
    _S.URGENCY,  # execute first, align after
    _S.EMOTIONAL,  # the evaluation gate
    _S.HIGH_STAKES,  # verification before action
    _S.LANE_SWITCH,  # save the context, switch
    _S.INTERRUPT,
    _S.COMPLETION,
    _S.FORMAL_WORK,
    _S.NONE,
)
"""Which of several signals comes first."""

PROPOSED_GATES: Final[Mapping[SignalType, TurnGate]] = MappingProxyType(
    {
        _S.FORMAL_WORK: TurnGate.WORK_DECLARATION,
        _S.INTERRUPT: TurnGate.LANE_SWITCH,
        _S.URGENCY: TurnGate.LANE_SWITCH,
        _S.LANE_SWITCH: TurnGate.LANE_SWITCH,
        _S.COMPLETION: TurnGate.EVALUATION,
        _S.EMOTIONAL: TurnGate.EVALUATION,
    }
)
"""The gate that a signal proposes; an emergency passes its own, and high stakes ask for verification."""

_PHRASE_ODDS: Final = 12.0  # by which a phrase multiplies the odds of a share, and one that is not meant divides them
_LEAST_SHARE: Final = 0.33  # chosen on authors held out
_TELEMETRY_CONFIDENCE: Final = 0.9
_HASTE: Final = frozenset({"now", "right now", "immediately", "this instant", "this second", "right away", "quick"})
"""Words that only stress an emergency: "stop it right now" is one, and no other signal."""

_ENDING: Final = re.compile(
    r"(?:anything else|is that (?:all|it|everything)|shall (?:we|i) (?:wrap|close|stop)|are we done|all done|"
    r"finished|mark (?:it|this) (?:as )?(?:done|complete))[^?]*\?\s*$",
    re.IGNORECASE,
)
_AGREEING: Final = re.compile(
    r"(?:no|nope|nah|yes|yep|yeah|yup|sure|that's it|all good|ok|okay)\b[\s,.!]*(?:thanks?|thank you|ty|cheers|please|"
    r"that's (?:it|all)|do (?:it|that)|all good|we're good|i'm good)?[\s.!]*$",
    re.IGNORECASE,
)


class SignalDetector:
    """Finds signals by the phrase table and by shares."""

    def __init__(self, table: CueTable | None = None) -> None:
        self._table = table or read_cues("signals", "signals")

    def detect(
        self,
        text: str,
        before: str = "",
        *,
        emotional: Mapping[str, str] | None = None,
        shares: Shares | None = None,
    ) -> tuple[DetectedSignal, ...]:
        """The signals of an utterance by priority; `NONE` alone where there is none.

        `before` is the turn that it answers; `emotional` is what a host observed, as `EmotionalTelemetry` takes it.
        `shares` are those of the words where they are not given; a signal whose share, raised where a phrase speaks
        for it, reaches the least holds.
        """
        phrases = self.phrases(text, before)
        unmeant = self._unmeant(text, before, phrases)
        found = []
        for name, share in (shares or weighed_together(None, word_shares(text)).signals).items():
            spoken = 1 if name in phrases else -1 if name in unmeant else 0
            weighed = _weighed(share, _PHRASE_ODDS**spoken)
            if weighed >= _LEAST_SHARE:
                phrase = phrases.get(_S(name), "")
                found.append(DetectedSignal(type=_S(name), confidence=round(weighed, 4), phrase=phrase))
        if _is_overloaded(emotional or {}) and all(one.type is not _S.EMOTIONAL for one in found):
            found.append(DetectedSignal(type=_S.EMOTIONAL, confidence=_TELEMETRY_CONFIDENCE))
        found.sort(key=lambda one: PRIORITY.index(one.type))
        return tuple(found) or (DetectedSignal(type=_S.NONE, confidence=0.0),)

    def phrases(self, text: str, before: str = "") -> dict[SignalType, str]:
        """The signals that phrases speak for, each with its phrase."""
        found = {_S(name): cues[0] for name, cues in self._table.find(spoken_clauses(text)).items()}
        if _ENDING.search(before) and _AGREEING.match(text.strip()):
            found.setdefault(_S.COMPLETION, text.strip())
        if _S.EMERGENCY in found and found.get(_S.URGENCY, "") in _HASTE:
            del found[_S.URGENCY]
        return found

    def _unmeant(self, text: str, before: str, phrases: Mapping[SignalType, str]) -> frozenset[str]:
        """The signals that only seem to be there; a "no, thanks" ends nothing but where the question was closing."""
        found = self._table.find_unmeant(spoken_clauses(text), phrases)
        is_answer = "?" in before and _AGREEING.match(text.strip()) and not _ENDING.search(before)
        return found | {_S.COMPLETION} if is_answer else found


def _weighed(share: float, odds: float) -> float:
    return share * odds / (share * odds + 1 - share)


def _is_overloaded(emotional: Mapping[str, str]) -> bool:
    return emotional.get("overwhelm") == "high" or emotional.get("stress") in {"high", "overwhelmed"}
