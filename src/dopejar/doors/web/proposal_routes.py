"""One waiting thing in full: why, on what evidence, against what, and what it would change.

Takes: an id. Gives: the page. Never: decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from dopejar.doors.web.access import local_path
from dopejar.doors.web.request_context import Context, contradicted_in
from dopejar.engine.queries.queue_rows import carried_draft, make_row
from dopejar.engine.unit_of_work import Judged, decide, foresee
from dopejar.errors import DopejarError
from dopejar.pipelines.procedural.bullets import REASONING, TRACE
from dopejar.text.similar import similar
from dopejar.text.words import query_terms
from dopejar.values.proposal import ProposalState
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.scope import ReadScope
from dopejar.values.verdict import Allow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.doors.web.request_context import RequestContext
    from dopejar.memory.change_set import Revision
    from dopejar.ports.store import ReadView
    from dopejar.values.episode import Conversation, Episode
    from dopejar.values.proposal import Proposal
    from dopejar.values.record import Evidence, Record

router = APIRouter()
_AROUND: Final = 2  # turns before and after
_MOST_PASSAGES: Final = 6
_CANDIDATES: Final = 12
_MOST_NEAR: Final = 5
_LEAST_ALIKE: Final = 0.3
_ANYBODY: Final = "a reviewer"  # for a preview; a decision names the person


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage:
    """Turns of one conversation, with the evidence in them."""

    conversation: Conversation | None
    turns: tuple[Episode, ...]
    spans: dict[str, list[Evidence]]

    @property
    def outcomes(self) -> tuple[str, ...]:
        """How what was said here turned out."""
        return tuple(dict.fromkeys(one.outcome for one in self.turns if one.outcome and one.id in self.spans))


@dataclass(frozen=True, kw_only=True, slots=True)
class Near:
    """A record that stands near; `alike` from 0 to 1 by words."""

    record: Record
    alike: float
    is_opposite: bool


def passages(view: ReadView, evidence: Sequence[tuple[Evidence, Episode | None]]) -> tuple[Passage, ...]:
    """What was said around the evidence, a passage for each conversation and neighbourhood."""
    found: list[Passage] = []
    for span, turn in evidence:
        if turn is None:
            continue
        place = next((at for at, one in enumerate(found) if _adjoins(one, turn)), None)
        if place is None:
            if len(found) == _MOST_PASSAGES:
                break
            found.append(Passage(conversation=view.conversation(turn.conversation), turns=(), spans={}))
            place = len(found) - 1
        around = view.turns(turn.conversation, max(0, turn.index - _AROUND), turn.index + _AROUND)
        found[place] = _widened(found[place], around or (turn,))
        found[place].spans.setdefault(turn.id, []).append(span)
    return tuple(found)


def _adjoins(passage: Passage, turn: Episode) -> bool:
    """Whether the turns around this one meet those of a passage."""
    first, last = passage.turns[0], passage.turns[-1]
    near = first.index - _AROUND - 1 <= turn.index <= last.index + _AROUND + 1
    return turn.conversation == first.conversation and near


def _widened(passage: Passage, more: Sequence[Episode]) -> Passage:
    turns = {one.id: one for one in (*passage.turns, *more)}
    return replace(passage, turns=tuple(sorted(turns.values(), key=lambda one: one.index)))


def nearest(view: ReadView, text: str, known: Sequence[Record], own: str | None) -> tuple[Near, ...]:
    """Records that say something like it, most alike first: those the engine named, and those a search finds."""
    terms = query_terms(text)[:24]
    where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.RECORD)
    hits = view.lexical(terms, where, _CANDIDATES) if terms else ()
    named = {one.id: one for one in known}
    candidates = {**named, **{one.id: one for one in view.load_records([one.id for one in hits], where).values()}}
    compared = []
    for record in candidates.values():
        likeness = similar(text, record.text)
        if record.id != own and (record.id in named or likeness.lexical >= _LEAST_ALIKE):
            near = Near(record=record, alike=likeness.lexical, is_opposite=not likeness.same_polarity)
            compared.append(near)
    return tuple(sorted(compared, key=lambda one: (-one.alike, one.record.id))[:_MOST_NEAR])


@dataclass(frozen=True, kw_only=True, slots=True)
class Impact:
    """What approving would change, or why it cannot be approved as it stands."""

    revisions: tuple[Revision, ...] = ()
    hindrance: str = ""


def foreseen(context: RequestContext, view: ReadView, proposal: Proposal) -> Impact:
    """What approving a waiting proposal now would change; planned as the engine plans it, and not carried out."""
    if proposal.state is not ProposalState.STAGED:
        return Impact()
    by = context.session.reviewer.name if context.session.reviewer else _ANYBODY
    verdict = decide(proposal, view, context.memory.deps.policy(), context.now, approval=by)
    if not isinstance(verdict, Allow):
        return Impact(hindrance=verdict.reason)
    try:
        change = foresee(Judged(proposal=proposal, verdict=verdict), view, context.now)
    except DopejarError as fault:
        return Impact(hindrance=str(fault))
    return Impact(revisions=change.revisions)


@router.get("/proposals/{name}")
def detail(context: Context, name: str) -> HTMLResponse:
    """One proposal."""
    item = context.memory.show_proposal(name)
    with context.memory.store.read() as view:
        said = passages(view, item.evidence)
        near = nearest(view, item.text, item.near, item.proposal.record_id)
        impact = foreseen(context, view, item.proposal)
        contradicted = contradicted_in(view)
    draft = carried_draft(item.proposal)
    return context.page(
        "detail.html",
        section="queue",
        item=item,
        row=make_row(item, contradicted),
        draft=draft,
        trace=(draft.attributes.get(TRACE) if draft else "") or item.proposal.trace_id,
        reasoning=(draft.attributes.get(REASONING) if draft else "") or item.proposal.rationale,
        passages=said,
        near=near,
        impact=impact,
        back=local_path(context.request.query_params.get("back", "/")),
    )
