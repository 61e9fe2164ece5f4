"""Learning how to work, once a conversation's turns are kept.

Takes: kept conversations. Gives: staged bullets and more evidence for known ones, committed one conversation at a time.
Never: lets one conversation fill the queue, or another one decide what is read in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dopejar.engine.bullets.assignment import BulletUnitOfWork, Staging, commit_all, suggest, voice
from dopejar.engine.bullets.intake import Act, Taken, taken
from dopejar.engine.bullets.outcomes import is_recorded
from dopejar.engine.dependencies import Dependencies, Speaker
from dopejar.governance.policy.loop_guard import digests
from dopejar.governance.reviewer import is_person
from dopejar.pipelines.procedural.curator import LEAST_CONFIDENCE, NearbyBullets
from dopejar.pipelines.procedural.insights import Insight
from dopejar.pipelines.procedural.model_reflector import model_insights
from dopejar.pipelines.procedural.reflector import reflect
from dopejar.ports.store import ReadView
from dopejar.text.normalise import content_hash
from dopejar.values.episode import Episode, Origin
from dopejar.values.ids import ActId, ConversationId, TraceId
from dopejar.values.proposal import Via
from dopejar.values.record import Record
from dopejar.values.scope import UNIVERSAL, Scope

MOST = 3
"""Bullets that `learn` takes of one conversation: the first ones, so that a file that grows later adds none before."""


def learn_bullets(
    deps: Dependencies,
    conversation: ConversationId,
    trace_id: TraceId,
    *,
    act_id: ActId | None = None,
    most: int | None = None,
) -> Taken | None:
    """Stage what a kept conversation teaches, in one act; None where it teaches nothing.

    A conversation is read alone, and what other conversations taught counts only where it is said in the very same
    words: in any order of arrival the same bullets wait. What a person decided about is known by its meaning.
    """
    with deps.store.read() as view:
        turns, row = view.turns(conversation), view.conversation(conversation)
    scope = Scope.project(row.project) if row is not None and row.project else UNIVERSAL
    insights = _apart([*reflect(turns, scope=scope), *_suggested(deps, turns, scope)])
    with deps.store.read() as view:
        found = _new_to_it(view, insights)[:most]
    if not found:
        return None
    known = [(one, suggest(deps, one)) for one in found]
    told = voice(deps, Speaker(origin=Origin.TOOL, via=Via.CONVERSATION, name="reflector"), trace_id, act_id)
    outcomes = {one.id for one in turns if is_recorded(one)}
    act = Act()

    def think(bench: BulletUnitOfWork) -> None:
        act.decisions = ()
        for one, side in known:
            staging = Staging(
                options=deps.procedural,
                voice=told,
                auto_assign=deps.procedural.auto_assign,
                from_outcomes=one.rests_on <= outcomes,
            )
            near = _near(bench)
            act.decisions += staging.take(bench, [(one, side)], least=LEAST_CONFIDENCE, keep_short=False, near=near)

    act.receipts = commit_all(deps, think)
    return taken(deps, act)


def _suggested(deps: Dependencies, turns: Sequence[Episode], scope: Scope) -> list[Insight]:
    """What a model adds, asked while no snapshot is held."""
    model = deps.language_model() if deps.procedural.ask_for_insights else None
    return model_insights(turns, model, scope=scope) if model is not None else []


def _apart(insights: Iterable[Insight]) -> list[Insight]:
    """Each text once, where it was said first."""
    return list({content_hash(one.text): one for one in reversed(list(insights))}.values())[::-1]


def _new_to_it(view: ReadView, insights: Sequence[Insight]) -> list[Insight]:
    """Those that are no echo: what recall handed to the assistant is not learned again when it comes back."""
    if not view.has_injected():
        return list(insights)
    marks = [digests(one.text) for one in insights]
    known = frozenset(view.injected(tuple({mark for some in marks for mark in some})))
    return [one for one, some in zip(insights, marks, strict=True) if not some or not known.issuperset(some)]


def _near(bench: BulletUnitOfWork) -> NearbyBullets:
    def near(text: str) -> list[Record]:
        mark = content_hash(text)
        return [one for one in bench.in_use(text) if one.content_hash == mark or is_person(one.approved_by)]

    return near
