"""Re-keying: memories whose keys earlier versions made get keys by the rules of today.

Takes: the store and a reader. Gives: the old and the new keys, and the acts. Never: changes what a memory says, joins
two chains or parts one; each batch is one act, and undoing it gives every key back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from dopejar.engine.dependencies import Dependencies, Progress
from dopejar.engine.results import KeyChange, RekeyReport
from dopejar.engine.unit_of_work import JudgedProposal, commit_with_retry, decide
from dopejar.memory.chain import with_digest
from dopejar.memory.key_changes import KeyPlace, may_share
from dopejar.pipelines.ingest.keys.older_keys import is_older, readable_key
from dopejar.pipelines.ingest.keys.value_families import using
from dopejar.ports.store import ReadView
from dopejar.text.normalisation import content_hash
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, RecordId, TraceId, new_act_id, new_proposal_id
from dopejar.values.proposal import Proposal, ProposalState, Rekey, Via
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Record, Status
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow, Refuse, Stage

_BATCH: Final = 500  # memories that are looked at for one act
_ANY: Final = RecordFilter(statuses=tuple(one for one in Status if one is not Status.ERASED), namespace=None)

_Moves = list[tuple[str, tuple[Record, ...]]]  # a new key, and the records that get it
_Taken = dict[KeyPlace, tuple[Record, ...]]  # the same by the place, without a slot
_STATES: Final = {Allow: ProposalState.COMMITTED, Stage: ProposalState.STAGED, Refuse: ProposalState.REFUSED}


class _Became(NamedTuple):
    """What becomes of the moves of one page: done, waiting for a reviewer, or refused."""

    state: ProposalState
    act_id: ActId
    reason: str


def rekey(deps: Dependencies, trace_id: TraceId, progress: Progress, *, dry_run: bool) -> RekeyReport:
    """Give every memory under an older key its key of today, in batches; with `dry_run`, only tell which."""
    found: dict[ProposalState, list[KeyChange]] = {}
    acts: list[ActId] = []
    done, reason, taken = 0, "", _Taken()
    for page in _pages(deps):
        progress("looking at keys", done := done + len(page), 0)
        if not any(map(is_older, page)):
            continue
        moves, became = _preview(deps, page, taken) if dry_run else _commit(deps, page, trace_id)
        found.setdefault(became.state, []).extend(
            KeyChange(old=records[0].key, new=key, scope=records[0].scope, memories=len(records))
            for key, records in moves
        )
        acts += [became.act_id] if moves and became.state is ProposalState.COMMITTED and not dry_run else []
        reason = became.reason if became.state is ProposalState.REFUSED else reason
    return RekeyReport(
        changes=tuple(found.get(ProposalState.COMMITTED, ())),
        acts=tuple(acts),
        waiting=tuple(found.get(ProposalState.STAGED, ())),
        refused=tuple(found.get(ProposalState.REFUSED, ())),
        reason=reason,
    )


def _pages(deps: Dependencies) -> Iterator[tuple[Record, ...]]:
    """Every memory but the erased ones, the newest first."""
    after: RecordId | None = None
    while True:
        with deps.store.read() as view:
            page = view.list_records(_ANY, _BATCH, after)
        if not page:
            return
        yield page
        after = page[-1].id


def _plan(deps: Dependencies, view: ReadView, page: Sequence[Record], taken: _Taken) -> _Moves:
    """The moves of the older keys in a page, beside those that are planned already."""
    moves, reader = [], deps.reader()
    with using(deps.ingest.taxonomy):
        for place in dict.fromkeys(KeyPlace.of(record) for record in page if is_older(record)):
            records = place.records(view)
            shown = next((one for one in reversed(records) if one.status is Status.ACTIVE), records[-1])
            moves.append((_free_key(view, place, readable_key(shown, reader), records, taken), records))
    return moves


def _free_key(view: ReadView, place: KeyPlace, key: str, records: tuple[Record, ...], taken: _Taken) -> str:
    """The key, told apart by a digest of the old one where a memory of another chain has it or gets it."""
    digest = content_hash(place.key)
    while True:
        became = place._replace(key=key)
        sharing = taken.get(became._replace(slot=""), ())
        if became.is_free(view, records) and (not sharing or may_share([*sharing, *records])):
            taken[became._replace(slot="")] = (*sharing, *records)
            return key
        key, digest = with_digest(key, digest), content_hash(digest)


def _preview(deps: Dependencies, page: Sequence[Record], taken: _Taken) -> tuple[_Moves, _Became]:
    """The moves of a page, and what the gate would say to them."""
    with deps.store.read() as view:
        moves = _plan(deps, view, page, taken)
        proposal = _proposal(moves, deps.clock.now(), new_act_id(), TraceId(""))
        verdict = decide(proposal, view, deps.policy(), proposal.at)
    return moves, _Became(_STATES[type(verdict)], proposal.act_id, verdict.reason)


def _commit(deps: Dependencies, page: Sequence[Record], trace_id: TraceId) -> tuple[_Moves, _Became]:
    """One act for the older keys of a page: its moves, and what became of it."""
    now, act_id = deps.clock.now(), new_act_id()
    moves: _Moves = []

    def think() -> list[JudgedProposal]:
        with deps.store.read() as view:
            current = tuple(view.records([record.id for record in page]).values())
            moves[:] = _plan(deps, view, current, _Taken())
            if not moves:
                return []  # another process was here first
            proposal = _proposal(moves, now, act_id, trace_id)
            return [JudgedProposal(proposal=proposal, verdict=decide(proposal, view, deps.policy(), now))]

    receipts = commit_with_retry(deps.store, think, None, now)
    if not receipts or receipts[0].outcome == "rekeyed":
        return moves, _Became(ProposalState.COMMITTED, act_id, "")
    with deps.store.read() as view:  # it may have been kept, and decided, by an earlier run
        kept = view.proposal(receipts[0].proposal_id)
    is_waiting = kept is not None and kept.state is ProposalState.STAGED
    state = ProposalState.STAGED if is_waiting else ProposalState.REFUSED
    return moves, _Became(state, act_id, kept.reason if kept is not None else receipts[0].reason)


def _proposal(moves: _Moves, now: datetime, act_id: ActId, trace_id: TraceId) -> Proposal:
    targets = [(RecordTarget(record_id=one.id, version=one.version), key) for key, among in moves for one in among]
    return Proposal(
        id=new_proposal_id(),
        act_id=act_id,
        payload=Rekey(keys=tuple(key for _, key in targets)),
        at=now,
        origin=Origin.TOOL,
        via=Via.UNATTENDED,
        made_by="maintain@1",
        trace_id=trace_id,
        targets=tuple(target for target, _ in targets),
        rationale="an earlier version made the key",
        proposer="maintain",
    )
