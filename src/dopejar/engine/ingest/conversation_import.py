"""Import of prepared conversations: admit, propose in batches, commit each batch in one transaction.

Takes: conversations as episodes, from a file or from the store. Gives: what was kept and learned, counted. Never: half
an import that passes for a whole one; a second run continues where the first one stopped and changes nothing where
there is nothing new.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dopejar.engine.corrections.checkpoint import Spans, checkpoint_of, undone_spans
from dopejar.engine.corrections.extraction import learn_corrections
from dopejar.engine.dependencies import Dependencies, Progress, no_progress
from dopejar.engine.ingest.ingestor import Ingestor, configured_refiner, conversation_ingestor
from dopejar.engine.ingest.kept_conversations import (
    PreparedConversation,
    boot_lines_of,
    keep_vectors,
    pasted_spans,
    project_of,
)
from dopejar.engine.ingest.learning_progress import advance, first_unlearned
from dopejar.engine.ingest.paste_ranges import kept_paste_ranges
from dopejar.engine.ingest.privacy import forget_possibly_asked
from dopejar.engine.ingest.related_record_search import configured_second_reader, embed_known, search_of_conversations
from dopejar.engine.ingest.repeated_turns import WitnessSearch
from dopejar.engine.ingest.taken_back import UNMET, WithheldTurns, forget_wished, withhold_new
from dopejar.engine.ingest.turn_extraction import TurnInput
from dopejar.engine.results import Learned
from dopejar.engine.unit_of_work import JudgedProposal, commit_with_retry
from dopejar.memory.append import AdmittedEpisodes, admit, append
from dopejar.memory.erased_turn_copies import find_erased
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.ingest import Refiner
from dopejar.pipelines.ingest.related_records import RelatedSearch
from dopejar.ports.statement_reader import StatementReader
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.episode import OFF_THE_RECORD, Conversation, Episode, EpisodeKind, Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, TraceId, new_act_id
from dopejar.values.reading import Reading
from dopejar.values.receipt import Receipt
from dopejar.values.scope import Namespace
from dopejar.values.transcript import ReadReport


def learn_kept_conversation(
    deps: Dependencies, row: Conversation, trace_id: TraceId, readings: Mapping[EpisodeId, Reading] | None = None
) -> Learned:
    """Learn from what a conversation in the store holds that nothing was learned from yet, in one act.

    `readings` are the host's own of its turns.
    """
    with deps.store.read() as view:
        turns = view.turns(row.id)
    pasted = pasted_spans(deps, turns)
    prepared = PreparedConversation(
        conversation=row,
        episodes=tuple(turns),
        pasted=tuple(pasted.get(turn.id, ()) for turn in turns),
        project=project_of(row),
        boot_lines=boot_lines_of(deps, row),
        readings=readings or {},
    )
    act_id = new_act_id()
    counts = import_conversations(deps, [prepared], act_id=act_id, trace_id=trace_id)
    by_user = sum(turn.origin is Origin.USER for turn in turns)
    report = ReadReport(format=row.format, conversations=1, turns=len(turns), user_turns=by_user)
    return counts.learned(row.id, act_id, report, [prepared])


@dataclass(kw_only=True, slots=True)
class ImportCounts:
    """What one import came to."""

    episodes: int = 0
    known: int = 0
    refused: int = 0
    buried: int = 0
    atoms: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    handed: Counter[EpisodeId] = field(default_factory=Counter)  # to the corrections pipeline, by turn
    redactions: Counter[str] = field(default_factory=Counter)
    guarded: Counter[str] = field(default_factory=Counter)

    def learned(
        self, path: str, act_id: ActId, report: ReadReport, prepared: Sequence[PreparedConversation]
    ) -> Learned:
        """The counts as a result that doors show."""
        return Learned(
            path=path,
            act_id=act_id,
            report=report,
            conversations=tuple(conversation.conversation.id for conversation in prepared),
            episodes=self.episodes,
            known=self.known,
            refused=self.refused,
            buried=self.buried,
            atoms=self.atoms,
            outcomes=dict(self.outcomes),
            left_out=dict(self.left_out),
            redactions=dict(self.redactions),
            guarded=dict(self.guarded),
        )


def import_conversations(
    deps: Dependencies,
    prepared: Sequence[PreparedConversation],
    *,
    act_id: ActId,
    trace_id: TraceId,
    progress: Progress = no_progress,
) -> ImportCounts:
    """Keep what is new of these conversations and learn from what was not learned from, in one act.

    This is the one way from the turns of a conversation to what is learned from them: files, live turns and the end of
    a session all come here.
    """
    counts = ImportCounts()
    run = _ImportRun(
        deps=deps,
        act_id=act_id,
        trace_id=trace_id,
        counts=counts,
        refiner=configured_refiner(deps),
        second=configured_second_reader(deps),
    )
    total, done = sum(len(conversation.episodes) for conversation in prepared), 0
    for batch in split_into_batches(prepared, deps.batch):
        run.import_batch(batch)
        done += sum(len(conversation.episodes) for conversation in batch)
        progress("turns", done, total)
    for conversation in prepared:
        run.extract_corrections(conversation)
        run.extract_bullets(conversation)
    return counts


def split_into_batches(prepared: Sequence[PreparedConversation], size: int) -> Iterator[list[PreparedConversation]]:
    """Pieces of at most so many turns; small conversations share one, long ones are cut."""
    batch: list[PreparedConversation] = []
    room = size
    for conversation in prepared:
        start = 0
        while start < len(conversation.episodes) or (not conversation.episodes and start == 0):
            episodes = conversation.episodes[start : start + room]
            batch.append(replace(conversation, episodes=episodes, pasted=conversation.pasted[start : start + room]))
            start += max(len(episodes), 1)
            room -= len(episodes)
            if room <= 0:
                yield batch
                batch, room = [], size
    if batch:
        yield batch


@dataclass(frozen=True, kw_only=True, slots=True)
class _Admission:
    """The turns of a batch that matter: those to append, and those kept before and not learned from yet.

    `texts` are the words of all its turns as they are kept: redacted, and without those that may not be kept. `pasted`
    are the ranges of these that are not their speaker's prose.
    """

    prepared: PreparedConversation
    new: AdmittedEpisodes
    unlearned: tuple[Episode, ...]
    is_live: bool
    texts: Mapping[EpisodeId, str]
    pasted: Mapping[EpisodeId, Spans]
    withheld: WithheldTurns

    @property
    def to_learn(self) -> list[Episode]:
        """Everything to learn from, in the order in which it was said."""
        return sorted((*self.unlearned, *self.new.episodes), key=lambda episode: episode.index)


@dataclass(kw_only=True, slots=True)
class _ImportRun:
    """One import: its act, its counts, and which conversations have grown by it."""

    deps: Dependencies
    act_id: ActId
    trace_id: TraceId
    counts: ImportCounts
    refiner: Refiner | None
    second: StatementReader | None
    grown: set[ConversationId] = field(default_factory=set)
    kept: Counter[ConversationId] = field(default_factory=Counter)  # turns of each conversation that are in the store
    pasted: defaultdict[ConversationId, dict[EpisodeId, Spans]] = field(default_factory=lambda: defaultdict(dict))

    def import_batch(self, batch: Sequence[PreparedConversation]) -> None:
        """Keep one batch and learn from it, in one transaction."""
        with self.deps.store.read() as view:
            witnesses = WitnessSearch(view)
            admissions = [self._admit(view, conversation, witnesses) for conversation in batch]
            known = all(view.conversation(prepared.conversation.id) is not None for prepared in batch)
        if known and not any(admission.to_learn for admission in admissions):
            return
        embed_known(self.deps, records_only=True)  # turns can wait for the housekeeping
        ingestors: list[Ingestor] = []

        def evaluate() -> list[JudgedProposal]:
            ingestors.clear()
            judged: list[JudgedProposal] = []
            with self.deps.store.read() as view:
                overlay = Overlay(view, (turn for one in admissions for turn in one.new.episodes))
                related = search_of_conversations(self.deps, view, self.second)
                for admission in admissions:
                    ingestor = self._ingestor(view, overlay, related, admission.prepared)
                    ingestors.append(ingestor)
                    judged += ingestor.evaluate(self._inputs(view, admission))
            return judged

        appended, asked, unmet = list[int](), list[Receipt](), list[str]()

        def keep(tx: WriteTransaction) -> None:
            appended[:] = [_append(tx, admission) for admission in admissions]
            for one in admissions:
                advance(tx, one.prepared.conversation.id, one.prepared.episodes)

        def finish(tx: WriteTransaction) -> None:
            asked.clear()
            unmet.clear()
            for one in admissions:
                where = (one.prepared.conversation.namespace, (self.act_id, self.trace_id))
                met = tuple(forget_wished(self.deps, tx, one.withheld, *where))
                unmet.extend(UNMET for wish in one.withheld.wishes.values() if wish and not met)
                asked.extend(met)
                asked.extend(forget_possibly_asked(self.deps, tx, one.to_learn, one.pasted, *where))
                keep_vectors(self.deps, tx, one.to_learn)

        receipts = commit_with_retry(self.deps.store, evaluate, keep, self.deps.clock.now(), finish)
        for admission, new in zip(admissions, appended, strict=True):
            self._note_growth(admission, new)
        self._count((*asked, *receipts), ingestors)
        self.counts.left_out.update(unmet)

    def _note_growth(self, admission: _Admission, appended: int) -> None:
        conversation = admission.prepared.conversation.id
        self.counts.episodes += appended
        self.kept[conversation] += appended
        if appended or admission.unlearned:
            self.grown.add(conversation)

    def extract_corrections(self, prepared: PreparedConversation) -> None:
        """Propose what a conversation asks of the assistant, where it grew or a stopped import left it half read."""
        if prepared.conversation.id not in self.grown and not self._is_half_read(prepared.conversation.id):
            return
        extracted = learn_corrections(
            self.deps,
            prepared.conversation.id,
            act_id=self.act_id,
            trace_id=self.trace_id,
            project=prepared.project,
            namespace=prepared.conversation.namespace,
            pasted=self.pasted[prepared.conversation.id],
            boot_lines=prepared.boot_lines,
        )
        self.counts.outcomes.update(receipt.outcome for receipt in extracted.receipts)
        handed = {e.id: self.counts.handed[e.id] for e in prepared.episodes if e.id in self.counts.handed}
        self.counts.left_out.update(extracted.left_out(handed))

    def extract_bullets(self, prepared: PreparedConversation) -> None:
        """Stage what a conversation that grew teaches about how to work, where a tool or a test reported in it."""
        conversation = prepared.conversation
        has_results = any(episode.kind is EpisodeKind.TOOL_RESULT for episode in prepared.episodes)
        if not has_results or conversation.id not in self.grown or conversation.namespace is not Namespace.PROD:
            return
        from dopejar.engine.bullets.reflection import MOST, learn_bullets  # most conversations hold no tool results

        intake = learn_bullets(self.deps, conversation.id, self.trace_id, act_id=self.act_id, most=MOST)
        self.counts.outcomes.update(receipt.outcome for receipt in (intake.receipts if intake else ()))

    def _is_half_read(self, conversation: ConversationId) -> bool:
        with self.deps.store.read() as view:
            checkpoint = checkpoint_of(view, conversation)
        return self.kept[conversation] > (checkpoint.turns if checkpoint else 0)

    def _admit(self, view: ReadView, prepared: PreparedConversation, witnesses: WitnessSearch) -> _Admission:
        """What of a conversation is new and may be kept, and what was kept before without being learned from."""
        known = view.episodes(tuple(episode.id for episode in prepared.episodes))
        withheld = withhold_new(prepared.episodes, prepared.pasted, known)
        start = first_unlearned(view, prepared.conversation.id)
        unlearned = [episode for episode in known.values() if start is not None and episode.index >= start]
        self.counts.known += len(known)
        self.kept[prepared.conversation.id] += len(known)
        admitted = admit(
            withheld.turns,
            self.deps.redact,
            self.deps.may_keep,
            lambda admitted: _buried_among(view, prepared, known, admitted),
        )
        self.counts.buried += admitted.buried
        self.counts.redactions.update(admitted.redactions)
        if withheld.wishes:
            self.counts.redactions[OFF_THE_RECORD] += len(withheld.wishes)
        self.counts.refused += sum(admitted.refused.values())
        kept = {episode.id: episode for episode in (*known.values(), *admitted.episodes)}
        admitted = witnesses.mark([kept[turn.id] for turn in prepared.episodes if turn.id in kept], admitted)
        texts = {episode.id: episode.text for episode in kept.values()}
        pasted = {
            episode.id: kept_paste_ranges(ranges, episode.text, texts[episode.id], self.deps.pasted)
            for episode, ranges in zip(prepared.episodes, prepared.pasted, strict=True)
            if episode.id in texts and (ranges or episode.text != texts[episode.id])
        }
        self.pasted[prepared.conversation.id].update(pasted)
        return _Admission(
            prepared=prepared,
            new=admitted,
            unlearned=tuple(unlearned),
            is_live=start is not None,
            texts=texts,
            pasted=pasted,
            withheld=replace(withheld, turns=admitted.episodes),
        )

    def _ingestor(
        self, view: ReadView, overlay: Overlay, related: RelatedSearch | None, prepared: PreparedConversation
    ) -> Ingestor:
        return conversation_ingestor(
            self.deps,
            view,
            act_id=self.act_id,
            trace_id=self.trace_id,
            project=prepared.project,
            namespace=prepared.conversation.namespace,
            boot_lines=prepared.boot_lines,
            overlay=overlay,
            related=related,
            refiner=self.refiner,
        )

    def _inputs(self, view: ReadView, admission: _Admission) -> list[TurnInput]:
        """The turns to learn from, each with the text before it and the ranges that are not to be learned from."""
        prepared = admission.prepared
        position = {episode.id: at for at, episode in enumerate(prepared.episodes)}
        undone = undone_spans(view, prepared.conversation.id, admission.unlearned) if admission.unlearned else {}
        inputs = []
        for episode in admission.to_learn:
            at = position[episode.id]
            previous = _turn_before(view, admission, at, episode)
            spans = (*admission.pasted.get(episode.id, ()), *undone.get(episode.id, ()))
            spoken_at = episode.at if admission.is_live else None
            turn = TurnInput(episode=episode, previous=previous, pasted=spans, spoken_at=spoken_at)
            inputs.append(replace(turn, reading=prepared.readings.get(episode.id)))
        return inputs

    def _count(self, receipts: Sequence[Receipt], ingestors: Sequence[Ingestor]) -> None:
        self.counts.outcomes.update(receipt.outcome for receipt in receipts)
        for ingestor in ingestors:
            self.counts.atoms += ingestor.counts.atoms
            self.counts.left_out.update(ingestor.counts.left_out)
            self.counts.handed.update(ingestor.counts.handed)
            self.counts.guarded.update(ingestor.counts.guarded)


def _append(tx: WriteTransaction, admission: _Admission) -> int:
    """Keep what is new of a conversation; how many turns. A copy of what was erased leaves no row behind."""
    is_copy = admission.new.buried and not admission.texts
    if is_copy and tx.conversation(admission.prepared.conversation.id) is None:
        return 0
    return append(tx, _grown(tx, admission.prepared), admission.new)


def _buried_among(
    view: ReadView,
    prepared: PreparedConversation,
    known: Mapping[EpisodeId, Episode],
    admitted: Sequence[Episode],
) -> frozenset[EpisodeId]:
    """Those of the new turns that were erased before, or are copies of such: seen among the turns around them."""
    kept = {**known, **{episode.id: episode for episode in admitted}}
    return find_erased(view, (kept[episode.id] for episode in prepared.episodes if episode.id in kept)) - known.keys()


def _turn_before(view: ReadView, admission: _Admission, at: int, episode: Episode) -> Episode | None:
    """The turn before, as it is kept: a language model may see it."""
    if at:
        turn = admission.prepared.episodes[at - 1]
        return replace(turn, text=admission.texts.get(turn.id, ""))
    earlier = view.turns(episode.conversation, episode.index - 1, episode.index - 1) if episode.index else ()
    return earlier[0] if earlier else None


def _grown(tx: WriteTransaction, prepared: PreparedConversation) -> Conversation:
    """The conversation's row with how far its import has come."""
    old = tx.conversation(prepared.conversation.id)
    last = prepared.episodes[-1].index + 1 if prepared.episodes else 0
    if old is None:
        return replace(prepared.conversation, imported=last)
    return replace(old, imported=max(old.imported, last))
