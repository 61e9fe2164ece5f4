"""Import of an export.

Takes: a file and a reviewer. Gives: its contents merged in one act, and what became of every line. Never: brings back
what was erased or rejected here, changes a turn that is here, or puts guidance in force that nobody here confirmed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.exchange.import_plan import (
    ImportPlan,
    PlannedRecord,
    ReadConversation,
    RefusedLine,
    plan_import,
    read_export,
)
from dopejar.engine.ingest.learning_progress import take_over
from dopejar.engine.review.reviewer_actions import commit_action
from dopejar.engine.review.reviewer_sessions import require_reviewer
from dopejar.engine.unit_of_work import check_tombstones, commit, decide
from dopejar.errors import InputError
from dopejar.memory.append import append
from dopejar.memory.derivation import EDITED_BY, merge_evidence
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.text.normalisation import content_hash
from dopejar.values.episode import Conversation, Origin
from dopejar.values.ids import ActId, ConversationId, ProposalId, TraceId, new_act_id
from dopejar.values.proposal import Add, Deprecate, Payload, Proposal, Reinforce, Signals, Supersede, Via
from dopejar.values.record import Draft, EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Side
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow, Stage, Verdict

IMPORTED_FROM = "imported_from"  # attribute: the file that a memory came in, and who had approved it there
_OUT_OF_FORCE = frozenset({Status.SUPERSEDED, Status.DEPRECATED})
_HERE = frozenset({Status.ACTIVE, Status.STAGED, Status.SUPERSEDED, Status.DEPRECATED, Status.QUARANTINED})


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportedMemory:
    """One memory of an export, for a person to read. `known` ones are here already and gain evidence.

    `status` is what it was where the export was made: a superseded one comes in as an older version of another.
    """

    line: int
    kind: Kind
    text: str
    is_known: bool
    status: Status = Status.ACTIVE


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportPreview:
    """What an import would do: what is in force at once, or superseded or out of use, what waits, what is refused.

    `digest` names the file as it was read: an import that is given it puts in force what the list says would wait.
    """

    digest: str
    turns: int
    in_force: tuple[ImportedMemory, ...]
    out_of_force: tuple[ImportedMemory, ...]
    waits: tuple[ImportedMemory, ...]
    refused: tuple[RefusedLine, ...]
    left_out: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ImportReport:
    """What an import did, counted by outcome, with the lists of its preview."""

    counts: Mapping[str, int]
    act_id: ActId
    preview: ImportPreview


def preview_import(deps: Dependencies, path: Path) -> ImportPreview:
    """What an import of this file would do. Raises NotFoundError, InputError where a line is wrong."""
    export = read_export(path, deps.clock.now())
    with deps.store.read() as view:
        return _preview(view, plan_import(deps, view, export))


def _preview(view: ReadView, plan: ImportPlan) -> ImportPreview:
    memories = [
        (
            planned.waits,
            ImportedMemory(
                line=planned.line,
                kind=planned.record.kind,
                text=planned.record.text,
                is_known=_known(view, planned.record) is not None,
                status=planned.record.status,
            ),
        )
        for planned in plan.records
        if _is_news(view, planned)
    ]
    return ImportPreview(
        digest=plan.export.digest,
        turns=sum(len(admitted.episodes) for admitted in plan.admitted.values()),
        in_force=tuple(memory for waits, memory in memories if not waits and memory.status not in _OUT_OF_FORCE),
        out_of_force=tuple(memory for waits, memory in memories if not waits and memory.status in _OUT_OF_FORCE),
        waits=tuple(memory for waits, memory in memories if waits),
        refused=plan.refused,
        left_out=plan.left_out,
    )


def import_from(
    deps: Dependencies, path: Path, by: Reviewer, trace_id: TraceId, *, confirmed: str = ""
) -> ImportReport:
    """Merge an export, in one act: records that exist here gain its evidence; what was erased here stays erased.

    Guidance waits for review, unless `confirmed` is the digest of the preview that listed it to the reviewer.

    Raises:
        NotFoundError, InputError: a line is wrong, or the file is not the one that was confirmed; nothing was written.
    """
    export = read_export(path, deps.clock.now())
    if confirmed not in ("", export.digest):
        raise InputError(f"{path} was changed since it was listed; nothing was imported. List it again.")
    counts: Counter[str] = Counter()
    with deps.store.write() as tx:
        require_reviewer(tx, by, deps.system_clock.now())
        plan = plan_import(deps, tx, export)
        preview = _preview(tx, plan)
        run = _ImportRun(deps, tx, by, trace_id, export.name, is_confirmed=bool(confirmed))
        for read in export.conversations.values():
            counts["episodes"] += _append(tx, plan, read)
        # what waits names its speaker, so it goes first: the act is known by its last entry, that of the reviewer
        for planned in plan.records if confirmed else sorted(plan.records, key=lambda one: not one.waits):
            counts[run.take(planned)] += 1
    counts["left_out"] += plan.left_out
    counts["refused"] += len(plan.refused)
    found = {outcome: count for outcome, count in counts.items() if count or outcome == "episodes"}
    return ImportReport(counts=found, act_id=run.act_id, preview=preview)


def _append(tx: WriteTransaction, plan: ImportPlan, read: ReadConversation) -> int:
    """Append the new turns of a conversation, whose row here stays but for how far it was imported; how many."""
    row, admitted = read.row, plan.admitted[read.row.id]
    here = tx.conversation(row.id)
    if here is None and admitted.buried and not admitted.episodes:
        return 0
    last = max((turn.index + 1 for turn in admitted.episodes), default=0)
    base: Conversation = here or replace(row, imported=0, fingerprint="")
    new = append(tx, replace(base, imported=max(base.imported, last)), admitted)
    if read.learned is not None:
        take_over(tx, ConversationId(row.id), min(read.learned, max(base.imported, last)), read.live_names)
    return new


def _known(view: ReadView, record: Record) -> Record | None:
    """The record that is here already: by its id, or with the same words for the same place."""
    place = (record.namespace, record.scope, _side(record))
    same = view.with_content(record.namespace, content_hash(record.text))
    return view.record(record.id) or next(
        (one for one in same if (one.namespace, one.scope, one.side) == place and one.status in _HERE), None
    )


def _is_news(view: ReadView, planned: PlannedRecord) -> bool:
    """Whether a memory is not here, or the import knows more turns that say it."""
    existing = _known(view, planned.record)
    if existing is None or existing.status is Status.ERASED:
        return True
    evidence = view.evidence(existing.id)
    return len(merge_evidence(evidence, planned.evidence)) > len(evidence)


def _side(record: Record) -> Side:
    return Side.NONE if record.kind is Kind.BULLET else record.side  # a person assigns a bullet here


class _ImportRun:
    """The memories of one import on their way into the store."""

    def __init__(
        self,
        deps: Dependencies,
        tx: WriteTransaction,
        by: Reviewer,
        trace_id: TraceId,
        source: str,
        *,
        is_confirmed: bool,
    ) -> None:
        self.act_id = new_act_id()
        self._deps, self._tx, self._by, self._trace_id, self._source = deps, tx, by, trace_id, source
        self._is_confirmed = is_confirmed
        secret = tx.meta("secret")
        self._secret = bytes.fromhex(secret) if secret else None

    def take(self, planned: PlannedRecord) -> str:
        """Propose and commit one memory with its evidence; the outcome."""
        now, existing = self._deps.clock.now(), _known(self._tx, planned.record)
        if existing is not None and existing.status is Status.ERASED:
            return "kept_out"
        if not _is_news(self._tx, planned):
            return "unchanged"
        waits = planned.waits and not (self._is_confirmed and _may_be_in_force(planned.record))
        proposal = self._proposal(planned, existing, waits=waits)
        proposal = check_tombstones(proposal, self._tx, self._secret)
        verdict = self._verdict(proposal, waits=waits)
        if not isinstance(verdict, Allow | Stage):
            return "kept_out"
        if isinstance(verdict, Stage):
            proposal = self._as_said(proposal)
        outcome = commit(self._tx, proposal, verdict, now).outcome
        if planned.record.status is Status.DEPRECATED and existing is None and isinstance(verdict, Allow):
            self._deprecate(planned.record)
        return outcome

    def _verdict(self, proposal: Proposal, *, waits: bool) -> Verdict:
        now, policy = self._deps.clock.now(), self._deps.policy()
        verdict = decide(proposal, self._tx, policy, now, approval=None if waits else self._by.name)
        if waits and isinstance(verdict, Allow):
            reason = "it came in an export, and guidance of another store waits for a person here"
            return Stage(rules=verdict.rules, reason=reason, policy_hash=verdict.policy_hash)
        return verdict

    def _proposal(self, planned: PlannedRecord, existing: Record | None, *, waits: bool) -> Proposal:
        record = planned.record
        return Proposal(
            id=ProposalId(record.id.replace("m_", "p_", 1)),
            act_id=self.act_id,
            payload=self._payload(record, existing, waits=waits),
            at=self._deps.clock.now(),
            origin=Origin.USER,
            via=Via.REVIEW,
            made_by=record.made_by,
            trace_id=self._trace_id,
            targets=(RecordTarget(record_id=existing.id, version=existing.version),) if existing else (),
            evidence=tuple(replace(row, act_id=self.act_id) for row in planned.evidence),
            scope=record.scope,
            confidence=record.confidence,
            signals=Signals(directs_work=planned.waits),
            rationale=f"imported from {self._source}, line {planned.line}",
            proposer=self._by.name,
            record_id=None if waits or existing else record.id,
        )

    def _as_said(self, proposal: Proposal) -> Proposal:
        """What waits, with the speaker of its first asserting turn: whoever decides must see whose words they are."""
        asserting = (row.episode_id for row in proposal.evidence if row.role is EvidenceRole.ASSERTS)
        turn = next(iter(self._tx.episodes(tuple(asserting)[:1]).values()), None)
        if turn is None:
            return proposal
        rationale = f"{proposal.rationale}, by {self._by.name}"
        return replace(proposal, origin=turn.origin, proposer=turn.speaker or turn.origin.value, rationale=rationale)

    def _payload(self, record: Record, existing: Record | None, *, waits: bool) -> Payload:
        if existing is not None:
            return Reinforce()
        draft = self._draft(record)
        chain = draft.key and self._tx.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key)
        return Supersede(draft=draft) if chain and not waits else Add(draft=draft)

    def _draft(self, record: Record) -> Draft:
        approved = f", approved there by {record.approved_by}" if record.approved_by not in ("", "policy") else ""
        attributes = {**record.attributes, IMPORTED_FROM: f"{self._source}{approved}"}
        if EDITED_BY in attributes:
            attributes[EDITED_BY] = self._by.name
        return Draft(
            kind=record.kind,
            text=record.text,
            key=record.key,
            slot=record.slot,
            value=record.value,
            layer=record.layer,
            sublayer=record.sublayer,
            namespace=record.namespace,
            scope=record.scope,
            side=_side(record),
            confidence=record.confidence,
            certainty=record.certainty,
            tags=record.tags,
            pinned=record.pinned,
            valid_from=record.valid_from,
            valid_to=record.valid_to if record.temporary else None,
            temporary=record.temporary,
            attributes=attributes,
        )

    def _deprecate(self, record: Record) -> None:
        """Take a memory out of use that was out of use where the export was made."""
        here = self._tx.record(record.id)
        if here is not None and here.status is Status.ACTIVE:
            commit_action(self._deps, self._tx, Deprecate(), [here], self._by, self._trace_id, act_id=self.act_id)


def _may_be_in_force(record: Record) -> bool:
    """Whether a reviewer's word at the import is enough. Bullets go to the review; what waited there waits."""
    return record.kind is not Kind.BULLET and record.status not in (Status.STAGED, Status.QUARANTINED)
