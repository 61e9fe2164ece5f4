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
    HINT,
    REASONING,
    SURENESS,
    TRACE,
    TYPE,
    Priority,
    review_priority,
)
from dopejar.pipelines.procedural.classifier import Classification
from dopejar.pipelines.procedural.insights import Insight
from dopejar.pipelines.procedural.options import Thresholds
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, TraceId, new_proposal_id
from dopejar.values.proposal import Add, Level, Payload, Proposal, Signals, Target, Via
from dopejar.values.record import Draft, Evidence, Kind, Layer, Record, Sublayer
from dopejar.values.scope import Namespace, Side

MADE_BY: Final = "procedural@1"
_SEVERITY: Final[Mapping[Priority, int]] = {Priority.HIGH: 2, Priority.MEDIUM: 3, Priority.LOW: 3}


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposalContext:
    """Who wishes, in which act, and how the wish came in."""

    act_id: ActId
    trace_id: TraceId
    at: datetime
    origin: Origin
    via: Via
    proposer: str
    made_by: str = MADE_BY


def wish(
    voice: ProposalContext,
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
        act_id=voice.act_id,
        payload=payload,
        at=voice.at,
        origin=voice.origin,
        via=voice.via,
        made_by=voice.made_by,
        trace_id=voice.trace_id,
        targets=tuple(Target(record_id=one.id, version=one.version) for one in targets),
        evidence=tuple(evidence),
        confidence=confidence,
        signals=signals or Signals(),
        rationale=rationale,
        priority=priority,
        proposer=voice.proposer,
    )


def draft_of(
    insight: Insight, found: Classification, *, side: Side = Side.STAGING, namespace: Namespace = Namespace.PROD
) -> Draft:
    """The bullet that an insight becomes: without a key, with the classifier's suggestion beside it."""
    told = {
        TYPE: insight.bullet_type.value,
        HINT: insight.source_hint.value,
        TRACE: insight.source_trace_id,
        SUGGESTED_SIDE: found.side.value,
        SURENESS: f"{found.confidence:.3f}",
        REASONING: found.reasoning,
        FLAGGED: "yes" if found.is_flagged else "",
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
        attributes={name: word for name, word in told.items() if word},
    )


def add_wish(
    voice: ProposalContext, insight: Insight, found: Classification, against: Sequence[Record], *, thresholds: Thresholds
) -> Proposal:
    """A bullet for the staging area. One that denies others says so, and waits as the more severe."""
    draft = draft_of(insight, found)
    signals = Signals()
    if against:
        draft = replace(draft, tags=(*draft.tags, CONFLICT_TAG))
        signals = Signals(conflict=Level.MEDIUM, conflicts_with=tuple(one.id for one in against))
    priority = 1 if against else _SEVERITY[review_priority(found.confidence, thresholds)]
    told = f"{found.reasoning}; confidence {found.confidence:.2f}"
    proposal = wish(
        voice,
        Add(draft=draft),
        evidence=tuple(replace(one, act_id=voice.act_id) for one in insight.evidence),
        confidence=insight.confidence,
        signals=signals,
        rationale=f"{insight.why}; {told}".lstrip("; "),
        priority=priority,
    )
    return replace(proposal, scope=insight.scope)
