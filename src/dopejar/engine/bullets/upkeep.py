"""Upkeep and survey of the bullets in the store.

Takes: plans and a reviewer. Gives: judged proposals, and counts. Never: changes a bullet that no plan names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dopejar.engine.bullets.bullet_unit_of_work import BulletUnitOfWork, commit_unit, reviewer_context, speaker_context
from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker
from dopejar.errors import InputError
from dopejar.memory.derivation import CONFLICT_TAG
from dopejar.pipelines.procedural.bullet_proposals import ProposalContext, make_proposal
from dopejar.pipelines.procedural.bullet_similarity import NARROW, diversity
from dopejar.pipelines.procedural.bullets import (
    HEMISPHERES,
    SUGGESTED_CONFIDENCE,
    AssignmentReport,
    is_alive,
    report_assignments,
)
from dopejar.pipelines.procedural.upkeep import UpkeepPlan, plan_upkeep, pruning_policy
from dopejar.ports.store import ReadView
from dopejar.values.episode import Origin
from dopejar.values.ids import TraceId
from dopejar.values.proposal import Deprecate, Merge, Payload, Tag, Via
from dopejar.values.recall import RecordFilter
from dopejar.values.receipt import Receipt
from dopejar.values.record import Kind, Record, Status
from dopejar.values.scope import ReadScope

_REPORTED = 2000
_EVERYWHERE = ReadScope(all_projects=True)
_OVERTURNED = frozenset({Status.STAGED.value, Status.RETRACTED.value, Status.REJECTED.value})


@dataclass(frozen=True, kw_only=True, slots=True)
class UpkeepResult:
    """A plan of upkeep, and what was proposed or done of it; no receipts for a preview."""

    plan: UpkeepPlan
    receipts: tuple[Receipt, ...] = ()


def run_upkeep(
    deps: Dependencies, policy: str, by: Reviewer | None, trace_id: TraceId, *, preview: bool, force: bool
) -> UpkeepResult:
    """Plan what is due by a pruning policy; unless it is a preview propose it, or do it for a reviewer.

    Raises:
        InputError: there is no such policy, or so much is due that it must be forced.
    """
    with deps.store.read() as view:
        records = list_bullet_records(view, (Status.QUARANTINED, Status.ACTIVE))
    plan = plan_upkeep(records, pruning_policy(policy), deps.clock.now(), deps.reader())
    if preview or not plan.changes:
        return UpkeepResult(plan=plan)
    if by is not None and plan.needs_force and not force:
        raise InputError(f"{plan.changes} bullets would change. Look at the preview, then run it with --force.")
    unattended = Speaker(origin=Origin.TOOL, via=Via.UNATTENDED, name="maintain")
    context = reviewer_context(deps, by, trace_id) if by else speaker_context(deps, unattended, trace_id)
    receipts = commit_unit(deps, lambda unit: _propose_plan(unit, context, plan, by), by=by)
    return UpkeepResult(plan=plan, receipts=receipts)


def _propose_plan(unit: BulletUnitOfWork, context: ProposalContext, plan: UpkeepPlan, by: Reviewer | None) -> None:
    """Propose a plan: merges, retirements, and flags on bullets that contradict each other."""

    def put(payload: Payload, records: Sequence[Record], rationale: str) -> None:
        current = [unit.overlay.record(record.id) or record for record in records]
        unit.put(make_proposal(context, payload, current, rationale=rationale), by=by)

    for retirement in plan.retirements:
        put(Deprecate(), [retirement.record], retirement.reason)
    for merge in plan.merges:
        put(Merge(into=merge.into.id), [merge.into, *merge.others], "they say the same")
    flagged = {bullet.id: bullet for pair in plan.conflicts for bullet in pair if CONFLICT_TAG not in bullet.tags}
    for record in flagged.values():
        put(Tag(add=(CONFLICT_TAG,)), [record], "another bullet says the opposite")
    for record in plan.resolved:
        put(Tag(remove=(CONFLICT_TAG,)), [record], "nothing in use contradicts it any more")


def list_bullet_records(
    view: ReadView,
    statuses: Sequence[Status],
    limit: int = 100_000,
    *,
    read_scope: ReadScope = _EVERYWHERE,
) -> tuple[Record, ...]:
    """Bullets in these states, newest first; those of all projects where no scope is given."""
    return view.list_records(replace(RecordFilter.readable(read_scope, tuple(statuses)), kinds=(Kind.BULLET,)), limit)


@dataclass(frozen=True, kw_only=True, slots=True)
class BulletSurvey:
    """The bullets in numbers: counts by side and state, diversity of the hemispheres, and automatic assignments."""

    counts: Mapping[tuple[str, str], int]
    diversity: float
    automatic: AssignmentReport

    @property
    def is_narrow(self) -> bool:
        """Whether the two hemispheres have grown alike enough for a warning."""
        return self.diversity < NARROW


def survey_bullets(view: ReadView, threshold: float) -> BulletSurvey:
    """The bullets of every scope in numbers."""
    everything = list_bullet_records(view, (Status.STAGED, Status.QUARANTINED, Status.ACTIVE))
    records = [record for record in everything if is_alive(record)]
    in_use = [record for record in records if record.status is not Status.STAGED]
    return BulletSurvey(
        counts=Counter((record.side.value, record.status.value) for record in records),
        diversity=diversity(*([record for record in in_use if record.side is side] for side in HEMISPHERES)),
        automatic=automatic_assignments(view, threshold),
    )


def automatic_assignments(view: ReadView, threshold: float) -> AssignmentReport:
    """How many of the classifier's own assignments a person overturned, over the newest 2,000 bullets."""
    assignments: list[tuple[float, bool]] = []
    for record in list_bullet_records(view, tuple(Status), _REPORTED):
        entries = view.entries_about(record.id)
        automatic = (i for i, entry in enumerate(entries) if entry.action == "assign" and entry.approver == "auto")
        first = next(automatic, None)
        if first is not None:
            confidence = float(record.attributes.get(SUGGESTED_CONFIDENCE, "0") or 0)
            assignments.append((confidence, any(entry.to_state in _OVERTURNED for entry in entries[first + 1 :])))
    return report_assignments(assignments, threshold)
