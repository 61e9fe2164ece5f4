"""`ProceduralMemory`: the verbs of bullets.

Takes: insights, outcomes and decisions of hosts and doors. Gives: bullets as they are afterwards. Never: a rule of its
own; each verb reads, evaluates, judges and commits in one transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dopejar.engine.arguments import checked
from dopejar.engine.bullets.assignment import assign_bullets
from dopejar.engine.bullets.bullet_unit_of_work import bullets_by_id, find_bullet
from dopejar.engine.bullets.intake import BulletInput, IntakeResult, place_bullets, stage_bullets, take_in_playbook
from dopejar.engine.bullets.outcomes import OutcomeReport, check_outcome, record_outcome, share_bullet
from dopejar.engine.bullets.reflection import learn_bullets
from dopejar.engine.bullets.retrieval import retrieve
from dopejar.engine.bullets.upkeep import (
    BulletSurvey,
    UpkeepResult,
    automatic_assignments,
    list_bullet_records,
    run_upkeep,
    survey_bullets,
)
from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker, host_speaker
from dopejar.engine.lookup import find_conversation
from dopejar.engine.review.decisions import SeenVersions, reject
from dopejar.errors import RefusedError, ReviewerRequiredError
from dopejar.pipelines.procedural.bullets import (
    AssignmentReport,
    Bullet,
    BulletType,
    hemisphere,
    hemisphere_or_none,
    priority,
)
from dopejar.pipelines.procedural.playbook import IN_USE, read_playbook, to_json, to_text
from dopejar.pipelines.procedural.procedural_options import ProceduralOptions
from dopejar.values.episode import Origin
from dopejar.values.ids import TraceId, new_trace_id, proposal_id_of
from dopejar.values.proposal import Via
from dopejar.values.record import Status
from dopejar.values.scope import UNIVERSAL, Project, ReadScope, Scope, Side

__all__ = ["AssignmentReport", "Bullet", "ProceduralMemory"]

_LISTED = (Status.STAGED, Status.QUARANTINED, Status.ACTIVE)


@checked
class ProceduralMemory:
    """Bullets: staged, assigned, tried, proven, shared. Safe to use from several threads. `memory.bullets` is one."""

    def __init__(self, deps: Dependencies, project: Project | None = None) -> None:
        self._deps = deps
        self._project = project

    @property
    def options(self) -> ProceduralOptions:
        """The settings in force."""
        return self._deps.procedural

    # -- in ------------------------------------------------------------------------------------------------------------

    def add(
        self,
        text: str,
        source_hemisphere: Side | str = Side.NONE,
        bullet_type: BulletType | str = BulletType.HEURISTIC,
        tags: Sequence[str] = (),
        confidence: float = 0.5,
        source_trace_id: str = "",
        auto_assign: bool | None = None,  # noqa: FBT001 - the place and name that hosts of such memories know
        *,
        speaker: Speaker | None = None,
        scope: Scope | None = None,
        trace_id: TraceId | None = None,
    ) -> Bullet:
        """Stage a bullet, and return it as it is afterwards.

        Args:
            text: one piece of advice.
            source_hemisphere: which agent had it; a weak hint.
            bullet_type: one of the types.
            tags: words to find it by.
            confidence: how confident its source is, 0 to 1.
            source_trace_id: the trace in which it was learned.
            auto_assign: False keeps it staged where the setting would assign it; True adds nothing to the setting.
            speaker: who says so.
            scope: where it holds; everywhere where omitted.
            trace_id: what to note it under.

        Raises:
            InputError, ConsentError: the text cannot be a bullet, or may not be kept; nothing was kept.
            RefusedError: the gate refuses it, or a person rejected or withdrew the same words before.
        """
        stated = BulletInput(
            text=text,
            hint=hemisphere_or_none(source_hemisphere),
            kind=bullet_type,
            tags=tuple(tags),
            confidence=confidence,
            trace=source_trace_id,
        )
        result = stage_bullets(
            self._deps,
            [stated],
            speaker or host_speaker(self._deps.said_by),
            scope or self._scope,
            trace_id or new_trace_id(),
            auto_assign=auto_assign,
            project=self._project,
        )
        if not result.bullets:
            raise RefusedError(f"No bullet was made: {result.reason}.")
        return result.bullets[0]

    def add_to_hemisphere(
        self,
        text: str,
        side: Side | str,
        bullet_type: BulletType | str = BulletType.HEURISTIC,
        tags: Sequence[str] = (),
        confidence: float = 0.5,
        source_trace_id: str = "",
        *,
        reviewer: Reviewer,
        scope: Scope | None = None,
        trace_id: TraceId | None = None,
    ) -> Bullet:
        """Put a bullet straight onto a hemisphere, on trial there. A reviewer's act.

        Raises:
            InputError: the text cannot be a bullet, or a bullet says the same already; the message names it.
            RefusedError: the gate refuses it.
        """
        stated = BulletInput(
            text=text, kind=bullet_type, tags=tuple(tags), confidence=confidence, trace=source_trace_id
        )
        chosen = hemisphere(side)
        result = place_bullets(
            self._deps,
            [(stated, chosen)],
            reviewer,
            scope or self._scope,
            trace_id or new_trace_id(),
            project=self._project,
        )
        if not result.bullets:
            raise RefusedError(f"It was not placed: {result.reason}. Assign that one, or bring it back.")
        return result.bullets[0]

    def reflect(
        self, conversations: Sequence[str] = (), *, trace_id: TraceId | None = None
    ) -> tuple[IntakeResult, ...]:
        """Learn bullets from kept conversations with outcomes (all where none is named), an act for each.

        `learn` does so by itself with the first few of each conversation; this takes all of them. The same
        conversation again changes nothing. Raises NotFoundError, AmbiguousIdError for an unknown name.
        """
        with self._deps.store.read() as view:
            everything = view.conversations(10_000_000) if not conversations else ()
            chosen = [find_conversation(view, name) for name in conversations] or [row.id for row in everything]
        trace = trace_id or new_trace_id()
        results = (learn_bullets(self._deps, conversation, trace) for conversation in chosen)
        return tuple(result for result in results if result is not None)

    # -- decisions -----------------------------------------------------------------------------------------------------

    def assign_staged_bullet(
        self,
        bullet_id: str,
        target_hemisphere: Side | str,
        reviewer: Reviewer | None = None,
        *,
        seen: SeenVersions | None = None,
        trace_id: TraceId | None = None,
    ) -> Bullet:
        """Move a staged bullet to a hemisphere, on trial there: one transaction on one id.

        Without a reviewer it is the classifier's own assignment, allowed only where the settings assign such a bullet.

        Raises:
            NotFoundError: there is no such bullet. StaleProposalError: it does not wait any more.
            ReviewerRequiredError: nobody says so and the classifier may not, or is not sure enough.
        """
        return self.assign({bullet_id: target_hemisphere}, reviewer, seen=seen, trace_id=trace_id)[0]

    def assign(
        self,
        choices: Mapping[str, Side | str],
        reviewer: Reviewer | None = None,
        *,
        seen: SeenVersions | None = None,
        trace_id: TraceId | None = None,
    ) -> tuple[Bullet, ...]:
        """Assign several staged bullets in one act, all or none; as `assign_staged_bullet`.

        `seen` maps their proposals to the versions that the reviewer saw; a reviewer assigns nothing else.
        """
        sides = {name: hemisphere(side) for name, side in choices.items()}
        receipts = assign_bullets(self._deps, sides, reviewer, trace_id or new_trace_id(), seen or {})
        return bullets_by_id(self._deps, [record.id for receipt in receipts for record in receipt.records])

    def reject_staged_bullet(
        self,
        bullet_id: str,
        reason: str = "",
        reviewer: Reviewer | None = None,
        *,
        seen: SeenVersions | None = None,
        trace_id: TraceId | None = None,
    ) -> Bullet:
        """Reject a staged bullet; it stays, with the reason and the reviewer, and is not proposed again.

        Raises:
            NotFoundError: there is no such bullet. StaleProposalError: it does not wait any more, or was not seen so.
            ReviewerRequiredError: nobody says so.
        """
        if reviewer is None:
            raise ReviewerRequiredError("A reviewer rejects bullets. Add one with `dopejar reviewer add NAME`.")
        with self._deps.store.read() as view:
            record = find_bullet(view, bullet_id)
        reject(self._deps, [proposal_id_of(record.id)], reason, reviewer, trace_id or new_trace_id(), seen or {})
        return bullets_by_id(self._deps, [record.id])[0]

    # -- use -----------------------------------------------------------------------------------------------------------

    def record_outcome(
        self,
        bullet_id: str,
        outcome: str,
        evidence: str = "",
        *,
        speaker: Speaker | None = None,
        reviewer: Reviewer | None = None,
        session: str = "",
        dry_run: bool = False,
        trace_id: TraceId | None = None,
    ) -> Bullet:
        """Note that using a bullet was `helpful` or `harmful`, and give it back as it stands then.

        Args:
            bullet_id: a bullet in use.
            outcome: helpful or harmful.
            evidence: the id of the episode that bears it out, or words; what is no id becomes an episode of its own.
            speaker: who says so; only a tool's or the user's word counts by itself, any other waits for a person.
            reviewer: the reviewer whose own outcome it is, in place of a speaker; without one, proof waits for review.
            session: the conversation that words without an episode belong to; today's where omitted.
            dry_run: look whether it could be noted, and write nothing.
            trace_id: what to note it under.

        Raises:
            NotFoundError: there is no such bullet or episode.
            InputError: the bullet is not in use, or was learned from this very episode.
        """
        report = OutcomeReport(
            name=bullet_id,
            outcome=check_outcome(outcome),
            evidence=evidence,
            speaker=self._speaker(speaker, reviewer),
            by=reviewer,
            session=session,
            trace_id=trace_id or new_trace_id(),
            project=self._project,
            dry_run=dry_run,
        )
        return bullets_by_id(self._deps, [record_outcome(self._deps, report)])[0]

    def retrieve(self, query: str, hemisphere: Side | str, k: int | None = None) -> tuple[Bullet, ...]:
        """The best bullets of one hemisphere for a task, and of the shared side; those on trial are `is_unproven`.

        `k` counts those of the hemisphere: 8 on the left and 12 on the right where omitted; shared ones are at most 5.
        """
        records = retrieve(self._deps, query, hemisphere_or_none(hemisphere), k, ReadScope.inside(self._project))
        return tuple(Bullet.of(record, thresholds=self.options.thresholds) for record in records)

    def share(
        self,
        bullet_id: str,
        reviewer: Reviewer,
        *,
        text: str = "",
        confirmed: bool = False,
        trace_id: TraceId | None = None,
    ) -> Bullet:
        """Copy a proven bullet to the shared side, in softer words unless others are given. A reviewer's act.

        It must be active, have helped three times and done no harm, and be confirmed on the other hemisphere: by a
        proven bullet there that says the same, or by the reviewer (`confirmed`).

        Raises:
            NotFoundError: there is no such bullet. InputError: it lacks something; the message says what.
        """
        trace = trace_id or new_trace_id()
        copy = share_bullet(self._deps, bullet_id, reviewer, text, trace, is_confirmed=confirmed)
        return bullets_by_id(self._deps, [copy])[0]

    # -- queries and upkeep -------------------------------------------------------------------------------------------

    def list_staged(
        self, review_priority: str | None = None, limit: int = 50, *, all_projects: bool = False
    ) -> tuple[Bullet, ...]:
        """Bullets that wait: those that need a person most first, then the oldest."""
        wanted = None if review_priority is None else priority(review_priority)
        staged = self.list_bullets(statuses=(Status.STAGED,), all_projects=all_projects)
        chosen = [bullet for bullet in staged if wanted in (None, bullet.review_priority)]
        return tuple(sorted(chosen, key=lambda bullet: bullet.review_rank)[:limit])

    def bullet(self, bullet_id: str) -> Bullet:
        """The bullet with this id or beginning of one. Raises NotFoundError, AmbiguousIdError, InputError."""
        with self._deps.store.read() as view:
            return Bullet.of(find_bullet(view, bullet_id), thresholds=self.options.thresholds)

    def list_bullets(
        self,
        side: Side | str | None = None,
        statuses: Sequence[Status] = _LISTED,
        limit: int = 100_000,
        *,
        all_projects: bool = False,
    ) -> tuple[Bullet, ...]:
        """Bullets of a side (any where omitted) that may be read in the project at hand, best score first."""
        read_scope = replace(ReadScope.inside(self._project), all_projects=all_projects)
        with self._deps.store.read() as view:
            records = list_bullet_records(view, statuses, read_scope=read_scope)
        thresholds = self.options.thresholds
        chosen = [Bullet.of(record, thresholds=thresholds) for record in records if side is None or record.side == side]
        return tuple(sorted(chosen, key=lambda bullet: -bullet.score)[:limit])

    def maintain(
        self,
        policy: str = "balanced",
        *,
        reviewer: Reviewer | None = None,
        preview: bool = True,
        force: bool = False,
        trace_id: TraceId | None = None,
    ) -> UpkeepResult:
        """Merge duplicates, retire what is useless or harmful, flag what contradicts: at most 100 changes a run.

        Nothing is done by a preview. Without a reviewer the changes are proposed and wait; with one they are done in
        one act, and more than 50 of them need `force`.

        Raises:
            InputError: there is no such policy, or so much is due that it must be forced.
        """
        return run_upkeep(self._deps, policy, reviewer, trace_id or new_trace_id(), preview=preview, force=force)

    def automatic_assignments(self) -> AssignmentReport:
        """How often an automatic assignment was taken back by a person, and which threshold would have been right."""
        with self._deps.store.read() as view:
            return automatic_assignments(view, self.options.auto_assign_threshold)

    def survey(self) -> BulletSurvey:
        """How the bullets stand: counts by side and state, diversity, and how automatic assignments fared."""
        with self._deps.store.read() as view:
            return survey_bullets(view, self.options.auto_assign_threshold)

    def export_playbook(self, *, as_json: bool = False, with_staged: bool = False, all_projects: bool = False) -> str:
        """The playbook as text or JSON: what is in use, and with it what waits where that is asked for."""
        statuses = (*IN_USE, Status.STAGED) if with_staged else IN_USE
        bullets = self.list_bullets(statuses=statuses, all_projects=all_projects)
        return to_json(bullets) if as_json else to_text(bullets)

    def import_playbook(
        self,
        text: str,
        *,
        reviewer: Reviewer | None = None,
        speaker: Speaker | None = None,
        trace_id: TraceId | None = None,
    ) -> IntakeResult:
        """Take in a playbook in either form: every bullet is staged, its section a hint; all of them in one act.

        With a reviewer, bullets in a section `left` or `right` go onto that hemisphere, on trial, in an act before: so
        bullets that have a side already are brought over. Counters of the file are not: here only outcomes count.

        Raises:
            InputError: a line cannot be read; nothing was written.
        """
        source = speaker or host_speaker("user" if reviewer else self._deps.said_by, Via.FILE)
        return take_in_playbook(
            self._deps, read_playbook(text), reviewer, source, self._scope, trace_id or new_trace_id(), self._project
        )

    def _speaker(self, speaker: Speaker | None, reviewer: Reviewer | None) -> Speaker:
        if reviewer is not None:
            return Speaker(origin=Origin.USER, name=reviewer.name)
        return speaker or host_speaker(self._deps.said_by)

    # -- inside --------------------------------------------------------------------------------------------------------

    @property
    def _scope(self) -> Scope:
        return Scope.project(self._project.id) if self._project else UNIVERSAL
