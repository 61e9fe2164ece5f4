"""Learning from corrections, once a conversation's turns are kept.

Takes: kept conversations. Gives: judged proposals, committed one conversation at a time. Never: asks anybody; what a
person must look at waits in the queue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dopejar.engine.judging import Judged, carry_out
from dopejar.engine.parts import Parts
from dopejar.engine.thinking import Heard, Thinker
from dopejar.memory.commit import Receipt
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.corrections import Circumstances, ProposalEngine, as_proposals, cluster, detect, exchanges_of
from dopejar.pipelines.corrections.staging import DIRECTING
from dopejar.ports.store import ReadView, RecordFilter
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, TraceId
from dopejar.values.proposal import Via
from dopejar.values.record import Record, Status
from dopejar.values.scope import Namespace, Project

_MOST_RECORDS = 5000
Span = tuple[int, int]


def learn_corrections(
    parts: Parts,
    conversation: ConversationId,
    *,
    act_id: ActId,
    trace_id: TraceId,
    project: Project | None,
    namespace: Namespace = Namespace.PROD,
    pasted: Mapping[EpisodeId, Sequence[Span]] | None = None,
    boot_lines: frozenset[str] = frozenset(),
) -> tuple[Receipt, ...]:
    """Propose what the person's corrections and standing instructions in a conversation ask for: five at most.

    What stands or waits already gains evidence; what a person rejected or took back is not proposed again.
    """

    def think() -> list[Judged]:
        with parts.store.read() as view:
            turns = view.turns(conversation)
            if not any(turn.origin is Origin.USER for turn in turns):
                return []
            overlay = Overlay(view)
            secret = view.meta("secret") if view.has_tombstones() else None
            thinker = Thinker(
                overlay=overlay,
                policy=parts.policy(),
                secret=bytes.fromhex(secret) if secret else None,
                now=parts.clock.now(),
                act_id=act_id,
                trace_id=trace_id,
                via=Via.CONVERSATION,
                proposer="learn",
                project=project,
                namespace=namespace,
                boot_lines=boot_lines,
            )
            guarded = thinker.guards([Heard(episode=turn) for turn in turns])
            ranges = pasted or {}
            exchanges = exchanges_of(
                turns,
                [ranges.get(turn.id, ()) for turn in turns],
                [guarded.get(place, ()) for place in range(len(turns))],
            )
            stored = directing(view, namespace)
            # a conversation is read alone: were what is known to help, the order of arrival would decide
            found = detect(exchanges)
            if not found:
                return []
            clusters = cluster(found)
            circumstances = Circumstances(
                act_id=act_id, trace_id=trace_id, now=thinker.now, project=project, namespace=namespace
            )
            summary = ProposalEngine().generate_proposals(clusters, project.id if project else None, at=thinker.now)
            wishes = as_proposals(summary, known=overlay, stored=stored, circumstances=circumstances)
            return thinker.judge_all(wishes)

    return carry_out(parts.store, think, None, parts.clock.now())


def directing(view: ReadView, namespace: Namespace) -> tuple[Record, ...]:
    """Records that direct an assistant's work, in every status that a repeat must be held against."""
    statuses = (Status.ACTIVE, Status.STAGED, Status.QUARANTINED, Status.REJECTED, Status.RETRACTED, Status.DEPRECATED)
    where = RecordFilter(statuses=statuses, kinds=DIRECTING, namespace=namespace)
    return view.list_records(where, _MOST_RECORDS)
