"""Reflection: bullets are learned from a kept conversation.

Takes: kept conversations. Gives: staged bullets and more evidence for known ones, committed one conversation at a time.
Never: lets one conversation fill the queue, or another one influence what is read in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dopejar.engine.bullets.bullet_unit_of_work import BulletUnitOfWork, commit_unit, speaker_context
from dopejar.engine.bullets.intake import InsightStaging, IntakeAct, IntakeResult, classify_insight
from dopejar.engine.dependencies import Dependencies, Speaker
from dopejar.governance.policy.loop_guard import digests
from dopejar.governance.reviewer_credentials import is_person
from dopejar.pipelines.procedural.curator import LEAST_CONFIDENCE, NearbyBullets
from dopejar.pipelines.procedural.insights import Insight
from dopejar.pipelines.procedural.model_reflector import model_insights
from dopejar.pipelines.procedural.reflector import reflect
from dopejar.ports.store import ReadView
from dopejar.text.normalisation import content_hash
from dopejar.values.episode import Episode, Origin, is_recorded_outcome, is_repeated
from dopejar.values.ids import ActId, ConversationId, TraceId
from dopejar.values.proposal import Via
from dopejar.values.record import Record
from dopejar.values.scope import UNIVERSAL, Scope

MOST = 3
"""Bullets that `learn` takes from one conversation: the first ones, so that a file that grows adds none before them."""


def learn_bullets(
    deps: Dependencies,
    conversation: ConversationId,
    trace_id: TraceId,
    *,
    act_id: ActId | None = None,
    most: int | None = None,
) -> IntakeResult | None:
    """Stage what a kept conversation teaches, in one act; None where it teaches nothing.

    A conversation is read alone, and what other conversations taught counts only where it is said in the very same
    words: in any order of arrival the same bullets wait. What a person decided about is recognised by its meaning.
    """
    with deps.store.read() as view:
        turns, row = view.turns(conversation), view.conversation(conversation)
    turns = tuple(turn for turn in turns if not is_repeated(turn))  # a copy teaches nothing a second time
    scope = Scope.project(row.project) if row is not None and row.project else UNIVERSAL
    insights = _distinct([*reflect(turns, scope=scope), *_model_insights(deps, turns, scope)])
    with deps.store.read() as view:
        insights = _without_echoes(view, insights)[:most]
    if not insights:
        return None
    classified = [(insight, classify_insight(deps, insight)) for insight in insights]
    speaker = Speaker(origin=Origin.TOOL, via=Via.CONVERSATION, name="reflector")
    context = speaker_context(deps, speaker, trace_id, act_id)
    outcomes = {turn.id for turn in turns if is_recorded_outcome(turn)}
    act = IntakeAct()

    def build(unit: BulletUnitOfWork) -> None:
        act.decisions = ()
        near = _decided_or_identical(unit)
        for insight, classification in classified:
            staging = InsightStaging(
                options=deps.procedural,
                context=context,
                auto_assign=deps.procedural.auto_assign,
                from_outcomes=insight.rests_on <= outcomes,
            )
            act.decisions += staging.stage(
                unit, [(insight, classification)], least=LEAST_CONFIDENCE, keep_short=False, near=near
            )

    act.receipts = commit_unit(deps, build)
    return act.result(deps)


def _model_insights(deps: Dependencies, turns: Sequence[Episode], scope: Scope) -> list[Insight]:
    """What a model adds, asked while no snapshot is open."""
    model = deps.language_model() if deps.procedural.ask_for_insights else None
    return model_insights(turns, model, scope=scope) if model is not None else []


def _distinct(insights: Iterable[Insight]) -> list[Insight]:
    """Each text once, where it was said first."""
    return list({content_hash(insight.text): insight for insight in reversed(list(insights))}.values())[::-1]


def _without_echoes(view: ReadView, insights: Sequence[Insight]) -> list[Insight]:
    """Those that are no echo: what recall handed to the assistant is not learned again when it comes back."""
    if not view.has_injected():
        return list(insights)
    by_insight = [digests(insight.text) for insight in insights]
    injected = frozenset(view.injected(tuple({digest for marks in by_insight for digest in marks})))
    return [
        insight
        for insight, marks in zip(insights, by_insight, strict=True)
        if not marks or not injected.issuperset(marks)
    ]


def _decided_or_identical(unit: BulletUnitOfWork) -> NearbyBullets:
    def near(text: str) -> list[Record]:
        digest = content_hash(text)
        return [
            record for record in unit.in_use(text) if record.content_hash == digest or is_person(record.approved_by)
        ]

    return near
