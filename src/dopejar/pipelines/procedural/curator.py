"""What becomes of an insight: a new bullet, more evidence for one that is there, or nothing.

Takes: insights, and the bullets near them, staged ones as well. Gives: one decision for each. Never: writes, rewrites
a bullet that is there, or loses an insight without a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from dopejar.memory.derivation import MERGED_INTO
from dopejar.pipelines.procedural.bullets import is_alive, is_duplicate, is_opposed
from dopejar.pipelines.procedural.insights import Insight
from dopejar.pipelines.procedural.similarity import TokenOverlapIndex
from dopejar.text.normalise import content_hash, fold, normalise
from dopejar.values.record import Record, Status
from dopejar.values.scope import UNIVERSAL

LEAST_CONFIDENCE: Final = 0.5
LEAST_LETTERS: Final = 10
SAME: Final = 0.92
_SETTLED: Final = (Status.REJECTED, Status.RETRACTED)

Near = Callable[[str], Sequence[Record]]
"""Bullets whose words are near a text: those in use, and those that wait."""


class Fate(StrEnum):
    """What becomes of an insight."""

    ADD = "add"
    REINFORCE = "reinforce"
    DROP = "drop"


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """The fate of one insight. `target` is the bullet that says it already; `against` are those that deny it."""

    insight: Insight
    fate: Fate
    reason: str
    target: Record | None = None
    against: tuple[Record, ...] = ()


def curate(
    insights: Iterable[Insight], near: Near, *, least: float = LEAST_CONFIDENCE, keep_short: bool = False
) -> tuple[Decision, ...]:
    """One decision for each insight, in their order; of two that say the same the later one is dropped.

    `keep_short` is for a person's own words: they are short for a reason.
    """
    decisions: list[Decision] = []
    earlier: TokenOverlapIndex[str] = TokenOverlapIndex()
    for insight in insights:
        decision = _decide(insight, near, earlier, least=least, keep_short=keep_short)
        decisions.append(decision)
        if decision.fate is not Fate.DROP:
            earlier.add(insight.text, insight.text)
    return tuple(decisions)


def _decide(insight: Insight, near: Near, earlier: TokenOverlapIndex[str], *, least: float, keep_short: bool) -> Decision:
    text = normalise(insight.text)
    weakness = _weakness(insight, text, least=least, keep_short=keep_short)
    if weakness:
        return Decision(insight=insight, fate=Fate.DROP, reason=weakness)
    if any(is_duplicate(text, one, SAME) for one in earlier.near(text)):
        return Decision(insight=insight, fate=Fate.DROP, reason="another insight of this run says the same")
    found = [one for one in near(text) if MERGED_INTO not in one.attributes]
    mark, scopes = content_hash(text), (insight.scope, UNIVERSAL)
    gone = (one for one in found if one.status in _SETTLED and one.scope in scopes)
    settled = next((one for one in gone if one.content_hash == mark), None)
    if settled is not None:
        reason = f"{settled.id} says the same and was {settled.status}"
        return Decision(insight=insight, fate=Fate.DROP, reason=reason, target=settled)
    alive = [one for one in found if is_alive(one) and one.scope == insight.scope]
    same = next((one for one in alive if is_duplicate(text, one.text, SAME)), None)
    if same is not None:
        return Decision(insight=insight, fate=Fate.REINFORCE, reason=f"{same.id} says the same", target=same)
    against = tuple(one for one in alive if is_opposed(text, one.text))
    reason = f"it contradicts {against[0].id}" if against else "nothing says this yet"
    return Decision(insight=insight, fate=Fate.ADD, reason=reason, against=against)


def _weakness(insight: Insight, text: str, *, least: float, keep_short: bool) -> str:
    if not fold(text).strip(" .,;:!?"):
        return "it says nothing"
    if not insight.evidence:
        return "it rests on nothing"
    if not insight.confidence >= least:
        return f"its confidence {insight.confidence:.2f} is below {least:.2f}"
    if len(text) < LEAST_LETTERS and not keep_short:
        return f"it has fewer than {LEAST_LETTERS} letters"
    return ""
