"""From a summary to proposals for the gate: compared with what is stored, rejected or taken back.

Takes: a summary with its clusters, the records at hand. Gives: `values.Proposal`s with evidence. Never: proposes twice
what waits or stands, nor again what a person rejected or took back; a repeat becomes more evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final, Protocol

from dopejar.pipelines.corrections.clusters.cluster import CorrectionCluster, matches_text
from dopejar.pipelines.corrections.clusters.wish_similarity import contradicts
from dopejar.pipelines.corrections.detection.detector import polarity_of
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Polarity
from dopejar.pipelines.corrections.proposals.proposal_engine import (
    MemoryProposal,
    ProposalEngine,
    SessionSummary,
    content_of_cluster,
    infer_category,
    priority_of,
    severity,
)
from dopejar.pipelines.corrections.wording.content import content_in
from dopejar.pipelines.ingest.atoms import Atom
from dopejar.pipelines.ingest.integrity.chain_move import CURATED_AWAY, ChainMove, Step, decide_move
from dopejar.pipelines.ingest.keys.key import make_key
from dopejar.text.lexicons import guess_language
from dopejar.text.polarity import polarity
from dopejar.text.slot_values import same_value
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, RecordId, TraceId, new_proposal_id
from dopejar.values.proposal import Add, Level, Payload, Proposal, Reinforce, Signals, Supersede, Via
from dopejar.values.record import MIN_ASSERTIONS, Draft, Evidence, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import Namespace, Project, Scope, Side
from dopejar.values.target import RecordTarget

MADE_BY: Final = "corrections@1"
DIRECTING: Final = (Kind.RULE, Kind.PREFERENCE, Kind.CORRECTION, Kind.CONSTRAINT, Kind.DECISION)
_LEAST: Final = 0.5
_COORDINATES: Final[Mapping[str, tuple[Kind, Layer, Sublayer]]] = {
    "rule": (Kind.RULE, Layer.INTENT, Sublayer.RULE),
    "preference": (Kind.PREFERENCE, Layer.SELF, Sublayer.PREFERENCE),
    "correction": (Kind.CORRECTION, Layer.INTENT, Sublayer.ANTI_PATTERN),
    "constraint": (Kind.CONSTRAINT, Layer.SELF, Sublayer.CONSTRAINT),
}
_STANDING: Final = frozenset({Status.ACTIVE, Status.STAGED, Status.QUARANTINED})


class Known(Protocol):
    """What corrections read of memory; a view of the store, or one with changes pending over it."""

    def chain(self, namespace: Namespace, scope: Scope, side: Side, chain: str) -> tuple[Record, ...]:
        """Every record with this slot (or, having no slot, this key), erased ones left out, by `valid_from`."""
        ...

    def evidence(self, record_id: RecordId) -> tuple[Evidence, ...]:
        """What the record rests on, oldest first."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposalContext:
    """What is the same for every proposal of a run."""

    act_id: ActId
    trace_id: TraceId
    now: datetime
    project: Project | None = None
    namespace: Namespace = Namespace.PROD
    proposer: str = "learn"
    via: Via = Via.CONVERSATION
    said_at_least: int = 1  # episodes a record must rest on to stand; more than one where each alone is no reason


def make_gate_proposals(
    summary: SessionSummary, *, known: Known, stored: Sequence[Record], circumstances: ProposalContext
) -> tuple[Proposal, ...]:
    """What the summary wishes of memory, for the gate to judge.

    `stored` are the directing records (`DIRECTING`) of every status that the project may see, rejected and retracted
    ones among them. A wish that resembles a standing or waiting record adds its new evidence to it; one that resembles
    a rejected or retracted record is left out; one whose evidence is known already is left out.
    """
    found = (_one(proposal, known, stored, circumstances) for proposal in summary.proposals)
    return tuple(one for one in found if one is not None)


def summarize_and_propose(
    clusters: Sequence[CorrectionCluster],
    *,
    engine: ProposalEngine,
    known: Known,
    stored: Sequence[Record],
    circumstances: ProposalContext,
) -> tuple[SessionSummary, tuple[Proposal, ...]]:
    """One conversation's clusters as a summary, and everything it wishes of memory.

    The summary's proposals come first; clusters that were not proposed add their evidence to what they resemble.
    """
    project = circumstances.project
    summary = engine.generate_proposals(clusters, project=project.id if project else None, at=circumstances.now)
    proposed = {one.cluster for one in summary.proposals}
    rest = [one for one in clusters if one not in proposed]
    return summary, (
        *make_gate_proposals(summary, known=known, stored=stored, circumstances=circumstances),
        *reinforce_known(rest, known=known, stored=stored, circumstances=circumstances),
    )


def reinforce_known(
    clusters: Iterable[CorrectionCluster], *, known: Known, stored: Sequence[Record], circumstances: ProposalContext
) -> tuple[Proposal, ...]:
    """More evidence for what stands or waits, from clusters that were not among the best five or are one-off."""
    found = []
    for one in clusters:
        record = find_matching_record(one, stored, circumstances)
        if record is not None and record.status in _STANDING:
            made = _reinforced(one, record, known, circumstances)
            if made is not None:
                found.append(made)
    return tuple(found)


def find_matching_record(
    one: CorrectionCluster, stored: Sequence[Record], circumstances: ProposalContext, scope: Scope | None = None
) -> Record | None:
    """The stored record that says what the cluster says: a standing one before one that was curated away."""
    candidates = [
        record
        for record in stored
        if record.kind in DIRECTING
        and record.namespace == circumstances.namespace
        and record.status in (_STANDING | CURATED_AWAY)
        and (scope is None or record.scope in (scope, Scope()) or scope == Scope())
        and matches_text(one, record.text, _pole(record.text))
    ]
    return min(
        candidates,
        key=lambda record: (record.status in CURATED_AWAY, record.scope != scope, record.created_at, record.id),
        default=None,
    )


@lru_cache(maxsize=8192)  # every cluster is held against every stored wording
def _pole(text: str) -> Polarity:
    return polarity_of(text, guess_language(text))


def _one(
    proposal: MemoryProposal, known: Known, stored: Sequence[Record], circumstances: ProposalContext
) -> Proposal | None:
    one = proposal.cluster
    if one is None or not one.members or proposal.confidence < _LEAST:
        return None  # nothing to rest on: a record without evidence is a defect
    scope = scope_in(proposal.scope, circumstances.project)
    same = find_matching_record(one, stored, circumstances, scope)
    if same is not None:
        return None if same.status in CURATED_AWAY else _reinforced(one, same, known, circumstances)
    draft = draft_of(proposal, scope, circumstances.namespace, circumstances.said_at_least)
    chain = known.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
    begins = min(member.exchange.at for member in one.members)
    move = decide_move(draft, begins, chain, lambda record: known.evidence(record.id))
    if move.curated_away:
        return None
    if move.step is Step.REINFORCE:
        return _reinforced(one, move.targets[0], known, circumstances)
    evidence = _evidence(one, "" if circumstances.said_at_least > 1 else draft.text, circumstances.act_id)
    against = tuple(record.id for record in find_contradicted(draft, stored))
    if move.step is Step.SUPERSEDE and _waits(draft, circumstances.via):
        # it waits as a record of its own, to gain evidence; its approval moves the chain on
        against = tuple(dict.fromkeys((*(record.id for record in move.targets), *against)))
        move = ChainMove(step=Step.ADD)
    targets = tuple(RecordTarget(record_id=record.id, version=record.version) for record in move.targets)
    return _proposal(proposal, draft, move, targets, evidence, against, circumstances)


def _waits(draft: Draft, via: Via) -> bool:
    return draft.kind is not Kind.PREFERENCE and via in (Via.CONVERSATION, Via.FILE)


def scope_in(scope: str, project: Project | None) -> Scope:
    """A summary's scope as a scope of memory: a project by its id, whatever it is called."""
    if scope.startswith("project:") and project is not None:
        return Scope.project(project.id)
    return Scope.parse(scope)


def draft_of(proposal: MemoryProposal, scope: Scope, namespace: Namespace, said_at_least: int = 1) -> Draft:
    """The content of the record that a proposal would make, with key and slot as ingest makes them."""
    kind, layer, sublayer = _COORDINATES[proposal.category]
    one = proposal.cluster
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
        valid_from=one.first_seen if one else None,
        attributes={
            "rationale": proposal.rationale,
            "priority": str(proposal.priority),
            "frequency": str(proposal.frequency),
            "category": proposal.category,
            **({MIN_ASSERTIONS: str(said_at_least)} if said_at_least > 1 else {}),
        },
    )


def _evidence(one: CorrectionCluster, wording: str, act_id: ActId) -> tuple[Evidence, ...]:
    """Every turn that says the wish, in the words given, else each in its own."""
    rows: dict[tuple[str, int, int], Evidence] = {}
    for member in one.members:
        for start, end in member.spans or ((0, len(member.exchange.text)),):
            words = wording or member.wording or content_in(member.wish, member.language)
            rows[member.exchange.episode_id, start, end] = _row(member, start, end, words, act_id)
    return tuple(rows.values())


def _row(member: CorrectionCandidate, start: int, end: int, wording: str, act_id: ActId) -> Evidence:
    return Evidence(
        episode_id=member.exchange.episode_id,
        start=start,
        end=end,
        at=member.exchange.at,
        wording=wording,
        confidence=member.confidence,
        act_id=act_id,
    )


def _reinforced(
    one: CorrectionCluster, record: Record, known: Known, circumstances: ProposalContext
) -> Proposal | None:
    told = {row.episode_id for row in known.evidence(record.id)}
    wording = record.text  # more evidence never changes what was approved
    if record.status is Status.STAGED:  # what waits takes the earliest words, whichever arrived first
        wording = "" if circumstances.said_at_least > 1 else content_of_cluster(one)
    evidence = tuple(row for row in _evidence(one, wording, circumstances.act_id) if row.episode_id not in told)
    if not evidence:
        return None
    return Proposal(
        id=new_proposal_id(),
        act_id=circumstances.act_id,
        payload=Reinforce(),
        at=circumstances.now,
        origin=Origin.USER,
        via=circumstances.via,
        made_by=MADE_BY,
        trace_id=circumstances.trace_id,
        targets=(RecordTarget(record_id=record.id, version=record.version),),
        evidence=evidence,
        scope=record.scope,
        confidence=one.confidence,
        rationale=f"Said again: {record.text}",
        priority=min(priority_of(one, infer_category(one)), severity(len(told | {row.episode_id for row in evidence}))),
        proposer=circumstances.proposer,
    )


def find_contradicted(draft: Draft, stored: Iterable[Record], *, waits: bool = False) -> tuple[Record, ...]:
    """Guidance of the draft's scope that cannot be followed beside it: what is in force, or what waits."""
    pole = _pole(draft.text)
    return tuple(
        record
        for record in stored
        if record.status is (Status.STAGED if waits else Status.ACTIVE)
        and record.kind in DIRECTING
        and record.namespace == draft.namespace
        and record.scope == draft.scope
        and (_other_value(draft, record) or contradicts(draft.text, pole, record.text, _pole(record.text)))
    )


def _other_value(draft: Draft, record: Record) -> bool:
    """Whether they share a slot and fill it otherwise."""
    return bool(draft.slot) and record.slot == draft.slot and not same_value(draft.value, record.value)


def _proposal(
    proposal: MemoryProposal,
    draft: Draft,
    move: ChainMove,
    targets: tuple[RecordTarget, ...],
    evidence: tuple[Evidence, ...],
    against: tuple[RecordId, ...],
    circumstances: ProposalContext,
) -> Proposal:
    payload: Payload = Add(draft=draft)
    signals = Signals()
    if move.step is Step.SUPERSEDE:
        payload = Supersede(
            draft=draft,
            predecessor=move.predecessor.id if move.predecessor else None,
            resume_from=move.resume_from,
        )
        signals = Signals(conflict=Level.LOW, conflicts_with=tuple(one.record_id for one in targets), own_update=True)
    elif against:
        signals = Signals(conflict=Level.MEDIUM, conflicts_with=against, own_update=True)
    return Proposal(
        id=new_proposal_id(),
        act_id=circumstances.act_id,
        payload=payload,
        at=circumstances.now,
        origin=Origin.USER,
        via=circumstances.via,
        made_by=MADE_BY,
        trace_id=circumstances.trace_id,
        targets=targets,
        evidence=evidence,
        scope=draft.scope,
        confidence=proposal.confidence,
        signals=signals,
        rationale=proposal.rationale,
        priority=proposal.priority,
        proposer=circumstances.proposer,
    )
