"""Extraction of corrections from a kept conversation.

Takes: kept conversations. Gives: judged proposals, committed one conversation at a time. Never: asks anybody; what a
person must look at waits in the queue. A one-off correction is kept by its place, for another conversation to add to.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from dopejar.engine.corrections.checkpoint import (
    checkpoint_of,
    one_offs_of_others,
    put_checkpoint,
    store_secret,
    undone_spans,
)
from dopejar.engine.dependencies import Dependencies
from dopejar.engine.ingest.ingestor import Ingestor, conversation_ingestor
from dopejar.engine.ingest.learning_progress import first_unlearned
from dopejar.engine.ingest.permissions import learn_permissions
from dopejar.engine.ingest.turn_extraction import Span, TurnInput
from dopejar.engine.unit_of_work import JudgedProposal, commit_with_retry
from dopejar.pipelines.corrections import (
    CorrectionContext,
    ProposalEngine,
    cluster,
    detect,
    exchanges_of,
    make_gate_proposals,
)
from dopejar.pipelines.corrections.clusters.wish_clusters import CorrectionCluster
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Durability, Exchange
from dopejar.pipelines.corrections.proposals.one_off_wishes import (
    SAID_BY,
    ExtractionCheckpoint,
    WishLocation,
    connected_wishes,
    one_off_locations,
    read_wish_at,
    recurring_clusters,
)
from dopejar.pipelines.corrections.proposals.proposal_engine import SessionSummary
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.episode import Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, TraceId
from dopejar.values.proposal import Proposal
from dopejar.values.recall import RecordFilter
from dopejar.values.receipt import Receipt
from dopejar.values.record import DIRECTING, Record, StatedSpan, Status
from dopejar.values.scope import Namespace, Project

_MOST_RECORDS = 5000
_TURNS_BEFORE, _TURNS_AFTER = 12, 6  # turns around a place that tell what it answers, and what answered it
ONE_OFF = "waits for a repetition"  # not proposed on one saying
NO_RULE = "instruction for one task only"  # it directs the work, and reads as a part of a task


@dataclass(frozen=True, kw_only=True, slots=True)
class ExtractedCorrections:
    """What one conversation's corrections came to. `turns` are those that a correction was read from."""

    summary: SessionSummary
    receipts: tuple[Receipt, ...] = ()
    turns: frozenset[EpisodeId] = frozenset()

    def left_out(self, handed: Mapping[EpisodeId, int]) -> Counter[str]:
        """What ingest left to this pipeline and none of it was proposed, by reason. `handed` counts by turn."""
        proposed = {
            turn for proposal in self.summary.proposals if proposal.cluster for turn in _turns_of(proposal.cluster)
        }
        reasons: Counter[str] = Counter()
        for turn, count in handed.items():
            if turn not in proposed:
                reasons[ONE_OFF if turn in self.turns else NO_RULE] += count
        return reasons


def _turns_of(corrections: CorrectionCluster) -> frozenset[EpisodeId]:
    return frozenset(member.exchange.episode_id for member in corrections.members)


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
) -> ExtractedCorrections:
    """Propose what the person's corrections and standing instructions in a conversation ask for: five at most.

    What stands or waits already gains evidence; what a person rejected or took back is not proposed again. What this
    conversation and another one say once each is proposed as well, and what permissions do to rules.
    """
    extraction = _Extraction(
        deps=deps,
        conversation=conversation,
        act_id=act_id,
        trace_id=trace_id,
        project=project,
        namespace=namespace,
        pasted=pasted or {},
        boot_lines=boot_lines,
    )
    clusters, turn_count = extraction.clusters()
    summary = extraction.summary(clusters)
    checkpoint: list[ExtractionCheckpoint] = []

    def evaluate() -> list[JudgedProposal]:
        checkpoint.clear()
        with deps.store.read() as view:
            ingestor = extraction.ingestor(view)
            own = extraction.proposals(view, ingestor, summary) if clusters else ()
            judged = ingestor.judge_all(own)
            reached, added = extraction.add_up(view, ingestor, clusters, turn_count)
            checkpoint.append(reached)
            return judged + added

    def keep(tx: WriteTransaction) -> None:
        put_checkpoint(tx, conversation, checkpoint[0])

    receipts = commit_with_retry(deps.store, evaluate, keep, deps.clock.now())
    receipts += learn_permissions(  # of a rule that was stated just before, too
        deps,
        conversation,
        act_id=act_id,
        trace_id=trace_id,
        project=project,
        namespace=namespace,
        pasted=extraction.pasted,
        boot_lines=boot_lines,
    )
    turns = frozenset().union(*map(_turns_of, clusters))
    return ExtractedCorrections(summary=summary, receipts=receipts, turns=turns)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Extraction:
    """One conversation of which the corrections are extracted."""

    deps: Dependencies
    conversation: ConversationId
    act_id: ActId
    trace_id: TraceId
    project: Project | None
    namespace: Namespace
    pasted: Mapping[EpisodeId, Sequence[Span]]
    boot_lines: frozenset[str]

    def ingestor(self, view: ReadView) -> Ingestor:
        """What guards its turns and judges its proposals."""
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
        marker = self.deps.marker()
        with self.deps.store.read() as view:
            turns = view.turns(self.conversation)
            if not any(turn.origin is Origin.USER for turn in turns):
                return (), len(turns)
            is_live = first_unlearned(view, self.conversation) is not None
            inputs = [TurnInput(episode=turn, spoken_at=turn.at if is_live else None) for turn in turns]
            guarded = self.ingestor(view).guarded_spans(inputs)
            was_read = checkpoint_of(view, self.conversation) is not None
            undone = undone_spans(view, self.conversation, turns) if was_read else {}
            stated = view.stated_in([turn.id for turn in turns]) if marker else ()
        exchanges = exchanges_of(
            turns,
            [self.pasted.get(turn.id, ()) for turn in turns],
            [(*guarded.get(position, ()), *undone.get(turn.id, ())) for position, turn in enumerate(turns)],
        )
        candidates = detect(exchanges)
        if marker is not None:
            candidates = tuple(_unmarked(one) for one in candidates if not _is_stated(one, stated))
        return cluster(candidates), len(turns)

    def summary(self, clusters: Sequence[CorrectionCluster]) -> SessionSummary:
        """The best of them as proposals, worded by a model where one is configured; outside every transaction."""
        model = self.deps.language_model() if self.deps.refine_corrections else None
        engine = ProposalEngine(use_llm=model is not None, model=model)
        return engine.generate_proposals(
            clusters,
            self.project.id if self.project else None,
            session_id=self.conversation,
            at=self.deps.clock.now(),
            languages=self.project.languages if self.project else None,
        )

    def proposals(
        self, view: ReadView, ingestor: Ingestor, summary: SessionSummary, said_at_least: int = 1
    ) -> tuple[Proposal, ...]:
        """The summary as proposals to memory."""
        context = CorrectionContext(
            act_id=self.act_id,
            trace_id=self.trace_id,
            now=ingestor.now,
            project=self.project,
            namespace=self.namespace,
            said_at_least=said_at_least,
        )
        stored = directing_records(view, self.namespace)
        return make_gate_proposals(summary, known=ingestor.overlay, stored=stored, context=context)

    def add_up(
        self, view: ReadView, ingestor: Ingestor, clusters: Sequence[CorrectionCluster], turn_count: int
    ) -> tuple[ExtractionCheckpoint, list[JudgedProposal]]:
        """The checkpoint for later conversations, and what this and earlier conversations say together."""
        one_offs = one_off_locations(clusters, store_secret(view)) if clusters else ()
        checkpoint = ExtractionCheckpoint(
            turns=turn_count,
            said=sum(corrections.frequency for corrections in clusters),
            project=self.project.id if self.project else "",
            namespace=self.namespace.value,
            once=one_offs,
        )
        if not one_offs:
            return checkpoint, []
        others = one_offs_of_others(view, checkpoint, self.conversation)
        candidates = connected_wishes(
            self.conversation, one_offs, others, lambda name, place: _read_place(view, name, place)
        )
        groups = recurring_clusters(candidates)
        if not groups:
            return checkpoint, []
        engine = ProposalEngine(most=len(groups))
        languages = self.project.languages if self.project else None
        summary = engine.generate_proposals(groups, checkpoint.project or None, at=ingestor.now, languages=languages)
        return checkpoint, ingestor.judge_all(self.proposals(view, ingestor, summary, SAID_BY))


def _unmarked(candidate: CorrectionCandidate) -> CorrectionCandidate:
    """A candidate that a marker did not take for a lasting statement: it waits until it is said again.

    Markers are fitted to English.
    """
    return replace(candidate, durability=Durability.ONE_OFF) if candidate.language == "en" else candidate


def _is_stated(candidate: CorrectionCandidate, stated: Iterable[StatedSpan]) -> bool:
    """Whether a memory rests on words of the candidate already: the marker found what lasts in them."""
    turn = candidate.exchange.episode_id
    return any(
        row.episode_id == turn and any(row.start < end and start < row.end for start, end in candidate.spans)
        for row in stated
    )


def _read_place(view: ReadView, conversation: ConversationId, place: WishLocation) -> CorrectionCandidate | None:
    """The correction at a place; None where the turn is gone or its words were erased."""
    turns = view.turns(conversation, max(0, place.index - _TURNS_BEFORE), place.index + _TURNS_AFTER)
    turn = next((exchange for exchange in exchanges_of(turns) if exchange.index == place.index), None)
    if turn is None or place.end > len(turn.text):
        return None
    return _read_span(turn, place.start, place.end, place.confidence)


@lru_cache(maxsize=4096)  # a hundred conversations in one run look at the same places again and again
def _read_span(turn: Exchange, start: int, end: int, confidence: float) -> CorrectionCandidate:
    return read_wish_at(turn, start, end, confidence)


def directing_records(view: ReadView, namespace: Namespace) -> tuple[Record, ...]:
    """Records that direct an assistant's work, in every status that a repeat must be compared with."""
    statuses = (Status.ACTIVE, Status.STAGED, Status.QUARANTINED, Status.REJECTED, Status.RETRACTED, Status.DEPRECATED)
    where = RecordFilter(statuses=statuses, kinds=DIRECTING, namespace=namespace)
    return view.list_records(where, _MOST_RECORDS)
