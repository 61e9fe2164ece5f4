"""Proposals for the write gate, from the clusters of a conversation compared with the stored records.

Takes: a summary with its clusters, the stored records. Gives: `values.Proposal`s with evidence. Never: proposes twice
what waits or stands, nor again what a person rejected or undid; a repetition becomes more evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.clusters.wish_clusters import CorrectionCluster, matches_text
from dopejar.pipelines.corrections.clusters.wish_similarity import contradicts
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Polarity
from dopejar.pipelines.corrections.proposals.proposal_engine import (
    MemoryProposal,
    SessionSummary,
    content_of_cluster,
    infer_category,
    priority_of,
    severity,
)
from dopejar.pipelines.corrections.wording.clauses import sentence_case
from dopejar.pipelines.corrections.wording.memory_text import polarity_of
from dopejar.pipelines.corrections.wording.replacements import may_replace
from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.chain_decision import Known, without_slot
from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.temporal_expressions import read_time
from dopejar.pipelines.ingest.integrity.chain_move import CURATED_AWAY, ChainMove, Step, decide_move
from dopejar.pipelines.ingest.integrity.exceptions import is_exception
from dopejar.pipelines.ingest.keys.key import make_key
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import same_value
from dopejar.text.polarity import polarity
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, RecordId, TraceId, new_proposal_id
from dopejar.values.proposal import Add, Level, Payload, Proposal, Reinforce, Signals, Supersede, Via
from dopejar.values.record import (
    DIRECTING,
    LASTS,
    MIN_ASSERTIONS,
    Draft,
    Evidence,
    Kind,
    Layer,
    Record,
    Status,
    Sublayer,
)
from dopejar.values.scope import Namespace, Project, Scope
from dopejar.values.target import RecordTarget

MADE_BY: Final = "corrections@1"
_LEAST: Final = 0.5
_COORDINATES: Final[Mapping[str, tuple[Kind, Layer, Sublayer]]] = {
    "rule": (Kind.RULE, Layer.INTENT, Sublayer.RULE),
    "preference": (Kind.PREFERENCE, Layer.SELF, Sublayer.PREFERENCE),
    "correction": (Kind.CORRECTION, Layer.INTENT, Sublayer.ANTI_PATTERN),
    "constraint": (Kind.CONSTRAINT, Layer.SELF, Sublayer.CONSTRAINT),
}
_STANDING: Final = frozenset({Status.ACTIVE, Status.STAGED, Status.QUARANTINED})


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectionContext:
    """What all proposals of a run have in common."""

    act_id: ActId
    trace_id: TraceId
    now: datetime
    project: Project | None = None
    namespace: Namespace = Namespace.PROD
    proposer: str = "learn"
    via: Via = Via.CONVERSATION
    said_at_least: int = 1  # episodes a record must rest on; more than one where each alone is no reason


def make_gate_proposals(
    summary: SessionSummary, *, known: Known, stored: Sequence[Record], context: CorrectionContext
) -> tuple[Proposal, ...]:
    """The summary's proposals, for the gate to judge.

    `stored` are the directing records (`DIRECTING`) of every status that the project may see, including rejected and
    retracted ones. A proposal that matches a standing or waiting record adds its new evidence to it; one that matches a
    rejected or retracted record is dropped, and so is one without new evidence.
    """
    proposals = (_make_proposal(proposal, known, stored, context) for proposal in summary.proposals)
    return tuple(proposal for proposal in proposals if proposal is not None)


def find_matching_record(
    cluster: CorrectionCluster, stored: Sequence[Record], context: CorrectionContext, scope: Scope | None = None
) -> Record | None:
    """Find the stored record that says what the cluster says: a standing one before one that was curated away."""
    matches = [
        record
        for record in stored
        if record.kind in DIRECTING
        and record.namespace == context.namespace
        and record.status in (_STANDING | CURATED_AWAY)
        and (scope is None or record.scope in (scope, Scope()) or scope == Scope())
        and matches_text(cluster, record.text, _polarity(record.text))
    ]
    return min(
        matches,
        key=lambda record: (record.status in CURATED_AWAY, record.scope != scope, record.created_at, record.id),
        default=None,
    )


@lru_cache(maxsize=8192)  # every cluster is compared with every stored wording
def _polarity(text: str) -> Polarity:
    return polarity_of(text, guess_language(text))


def _make_proposal(
    proposal: MemoryProposal, known: Known, stored: Sequence[Record], context: CorrectionContext
) -> Proposal | None:
    cluster = proposal.cluster
    if cluster is None or not cluster.members or proposal.confidence < _LEAST:
        return None  # a record without evidence is a defect
    scope = scope_in(proposal.scope, context.project)
    same = find_matching_record(cluster, stored, context, scope)
    if same is not None:
        return None if same.status in CURATED_AWAY else _make_reinforcement(cluster, same, known, context)
    draft = draft_of(proposal, scope, context.namespace, context.said_at_least)
    # a rule for a time stays outside the chain of the lasting one
    chain = () if draft.temporary else known.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    if any(record.status is Status.ACTIVE and is_exception(record.text, draft.text) for record in chain):
        draft, chain = without_slot(draft), ()  # it stands beside the rule that it departs from
    begins = min(member.exchange.at for member in cluster.members)
    move = decide_move(draft, begins, chain, lambda record: known.evidence(record.id))
    if move.curated_away:
        return None
    if move.step is Step.REINFORCE:
        return _make_reinforcement(cluster, move.targets[0], known, context)
    evidence = _evidence(cluster, "" if context.said_at_least > 1 else draft.text, context.act_id)
    contradicted = find_contradicted(draft, stored)
    said = " ".join(member.exchange.text for member in cluster.members)
    for record in (*move.targets, *contradicted):
        if record.status is Status.ACTIVE and not may_replace(draft.text, said, record.text):
            return _make_reinforcement(cluster, record, known, context)  # a complaint that it was not followed
    against = tuple(record.id for record in contradicted)
    if move.step is Step.SUPERSEDE and context.via in (Via.CONVERSATION, Via.FILE):
        # it waits as a record of its own, to gain evidence; its approval continues the chain
        against = tuple(dict.fromkeys((*(record.id for record in move.targets), *against)))
        move = ChainMove(step=Step.ADD)
    targets = tuple(RecordTarget(record_id=record.id, version=record.version) for record in move.targets)
    return _build_proposal(proposal, draft, move, targets, evidence, against, context)


def scope_in(scope: str, project: Project | None) -> Scope:
    """A summary's scope as a scope of memory: a project by its id, whatever its name."""
    if scope.startswith("project:") and project is not None:
        return Scope.project(project.id)
    return Scope.parse(scope)


def draft_of(proposal: MemoryProposal, scope: Scope, namespace: Namespace, said_at_least: int = 1) -> Draft:
    """The content of the record that a proposal would create, with key and slot as ingest makes them."""
    kind, layer, sublayer = _COORDINATES[proposal.category]
    cluster = proposal.cluster
    language = guess_language(proposal.content)
    key = make_key(
        Atom(
            text=proposal.content,
            start=0,
            end=len(proposal.content),
            layer=layer,
            sublayer=sublayer,
            kind=kind,
            cue="correction",
            polarity=polarity(proposal.content, language),
            language=language,
            directs_work=True,
        )
    )
    begun = cluster.first_seen if cluster else None
    time = read_time(proposal.content, begun, cues(language)) if begun else None
    return Draft(
        kind=kind,
        text=proposal.content,
        key=key.key,
        slot=key.slot,
        value=key.value,
        layer=layer,
        sublayer=sublayer,
        namespace=namespace,
        scope=scope,
        confidence=proposal.confidence,
        valid_from=begun,
        valid_to=time.valid_to if time else None,
        temporary=time.temporary if time else False,
        attributes={
            "rationale": proposal.rationale,
            "priority": str(proposal.priority),
            "frequency": str(proposal.frequency),
            "category": proposal.category,
            **({LASTS: f"{max(member.standing for member in cluster.members):.2f}"} if cluster else {}),
            **({MIN_ASSERTIONS: str(said_at_least)} if said_at_least > 1 else {}),
        },
    )


def _evidence(cluster: CorrectionCluster, wording: str, act_id: ActId) -> tuple[Evidence, ...]:
    """One row of evidence per turn that says the wish, in the given wording, else in the turn's own."""
    rows: dict[tuple[str, int, int], Evidence] = {}
    for member in cluster.members:
        for start, end in member.spans or ((0, len(member.exchange.text)),):
            words = wording or member.wording or sentence_case(member.wish)
            rows[member.exchange.episode_id, start, end] = _evidence_row(member, start, end, words, act_id)
    return tuple(rows.values())


def _evidence_row(member: CorrectionCandidate, start: int, end: int, wording: str, act_id: ActId) -> Evidence:
    return Evidence(
        episode_id=member.exchange.episode_id,
        start=start,
        end=end,
        at=member.exchange.at,
        wording=wording,
        trust=member.exchange.trust,
        confidence=member.confidence,
        act_id=act_id,
    )


def _make_reinforcement(
    cluster: CorrectionCluster, record: Record, known: Known, context: CorrectionContext
) -> Proposal | None:
    known_episodes = {row.episode_id for row in known.evidence(record.id)}
    wording = record.text  # more evidence never changes what was approved
    if record.status is Status.STAGED:  # a waiting record takes the earliest words, in any order of arrival
        wording = "" if context.said_at_least > 1 else content_of_cluster(cluster)
    evidence = tuple(row for row in _evidence(cluster, wording, context.act_id) if row.episode_id not in known_episodes)
    if not evidence:
        return None
    return Proposal(
        id=new_proposal_id(),
        act_id=context.act_id,
        payload=Reinforce(),
        at=context.now,
        origin=Origin.USER,
        via=context.via,
        made_by=MADE_BY,
        trace_id=context.trace_id,
        targets=(RecordTarget(record_id=record.id, version=record.version),),
        evidence=evidence,
        scope=record.scope,
        confidence=cluster.confidence,
        rationale=f"Stated again: {record.text}",
        priority=min(
            priority_of(cluster, infer_category(cluster)),
            severity(len(known_episodes | {row.episode_id for row in evidence})),
        ),
        proposer=context.proposer,
    )


def find_contradicted(draft: Draft, stored: Iterable[Record], *, waits: bool = False) -> tuple[Record, ...]:
    """Find guidance of the draft's scope that contradicts it: active records, or those that wait.

    An exception contradicts no rule that it departs from.
    """
    draft_polarity = _polarity(draft.text)
    return tuple(
        record
        for record in stored
        if record.status is (Status.STAGED if waits else Status.ACTIVE)
        and record.kind in DIRECTING
        and record.namespace == draft.namespace
        and record.scope == draft.scope
        and (
            _has_other_value(draft, record)
            or contradicts(draft.text, draft_polarity, record.text, _polarity(record.text))
        )
        and not is_exception(record.text, draft.text)
    )


def _has_other_value(draft: Draft, record: Record) -> bool:
    """Whether they share a slot and have different values."""
    return bool(draft.slot) and record.slot == draft.slot and not same_value(draft.value, record.value)


def _build_proposal(
    proposal: MemoryProposal,
    draft: Draft,
    move: ChainMove,
    targets: tuple[RecordTarget, ...],
    evidence: tuple[Evidence, ...],
    against: tuple[RecordId, ...],
    context: CorrectionContext,
) -> Proposal:
    payload: Payload = Add(draft=draft)
    signals = Signals(directs_work=True)
    if move.step is Step.SUPERSEDE:
        payload = Supersede(
            draft=draft,
            predecessor=move.predecessor.id if move.predecessor else None,
            resume_from=move.resume_from,
        )
        signals = Signals(
            directs_work=True,
            conflict=Level.LOW,
            conflicts_with=tuple(target.record_id for target in targets),
            own_update=True,
        )
    elif against:
        signals = Signals(directs_work=True, conflict=Level.MEDIUM, conflicts_with=against, own_update=True)
    return Proposal(
        id=new_proposal_id(),
        act_id=context.act_id,
        payload=payload,
        at=context.now,
        origin=Origin.USER,
        via=context.via,
        made_by=MADE_BY,
        trace_id=context.trace_id,
        targets=targets,
        evidence=evidence,
        scope=draft.scope,
        confidence=proposal.confidence,
        signals=signals,
        rationale=proposal.rationale,
        priority=proposal.priority,
        proposer=context.proposer,
    )
