"""Letting ephemeral memories go when their time is over.

Takes: the store and the time. Gives: how many left use. Never: deletes; what is swept stays readable, and an undo
brings it back.
"""

from __future__ import annotations

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.unit_of_work import Judged, commit_with_retry, decide
from dopejar.memory.overlay import Overlay
from dopejar.ports.store import RecordFilter
from dopejar.values.episode import Origin
from dopejar.values.ids import TraceId, new_act_id, new_proposal_id
from dopejar.values.proposal import Deprecate, Proposal, Target, Via
from dopejar.values.scope import Namespace

_LISTED = 100_000
_MOST = 1000  # a run; the next one goes on


def sweep(deps: Dependencies, trace_id: TraceId) -> int:
    """Propose to take the ephemeral memories out of use whose time is over, in one act; how many left."""
    act_id, now = new_act_id(), deps.clock.now()

    def think() -> list[Judged]:
        with deps.store.read() as view:
            found = view.list_records(RecordFilter(namespace=Namespace.EPHEMERAL), _LISTED)
            over = [one for one in found if one.valid_to is not None and one.valid_to <= now][:_MOST]
            if not over:
                return []
            proposal = Proposal(
                id=new_proposal_id(),
                act_id=act_id,
                payload=Deprecate(),
                at=now,
                origin=Origin.TOOL,
                via=Via.UNATTENDED,
                made_by="maintain@1",
                trace_id=trace_id,
                targets=tuple(Target(record_id=one.id, version=one.version) for one in over),
                rationale="their time is over",
                proposer="maintain",
            )
            return [Judged(proposal=proposal, verdict=decide(proposal, Overlay(view), deps.policy(), now))]

    receipts = commit_with_retry(deps.store, think, None, now) if _has_any(deps) else ()
    return sum(len(one.records) for one in receipts if one.outcome == "deprecated")


def _has_any(deps: Dependencies) -> bool:
    with deps.store.read() as view:
        return bool(view.list_records(RecordFilter(namespace=Namespace.EPHEMERAL), 1))
