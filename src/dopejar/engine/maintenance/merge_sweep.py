"""The merge sweep: finds memories that say the same under different keys, and proposes to merge them.

Takes: the store and a deadline. Gives: how many memories were examined and merges proposed. Never: merges by itself;
each proposal waits in the review queue, and what a person rejected is not proposed again.

A sweep goes in batches from the newest memory back to where the sweep before it began; a run continues the sweep where
the run before it stopped. So the cost of a run grows with what is new, and is bounded.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.unit_of_work import JudgedProposal, commit_with_retry, decide, planned_change
from dopejar.memory.hold import update_row
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.ingest.merge_candidates import Merging, is_mergeable, plan_merges, says_one_thing
from dopejar.ports.embedder import Embedder
from dopejar.ports.statement_reader import StatementReader
from dopejar.ports.store import ReadView
from dopejar.text.words import query_terms
from dopejar.values.episode import Origin
from dopejar.values.held_bodies import object_of, text_in, time_in
from dopejar.values.ids import ActId, RecordId, TraceId, new_act_id, new_proposal_id
from dopejar.values.proposal import Action, Merge, Proposal, ProposalState, Via
from dopejar.values.recall import RecordFilter, SearchFilter, Source
from dopejar.values.record import Record
from dopejar.values.scope import Namespace, ReadScope
from dopejar.values.target import RecordTarget
from dopejar.values.versioned_rows import KeyValueRow

MOST_PER_RUN = 20
"""Proposals that one run makes: a queue that grows faster than a person reads is not read at all."""

MOST_WAITING = 60
"""Merges waiting for a person from which on no run proposes more."""

MOST_EXAMINED = 2_000
"""Memories that one run examines; the next run continues."""

_BATCH = 50
_NEAREST = 6
_JOB = ("job", "merges")


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeSweepReport:
    """How many memories were examined, how many merges were proposed, and whether the sweep reached its end."""

    examined: int = 0
    proposed: int = 0
    is_done: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class SweepPosition:
    """Where a sweep is. `floor` and `top` are creation times: where this sweep ends, and where the next one will."""

    at: str = ""  # id of the last memory examined; "" before the first
    top: str = ""
    floor: str = ""

    @classmethod
    def parse(cls, row: KeyValueRow | None) -> SweepPosition:
        """The position that a row holds."""
        body = {"at": "", "top": "", "floor": "", **(object_of(row) if row else {})}
        for name in ("top", "floor"):
            if body[name]:
                time_in(body, name)
        return cls(at=text_in(body, "at"), top=text_in(body, "top"), floor=text_in(body, "floor"))


def propose_merges(deps: Dependencies, trace_id: TraceId, *, deadline: float | None = None) -> MergeSweepReport:
    """Continue the sweep until it is done, the deadline (monotonic seconds) has passed, or enough is proposed."""
    examined, proposed = 0, 0
    while examined < MOST_EXAMINED and (deadline is None or time.monotonic() < deadline):
        with deps.store.read() as view:
            room = min(MOST_PER_RUN - proposed, MOST_WAITING - _waiting_merges(view))
            if room <= 0:
                break
            position = SweepPosition.parse(view.held(*_JOB))
            batch = _next_batch(view, position)
            pairs = _find_pairs(deps, view, batch)
        staged, has_proposed_all = _stage_merges(deps, plan_merges(pairs), room, trace_id)
        proposed += staged
        examined += len(batch)
        if not has_proposed_all:
            break
        advanced = _advance(position, batch)
        if advanced != position:
            _save_position(deps, advanced)
        if not advanced.at:
            return MergeSweepReport(examined=examined, proposed=proposed)
    return MergeSweepReport(examined=examined, proposed=proposed, is_done=False)


def _waiting_merges(view: ReadView) -> int:
    staged = view.proposals((ProposalState.STAGED,), 1000)
    return sum(proposal.action is Action.MERGE and proposal.via is Via.UNATTENDED for proposal in staged)


def _next_batch(view: ReadView, position: SweepPosition) -> tuple[Record, ...]:
    where = RecordFilter(namespace=Namespace.PROD)
    page = view.list_records(where, _BATCH, RecordId(position.at) if position.at else None)
    floor = datetime.fromisoformat(position.floor) if position.floor else None
    return tuple(record for record in page if floor is None or record.created_at > floor)


def _advance(position: SweepPosition, batch: Sequence[Record]) -> SweepPosition:
    """The position after a batch; at the end of a sweep, the next sweep's, which ends where this one began."""
    top = position.top or (batch[0].created_at.isoformat() if batch else "")
    if len(batch) == _BATCH:
        return SweepPosition(at=batch[-1].id, top=top, floor=position.floor)
    return SweepPosition(floor=top or position.floor)


def _save_position(deps: Dependencies, position: SweepPosition) -> None:
    body = json.dumps({"at": position.at, "top": position.top, "floor": position.floor})

    def next_row(old: KeyValueRow | None) -> KeyValueRow:
        return KeyValueRow(kind=_JOB[0], key=_JOB[1], body=body, version=old.version if old else 0)

    update_row(deps.store, *_JOB, next_row)


def _find_pairs(deps: Dependencies, view: ReadView, batch: Sequence[Record]) -> list[tuple[Record, Record]]:
    """The pairs of a record of the batch with another one that says the same under another key."""
    embedder = deps.embedder()
    vectors = embedder if embedder is not None and not embedder.identity.lexical else None
    reader = deps.reader()
    mergeable = [record for record in batch if is_mergeable(record)]
    return [pair for record in mergeable for pair in _pairs_with(view, record, vectors, reader)]


def _pairs_with(
    view: ReadView, record: Record, embedder: Embedder | None, reader: StatementReader
) -> Iterator[tuple[Record, Record]]:
    """The record with each candidate, found by words or by vectors, that says the same under another key."""
    read_scope = ReadScope(namespace=record.namespace, scopes=(record.scope,))
    where = SearchFilter(read_scope=read_scope, source=Source.RECORD)
    candidate_ids = [hit.id for hit in view.lexical(query_terms(record.text), where, _NEAREST)]
    stored = view.vectors_of(embedder.identity, Source.RECORD, [record.id]) if embedder is not None else {}
    vector = stored.get(record.id)
    if embedder is not None and vector is not None:
        candidate_ids += [hit.id for hit in view.nearest(vector, embedder.identity, where, _NEAREST)]
    for candidate in view.load_records([*dict.fromkeys(candidate_ids)], where).values():
        if candidate.id != record.id and is_mergeable(candidate) and says_one_thing(record, candidate, reader):
            yield record, candidate


def _stage_merges(deps: Dependencies, merges: Sequence[Merging], room: int, trace_id: TraceId) -> tuple[int, bool]:
    """Judge and stage merges until `room` new ones wait; how many were staged, and whether no merge is left."""
    if not merges:
        return 0, True
    act_id, now = new_act_id(), deps.clock.now()
    left: list[Merging] = []

    def think() -> list[JudgedProposal]:
        accepted: list[JudgedProposal] = []
        left[:] = merges
        with deps.store.read() as view:
            overlay, policy = Overlay(view), deps.policy()
            while left and len(accepted) < room:
                proposal = _make_proposal(overlay, left.pop(0), act_id, trace_id, now)
                if proposal is None:
                    continue
                judged = JudgedProposal(proposal=proposal, verdict=decide(proposal, overlay, policy, now))
                change = planned_change(judged, overlay, now)
                if not change.is_empty:  # empty where it waits already, or a person rejected it
                    overlay.apply(change)
                    accepted.append(judged)
        return accepted

    receipts = commit_with_retry(deps.store, think, None, now)
    return sum(receipt.outcome == "staged" for receipt in receipts), not left


def _make_proposal(
    overlay: Overlay, merging: Merging, act_id: ActId, trace_id: TraceId, now: datetime
) -> Proposal | None:
    """The merge as a proposal about its memories as they are now; None where one of them is no longer mergeable."""
    current = [overlay.record(record.id) for record in (merging.into, *merging.others)]
    records = [record for record in current if record is not None and is_mergeable(record)]
    if len(records) < len(current):
        return None
    return Proposal(
        id=new_proposal_id(),
        act_id=act_id,
        payload=Merge(into=merging.into.id),
        at=now,
        origin=Origin.TOOL,
        via=Via.UNATTENDED,
        made_by="ingest@1",
        trace_id=trace_id,
        targets=tuple(RecordTarget(record_id=record.id, version=record.version) for record in records),
        scope=merging.into.scope,
        rationale="they state the same thing under different keys",
        proposer="maintain",
    )
