"""Bullets on their way in: staged, suggested a side, assigned.

Takes: words or insights, and who says them. Gives: judged proposals. Never: commits; a bullet that nothing places
clearly waits for a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker
from dopejar.engine.queries.lookup import find_record
from dopejar.engine.review.decisions import SeenVersions, staleness_reason
from dopejar.engine.unit_of_work import JudgedProposal, check_tombstones, commit_with_retry, decide, planned_change
from dopejar.errors import InputError, ReviewerRequiredError, SettingError, StaleProposalError
from dopejar.governance.policy.loop_guard import is_instruction_like
from dopejar.governance.policy.rules import Policy
from dopejar.memory.commit import Receipt
from dopejar.memory.commit_plan import draft_in as content_of
from dopejar.memory.derivation import CONFLICT_TAG
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.procedural.bullets import Bullet, is_alive
from dopejar.pipelines.procedural.classifier import Classification, HemisphereClassifier
from dopejar.pipelines.procedural.curator import Decision, Disposition, NearbyBullets, curate
from dopejar.pipelines.procedural.insights import Insight
from dopejar.pipelines.procedural.options import ProceduralOptions
from dopejar.pipelines.procedural.playbook import IN_USE
from dopejar.pipelines.procedural.proposals import ProposalContext, draft_bullet, make_proposal, propose_bullet
from dopejar.pipelines.procedural.second_opinion import second_opinion
from dopejar.pipelines.procedural.similarity import TokenOverlapIndex, is_opposed
from dopejar.ports.store import ReadView, RecordFilter, WriteTransaction
from dopejar.text.normalise import content_hash
from dopejar.text.words import query_terms
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, RecordId, TraceId, new_act_id, proposal_id_of
from dopejar.values.proposal import Add, Assign, Proposal, Reinforce, Tag, Via
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import Kind, Record, Status
from dopejar.values.scope import Namespace, ReadScope, Side
from dopejar.values.verdict import Allow

_WAITING = 20_000
_NEAREST = 50


@dataclass(kw_only=True, slots=True)
class BulletUnitOfWork:
    """What one act on bullets thinks with: a snapshot with what the act itself changes laid on top."""

    view: ReadView
    overlay: Overlay
    policy: Policy
    secret: bytes | None
    now: datetime
    judged: list[JudgedProposal] = field(default_factory=list)
    _waiting: TokenOverlapIndex[RecordId] | None = None

    @classmethod
    def over(cls, deps: Dependencies, view: ReadView) -> BulletUnitOfWork:
        """A bench over a snapshot."""
        secret = view.meta("secret")
        return cls(
            view=view,
            overlay=Overlay(view),
            policy=deps.policy(),
            secret=bytes.fromhex(secret) if secret else None,
            now=deps.clock.now(),
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
        """Judge a proposal and lay what it changes on the snapshot, for the next one to see."""
        meant = check_tombstones(proposal, self.overlay, self.secret)
        verdict = decide(
            meant,
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
        found = JudgedProposal(proposal=meant, verdict=verdict)
        self.overlay.apply(planned_change(found, self.overlay, self.now))
        self.judged.append(found)
        return found

    def near(self, text: str) -> list[Record]:
        """Bullets that share words with the text: in use, waiting, and any with the very same words."""
        found = {one.id: one for one in self.in_use(text)}
        for record_id in self._staged().near(text):
            if record_id not in found:
                found[record_id] = self._known(record_id)
        return list(found.values())

    def in_use(self, text: str) -> list[Record]:
        """Bullets in use that share words with the text, and any with the very same words."""
        where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.RECORD, kinds=(Kind.BULLET,))
        hits = self.view.lexical(query_terms(text), where, _NEAREST)
        found = {one.id: one for one in self.view.load_records([hit.id for hit in hits], where).values()}
        same = self.overlay.with_content(Namespace.PROD, content_hash(text))
        found.update((one.id, one) for one in same if one.kind is Kind.BULLET)
        return [self.overlay.record(one.id) or one for one in found.values()]

    def _known(self, record_id: RecordId) -> Record:
        record = self.overlay.record(record_id)
        if record is None:
            raise StaleProposalError(f"{record_id} is gone meanwhile; try again.")
        return record

    def _staged(self) -> TokenOverlapIndex[RecordId]:
        if self._waiting is None:
            self._waiting = TokenOverlapIndex()
            where = RecordFilter(statuses=(Status.STAGED,), kinds=(Kind.BULLET,))
            for one in self.view.list_records(where, _WAITING):
                self._waiting.add(one.id, one.text)
        return self._waiting


def voice(deps: Dependencies, speaker: Speaker, trace_id: TraceId, act_id: ActId | None = None) -> ProposalContext:
    """Who wishes, now, in this act."""
    return ProposalContext(
        act_id=act_id or new_act_id(),
        trace_id=trace_id,
        at=deps.clock.now(),
        origin=speaker.origin,
        via=speaker.via,
        proposer=speaker.name,
    )


def reviewers_voice(deps: Dependencies, by: Reviewer, trace_id: TraceId) -> ProposalContext:
    """A reviewer's own act."""
    speaker = Speaker(origin=Origin.USER, via=Via.REVIEW, name=by.name)
    return replace(voice(deps, speaker, trace_id), made_by="person")


def suggest(deps: Dependencies, insight: Insight) -> Classification:
    """The side that suits an insight, with a model's opinion where one is configured.

    Raises:
        SettingError: a model is named for it and no such model is configured.
    """
    found = HemisphereClassifier().classify(
        insight.text, source_hint=insight.source_hint, bullet_type=insight.bullet_type, tags=insight.tags
    )
    options = deps.procedural
    if not options.classifier_model:
        return found
    model = deps.language_model()
    if model is None or model.name != options.classifier_model:
        there = "none is configured" if model is None else f"the configured one is {model.name}"
        raise SettingError(
            f"procedural.classifier.model is {options.classifier_model!r} and {there}. "
            "Set language_model.kind and language_model.model to it, or leave procedural.classifier.model empty."
        )
    return second_opinion(
        insight.text, found, model, temperature=options.classifier_temperature, template=options.classifier_prompt
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Staging:
    """How insights come in: by whom, under which options, whether a clear one is assigned at once."""

    options: ProceduralOptions
    voice: ProposalContext
    auto_assign: bool
    from_outcomes: bool = False

    def take(
        self,
        bench: BulletUnitOfWork,
        insights: Sequence[tuple[Insight, Classification]],
        *,
        least: float,
        keep_short: bool,
        near: NearbyBullets | None = None,
    ) -> tuple[Decision, ...]:
        """Curate the insights against what is near, and propose what becomes of them."""
        found = {id(insight): classification for insight, classification in insights}
        decisions = curate((one for one, _ in insights), near or bench.near, least=least, keep_short=keep_short)
        for one in decisions:
            if one.disposition is Disposition.ADD:
                self._add(bench, one, found[id(one.insight)])
            elif one.disposition is Disposition.REINFORCE and one.target is not None:
                self._reinforce(bench, one, one.target)
        return decisions

    def _add(self, bench: BulletUnitOfWork, one: Decision, found: Classification) -> None:
        told = replace(self.voice, origin=one.insight.origin)
        proposal = propose_bullet(told, one.insight, found, one.contradicted, thresholds=self.options.thresholds)
        judged = bench.put(_guarded(proposal, one.insight), from_outcomes=self.from_outcomes)
        self._warn(bench, one, told)
        record = _staged_record(bench, judged)
        if record is not None and record.status is Status.STAGED and self._is_clear(found):
            self._assign(bench, record, found, judged.proposal, told)

    def _warn(self, bench: BulletUnitOfWork, one: Decision, told: ProposalContext) -> None:
        """Flag the waiting bullets that a new one contradicts, too: whoever looks at either sees it."""
        for other in one.contradicted:
            now = bench.overlay.record(other.id)
            if now is not None and now.status is Status.STAGED and CONFLICT_TAG not in now.tags:
                why = "another bullet that waits says the opposite"
                bench.put(make_proposal(told, Tag(add=(CONFLICT_TAG,)), (now,), rationale=why))

    def _is_clear(self, found: Classification) -> bool:
        if found.side is Side.NONE or found.is_flagged:
            return False
        if not self.options.staging_enabled:
            return True
        return self.auto_assign and found.confidence >= self.options.auto_assign_threshold

    def _assign(self, bench: BulletUnitOfWork, record: Record, found: Classification, added: Proposal, told: ProposalContext) -> None:
        proposal = make_proposal(
            told,
            Assign(side=found.side),
            (record,),
            confidence=found.confidence,
            signals=added.signals,
            rationale=found.reasoning,
        )
        if isinstance(decide(proposal, bench.overlay, bench.policy, bench.now, is_classified=True), Allow):
            bench.put(proposal, is_classified=True)  # what is not allowed stays where it is: its add waits already

    def _reinforce(self, bench: BulletUnitOfWork, one: Decision, target: Record) -> None:
        told = replace(self.voice, origin=one.insight.origin)
        same = content_hash(one.insight.text) == target.content_hash
        # other words for it are worded as the bullet: more evidence never changes what a person approved
        rows = tuple(
            replace(row, act_id=told.act_id, wording=row.wording if same else target.text)
            for row in one.insight.evidence
        )
        proposal = make_proposal(told, Reinforce(), (target,), evidence=rows, confidence=one.insight.confidence)
        bench.put(_guarded(proposal, one.insight), from_outcomes=self.from_outcomes)


def _guarded(proposal: Proposal, insight: Insight) -> Proposal:
    """The proposal, marked where words of a tool or a page read like an instruction to the assistant.

    What a rule made of the trace is one itself; there only the words that it quotes count.
    """
    words = insight.quoted if insight.why else insight.text
    if insight.origin in (Origin.TOOL, Origin.FETCHED) and is_instruction_like(words):
        return replace(proposal, signals=replace(proposal.signals, instruction_like=True))
    return proposal


def _staged_record(bench: BulletUnitOfWork, judged: JudgedProposal) -> Record | None:
    draft = content_of(judged.proposal)
    if draft is None:
        return None
    same = bench.overlay.with_content(draft.namespace, content_hash(draft.text))
    return next((one for one in same if one.kind is Kind.BULLET and is_alive(one) and one.scope == draft.scope), None)


def place(bench: BulletUnitOfWork, told: ProposalContext, insight: Insight, found: Classification, side: Side, by: Reviewer) -> Decision:
    """A reviewer's bullet straight onto a hemisphere, on trial there; nothing where one says the same already."""
    decision = curate([insight], bench.near, least=0.0, keep_short=True)[0]
    if decision.disposition is not Disposition.ADD:
        return replace(decision, disposition=Disposition.DROP)
    rows = tuple(replace(row, act_id=told.act_id) for row in insight.evidence)
    proposal = make_proposal(
        told,
        Add(draft=draft_bullet(insight, found, side=side)),
        evidence=rows,
        confidence=insight.confidence,
        rationale=f"placed by {by.name}",
    )
    judged = bench.put(replace(proposal, scope=insight.scope), by=by)
    refused = not isinstance(judged.verdict, Allow)
    return replace(decision, disposition=Disposition.DROP, reason=judged.verdict.reason) if refused else decision


def assign(
    bench: BulletUnitOfWork, told: ProposalContext, choices: Sequence[tuple[Record, Side]], by: Reviewer | None, options: ProceduralOptions
) -> list[JudgedProposal]:
    """Assign staged bullets: a reviewer's choice, or the classifier's own where it is sure enough.

    Raises:
        StaleProposalError: one does not wait any more.
    """
    result = []
    for record, _ in choices:
        if record.status is not Status.STAGED:
            who = f" by {record.approved_by}" if record.approved_by else ""
            where = f" on the {record.side} side" if record.side else ""
            raise StaleProposalError(f"{record.id} does not wait any more: it is {record.status}{where}{who}.")
    for side in dict.fromkeys(side for _, side in choices):
        some = [record for record, chosen in choices if chosen is side]
        proposal = make_proposal(told, Assign(side=side), some, rationale=f"assigned by {by.name if by else 'the classifier'}")
        views = [Bullet.of(one) for one in some]
        least = min(one.classification_confidence for one in views)
        own = all(one.suggested_hemisphere is side and not one.is_flagged and not one.has_conflict for one in views)
        sure = by is None and own and least >= options.auto_assign_threshold
        result.append(bench.put(replace(proposal, confidence=1.0 if by else least), by=by, is_classified=sure))
    return result


def assign_bullets(
    deps: Dependencies, choices: Mapping[str, Side], by: Reviewer | None, trace_id: TraceId, seen: SeenVersions
) -> tuple[Receipt, ...]:
    """Assign staged bullets, all in one act and one transaction or none: the one way to assign, for every door.

    Without a reviewer it is the classifier's own assignment, which the gate allows only above the threshold.

    Raises:
        NotFoundError, AmbiguousIdError, InputError: a name fits no bullet, or several.
        StaleProposalError: one does not wait any more, or changed since it was seen.
        ReviewerRequiredError: nobody says so and the classifier is not sure enough.
    """
    told = reviewers_voice(deps, by, trace_id) if by else voice(deps, Speaker(), trace_id)
    found: list[Record] = []

    def think(bench: BulletUnitOfWork) -> None:
        found[:] = [find_bullet(bench.view, name) for name in choices]
        pairs = list(zip(found, choices.values(), strict=True))
        for judged in assign(bench, told, pairs, by, deps.procedural):
            if not isinstance(judged.verdict, Allow):
                raise ReviewerRequiredError(
                    f"The classifier may not assign this by itself: {judged.verdict.reason}. A reviewer decides."
                )
        unmoved(bench.view, found, seen)
        if by is not None:
            _settle(bench, told, found, by)

    return commit_all(deps, think, lambda tx: unmoved(tx, found, seen))


def _settle(bench: BulletUnitOfWork, told: ProposalContext, assigned: Sequence[Record], by: Reviewer) -> None:
    """Take the flag of a contradiction off what a reviewer assigned, where nothing in use contradicts it."""
    for one in assigned:
        now = bench.overlay.record(one.id)
        if now is None or CONFLICT_TAG not in now.tags:
            continue
        others = (other for other in bench.in_use(now.text) if other.status in IN_USE and other.id != now.id)
        if not any(is_opposed(now.text, other.text) for other in others):
            why = "nothing in use contradicts it"
            bench.put(make_proposal(told, Tag(remove=(CONFLICT_TAG,)), (now,), rationale=why), by=by)


def unmoved(view: ReadView, staged: Sequence[Record], seen: SeenVersions) -> None:
    """Raises StaleProposalError where the wish behind a staged bullet is not the one that was seen."""
    if not seen:
        return
    for record in staged:
        wanted = view.proposal(proposal_id_of(record.id))
        fault = staleness_reason(wanted, seen) if wanted is not None else ""
        if fault:
            raise StaleProposalError(f"{record.id} {fault}")


def commit_all(
    deps: Dependencies, think: Callable[[BulletUnitOfWork], None], keep: Callable[[WriteTransaction], None] | None = None
) -> tuple[Receipt, ...]:
    """Think on a fresh bench, then commit everything in one transaction; again where the memory moved meanwhile."""

    def thought() -> Sequence[JudgedProposal]:
        with deps.store.read() as view:
            bench = BulletUnitOfWork.over(deps, view)
            think(bench)
            return bench.judged

    return commit_with_retry(deps.store, thought, keep, deps.clock.now())


def bullets(deps: Dependencies, ids: Sequence[RecordId]) -> tuple[Bullet, ...]:
    """The bullets with these ids as they stand now, in this order."""
    with deps.store.read() as view:
        found = view.records(tuple(ids))
    return tuple(Bullet.of(found[one], thresholds=deps.procedural.thresholds) for one in ids if one in found)


def find_bullet(view: ReadView, name: str) -> Record:
    """The bullet with this id, or the only one whose id begins so.

    Raises:
        NotFoundError, AmbiguousIdError: the name fits nothing, or several things. InputError: it is no bullet.
    """
    record = find_record(view, name)
    if record.kind is not Kind.BULLET:
        raise InputError(f"{record.id} is a {record.kind}, no bullet. `dopejar bullets list` lists bullets.")
    return record
