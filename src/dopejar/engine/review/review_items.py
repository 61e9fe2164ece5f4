"""Waiting proposals as a reviewer sees them: a page of the queue, or one proposal with everything needed to decide.

Takes: a view of the store. Gives: review items, and what a proposal contradicts. Never: decides, or lets
an earlier rule replace a later one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.disputes import rivals_of, waiting_rivals
from dopejar.engine.lookup import find_proposal
from dopejar.engine.results import ReviewItem
from dopejar.engine.unit_of_work import decide
from dopejar.ports.store import ReadView
from dopejar.text.normalisation import content_hash
from dopejar.values.episode import is_recorded_outcome
from dopejar.values.ids import RecordId
from dopejar.values.proposal import Add, Erase, Proposal, ProposalState, Supersede
from dopejar.values.record import EvidenceRole, Record, Status
from dopejar.values.scope import Namespace
from dopejar.values.verdict import Verdict

if TYPE_CHECKING:
    from dopejar.engine.review.erasure_echoes import Echo

_PAGE = 200
_CORRECTIONS = "corrections@"  # how the pipeline of corrections names itself, before its version


def list_queue(
    view: ReadView,
    states: Sequence[ProposalState] = (ProposalState.STAGED,),
    limit: int = _PAGE,
    offset: int = 0,
    namespace: Namespace | None = None,
) -> tuple[ReviewItem, ...]:
    """A page of the queue (with a namespace, of its part in it): most severe first, then oldest."""
    if namespace is None:
        return _queue_page(view, states, limit, offset)
    chosen = (item for item in _every_item(view, states) if item.namespace is namespace)
    page = islice(chosen, offset, offset + limit)
    return tuple(replace(item, number=number) for number, item in enumerate(page, offset + 1))


def count_by_namespace(view: ReadView) -> Mapping[Namespace, int]:
    """How many proposals wait in each namespace."""
    return Counter(item.namespace for item in _every_item(view, (ProposalState.STAGED,)))


def _every_item(view: ReadView, states: Sequence[ProposalState]) -> Iterator[ReviewItem]:
    offset = 0
    while page := _queue_page(view, states, _PAGE, offset):
        yield from page
        offset += len(page)


def _queue_page(view: ReadView, states: Sequence[ProposalState], limit: int, offset: int) -> tuple[ReviewItem, ...]:
    proposals = view.proposals(tuple(states), limit, offset)
    records = view.records(tuple({target.record_id for proposal in proposals for target in proposal.record_targets}))
    return tuple(_queue_item(view, proposal, number, records) for number, proposal in enumerate(proposals, offset + 1))


def _queue_item(view: ReadView, proposal: Proposal, number: int, records: Mapping[RecordId, Record]) -> ReviewItem:
    targets = tuple(records[target.record_id] for target in proposal.record_targets if target.record_id in records)
    is_waiting = proposal.state is ProposalState.STAGED
    rivals = waiting_rivals(view, proposal) if is_waiting else ()
    return ReviewItem(
        proposal=proposal,
        number=number,
        text=summary_text(proposal, targets),
        near=targets,
        namespace=_namespace_of(proposal, targets),
        record=view.record(proposal.record_id) if rivals and proposal.record_id else None,
        contradicts=rivals_of(view, proposal) if is_waiting else (),
        rivals=rivals,
    )


def _namespace_of(proposal: Proposal, targets: Sequence[Record]) -> Namespace:
    payload = proposal.payload
    if isinstance(payload, Add | Supersede):
        return payload.draft.namespace
    return targets[0].namespace if targets else Namespace.PROD


def summary_text(proposal: Proposal, records: Sequence[Record]) -> str:
    """What a proposal is about, in one line: its draft's text, else the texts of its targets, else words it cites."""
    payload = proposal.payload
    if isinstance(payload, Add | Supersede):
        return payload.draft.text
    cited = dict.fromkeys(row.wording for row in proposal.evidence)
    return "; ".join(record.text for record in records) or "; ".join(cited) or str(proposal.action)


def show_proposal(deps: Dependencies, view: ReadView, prefix: str) -> ReviewItem:
    """One proposal with its evidence, the turns around it, related records, and the gate's verdict of now."""
    proposal = find_proposal(view, prefix)
    episodes = view.episodes(tuple({row.episode_id for row in proposal.evidence}))
    first = next(iter(episodes.values()), None)
    around = view.turns(first.conversation, max(0, first.index - 1), first.index + 1) if first else ()
    targets = view.records(tuple(target.record_id for target in proposal.record_targets))
    contradicted = find_contradicted(view, proposal) if proposal.state is ProposalState.STAGED else ()
    related = {record.id: record for record in (*(targets.values() or related_records(view, proposal)), *contradicted)}
    return ReviewItem(
        proposal=proposal,
        number=0,
        text=summary_text(proposal, tuple(related.values())),
        record=view.record(proposal.record_id) if proposal.record_id else None,
        near=tuple(related.values()),
        namespace=_namespace_of(proposal, tuple(targets.values())),
        evidence=tuple((row, episodes.get(row.episode_id)) for row in proposal.evidence),
        around=around,
        verdict=judge_waiting(deps, view, proposal),
        moved=has_moved_targets(view, proposal),
        contradicts=contradicted,
        rivals=waiting_rivals(view, proposal) if proposal.state is ProposalState.STAGED else (),
        echoes=_echoes(view, proposal, tuple(targets.values())),
    )


def judge_waiting(deps: Dependencies, view: ReadView, proposal: Proposal, approval: str | None = None) -> Verdict:
    """The gate's verdict of now, with what the engine knew of the proposal when it was staged."""
    rests_on = {row.episode_id for row in proposal.evidence if row.role is EvidenceRole.ASSERTS}
    found = view.episodes(tuple(rests_on))
    return decide(
        proposal,
        view,
        deps.policy(),
        deps.clock.now(),
        approval=approval,
        from_outcomes=bool(rests_on) and all(one in found and is_recorded_outcome(found[one]) for one in rests_on),
    )


def _echoes(view: ReadView, proposal: Proposal, targets: Sequence[Record]) -> tuple[Echo, ...]:
    """What would still speak of the targets of an erasure that waits."""
    if not isinstance(proposal.payload, Erase) or proposal.state is not ProposalState.STAGED:
        return ()
    from dopejar.engine.review.erasure_echoes import find_echoes, subject_of  # few proposals erase

    return find_echoes(view, subject_of(view, targets, proposal.payload.episodes, None))


def related_records(view: ReadView, proposal: Proposal) -> tuple[Record, ...]:
    """Records of the same concept, or with the same words, as a proposal's draft; never the proposal's own record."""
    payload = proposal.payload
    if not isinstance(payload, Add | Supersede):
        return ()
    draft = payload.draft
    chain = draft.slot or draft.key
    same_concept = view.chain(draft.namespace, draft.scope, draft.side, chain) if chain else ()
    same_words = view.with_content(draft.namespace, content_hash(draft.text))
    related = {record.id: record for record in (*same_concept, *same_words) if record.id != proposal.record_id}
    return tuple(related.values())


def has_moved_targets(view: ReadView, proposal: Proposal) -> bool:
    """Whether a target is gone or has another version than the one the proposal was judged against."""
    records = view.records(tuple(target.record_id for target in proposal.record_targets))
    return any(
        target.record_id not in records or records[target.record_id].version != target.version
        for target in proposal.record_targets
    )


def find_contradicted(view: ReadView, proposal: Proposal) -> tuple[Record, ...]:
    """What a proposal contradicts: the memories that it waits for, and guidance in force or waiting.

    Such guidance is looked for beside what the corrections pipeline proposes: both cannot be followed.
    """
    return (*rivals_of(view, proposal), *_contradicted_guidance(view, proposal))


def _contradicted_guidance(view: ReadView, proposal: Proposal) -> tuple[Record, ...]:
    payload = proposal.payload
    if not proposal.made_by.startswith(_CORRECTIONS) or not isinstance(payload, Add | Supersede):
        return ()
    # most decisions are about something else and do not load the pipeline of corrections
    from dopejar.engine.corrections.extraction import directing_records
    from dopejar.pipelines.corrections.proposals.gate_proposals import find_contradicted

    others = [record for record in directing_records(view, payload.draft.namespace) if record.id != proposal.record_id]
    return (*find_contradicted(payload.draft, others), *find_contradicted(payload.draft, others, waits=True))


def stated_at(proposal: Proposal) -> tuple[datetime, str]:
    """When what a proposal states was said, or begins to hold; for sorting."""
    payload = proposal.payload
    stated = payload.draft.valid_from if isinstance(payload, Add | Supersede) else None
    return stated or proposal.at, proposal.id


def replace_rival(view: ReadView, proposal: Proposal) -> Proposal:
    """The proposal as the newer version of a memory that it waits for, so that what it replaces leads to it.

    It stays as it is where that memory is the later one, or has another scope.
    """
    payload, said = proposal.payload, view.record(proposal.record_id) if proposal.record_id else None
    if not isinstance(payload, Add) or payload.draft.temporary or said is None:
        return proposal
    draft = payload.draft
    for rival in rivals_of(view, proposal):
        is_alike = (rival.namespace, rival.scope, rival.side) == (draft.namespace, draft.scope, draft.side)
        if is_alike and rival.chain and not rival.temporary and rival.valid_from < said.valid_from:
            value = f"+{rival.value[1:]}" if rival.value.startswith("-") else ""  # a denial has a line of its own
            draft = replace(draft, key=rival.key, slot=rival.slot, value=value)
            return replace(proposal, payload=replace(payload, draft=draft))
    return proposal


def records_to_replace(view: ReadView, proposal: Proposal) -> tuple[Record, ...]:
    """What an approved proposal retires: the memories it waited for, and guidance against it that was stated before."""
    approved = view.record(proposal.record_id) if proposal.record_id else None
    if approved is None or approved.status is not Status.ACTIVE:
        return ()
    return _rivals_and_older_guidance(view, proposal, approved)


def would_retire(view: ReadView, proposal: Proposal, *, keep_both: bool = False) -> tuple[Record, ...]:
    """What the approval of a waiting proposal would retire: the versions before it, and what it contradicts."""
    payload, targets = proposal.payload, view.records(tuple(target.record_id for target in proposal.record_targets))
    if proposal.state is not ProposalState.STAGED:
        return ()
    if isinstance(payload, Supersede):
        if keep_both:
            return ()
        at = payload.draft.valid_from or proposal.at
        return tuple(one for one in targets.values() if one.status is Status.ACTIVE and one.valid_from < at)
    said = view.record(proposal.record_id) if proposal.record_id and not keep_both else None
    return _rivals_and_older_guidance(view, proposal, said) if said is not None else ()


def older_rivals(view: ReadView, proposal: Proposal, among: Collection[RecordId | None]) -> tuple[Record, ...]:
    """Those of some waiting records that cannot hold beside what a waiting proposal states, and were said before it."""
    said = view.record(proposal.record_id) if proposal.record_id else None
    if said is None:
        return ()
    rivals = waiting_rivals(view, proposal)
    return tuple(one for one in rivals if one.id in among and one.valid_from < said.valid_from)


def _rivals_and_older_guidance(view: ReadView, proposal: Proposal, said: Record) -> tuple[Record, ...]:
    guidance = (record for record in _contradicted_guidance(view, proposal) if record.valid_from < said.valid_from)
    older = (record for record in guidance if record.status is Status.ACTIVE)
    return tuple({record.id: record for record in (*rivals_of(view, proposal), *older)}.values())
