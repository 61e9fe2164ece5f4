"""One proposal in full: its evidence in context, similar records, and what approving it would change.

Takes: the engine's dependencies and a review item. Gives: its details. Never: decides or writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dopejar.engine.queries.evidence_passages import EvidencePassage, evidence_passages
from dopejar.engine.queries.queue_index import contradicted_bullets
from dopejar.engine.queries.queue_rows import QueueRow, draft_of_proposal, make_row
from dopejar.engine.review.review_items import judge_waiting, replace_rival
from dopejar.engine.unit_of_work import JudgedProposal, planned_change
from dopejar.errors import DopejarError
from dopejar.pipelines.procedural.bullets import SOURCE_TRACE_ID, SUGGESTED_BECAUSE
from dopejar.text.similarity import similar
from dopejar.text.words import query_terms
from dopejar.values.proposal import Action, ProposalState
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.scope import UNIVERSAL, ReadScope, Scope
from dopejar.values.verdict import Allow

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.engine.dependencies import Dependencies
    from dopejar.engine.results import ReviewItem
    from dopejar.memory.change_set import Revision
    from dopejar.ports.store import ReadView
    from dopejar.values.proposal import Proposal
    from dopejar.values.record import Draft, Record

_MOST_TERMS: Final = 24
_CANDIDATES: Final = 12
_MOST_SIMILAR: Final = 5
_LEAST_SIMILARITY: Final = 0.3
_ANY_REVIEWER: Final = "a reviewer"  # for a preview; a decision names the person


@dataclass(frozen=True, kw_only=True, slots=True)
class SimilarRecord:
    """A record that resembles a text; `similarity` is lexical, from 0 to 1."""

    record: Record
    similarity: float
    is_opposite: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ApprovalPreview:
    """What approving a proposal would change, or why it cannot be approved as it stands."""

    revisions: tuple[Revision, ...] = ()
    obstacle: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProposalDetails:
    """What a reviewer needs to decide about one proposal."""

    row: QueueRow
    draft: Draft | None
    trace_id: str
    reasoning: str
    passages: tuple[EvidencePassage, ...]
    similar: tuple[SimilarRecord, ...]
    preview: ApprovalPreview
    scopes: tuple[Scope, ...]  # where it might hold, as it was proposed for first


def proposal_details(deps: Dependencies, item: ReviewItem, reviewer: str = "") -> ProposalDetails:
    """The details of one proposal, previewed as a decision of this reviewer."""
    proposal = item.proposal
    draft = draft_of_proposal(proposal)
    attributes = draft.attributes if draft else {}
    with deps.store.read() as view:
        return ProposalDetails(
            row=make_row(item, contradicted_bullets(view)),
            draft=draft,
            trace_id=attributes.get(SOURCE_TRACE_ID) or proposal.trace_id,
            reasoning=attributes.get(SUGGESTED_BECAUSE) or proposal.rationale,
            passages=evidence_passages(view, item.evidence),
            similar=find_similar_records(
                view, item.text, (*item.near, *filter(None, (item.repeats,))), proposal.record_id
            ),
            preview=preview_approval(deps, view, proposal, reviewer),
            scopes=likely_scopes(item),
        )


def likely_scopes(item: ReviewItem) -> tuple[Scope, ...]:
    """The scope of a proposal, and those of the turns that it rests on: their projects, their languages, universal."""
    turns = [turn for _, turn in item.evidence if turn is not None]
    projects = [Scope.project(turn.project) for turn in turns if turn.project]
    languages = [Scope.language(name) for turn in turns for name in turn.languages]
    return tuple(dict.fromkeys((item.proposal.scope, *projects, *languages, UNIVERSAL)))


def find_similar_records(
    view: ReadView, text: str, related: Sequence[Record], own_id: str | None
) -> tuple[SimilarRecord, ...]:
    """Records that resemble a text, most similar first: the related ones, and those that full-text search finds."""
    terms = query_terms(text)[:_MOST_TERMS]
    where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.RECORD)
    hits = view.lexical(terms, where, _CANDIDATES) if terms else ()
    related_by_id = {record.id: record for record in related}
    loaded = view.load_records([hit.id for hit in hits], where)
    candidates = {**related_by_id, **{record.id: record for record in loaded.values()}}
    results = []
    for record in candidates.values():
        likeness = similar(text, record.text)
        if record.id != own_id and (record.id in related_by_id or likeness.lexical >= _LEAST_SIMILARITY):
            is_opposite = not likeness.same_polarity
            results.append(SimilarRecord(record=record, similarity=likeness.lexical, is_opposite=is_opposite))
    return tuple(sorted(results, key=lambda match: (-match.similarity, match.record.id))[:_MOST_SIMILAR])


def preview_approval(deps: Dependencies, view: ReadView, proposal: Proposal, reviewer: str = "") -> ApprovalPreview:
    """What approving a waiting proposal now would change; planned by the same code as a decision, and not committed."""
    if proposal.state is not ProposalState.STAGED or proposal.action is Action.ERASE:
        return ApprovalPreview()  # `preview_erasure` shows what an erasure takes away
    now = deps.clock.now()
    proposal = replace_rival(view, proposal)
    verdict = judge_waiting(deps, view, proposal, reviewer or _ANY_REVIEWER)
    if not isinstance(verdict, Allow):
        return ApprovalPreview(obstacle=verdict.reason)
    try:
        change = planned_change(JudgedProposal(proposal=proposal, verdict=verdict), view, now)
    except DopejarError as error:
        return ApprovalPreview(obstacle=str(error))
    return ApprovalPreview(revisions=change.revisions)
