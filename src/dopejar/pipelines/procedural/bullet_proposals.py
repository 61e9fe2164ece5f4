"""Proposals about bullets.

Takes: curated insights, classifications, bullets. Gives: proposals with evidence and signals. Never: judges or writes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from dopejar.memory.derivation import CONFLICT_TAG, SUGGESTED_SIDE
from dopejar.pipelines.procedural.bullets import (
    FLAGGED,
    SOURCE_HEMISPHERE,
    SOURCE_TRACE_ID,
    SUGGESTED_BECAUSE,
    SUGGESTED_CONFIDENCE,
    TYPE_ATTRIBUTE,
    Priority,
    review_priority,
)
from dopejar.pipelines.procedural.classifier import Classification
from dopejar.pipelines.procedural.insights import Insight
from dopejar.pipelines.procedural.procedural_options import Thresholds
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, TraceId, new_proposal_id
from dopejar.values.proposal import Add, Level, Payload, Proposal, Signals, Via
from dopejar.values.record import Draft, Evidence, Kind, Layer, Record, Sublayer
from dopejar.values.scope import Namespace, Side
from dopejar.values.target import RecordTarget

MADE_BY: Final = "procedural@1"
_PRIORITY: Final[Mapping[Priority, int]] = {Priority.HIGH: 2, Priority.MEDIUM: 3, Priority.LOW: 3}


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposalContext:
    """Who proposes, in which act, and by which way it came in."""

    act_id: ActId
    trace_id: TraceId
    at: datetime
    origin: Origin
    via: Via
    proposer: str
    made_by: str = MADE_BY


def make_proposal(
    context: ProposalContext,
    payload: Payload,
    targets: Sequence[Record] = (),
    *,
    evidence: Sequence[Evidence] = (),
    confidence: float = 1.0,
    signals: Signals | None = None,
    rationale: str = "",
    priority: int = 3,
) -> Proposal:
    """A proposal about these records as they stand now."""
    return Proposal(
        id=new_proposal_id(),
        act_id=context.act_id,
        payload=payload,
        at=context.at,
        origin=context.origin,
        via=context.via,
        made_by=context.made_by,
        trace_id=context.trace_id,
        targets=tuple(RecordTarget(record_id=record.id, version=record.version) for record in targets),
        evidence=tuple(evidence),
        confidence=confidence,
        signals=signals or Signals(),
        rationale=rationale,
        priority=priority,
        proposer=context.proposer,
    )


def draft_bullet(
    insight: Insight,
    classification: Classification,
    *,
    side: Side = Side.STAGING,
    namespace: Namespace = Namespace.PROD,
) -> Draft:
    """The bullet that an insight becomes: without a key, with the classifier's suggestion in its attributes."""
    attributes = {
        TYPE_ATTRIBUTE: insight.bullet_type.value,
        SOURCE_HEMISPHERE: insight.source_hint.value,
        SOURCE_TRACE_ID: insight.source_trace_id,
        SUGGESTED_SIDE: classification.side.value,
        SUGGESTED_CONFIDENCE: f"{classification.confidence:.3f}",
        SUGGESTED_BECAUSE: classification.reasoning,
        FLAGGED: "yes" if classification.is_flagged else "",
    }
    return Draft(
        kind=Kind.BULLET,
        text=insight.text,
        layer=Layer.INTENT,
        sublayer=Sublayer.RULE,
        namespace=namespace,
        scope=insight.scope,
        side=side,
        confidence=insight.confidence,
        tags=insight.tags,
        attributes={name: value for name, value in attributes.items() if value},
    )


def propose_bullet(
    context: ProposalContext,
    insight: Insight,
    classification: Classification,
    contradicted: Sequence[Record],
    *,
    thresholds: Thresholds,
) -> Proposal:
    """The proposal of a staged bullet. One that contradicts others names them, and has a higher priority."""
    draft = draft_bullet(insight, classification)
    signals = Signals()
    if contradicted:
        draft = replace(draft, tags=(*draft.tags, CONFLICT_TAG))
        signals = Signals(conflict=Level.MEDIUM, conflicts_with=tuple(record.id for record in contradicted))
    priority = 1 if contradicted else _PRIORITY[review_priority(classification.confidence, thresholds)]
    reasoning = f"{classification.reasoning}; confidence {classification.confidence:.2f}"
    proposal = make_proposal(
        context,
        Add(draft=draft),
        evidence=tuple(replace(row, act_id=context.act_id) for row in insight.evidence),
        confidence=insight.confidence,
        signals=signals,
        rationale=f"{insight.why}; {reasoning}".lstrip("; "),
        priority=priority,
    )
    return replace(proposal, scope=insight.scope)
