"""Assignment of staged bullets to a hemisphere.

Takes: bullets and sides, by a reviewer or by the classifier. Gives: receipts. Never: assigns what nothing classifies
clearly without a reviewer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dopejar.engine.bullets.bullet_unit_of_work import (
    BulletUnitOfWork,
    commit_unit,
    find_bullet,
    reviewer_context,
    speaker_context,
)
from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker
from dopejar.engine.review.decisions import SeenVersions, staleness_reason
from dopejar.errors import ReviewerRequiredError, StaleProposalError
from dopejar.memory.derivation import CONFLICT_TAG
from dopejar.pipelines.procedural.bullet_proposals import ProposalContext, make_proposal
from dopejar.pipelines.procedural.bullet_similarity import related_bullets
from dopejar.pipelines.procedural.bullets import Bullet
from dopejar.pipelines.procedural.playbook import IN_USE
from dopejar.pipelines.procedural.procedural_options import ProceduralOptions
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.episode import Origin
from dopejar.values.ids import TraceId, proposal_id_of
from dopejar.values.proposal import Assign, Tag
from dopejar.values.receipt import Receipt
from dopejar.values.record import Record, Status
from dopejar.values.scope import Side
from dopejar.values.statement import Relation
from dopejar.values.verdict import Allow


def assign_bullets(
    deps: Dependencies, choices: Mapping[str, Side], by: Reviewer | None, trace_id: TraceId, seen: SeenVersions
) -> tuple[Receipt, ...]:
    """Assign staged bullets, all in one act and one transaction or none: the one way to assign, for every door.

    Without a reviewer it is the classifier's own assignment, which the gate allows only where the settings do, above
    the threshold.

    Raises:
        NotFoundError, AmbiguousIdError, InputError: a name fits no bullet, or several.
        StaleProposalError: one is staged no longer, or changed since it was seen.
        ReviewerRequiredError: there is no reviewer and the classifier is not confident enough.
    """
    user = Speaker(origin=Origin.USER, name="user")
    context = reviewer_context(deps, by, trace_id) if by else speaker_context(deps, user, trace_id)
    records: list[Record] = []

    def build(unit: BulletUnitOfWork) -> None:
        records[:] = [find_bullet(unit.view, name) for name in choices]
        sides = list(zip(records, choices.values(), strict=True))
        _propose_assignments(unit, context, sides, by, deps.procedural)
        if by is not None:
            _require_unchanged(unit.view, records, seen)
            _clear_conflict_flags(unit, context, records, by)

    def check(tx: WriteTransaction) -> None:
        if by is not None:
            _require_unchanged(tx, records, seen)

    return commit_unit(deps, build, check, by=by)


def _propose_assignments(
    unit: BulletUnitOfWork,
    context: ProposalContext,
    choices: Sequence[tuple[Record, Side]],
    by: Reviewer | None,
    options: ProceduralOptions,
) -> None:
    """One proposal for each side: the reviewer's choice, or the classifier's own where it is confident enough.

    Raises:
        StaleProposalError: one is staged no longer.
        ReviewerRequiredError: the gate does not allow it without a reviewer.
    """
    for record, _ in choices:
        if record.status is not Status.STAGED:
            who = f" by {record.approved_by}" if record.approved_by else ""
            where = f" on the {record.side} side" if record.side else ""
            raise StaleProposalError(f"{record.id} does not wait any more: it is {record.status}{where}{who}.")
    assigner = by.name if by else "the classifier"
    for side in dict.fromkeys(side for _, side in choices):
        records = [record for record, chosen in choices if chosen is side]
        proposal = make_proposal(context, Assign(side=side), records, rationale=f"assigned by {assigner}")
        bullets = [Bullet.of(record) for record in records]
        least = min(bullet.classification_confidence for bullet in bullets)
        is_suggested = all(
            bullet.suggested_hemisphere is side and not bullet.is_flagged and not bullet.has_conflict
            for bullet in bullets
        )
        may_assign = options.auto_assign or not options.staging_enabled
        is_classified = by is None and may_assign and is_suggested and least >= options.auto_assign_threshold
        proposal = replace(proposal, confidence=1.0 if by else least)
        verdict = unit.put(proposal, by=by, is_classified=is_classified).verdict
        if not isinstance(verdict, Allow):
            raise ReviewerRequiredError(
                f"The classifier may not assign this by itself: {verdict.reason}. A reviewer decides."
            )


def _clear_conflict_flags(
    unit: BulletUnitOfWork, context: ProposalContext, assigned: Sequence[Record], by: Reviewer
) -> None:
    """Remove the conflict flag of what a reviewer assigned, where nothing in use contradicts it."""
    for before in assigned:
        record = unit.overlay.record(before.id)
        if record is None or CONFLICT_TAG not in record.tags:
            continue
        others = (other for other in unit.in_use(record.text) if other.status in IN_USE and other.id != record.id)
        related = related_bullets(record.text, others, unit.reader)
        if all(relation is not Relation.CONTRADICTION for _, relation in related):
            payload = Tag(remove=(CONFLICT_TAG,))
            unit.put(make_proposal(context, payload, (record,), rationale="nothing in use contradicts it"), by=by)


def _require_unchanged(view: ReadView, staged: Sequence[Record], seen: SeenVersions) -> None:
    """Raises StaleProposalError where the proposal of a staged bullet is not the one that was seen."""
    for record in staged:
        proposal = view.proposal(proposal_id_of(record.id))
        reason = staleness_reason(proposal, seen) if proposal is not None else ""
        if reason:
            raise StaleProposalError(f"{record.id} {reason}")
