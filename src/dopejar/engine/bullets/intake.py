"""Intake of bullets: insights are curated, classified, and staged or placed.

Takes: texts or insights, and who they come from. Gives: what became of each. Never: drops one without a reason; a
bullet that no side suits clearly waits for a person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from dopejar.engine.bullets.bullet_unit_of_work import (
    BulletUnitOfWork,
    bullets_by_id,
    commit_unit,
    reviewer_context,
    speaker_context,
)
from dopejar.engine.bullets.episode_writer import PendingEpisodes, prepare_episodes
from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker
from dopejar.engine.unit_of_work import JudgedProposal, decide
from dopejar.errors import InputError, SettingError
from dopejar.memory.commit_plan import draft_in
from dopejar.memory.derivation import CONFLICT_TAG
from dopejar.pipelines.procedural.bullet_proposals import ProposalContext, draft_bullet, make_proposal, propose_bullet
from dopejar.pipelines.procedural.bullets import Bullet, BulletType, bullet_type, is_alive
from dopejar.pipelines.procedural.classifier import Classification, HemisphereClassifier
from dopejar.pipelines.procedural.curator import Decision, Disposition, NearbyBullets, curate
from dopejar.pipelines.procedural.insights import Insight, evidence_in, join_tags
from dopejar.pipelines.procedural.playbook import PlaybookEntry
from dopejar.pipelines.procedural.procedural_options import ProceduralOptions
from dopejar.pipelines.procedural.second_opinion import second_opinion
from dopejar.text.injection_detector import is_instruction_like
from dopejar.text.normalisation import content_hash, normalise
from dopejar.values.episode import Episode, Origin, trust_in
from dopejar.values.ids import TraceId
from dopejar.values.proposal import Add, Assign, Proposal, Reinforce, Tag
from dopejar.values.receipt import Receipt
from dopejar.values.record import Kind, Record, Status
from dopejar.values.scope import Project, Scope, Side
from dopejar.values.verdict import Allow

LONGEST = 4000  # characters of a bullet; a longer text is a document


@dataclass(frozen=True, kw_only=True, slots=True)
class IntakeResult:
    """What became of several insights at once. `bullets` are those that changed, or say the same already."""

    decisions: tuple[Decision, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    bullets: tuple[Bullet, ...] = ()

    @property
    def reason(self) -> str:
        """Why nothing became of the first of them."""
        dropped = [decision.reason for decision in self.decisions if decision.disposition is Disposition.DROP]
        return (dropped or [receipt.reason for receipt in self.receipts if receipt.reason] or ["it changes nothing"])[0]


@dataclass(frozen=True, kw_only=True, slots=True)
class BulletInput:
    """A bullet as somebody states it. Raises InputError where it cannot be one."""

    text: str
    hint: Side = Side.NONE
    kind: BulletType | str = BulletType.HEURISTIC
    tags: tuple[str, ...] = ()
    confidence: float = 0.5
    trace: str = ""

    def __post_init__(self) -> None:
        bullet_type(self.kind)
        if not 0.0 <= self.confidence <= 1.0:
            raise InputError(f"A confidence lies between 0 and 1; {self.confidence} does not.")
        if not any(letter.isalnum() for letter in self.text):
            raise InputError("There is no bullet: the text holds no words.")
        if len(self.text) > LONGEST:
            raise InputError(
                f"The bullet has {len(self.text)} characters; the maximum is {LONGEST}. Shorten it, or make several."
            )

    @classmethod
    def of(cls, entry: PlaybookEntry) -> BulletInput:
        """A bullet of a playbook; its counters are not taken over."""
        return cls(
            text=entry.text, hint=entry.side, kind=entry.bullet_type, tags=entry.tags, confidence=entry.confidence
        )

    def insight(self, episode: Episode, scope: Scope) -> Insight:
        """The insight that rests on the episode in which it was stated."""
        text = normalise(episode.text)
        row = evidence_in(episode, text, trust=trust_in(episode), confidence=self.confidence)
        return Insight(
            text=text,
            evidence=(row,),
            origin=episode.origin,
            bullet_type=bullet_type(self.kind),
            tags=join_tags(self.tags),
            confidence=self.confidence,
            source_hint=self.hint,
            source_trace_id=self.trace,
            scope=scope,
        )


@dataclass(kw_only=True, slots=True)
class IntakeAct:
    """The decisions of the last evaluation, and the receipts of the commit."""

    decisions: tuple[Decision, ...] = ()
    receipts: tuple[Receipt, ...] = field(default=())

    def result(self, deps: Dependencies) -> IntakeResult:
        """What became of everything in the act, with the bullets as they stand now."""
        changed = [record.id for receipt in self.receipts for record in receipt.records]
        reinforced = [
            decision.target.id
            for decision in self.decisions
            if decision.disposition is Disposition.REINFORCE and decision.target is not None
        ]
        ids = tuple(dict.fromkeys([*changed, *reinforced]))
        return IntakeResult(decisions=self.decisions, receipts=self.receipts, bullets=bullets_by_id(deps, ids))


def stage_bullets(
    deps: Dependencies,
    inputs: Sequence[BulletInput],
    speaker: Speaker,
    scope: Scope,
    trace_id: TraceId,
    *,
    auto_assign: bool | None,
    project: Project | None,
) -> IntakeResult:
    """Stage bullets, in one act; where the settings say so, those that the classifier places clearly are assigned.

    `auto_assign` can only forbid it: whoever states a bullet does not decide that nobody looks at it.
    """
    context = speaker_context(deps, speaker, trace_id)
    pending, insights = _insights(deps, inputs, context, speaker, scope, project)
    classified = [(insight, classify_insight(deps, insight)) for insight in insights]
    staging = InsightStaging(
        options=deps.procedural, context=context, auto_assign=deps.procedural.auto_assign and auto_assign is not False
    )
    act = IntakeAct()

    def build(unit: BulletUnitOfWork) -> None:
        act.decisions = staging.stage(unit, classified, least=0.0, keep_short=True)

    act.receipts = commit_unit(deps, build, pending.write)
    return act.result(deps)


def place_bullets(
    deps: Dependencies,
    inputs: Sequence[tuple[BulletInput, Side]],
    by: Reviewer,
    scope: Scope,
    trace_id: TraceId,
    *,
    project: Project | None,
) -> IntakeResult:
    """Put bullets straight onto hemispheres, on trial there, in one act of a reviewer."""
    context = reviewer_context(deps, by, trace_id)
    stated = [bullet for bullet, _ in inputs]
    pending, insights = _insights(deps, stated, context, Speaker(origin=Origin.USER, name=by.name), scope, project)
    classified = [
        (insight, classify_insight(deps, insight), side) for insight, (_, side) in zip(insights, inputs, strict=True)
    ]
    act = IntakeAct()

    def build(unit: BulletUnitOfWork) -> None:
        act.decisions = tuple(_place(unit, context, *row, by) for row in classified)

    act.receipts = commit_unit(deps, build, pending.write, by=by)
    return act.result(deps)


def take_in_playbook(
    deps: Dependencies,
    entries: Sequence[PlaybookEntry],
    reviewer: Reviewer | None,
    speaker: Speaker,
    scope: Scope,
    trace_id: TraceId,
    project: Project | None,
) -> IntakeResult:
    """Place the bullets that have a side, in one act of the reviewer if there is one, and stage the others."""
    with_side = [(BulletInput.of(entry), entry.side) for entry in entries if reviewer is not None and entry.side]
    others = [BulletInput.of(entry) for entry in entries if reviewer is None or not entry.side]
    results = []
    if with_side and reviewer is not None:
        results.append(place_bullets(deps, with_side, reviewer, scope, trace_id, project=project))
    if others:
        results.append(stage_bullets(deps, others, speaker, scope, trace_id, auto_assign=None, project=project))
    return IntakeResult(
        decisions=tuple(decision for result in results for decision in result.decisions),
        receipts=tuple(receipt for result in results for receipt in result.receipts),
        bullets=tuple(bullet for result in results for bullet in result.bullets),
    )


def _insights(
    deps: Dependencies,
    inputs: Sequence[BulletInput],
    context: ProposalContext,
    speaker: Speaker,
    scope: Scope,
    project: Project | None,
) -> tuple[PendingEpisodes, list[Insight]]:
    texts = [bullet.text for bullet in inputs]
    pending = prepare_episodes(deps, texts, speaker, context.act_id, context.trace_id, project=project)
    redacted = [replace(bullet, trace=deps.redact(bullet.trace)[0]) for bullet in inputs]
    return pending, [bullet.insight(episode, scope) for bullet, episode in zip(redacted, pending.episodes, strict=True)]


def classify_insight(deps: Dependencies, insight: Insight) -> Classification:
    """The side that suits an insight, with a model's opinion where one is configured.

    Raises:
        SettingError: a model is named for it and no such model is configured.
    """
    classification = HemisphereClassifier(deps.sides()).classify(
        insight.text, source_hint=insight.source_hint, bullet_type=insight.bullet_type, tags=insight.tags
    )
    options = deps.procedural
    if not options.classifier_model:
        return classification
    model = deps.language_model()
    if model is None or model.name != options.classifier_model:
        configured = "none is configured" if model is None else f"the configured one is {model.name}"
        raise SettingError(
            f"procedural.classifier.model is {options.classifier_model!r} and {configured}. "
            "Set language_model.kind and language_model.model to it, or leave procedural.classifier.model empty."
        )
    return second_opinion(
        insight.text,
        classification,
        model,
        temperature=options.classifier_temperature,
        template=options.classifier_prompt,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class InsightStaging:
    """How insights are staged: by whom, under which options, and whether a clear one is assigned at once."""

    options: ProceduralOptions
    context: ProposalContext
    auto_assign: bool
    from_outcomes: bool = False

    def stage(
        self,
        unit: BulletUnitOfWork,
        insights: Sequence[tuple[Insight, Classification]],
        *,
        least: float,
        keep_short: bool,
        near: NearbyBullets | None = None,
    ) -> tuple[Decision, ...]:
        """Curate the insights against the bullets near them, and propose what becomes of each."""
        classifications = {id(insight): classification for insight, classification in insights}
        texts = (insight for insight, _ in insights)
        curated = curate(texts, near or unit.near, unit.reader, least=least, keep_short=keep_short)
        for decision in curated:
            if decision.disposition is Disposition.ADD:
                self._add(unit, decision, classifications[id(decision.insight)])
            elif decision.disposition is Disposition.REINFORCE and decision.target is not None:
                self._reinforce(unit, decision, decision.target)
        return curated

    def _context_of(self, decision: Decision) -> ProposalContext:
        return replace(self.context, origin=decision.insight.origin)

    def _add(self, unit: BulletUnitOfWork, decision: Decision, classification: Classification) -> None:
        context = self._context_of(decision)
        thresholds = self.options.thresholds
        proposal = propose_bullet(
            context, decision.insight, classification, decision.contradicted, thresholds=thresholds
        )
        judged = unit.put(_marked(proposal, decision.insight), from_outcomes=self.from_outcomes)
        self._flag_contradicted(unit, decision, context)
        record = _staged_record(unit, judged)
        if record is not None and record.status is Status.STAGED and self._is_clear(classification):
            self._assign(unit, record, classification, judged.proposal, context)

    def _flag_contradicted(self, unit: BulletUnitOfWork, decision: Decision, context: ProposalContext) -> None:
        """Flag the staged bullets that a new one contradicts as well: whoever reviews either sees it."""
        for contradicted in decision.contradicted:
            record = unit.overlay.record(contradicted.id)
            if record is not None and record.status is Status.STAGED and CONFLICT_TAG not in record.tags:
                reason = "another bullet that waits says the opposite"
                unit.put(make_proposal(context, Tag(add=(CONFLICT_TAG,)), (record,), rationale=reason))

    def _is_clear(self, classification: Classification) -> bool:
        if classification.side is Side.NONE or classification.is_flagged:
            return False
        if not self.options.staging_enabled:
            return True
        return self.auto_assign and classification.confidence >= self.options.auto_assign_threshold

    def _assign(
        self,
        unit: BulletUnitOfWork,
        record: Record,
        classification: Classification,
        added: Proposal,
        context: ProposalContext,
    ) -> None:
        proposal = make_proposal(
            context,
            Assign(side=classification.side),
            (record,),
            confidence=classification.confidence,
            signals=added.signals,
            rationale=classification.reasoning,
        )
        if isinstance(decide(proposal, unit.overlay, unit.policy, unit.now, is_classified=True), Allow):
            unit.put(proposal, is_classified=True)  # what is not allowed stays staged: its add waits already

    def _reinforce(self, unit: BulletUnitOfWork, decision: Decision, target: Record) -> None:
        context, insight = self._context_of(decision), decision.insight
        same = content_hash(insight.text) == target.content_hash
        # a paraphrase is worded as the bullet: more evidence never changes what a person approved
        rows = tuple(
            replace(row, act_id=context.act_id, wording=row.wording if same else target.text)
            for row in insight.evidence
        )
        proposal = make_proposal(context, Reinforce(), (target,), evidence=rows, confidence=insight.confidence)
        unit.put(_marked(proposal, insight), from_outcomes=self.from_outcomes)


def _marked(proposal: Proposal, insight: Insight) -> Proposal:
    """The proposal, marked where words of a tool or a page read like an instruction to the assistant.

    An insight that a rule made of the episodes reads so itself; there only the words that it quotes count.
    """
    words = insight.quoted if insight.why else insight.text
    if insight.origin in (Origin.TOOL, Origin.FETCHED) and is_instruction_like(words):
        return replace(proposal, signals=replace(proposal.signals, instruction_like=True))
    return proposal


def _staged_record(unit: BulletUnitOfWork, judged: JudgedProposal) -> Record | None:
    draft = draft_in(judged.proposal)
    if draft is None:
        return None
    same = unit.overlay.with_content(draft.namespace, content_hash(draft.text))
    bullets = (record for record in same if record.kind is Kind.BULLET and is_alive(record))
    return next((record for record in bullets if record.scope == draft.scope), None)


def _place(
    unit: BulletUnitOfWork,
    context: ProposalContext,
    insight: Insight,
    classification: Classification,
    side: Side,
    by: Reviewer,
) -> Decision:
    """Put a reviewer's bullet straight onto a hemisphere, on trial there; nothing where one says the same already."""
    decision = curate([insight], unit.near, unit.reader, least=0.0, keep_short=True)[0]
    if decision.disposition is not Disposition.ADD:
        return replace(decision, disposition=Disposition.DROP)
    proposal = make_proposal(
        context,
        Add(draft=draft_bullet(insight, classification, side=side)),
        evidence=tuple(replace(row, act_id=context.act_id) for row in insight.evidence),
        confidence=insight.confidence,
        rationale=f"placed by {by.name}",
    )
    verdict = unit.put(replace(proposal, scope=insight.scope), by=by).verdict
    if isinstance(verdict, Allow):
        return decision
    return replace(decision, disposition=Disposition.DROP, reason=verdict.reason)
