"""The unit of work of an act on bullets: a snapshot, the changes of the act applied to it, and one commit.

Takes: proposals, one after the other. Gives: judged proposals, committed in one transaction. Never: commits what was
judged against something else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker
from dopejar.engine.lookup import find_record
from dopejar.engine.review.reviewer_sessions import require_reviewer
from dopejar.engine.unit_of_work import JudgedProposal, check_tombstones, commit_with_retry, decide, planned_change
from dopejar.errors import InputError, StaleProposalError
from dopejar.governance.policy.rules import Policy
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.procedural.bullet_proposals import ProposalContext
from dopejar.pipelines.procedural.bullet_similarity import TokenOverlapIndex
from dopejar.pipelines.procedural.bullets import Bullet
from dopejar.ports.statement_reader import StatementReader
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.text.normalisation import content_hash
from dopejar.text.words import query_terms
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, RecordId, TraceId, new_act_id
from dopejar.values.proposal import Proposal, Via
from dopejar.values.recall import RecordFilter, SearchFilter, Source
from dopejar.values.receipt import Receipt
from dopejar.values.record import Kind, Record, Status
from dopejar.values.scope import Namespace, ReadScope
from dopejar.values.verdict import Allow

_MOST_STAGED = 20_000
_MOST_HITS = 50


@dataclass(kw_only=True, slots=True)
class BulletUnitOfWork:
    """The snapshot that an act on bullets reads, with what the act itself changes applied on top."""

    view: ReadView
    overlay: Overlay
    policy: Policy
    secret: bytes | None
    now: datetime
    reader: StatementReader
    judged: list[JudgedProposal] = field(default_factory=list)
    _staged_texts: TokenOverlapIndex[RecordId] | None = None

    @classmethod
    def over(cls, deps: Dependencies, view: ReadView) -> BulletUnitOfWork:
        """A unit of work over a snapshot."""
        secret = view.meta("secret")
        return cls(
            view=view,
            overlay=Overlay(view),
            policy=deps.policy(),
            secret=bytes.fromhex(secret) if secret else None,
            now=deps.clock.now(),
            reader=deps.reader(),
        )

    def put(
        self,
        proposal: Proposal,
        *,
        by: Reviewer | None = None,
        from_outcomes: bool = False,
        is_proven: bool = False,
        is_classified: bool = False,
    ) -> JudgedProposal:
        """Judge a proposal and apply what it changes to the snapshot, for the next one to see."""
        checked = check_tombstones(proposal, self.overlay, self.secret)
        verdict = decide(
            checked,
            self.overlay,
            self.policy,
            self.now,
            approval=by.name if by else None,
            from_outcomes=from_outcomes,
            is_proven=is_proven,
            is_classified=is_classified,
        )
        if by is not None and isinstance(verdict, Allow):
            verdict = replace(verdict, approver=by.name)
        judged = JudgedProposal(proposal=checked, verdict=verdict)
        self.overlay.apply(planned_change(judged, self.overlay, self.now))
        self.judged.append(judged)
        return judged

    def near(self, text: str) -> list[Record]:
        """Bullets that share words with the text, in use or staged, and any with the very same words."""
        records = {record.id: record for record in self.in_use(text)}
        for record_id in self._staged_index().near(text):
            if record_id not in records:
                records[record_id] = self._current(record_id)
        return list(records.values())

    def in_use(self, text: str) -> list[Record]:
        """Bullets in use that share words with the text, and any with the very same words."""
        where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.RECORD, kinds=(Kind.BULLET,))
        hits = self.view.lexical(query_terms(text), where, _MOST_HITS)
        loaded = self.view.load_records([hit.id for hit in hits], where)
        records = {record.id: record for record in loaded.values()}
        same = self.overlay.with_content(Namespace.PROD, content_hash(text))
        records.update((record.id, record) for record in same if record.kind is Kind.BULLET)
        return [self.overlay.record(record.id) or record for record in records.values()]

    def _current(self, record_id: RecordId) -> Record:
        record = self.overlay.record(record_id)
        if record is None:
            raise StaleProposalError(f"{record_id} was removed by another process; try again.")
        return record

    def _staged_index(self) -> TokenOverlapIndex[RecordId]:
        if self._staged_texts is None:
            self._staged_texts = TokenOverlapIndex()
            where = RecordFilter(statuses=(Status.STAGED,), kinds=(Kind.BULLET,))
            for record in self.view.list_records(where, _MOST_STAGED):
                self._staged_texts.add(record.id, record.text)
        return self._staged_texts


def commit_unit(
    deps: Dependencies,
    build: Callable[[BulletUnitOfWork], None],
    before: Callable[[WriteTransaction], None] | None = None,
    *,
    by: Reviewer | None = None,
) -> tuple[Receipt, ...]:
    """Build a unit of work and commit it in one transaction; build it again where the memory has moved.

    `before` runs inside the transaction, ahead of the commit. `by` is the reviewer whose act it is.

    Raises:
        ReviewerRequiredError: the reviewer has no open session.
    """
    now = deps.clock.now()

    def check(tx: WriteTransaction) -> None:
        if by is not None:
            require_reviewer(tx, by, deps.system_clock.now())
        if before is not None:
            before(tx)

    def evaluate() -> Sequence[JudgedProposal]:
        with deps.store.read() as view:
            unit = BulletUnitOfWork.over(deps, view)
            build(unit)
            return unit.judged

    return commit_with_retry(deps.store, evaluate, check, now)


def speaker_context(
    deps: Dependencies, speaker: Speaker, trace_id: TraceId, act_id: ActId | None = None
) -> ProposalContext:
    """The context of proposals that a speaker makes now."""
    return ProposalContext(
        act_id=act_id or new_act_id(),
        trace_id=trace_id,
        at=deps.clock.now(),
        origin=speaker.origin,
        via=speaker.via,
        proposer=deps.redact(speaker.name)[0],
    )


def reviewer_context(deps: Dependencies, by: Reviewer, trace_id: TraceId) -> ProposalContext:
    """The context of proposals that a reviewer makes and approves now."""
    speaker = Speaker(origin=Origin.USER, via=Via.REVIEW, name=by.name)
    return replace(speaker_context(deps, speaker, trace_id), made_by="person")


def bullets_by_id(deps: Dependencies, ids: Sequence[RecordId]) -> tuple[Bullet, ...]:
    """The bullets with these ids as they stand now, in this order."""
    with deps.store.read() as view:
        records = view.records(tuple(ids))
    thresholds = deps.procedural.thresholds
    return tuple(Bullet.of(records[record_id], thresholds=thresholds) for record_id in ids if record_id in records)


def find_bullet(view: ReadView, name: str) -> Record:
    """The bullet with this id, or the only one whose id begins so.

    Raises:
        NotFoundError, AmbiguousIdError: the name fits nothing, or several things. InputError: it is no bullet.
    """
    record = find_record(view, name)
    if record.kind is not Kind.BULLET:
        raise InputError(f"{record.id} is a {record.kind}, no bullet. `dopejar bullets list` lists bullets.")
    return record
