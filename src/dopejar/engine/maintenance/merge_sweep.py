"""Finding memories that say one thing under different keys, and proposing to merge them.

Takes: the store and a time limit. Gives: what was looked at and proposed. Never: merges by itself; each proposal waits
in the one queue, and what a person rejected is not proposed again.

A sweep goes from the newest memory back to where the sweep before it began, in batches; a run takes up the sweep where
the run before it stopped. So a run costs as much as there is new, and none is long.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.unit_of_work import Judged, commit_with_retry, decide, foresee
from dopejar.memory.hold import update_row
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.ingest import SemanticNear
from dopejar.pipelines.ingest.likeness.merging import (
    Merging,
    NearnessOf,
    by_words,
    is_mergeable,
    plan_merges,
    says_one_thing,
)
from dopejar.ports.embedder import Embedder
from dopejar.ports.store import ReadView, RecordFilter
from dopejar.text.words import query_terms
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, RecordId, TraceId, new_act_id, new_proposal_id
from dopejar.values.proposal import Action, Merge, Proposal, ProposalState, Target, Via
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import Record
from dopejar.values.scope import Namespace, ReadScope
from dopejar.values.versioned_rows import KeyValueRow

MOST_A_RUN = 20
"""Proposals that one run makes: a queue that grows faster than a person reads is not read at all."""

MOST_WAITING = 60
"""Merges that wait for a person, from which on no run makes more."""

MOST_LOOKED_AT = 2_000
"""Memories that one run looks at; the next one goes on."""

_BATCH = 50
_NEAREST = 6
_JOB = ("job", "merges")


@dataclass(frozen=True, kw_only=True, slots=True)
class Tidied:
    """How many memories were looked at, how many merges were proposed, and whether the sweep came to its end."""

    looked_at: int = 0
    proposed: int = 0
    is_done: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sweep:
    """Where a sweep stands. Times are those of making; `floor` is where it ends, `top` where the next one will."""

    at: str = ""  # the last memory that was looked at; "" before the first
    top: str = ""
    floor: str = ""

    @classmethod
    def of(cls, row: KeyValueRow | None) -> _Sweep:
        """The sweep that a row holds."""
        body = json.loads(row.body) if row else {}
        return cls(at=body.get("at", ""), top=body.get("top", ""), floor=body.get("floor", ""))


def propose_merges(deps: Dependencies, trace_id: TraceId, *, deadline: float | None = None) -> Tidied:
    """Go on with the sweep until it is done, the deadline (monotonic seconds) is over, or enough is proposed."""
    embedder = deps.embedder()
    vectors = embedder if embedder is not None and not embedder.identity.lexical else None
    sayings = deps.sayings()
    looked, proposed = 0, 0
    while looked < MOST_LOOKED_AT and (deadline is None or time.monotonic() < deadline):
        with deps.store.read() as view:
            room = min(MOST_A_RUN - proposed, MOST_WAITING - _waiting(view))
            if room <= 0:
                return Tidied(looked_at=looked, proposed=proposed, is_done=False)
            sweep = _Sweep.of(view.held(*_JOB))
            batch = _next_batch(view, sweep)
            nearness = SemanticNear(view, vectors, sayings).nearness if vectors and sayings else by_words
            pairs = [pair for one in batch if is_mergeable(one) for pair in _pairs(view, one, vectors, nearness)]
        fresh, is_whole = _propose(deps, plan_merges(pairs), room, trace_id)
        proposed += fresh
        looked += len(batch)
        if not is_whole:
            return Tidied(looked_at=looked, proposed=proposed, is_done=False)
        moved = _moved(sweep, batch)
        if moved != sweep:
            _keep(deps, moved)
        if not moved.at:
            return Tidied(looked_at=looked, proposed=proposed)
    return Tidied(looked_at=looked, proposed=proposed, is_done=False)


def _waiting(view: ReadView) -> int:
    found = view.proposals((ProposalState.STAGED,), 1000)
    return sum(one.action is Action.MERGE and one.via is Via.UNATTENDED for one in found)


def _next_batch(view: ReadView, sweep: _Sweep) -> tuple[Record, ...]:
    where = RecordFilter(namespace=Namespace.PROD)
    found = view.list_records(where, _BATCH, RecordId(sweep.at) if sweep.at else None)
    floor = datetime.fromisoformat(sweep.floor) if sweep.floor else None
    return tuple(one for one in found if floor is None or one.created_at > floor)


def _moved(sweep: _Sweep, batch: Sequence[Record]) -> _Sweep:
    """The sweep after a batch: further back, or at its end, and then the next one ends where this one began."""
    top = sweep.top or (batch[0].created_at.isoformat() if batch else "")
    if len(batch) == _BATCH:
        return _Sweep(at=batch[-1].id, top=top, floor=sweep.floor)
    return _Sweep(floor=top or sweep.floor)


def _keep(deps: Dependencies, sweep: _Sweep) -> None:
    body = json.dumps({"at": sweep.at, "top": sweep.top, "floor": sweep.floor})

    def write(old: KeyValueRow | None) -> KeyValueRow:
        return KeyValueRow(kind=_JOB[0], key=_JOB[1], body=body, version=old.version if old else 0)

    update_row(deps.store, *_JOB, write)


def _pairs(
    view: ReadView, record: Record, embedder: Embedder | None, nearness: NearnessOf
) -> Iterator[tuple[Record, Record]]:
    """The record with each one near it, by words or by vectors, that says the same under another key."""
    read_scope = ReadScope(namespace=record.namespace, scopes=(record.scope,))
    where = SearchFilter(read_scope=read_scope, source=Source.RECORD)
    rows = [hit.id for hit in view.lexical(query_terms(record.text), where, _NEAREST)]
    kept = view.vectors_of(embedder.identity, Source.RECORD, [record.id]) if embedder is not None else {}
    vector = kept.get(record.id)
    if embedder is not None and vector is not None:
        rows += [hit.id for hit in view.nearest(vector, embedder.identity, where, _NEAREST)]
    for other in view.load_records([*dict.fromkeys(rows)], where).values():
        if other.id != record.id and is_mergeable(other) and says_one_thing(record, other, nearness):
            yield record, other


def _propose(deps: Dependencies, merges: Sequence[Merging], room: int, trace_id: TraceId) -> tuple[int, bool]:
    """Judge and stage merges until so many wait that did not before; how many do, and whether that was all."""
    if not merges:
        return 0, True
    act_id, now = new_act_id(), deps.clock.now()
    left: list[Merging] = []

    def think() -> list[Judged]:
        judged: list[Judged] = []
        left[:] = merges
        with deps.store.read() as view:
            overlay, policy = Overlay(view), deps.policy()
            while left and len(judged) < room:
                proposal = _wish(overlay, left.pop(0), act_id, trace_id, now)
                if proposal is None:
                    continue
                found = Judged(proposal=proposal, verdict=decide(proposal, overlay, policy, now))
                change = foresee(found, overlay, now)
                if not change.is_empty:  # else it waits already, or a person rejected it
                    overlay.apply(change)
                    judged.append(found)
        return judged

    receipts = commit_with_retry(deps.store, think, None, now)
    return sum(one.outcome == "staged" for one in receipts), not left


def _wish(overlay: Overlay, merging: Merging, act_id: ActId, trace_id: TraceId, now: datetime) -> Proposal | None:
    """The merge as a proposal about its memories as they stand now; None where one does not stand any more."""
    chosen = [overlay.record(one.id) for one in (merging.into, *merging.others)]
    records = [one for one in chosen if one is not None and is_mergeable(one)]
    if len(records) < len(chosen):
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
        targets=tuple(Target(record_id=one.id, version=one.version) for one in records),
        scope=merging.into.scope,
        rationale="they say the same under different keys",
        proposer="maintain",
    )
