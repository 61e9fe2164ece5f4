"""Outcomes of bullets in use: what they count, what they prove, and what is shared because of them.

Takes: outcomes, and a reviewer's wish to share. Gives: judged proposals. Never: moves a counter without an episode
behind it, or takes anything but a reviewer's word for the proof of a bullet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dopejar.engine.bullets.bullet_unit_of_work import (
    BulletUnitOfWork,
    commit_unit,
    find_bullet,
    reviewer_context,
    speaker_context,
)
from dopejar.engine.bullets.episode_writer import PendingEpisodes, prepare_episodes
from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker
from dopejar.engine.unit_of_work import JudgedProposal
from dopejar.errors import InputError, NotFoundError
from dopejar.pipelines.procedural.bullet_proposals import ProposalContext, make_proposal
from dopejar.pipelines.procedural.bullet_similarity import is_confirmed_across
from dopejar.pipelines.procedural.bullets import HELPFUL, OUTCOMES, is_proven, lacks_for_sharing
from dopejar.pipelines.procedural.insights import evidence_in
from dopejar.pipelines.procedural.tone import soften
from dopejar.text.normalisation import normalise
from dopejar.values.edge import EdgeKind
from dopejar.values.episode import Episode, EpisodeKind, Origin, is_recorded_outcome, trust_in
from dopejar.values.ids import EpisodeId, RecordId, TraceId
from dopejar.values.proposal import Action, Activate, Share, Tag
from dopejar.values.record import Evidence, EvidenceRole, Record, Status
from dopejar.values.scope import Project, Side
from dopejar.values.verdict import Allow

_EPISODE_ID = re.compile(r"e_[0-9a-z]+")
_EPISODE_OUTCOME: Mapping[tuple[Origin, str], str] = {
    (Origin.USER, "helpful"): "confirmed",
    (Origin.USER, "harmful"): "rejected",
    (Origin.TOOL, "helpful"): "success",
    (Origin.TOOL, "harmful"): "failure",
}
_NO_PERSON = frozenset({"", "policy", "auto"})  # approvers that are no reviewer


def check_outcome(outcome: str) -> str:
    """`helpful` or `harmful`; raises InputError for anything else."""
    if outcome not in OUTCOMES:
        raise InputError(f"An outcome is {' or '.join(OUTCOMES)}, not {outcome!r}.")
    return outcome


@dataclass(frozen=True, kw_only=True, slots=True)
class OutcomeReport:
    """An outcome as somebody reports it. `evidence` is the id of an episode, or words that become one.

    With `by` it is a reviewer's own outcome. With `dry_run` it is only looked whether it could be recorded.
    """

    name: str
    outcome: str
    evidence: str
    speaker: Speaker
    session: str
    trace_id: TraceId
    project: Project | None
    by: Reviewer | None = None
    dry_run: bool = False

    @property
    def episode_id(self) -> EpisodeId | None:
        """The episode that the evidence names; None where it is words."""
        evidence = self.evidence.strip()
        return EpisodeId(evidence) if _EPISODE_ID.fullmatch(evidence) else None


def record_outcome(deps: Dependencies, report: OutcomeReport) -> RecordId:
    """Commit an outcome and what follows from it, in one transaction; the bullet's id.

    Raises:
        NotFoundError: there is no such bullet or episode. InputError: the bullet is not in use, or was learned from it.
    """
    context = (
        reviewer_context(deps, report.by, report.trace_id)
        if report.by
        else speaker_context(deps, report.speaker, report.trace_id)
    )
    pending = _own_episode(deps, report, context) if report.episode_id is None else None
    reported: list[RecordId] = []

    def build(unit: BulletUnitOfWork) -> None:
        record = find_bullet(unit.view, report.name)
        reported[:] = [record.id]
        episode = pending.episodes[0] if pending else unit.view.episode(report.episode_id or EpisodeId(""))
        if episode is None:
            raise NotFoundError(f"There is no episode {report.evidence}. `dopejar show` names those of a memory.")
        _count(unit, context, record, report, episode)

    if report.dry_run:
        with deps.store.read() as view:
            build(BulletUnitOfWork.over(deps, view))
    else:
        commit_unit(deps, build, pending.write if pending else None, by=report.by)
    return reported[0]


def _own_episode(deps: Dependencies, report: OutcomeReport, context: ProposalContext) -> PendingEpisodes:
    text = report.evidence.strip() or f"The bullet {report.name} was {report.outcome}."
    return prepare_episodes(
        deps,
        [text],
        report.speaker,
        context.act_id,
        report.trace_id,
        project=report.project,
        kind=EpisodeKind.OUTCOME,
        outcome=_EPISODE_OUTCOME.get((report.speaker.origin, report.outcome), ""),
        session=report.session,
    )


def _count(
    unit: BulletUnitOfWork, context: ProposalContext, record: Record, report: OutcomeReport, episode: Episode
) -> None:
    """Propose an outcome of a bullet; where it proves the bullet, propose that it becomes active.

    Raises:
        InputError: the bullet is staged or out of use, or was learned from this very episode.
    """
    if record.status not in (Status.QUARANTINED, Status.ACTIVE):
        raise InputError(
            f"{record.id} is {record.status}; only a bullet in use can help or do harm. Assign it, or bring it back."
        )
    rows = unit.overlay.evidence(record.id)
    if any(row.episode_id == episode.id and row.role is not EvidenceRole.OUTCOME for row in rows):
        raise InputError(
            f"{record.id} was learned from {episode.id}, or that outcome was taken back. Name another episode."
        )
    context = replace(context, origin=episode.origin)
    row = replace(
        evidence_in(episode, report.outcome, trust=trust_in(episode), confidence=1.0),
        role=EvidenceRole.OUTCOME,
        act_id=context.act_id,
    )
    rationale = f"{report.outcome} by {episode.id}"
    proposal = make_proposal(context, Tag(outcome=report.outcome), (record,), evidence=(row,), rationale=rationale)
    judged = unit.put(proposal, by=report.by, from_outcomes=is_recorded_outcome(episode))
    if isinstance(judged.verdict, Allow) and report.outcome == HELPFUL:
        _activate_if_proven(unit, context, record.id, episode, report.by)


def _activate_if_proven(
    unit: BulletUnitOfWork, context: ProposalContext, record_id: RecordId, episode: Episode, by: Reviewer | None
) -> None:
    """Propose that a bullet which outcomes speak for becomes active. Without a reviewer's word among them it waits."""
    record = unit.overlay.record(record_id)
    if record is None:
        return
    rows = unit.overlay.evidence(record_id)
    known = unit.view.episodes(tuple({row.episode_id for row in rows if row.role is EvidenceRole.OUTCOME}))
    conversations = {outcome.id: outcome.conversation for outcome in (*known.values(), episode)}
    if is_proven(record, rows, conversations):
        places = len(set(conversations.values()))
        rationale = f"it helped {record.helpful_count} times, in {places} conversations"
        is_witnessed = by is not None or _has_reviewed_outcome(unit, record_id, rows)
        unit.put(make_proposal(context, Activate(), (record,), rationale=rationale), by=by, is_proven=is_witnessed)


def _has_reviewed_outcome(unit: BulletUnitOfWork, record_id: RecordId, rows: Sequence[Evidence]) -> bool:
    """Whether a reviewer recorded or approved one of the helpful outcomes, as the ledger says.

    Turns and tool results prove nothing by themselves: whoever can write a transcript can write them.
    """
    acts = {row.act_id for row in rows if row.role is EvidenceRole.OUTCOME and row.wording == HELPFUL}
    for entry in unit.view.entries_about(record_id):
        if entry.action == Action.TAG and entry.approver not in _NO_PERSON:
            approved = unit.view.proposal(entry.proposal_id)  # None where it never waited
            if entry.act_id in acts or (approved and any(row.act_id in acts for row in approved.evidence)):
                return True
    return False


def share_bullet(
    deps: Dependencies, name: str, by: Reviewer, text: str, trace_id: TraceId, *, is_confirmed: bool
) -> RecordId:
    """Commit a copy for both hemispheres, as `_propose_sharing` proposes it; its id."""
    context = reviewer_context(deps, by, trace_id)
    words = deps.redact(normalise(text))[0]

    def build(unit: BulletUnitOfWork) -> None:
        _propose_sharing(unit, context, find_bullet(unit.view, name), by, words, is_confirmed=is_confirmed)

    receipts = commit_unit(deps, build, by=by)
    return next(record.id for receipt in receipts for record in receipt.records if record.side is Side.SHARED)


def _propose_sharing(
    unit: BulletUnitOfWork,
    context: ProposalContext,
    record: Record,
    by: Reviewer,
    text: str,
    *,
    is_confirmed: bool,
) -> JudgedProposal:
    """Propose a copy for both hemispheres, in softer words unless others are given.

    Raises:
        InputError: it is shared already, or lacks something; the message says what.
    """
    copies = unit.view.edges([record.id], (EdgeKind.COPY_OF,))
    if any(edge.dst == record.id and _is_active(unit, edge.src) for edge in copies):
        raise InputError(f"{record.id} is shared already.")
    is_cross_confirmed = is_confirmed or is_confirmed_across(record, unit.near(record.text), unit.reader)
    lacks = lacks_for_sharing(record, is_cross_confirmed=is_cross_confirmed)
    if lacks:
        raise InputError(f"{record.id} cannot be shared yet: {'; '.join(lacks)}.")
    payload = Share(text=text or soften(record.text))
    return unit.put(make_proposal(context, payload, (record,), rationale="proven on its own side"), by=by)


def _is_active(unit: BulletUnitOfWork, name: str) -> bool:
    records = unit.view.records(unit.view.find_record_id(name)).values()
    return any(record.id == name and record.status is Status.ACTIVE for record in records)
