"""Learning from corrections, once a conversation's turns are kept.

Takes: kept conversations. Gives: judged proposals, committed one conversation at a time. Never: asks anybody; what a
person must look at waits in the queue. What was said once is kept by its place, for another conversation to add to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dopejar.engine.corrections.checkpoint import left_behind, put_read, read_of, store_secret
from dopejar.engine.dependencies import Dependencies
from dopejar.engine.ingest.ingestor import Ingestor, TurnInput, conversation_ingestor
from dopejar.engine.standing_undos import taken_back
from dopejar.engine.unit_of_work import Judged, commit_with_retry
from dopejar.memory.commit import Receipt
from dopejar.pipelines.corrections import Circumstances, ProposalEngine, as_proposals, cluster, detect, exchanges_of
from dopejar.pipelines.corrections.clusters.cluster import CorrectionCluster
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Exchange
from dopejar.pipelines.corrections.proposing.propose import SessionSummary
from dopejar.pipelines.corrections.proposing.staging import DIRECTING
from dopejar.pipelines.corrections.proposing.unproposed import (
    SAID_BY,
    Place,
    Read,
    added_up,
    reachable,
    said_once,
    wish_at,
)
from dopejar.ports.store import ReadView, RecordFilter, WriteTransaction
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, TraceId
from dopejar.values.proposal import Proposal
from dopejar.values.record import Record, Status
from dopejar.values.scope import Namespace, Project

_MOST_RECORDS = 5000
_BACK, _ON = 12, 6  # turns around a place that tell what it answers, and what answered it
SAID_ONCE = "kept in mind until said again"  # a wish that is not proposed on one saying
NO_RULE = "no rule to keep"  # it directs the work, and reads as a part of a task
Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Corrected:
    """What one conversation's corrections came to. `seen` are the turns that a wish was read from."""

    summary: SessionSummary
    receipts: tuple[Receipt, ...] = ()
    seen: frozenset[EpisodeId] = frozenset()

    def left_out(self, handed: Mapping[EpisodeId, int]) -> Counter[str]:
        """What ingest left to this pipeline and none of it was proposed, by the reason. `handed` counts by turn."""
        proposed = {turn for one in self.summary.proposals if one.cluster for turn in _turns(one.cluster)}
        found: Counter[str] = Counter()
        for turn, count in handed.items():
            if turn not in proposed:
                found[SAID_ONCE if turn in self.seen else NO_RULE] += count
        return found


def _turns(one: CorrectionCluster) -> frozenset[EpisodeId]:
    return frozenset(member.exchange.episode_id for member in one.members)


def learn_corrections(
    deps: Dependencies,
    conversation: ConversationId,
    *,
    act_id: ActId,
    trace_id: TraceId,
    project: Project | None,
    namespace: Namespace = Namespace.PROD,
    pasted: Mapping[EpisodeId, Sequence[Span]] | None = None,
    boot_lines: frozenset[str] = frozenset(),
) -> Corrected:
    """Propose what the person's corrections and standing instructions in a conversation ask for: five at most.

    What stands or waits already gains evidence; what a person rejected or took back is not proposed again. What this
    conversation and another one say once each is proposed as well.
    """
    run = _Run(
        deps=deps,
        conversation=conversation,
        act_id=act_id,
        trace_id=trace_id,
        project=project,
        namespace=namespace,
        pasted=pasted or {},
        boot_lines=boot_lines,
    )
    clusters, turns = run.clusters()
    summary = run.summary(clusters)
    left: list[Read] = []

    def think() -> list[Judged]:
        left.clear()
        with deps.store.read() as view:
            thinker = run.thinker(view)
            judged = thinker.judge_all(run.wishes(view, thinker, summary)) if clusters else []
            read, more = run.with_others(view, thinker, clusters, turns)
            left.append(read)
            return judged + more

    def keep(tx: WriteTransaction) -> None:
        put_read(tx, conversation, left[0])

    receipts = commit_with_retry(deps.store, think, keep, deps.clock.now())
    seen = frozenset().union(*map(_turns, clusters))
    return Corrected(summary=summary, receipts=receipts, seen=seen)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Run:
    """One conversation that is read for corrections."""

    deps: Dependencies
    conversation: ConversationId
    act_id: ActId
    trace_id: TraceId
    project: Project | None
    namespace: Namespace
    pasted: Mapping[EpisodeId, Sequence[Span]]
    boot_lines: frozenset[str]

    def thinker(self, view: ReadView) -> Ingestor:
        """What judges its wishes."""
        return conversation_ingestor(
            self.deps,
            view,
            act_id=self.act_id,
            trace_id=self.trace_id,
            project=self.project,
            namespace=self.namespace,
            boot_lines=self.boot_lines,
        )

    def clusters(self) -> tuple[tuple[CorrectionCluster, ...], int]:
        """The conversation's own clusters, and how many turns it has.

        It is read alone: were what is known to help, the order of arrival would decide.
        """
        with self.deps.store.read() as view:
            turns = view.turns(self.conversation)
            if not any(turn.origin is Origin.USER for turn in turns):
                return (), len(turns)
            guarded = self.thinker(view).guards([TurnInput(episode=turn) for turn in turns])
            undone = taken_back(view, self.conversation, turns) if read_of(view, self.conversation) else {}
        exchanges = exchanges_of(
            turns,
            [self.pasted.get(turn.id, ()) for turn in turns],
            [(*guarded.get(place, ()), *undone.get(turn.id, ())) for place, turn in enumerate(turns)],
        )
        return cluster(detect(exchanges)), len(turns)

    def summary(self, clusters: Sequence[CorrectionCluster]) -> SessionSummary:
        """The best of them as proposals, worded by a model where that is wanted: outside every transaction."""
        model = self.deps.language_model() if self.deps.refine_corrections else None
        engine = ProposalEngine(use_llm=model is not None, model=model)
        project = self.project.id if self.project else None
        return engine.generate_proposals(clusters, project, session_id=self.conversation, at=self.deps.clock.now())

    def wishes(
        self, view: ReadView, thinker: Ingestor, summary: SessionSummary, said_at_least: int = 1
    ) -> tuple[Proposal, ...]:
        """What the summary wishes of memory."""
        circumstances = Circumstances(
            act_id=self.act_id,
            trace_id=self.trace_id,
            now=thinker.now,
            project=self.project,
            namespace=self.namespace,
            said_at_least=said_at_least,
        )
        stored = directing(view, self.namespace)
        return as_proposals(summary, known=thinker.overlay, stored=stored, circumstances=circumstances)

    def with_others(
        self, view: ReadView, thinker: Ingestor, clusters: Sequence[CorrectionCluster], turns: int
    ) -> tuple[Read, list[Judged]]:
        """What is left behind for later conversations, and what this and earlier ones say together."""
        mine = said_once(clusters, store_secret(view)) if clusters else ()
        left = Read(
            turns=turns,
            said=sum(one.frequency for one in clusters),
            project=self.project.id if self.project else "",
            namespace=self.namespace.value,
            once=mine,
        )
        if not mine:
            return left, []
        others = left_behind(view, left, self.conversation)
        groups = added_up(reachable(self.conversation, mine, others, lambda name, place: _at(view, name, place)))
        if not groups:
            return left, []
        engine = ProposalEngine(most=len(groups))
        summary = engine.generate_proposals(groups, left.project or None, at=thinker.now)
        return left, thinker.judge_all(self.wishes(view, thinker, summary, SAID_BY))


def _at(view: ReadView, conversation: ConversationId, place: Place) -> CorrectionCandidate | None:
    """The wish at a place; None where the turn is gone or its words were erased."""
    turns = view.turns(conversation, max(0, place.index - _BACK), place.index + _ON)
    turn = next((one for one in exchanges_of(turns) if one.index == place.index), None)
    if turn is None or place.end > len(turn.text):
        return None
    return _wish_at(turn, place.start, place.end, place.confidence)


@lru_cache(maxsize=4096)  # a hundred conversations in one run look at the same places again and again
def _wish_at(turn: Exchange, start: int, end: int, confidence: float) -> CorrectionCandidate:
    return wish_at(turn, start, end, confidence)


def directing(view: ReadView, namespace: Namespace) -> tuple[Record, ...]:
    """Records that direct an assistant's work, in every status that a repeat must be held against."""
    statuses = (Status.ACTIVE, Status.STAGED, Status.QUARANTINED, Status.REJECTED, Status.RETRACTED, Status.DEPRECATED)
    where = RecordFilter(statuses=statuses, kinds=DIRECTING, namespace=namespace)
    return view.list_records(where, _MOST_RECORDS)
