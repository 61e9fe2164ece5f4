"""Bullets in use: what came of using them, what is shared, what is tidied up.

Takes: outcomes and plans. Gives: judged proposals. Never: moves a counter without an episode behind it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dopejar.engine.bullets.assignment import BulletUnitOfWork, commit_all, find_bullet, reviewers_voice, voice
from dopejar.engine.bullets.episode_writer import Voiced, voiced
from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker
from dopejar.engine.unit_of_work import JudgedProposal
from dopejar.errors import InputError, NotFoundError
from dopejar.memory.commit import Receipt
from dopejar.memory.derivation import CONFLICT_TAG
from dopejar.pipelines.procedural.bullets import (
    HELPFUL,
    HEMISPHERES,
    OUTCOMES,
    AssignmentReport,
    is_alive,
    is_proven,
    lacks_for_sharing,
    report_assignments,
)
from dopejar.pipelines.procedural.insights import evidence_in
from dopejar.pipelines.procedural.proposals import ProposalContext, make_proposal
from dopejar.pipelines.procedural.similarity import NARROW, confirms_across, diversity
from dopejar.pipelines.procedural.tone import soften
from dopejar.pipelines.procedural.upkeep import UpkeepPlan, plan_upkeep, pruning_policy
from dopejar.ports.store import ReadView, RecordFilter
from dopejar.values.edge import EdgeKind
from dopejar.values.episode import Episode, EpisodeKind, Origin, trust_of
from dopejar.values.ids import EpisodeId, RecordId, TraceId
from dopejar.values.proposal import Activate, Deprecate, Merge, Payload, Share, Tag, Via
from dopejar.values.record import EvidenceRole, Kind, Record, Status
from dopejar.values.scope import Project
from dopejar.values.verdict import Allow

_REPORTED = 2000
_EPISODE = re.compile(r"e_[0-9a-z]+")
_WORDS: Mapping[tuple[Origin, str], str] = {
    (Origin.USER, "helpful"): "confirmed",
    (Origin.USER, "harmful"): "rejected",
    (Origin.TOOL, "helpful"): "success",
    (Origin.TOOL, "harmful"): "failure",
}
_TAKEN_BACK = frozenset({Status.STAGED.value, Status.RETRACTED.value, Status.REJECTED.value})
_COUNTING = frozenset({Origin.TOOL, Origin.USER})


def check_outcome(outcome: str) -> str:
    """`helpful` or `harmful`; raises InputError for anything else."""
    if outcome not in OUTCOMES:
        raise InputError(f"An outcome is {' or '.join(OUTCOMES)}, not {outcome!r}.")
    return outcome


def is_recorded(episode: Episode) -> bool:
    """Whether an episode is an outcome: the result of a tool or a test, or what a user confirmed."""
    told = bool(episode.outcome) or episode.kind in (EpisodeKind.OUTCOME, EpisodeKind.TOOL_RESULT)
    return told and episode.origin in _COUNTING


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """An outcome as somebody tells it. `evidence` is the id of an episode, or words that become one."""

    name: str
    outcome: str
    evidence: str
    speaker: Speaker
    session: str
    trace_id: TraceId
    project: Project | None

    @property
    def is_id(self) -> bool:
        """Whether the evidence names an episode."""
        return _EPISODE.fullmatch(self.evidence.strip()) is not None


def record_outcome(deps: Dependencies, asked: Asked) -> RecordId:
    """Commit an outcome, and what follows from it, in one transaction; the bullet's id.

    Raises:
        NotFoundError: there is no such bullet or episode. InputError: the bullet is not in use, or was learned from it.
    """
    told = voice(deps, asked.speaker, asked.trace_id)
    kept = None if asked.is_id else _kept(deps, asked, told)
    found: list[RecordId] = []

    def think(bench: BulletUnitOfWork) -> None:
        record = find_bullet(bench.view, asked.name)
        found[:] = [record.id]
        episode = kept.episodes[0] if kept else bench.view.episode(EpisodeId(asked.evidence.strip()))
        if episode is None:
            raise NotFoundError(f"There is no episode {asked.evidence}. `dopejar history` names those of a memory.")
        count(bench, told, record, asked.outcome, episode)

    commit_all(deps, think, kept.keep if kept else None)
    return found[0]


def _kept(deps: Dependencies, asked: Asked, told: ProposalContext) -> Voiced:
    text = asked.evidence.strip() or f"The bullet {asked.name} was {asked.outcome}."
    return voiced(
        deps,
        [text],
        asked.speaker,
        told.act_id,
        asked.trace_id,
        project=asked.project,
        kind=EpisodeKind.OUTCOME,
        outcome=_WORDS.get((asked.speaker.origin, asked.outcome), ""),
        session=asked.session,
    )


def count(bench: BulletUnitOfWork, told: ProposalContext, record: Record, outcome: str, episode: Episode) -> None:
    """Propose an outcome of a bullet; where it proves the bullet, propose that it becomes active.

    Raises:
        InputError: the bullet waits or is out of use, or was learned from this very episode.
    """
    if record.status not in (Status.QUARANTINED, Status.ACTIVE):
        raise InputError(
            f"{record.id} is {record.status}; only a bullet in use can help or do harm. Assign it, or bring it back."
        )
    rows = bench.overlay.evidence(record.id)
    if any(one.episode_id == episode.id and one.role is not EvidenceRole.OUTCOME for one in rows):
        raise InputError(
            f"{record.id} was learned from {episode.id}, or that outcome was taken back; another episode must tell."
        )
    speaks = replace(told, origin=episode.origin)
    row = replace(
        evidence_in(episode, outcome, trust=trust_of(episode.origin), confidence=1.0),
        role=EvidenceRole.OUTCOME,
        act_id=told.act_id,
    )
    proposal = make_proposal(speaks, Tag(outcome=outcome), (record,), evidence=(row,), rationale=f"{outcome} by {episode.id}")
    judged = bench.put(proposal, from_outcomes=is_recorded(episode))
    if isinstance(judged.verdict, Allow) and outcome == HELPFUL:
        _activate(bench, speaks, record, episode)


def _activate(bench: BulletUnitOfWork, told: ProposalContext, record: Record, episode: Episode) -> None:
    now = bench.overlay.record(record.id)
    if now is None:
        return
    rows = bench.overlay.evidence(record.id)
    known = bench.view.episodes(tuple({one.episode_id for one in rows if one.role is EvidenceRole.OUTCOME}))
    conversations = {one.id: one.conversation for one in (*known.values(), episode)}
    if is_proven(now, rows, conversations):
        helped = f"it helped {now.helpful_count} times, in {len(set(conversations.values()))} conversations"
        bench.put(make_proposal(told, Activate(), (now,), rationale=helped), is_proven=True)


def share(bench: BulletUnitOfWork, told: ProposalContext, record: Record, by: Reviewer, text: str, *, is_confirmed: bool) -> JudgedProposal:
    """Propose a copy for both hemispheres, in softer words unless others are given.

    Raises:
        InputError: it is shared already, or lacks something; the message says what.
    """
    copies = bench.view.edges([record.id], (EdgeKind.COPY_OF,))
    if any(edge.dst == record.id and _is_shared(bench, edge.src) for edge in copies):
        raise InputError(f"{record.id} is shared already.")
    others = bench.near(record.text)
    is_cross_confirmed = is_confirmed or any(confirms_across(record, one) for one in others)
    lacks = lacks_for_sharing(record, is_cross_confirmed=is_cross_confirmed)
    if lacks:
        raise InputError(f"{record.id} cannot be shared yet: {'; '.join(lacks)}.")
    proposal = make_proposal(told, Share(text=text or soften(record.text)), (record,), rationale="proven on its own side")
    return bench.put(proposal, by=by)


def _is_shared(bench: BulletUnitOfWork, name: str) -> bool:
    copies = [one for one in bench.view.records(bench.view.find_record_id(name)).values() if one.id == name]
    return any(one.status is Status.ACTIVE for one in copies)


@dataclass(frozen=True, kw_only=True, slots=True)
class UpkeepResult:
    """A plan of upkeep, and what was proposed or done of it; no receipts for a preview."""

    plan: UpkeepPlan
    receipts: tuple[Receipt, ...] = ()


def maintain(
    deps: Dependencies, policy: str, by: Reviewer | None, trace_id: TraceId, *, preview: bool, force: bool
) -> UpkeepResult:
    """Plan what is due by a pruning policy, and unless it is a preview propose it, or do it where a reviewer says so.

    Raises:
        InputError: there is no such policy, or so much is due that it must be forced.
    """
    with deps.store.read() as view:
        records = bullets_of(view, (Status.QUARANTINED, Status.ACTIVE))
    plan = plan_upkeep(records, pruning_policy(policy), deps.clock.now())
    if preview or not plan.changes:
        return UpkeepResult(plan=plan)
    if by is not None and plan.needs_force and not force:
        raise InputError(f"{plan.changes} bullets would change. Look at the preview, then say so with --force.")
    unattended = Speaker(origin=Origin.TOOL, via=Via.UNATTENDED, name="maintain")
    told = reviewers_voice(deps, by, trace_id) if by else voice(deps, unattended, trace_id)
    return UpkeepResult(plan=plan, receipts=commit_all(deps, lambda bench: tidy_up(bench, told, plan, by)))


def tidy_up(bench: BulletUnitOfWork, told: ProposalContext, plan: UpkeepPlan, by: Reviewer | None) -> None:
    """Propose a plan: merges, retirements, and flags on bullets that contradict each other."""
    for retiring in plan.retirements:
        _put(bench, told, Deprecate(), [retiring.record], by, retiring.reason)
    for merging in plan.merges:
        _put(bench, told, Merge(into=merging.into.id), [merging.into, *merging.others], by, "they say the same")
    flagged = {one.id: one for pair in plan.conflicts for one in pair if CONFLICT_TAG not in one.tags}
    for record in flagged.values():
        _put(bench, told, Tag(add=(CONFLICT_TAG,)), [record], by, "another bullet says the opposite")
    for record in plan.resolved:
        _put(bench, told, Tag(remove=(CONFLICT_TAG,)), [record], by, "nothing in use contradicts it any more")


def _put(bench: BulletUnitOfWork, told: ProposalContext, payload: Payload, records: Sequence[Record], by: Reviewer | None, why: str) -> None:
    now = [bench.overlay.record(one.id) or one for one in records]
    bench.put(make_proposal(told, payload, now, rationale=why), by=by)


def bullets_of(view: ReadView, statuses: Sequence[Status], limit: int = 100_000) -> tuple[Record, ...]:
    """Bullets of any scope in these states, newest first."""
    return view.list_records(RecordFilter(statuses=tuple(statuses), kinds=(Kind.BULLET,)), limit)


@dataclass(frozen=True, kw_only=True, slots=True)
class BulletSurvey:
    """How the bullets stand: how many by side and state, how unlike the hemispheres are, what was taken back."""

    counts: Mapping[tuple[str, str], int]
    diversity: float
    automatic: AssignmentReport

    @property
    def is_narrow(self) -> bool:
        """Whether the two hemispheres have grown so alike that it is worth a warning."""
        return self.diversity < NARROW


def survey(view: ReadView, threshold: float) -> BulletSurvey:
    """How the bullets of every scope stand."""
    records = [one for one in bullets_of(view, (Status.STAGED, Status.QUARANTINED, Status.ACTIVE)) if is_alive(one)]
    used = [one for one in records if one.status is not Status.STAGED]
    return BulletSurvey(
        counts=Counter((one.side.value, one.status.value) for one in records),
        diversity=diversity(*([one for one in used if one.side is side] for side in HEMISPHERES)),
        automatic=automatic_assignments(view, threshold),
    )


def automatic_assignments(view: ReadView, threshold: float) -> AssignmentReport:
    """How the classifier's own assignments fared, over the newest 2,000 bullets."""
    told: list[tuple[float, bool]] = []
    for record in bullets_of(view, tuple(Status), _REPORTED):
        entries = view.entries_about(record.id)
        first = next((i for i, one in enumerate(entries) if one.action == "assign" and one.approver == "auto"), None)
        if first is not None:
            sureness = float(record.attributes.get("suggested_confidence", "0") or 0)
            told.append((sureness, any(one.to_state in _TAKEN_BACK for one in entries[first + 1 :])))
    return report_assignments(told, threshold)
