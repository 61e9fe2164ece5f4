"""The curator: an insight becomes a new bullet, more evidence for an existing one, or nothing.

Takes: insights, and the bullets near them, staged ones included. Gives: one decision for each. Never: writes, rewords
an existing bullet, or drops an insight without a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from dopejar.memory.derivation import MERGED_INTO
from dopejar.pipelines.mutual_relations import mutual_relations
from dopejar.pipelines.procedural.bullet_similarity import TokenOverlapIndex, related_bullets
from dopejar.pipelines.procedural.bullets import is_alive
from dopejar.pipelines.procedural.insights import Insight
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.normalisation import content_hash, fold, normalise
from dopejar.values.record import Record, Status
from dopejar.values.scope import UNIVERSAL
from dopejar.values.statement import Relation

LEAST_CONFIDENCE: Final = 0.5
LEAST_LETTERS: Final = 10
_DISMISSED: Final = (Status.REJECTED, Status.RETRACTED)

NearbyBullets = Callable[[str], Sequence[Record]]
"""Looks up bullets that share words with a text: those in use, and staged ones."""


class Disposition(StrEnum):
    """What an insight becomes."""

    ADD = "add"
    REINFORCE = "reinforce"
    DROP = "drop"


@dataclass(frozen=True, kw_only=True, slots=True)
class Decision:
    """What one insight becomes. `target` is the bullet that says the same; `contradicted` are those it contradicts."""

    insight: Insight
    disposition: Disposition
    reason: str
    target: Record | None = None
    contradicted: tuple[Record, ...] = ()


def curate(
    insights: Iterable[Insight],
    near: NearbyBullets,
    reader: StatementReader,
    *,
    least: float = LEAST_CONFIDENCE,
    keep_short: bool = False,
) -> tuple[Decision, ...]:
    """One decision for each insight, in their order; of two that say the same the later one is dropped.

    `keep_short` is for a person's own words: they are short on purpose.
    """
    decisions: list[Decision] = []
    earlier: TokenOverlapIndex[str] = TokenOverlapIndex()
    for insight in insights:
        decision = _decide(insight, near, earlier, reader, least=least, keep_short=keep_short)
        decisions.append(decision)
        if decision.disposition is not Disposition.DROP:
            earlier.add(insight.text, insight.text)
    return tuple(decisions)


def _decide(
    insight: Insight,
    near: NearbyBullets,
    earlier: TokenOverlapIndex[str],
    reader: StatementReader,
    *,
    least: float,
    keep_short: bool,
) -> Decision:
    text = normalise(insight.text)
    defect = _defect(insight, text, least=least, keep_short=keep_short)
    if defect:
        return Decision(insight=insight, disposition=Disposition.DROP, reason=defect)
    if Relation.SAME in mutual_relations(reader, [(other, text) for other in earlier.near(text)]):
        return Decision(
            insight=insight, disposition=Disposition.DROP, reason="another insight of this run says the same"
        )
    nearby = [record for record in near(text) if MERGED_INTO not in record.attributes]
    dismissed = _dismissed(insight, text, nearby)
    if dismissed is not None:
        reason = f"{dismissed.id} says the same and was {dismissed.status}"
        return Decision(insight=insight, disposition=Disposition.DROP, reason=reason, target=dismissed)
    alive = [record for record in nearby if is_alive(record) and record.scope == insight.scope]
    related = related_bullets(text, alive, reader)
    same = next((record for record, relation in related if relation is Relation.SAME), None)
    if same is not None:
        return Decision(
            insight=insight, disposition=Disposition.REINFORCE, reason=f"{same.id} says the same", target=same
        )
    contradicted = tuple(record for record, relation in related if relation is Relation.CONTRADICTION)
    reason = f"it contradicts {contradicted[0].id}" if contradicted else "nothing says this yet"
    return Decision(insight=insight, disposition=Disposition.ADD, reason=reason, contradicted=contradicted)


def _dismissed(insight: Insight, text: str, nearby: Sequence[Record]) -> Record | None:
    """A bullet of the very same words that a person rejected or took back, in this scope or everywhere."""
    digest, scopes = content_hash(text), (insight.scope, UNIVERSAL)
    return next(
        (
            record
            for record in nearby
            if record.status in _DISMISSED and record.scope in scopes and record.content_hash == digest
        ),
        None,
    )


def _defect(insight: Insight, text: str, *, least: float, keep_short: bool) -> str:
    if not fold(text).strip(" .,;:!?"):
        return "it says nothing"
    if not insight.evidence:
        return "it rests on nothing"
    if not insight.confidence >= least:
        return f"its confidence {insight.confidence:.2f} is below {least:.2f}"
    if len(text) < LEAST_LETTERS and not keep_short:
        return f"it has fewer than {LEAST_LETTERS} letters"
    return ""
