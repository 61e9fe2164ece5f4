"""Learning from transcripts: read, admit, think in batches, commit each batch in one transaction.

Takes: files. Gives: what was kept and what was learned, counted. Never: half an import that passes for a whole one;
a second run goes on where the first one stopped, and changes nothing where there is nothing new.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path

from dopejar.engine.corrections.checkpoint import read_of
from dopejar.engine.corrections.extraction import learn_corrections
from dopejar.engine.dependencies import Dependencies, Progress, no_progress
from dopejar.engine.ingest.ingestor import Ingestor, TurnInput, conversation_ingestor, refiner_of
from dopejar.engine.results import Learned
from dopejar.engine.unit_of_work import Judged, commit_with_retry
from dopejar.governance.policy.loop_guard import boot_file_digests
from dopejar.memory.append import AdmittedEpisodes, admit, append
from dopejar.memory.commit import Receipt
from dopejar.memory.erasure import SOURCE, keyed_digest
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.ingest import Refiner
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.episode import Conversation, Episode, EpisodeKind
from dopejar.values.ids import ActId, ConversationId, EpisodeId, TraceId, conversation_id, episode_id, new_act_id
from dopejar.values.scope import Namespace, Project
from dopejar.values.transcript import SourceConversation, SourceFile, SourceTurn

_STEP = timedelta(microseconds=1)
_KEPT_IN_THE_PROJECT = frozenset({"aider", "specstory"})
_BEFORE = 700  # characters of the turn before that help to read a turn
Span = tuple[int, int]


@dataclass(frozen=True, kw_only=True, slots=True)
class Prepared:
    """A conversation of a file as episodes, with the ranges of each that are no prose."""

    conversation: Conversation
    episodes: tuple[Episode, ...]
    pasted: tuple[tuple[Span, ...], ...]
    project: Project | None
    boot_lines: frozenset[str]


@dataclass(kw_only=True, slots=True)
class _Counts:
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


def learn_file(
    deps: Dependencies,
    path: Path,
    trace_id: TraceId,
    *,
    format_name: str | None = None,
    project: Project | None = None,
    namespace: Namespace = Namespace.PROD,
    progress: Progress = no_progress,
) -> Learned:
    """Learn from one transcript file. Importing it again changes nothing; a grown file is gone on with.

    Raises:
        InputError: the file cannot be read as any known format; nothing was kept.
    """
    path = path.resolve() if path.is_symlink() else path  # a file by another name is no other conversation
    source = deps.read_transcript(path, format_name)
    return learn_source(deps, source, path, trace_id, project=project, namespace=namespace, progress=progress)


def learn_source(
    deps: Dependencies,
    source: SourceFile,
    path: Path,
    trace_id: TraceId,
    *,
    project: Project | None = None,
    namespace: Namespace = Namespace.PROD,
    progress: Progress = no_progress,
) -> Learned:
    """Learn from a transcript that was read already."""
    act_id, counts = new_act_id(), _Counts()
    fallback = _file_time(path) or deps.clock.now()
    name = source.report.format
    prepared = [prepare(deps, one, name, path, project, fallback, namespace) for one in source.conversations]
    total, done = sum(len(one.episodes) for one in prepared), 0
    refiner = refiner_of(deps)
    run = _Run(deps=deps, act_id=act_id, trace_id=trace_id, namespace=namespace, counts=counts, refiner=refiner)
    for batch in batches(prepared, deps.batch):
        run.batch(batch)
        done += sum(len(one.episodes) for one in batch)
        progress("turns", done, total)
    for one in prepared:
        run.correct(one)
        run.practise(one)
    return Learned(
        path=str(path),
        act_id=act_id,
        report=source.report,
        conversations=tuple(one.conversation.id for one in prepared),
        episodes=counts.episodes,
        known=counts.known,
        refused=counts.refused,
        buried=counts.buried,
        atoms=counts.atoms,
        outcomes=dict(counts.outcomes),
        left_out=dict(counts.left_out),
        redactions=dict(counts.redactions),
        guarded=dict(counts.guarded),
    )


def _file_time(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return None


def prepare(
    deps: Dependencies,
    source: SourceConversation,
    format_name: str,
    path: Path,
    project: Project | None,
    fallback: datetime,
    namespace: Namespace = Namespace.PROD,
) -> Prepared:
    """The episodes of a conversation: ids that stay the same at every import, times that always rise."""
    first = source.turns[0].text if source.turns else ""
    mark = sha256(first.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    made = conversation_id(f"{format_name}:{source.store}", f"{source.name}:{mark}")
    cwd = Path(source.cwd) if source.cwd else None
    # Aider and SpecStory keep their files inside the project that they are about
    place = cwd or (path.absolute().parent if format_name in _KEPT_IN_THE_PROJECT else None)
    found = project or (deps.detect_project(place) if place else None)
    conversation = Conversation(
        id=made,
        source=str(path.absolute()),
        name=source.name,
        format=format_name,
        started_at=source.started_at or next((one.at for one in source.turns if one.at), None) or fallback,
        project=found.id if found else "",
        project_label=found.label if found else "",
        languages=found.languages if found else (),
        namespace=namespace,
        cwd=source.cwd,
    )
    episodes = tuple(_episodes(conversation, source.turns, found))
    return Prepared(
        conversation=conversation,
        episodes=episodes,
        pasted=tuple(one.paste for one in source.turns),
        project=found,
        boot_lines=boot_file_digests(deps.boot_texts(cwd)) if cwd else frozenset(),
    )


def _episodes(conversation: Conversation, turns: Sequence[SourceTurn], project: Project | None) -> Iterator[Episode]:
    last = (conversation.started_at or datetime.now(UTC)) - _STEP
    languages = project.languages if project else ()
    for turn in turns:
        last = max(turn.at or last, last + _STEP)
        yield Episode(
            id=episode_id(conversation.id, turn.source_id),
            conversation=conversation.id,
            index=turn.index,
            at=last,
            speaker=turn.speaker,
            origin=turn.origin,
            text=turn.text,
            kind=turn.kind,
            parent=episode_id(conversation.id, turn.parent) if turn.parent else None,
            outcome=turn.outcome,
            project=conversation.project,
            languages=languages,
            source_id=turn.source_id,
            note=turn.note,
        )


def batches(prepared: Sequence[Prepared], size: int) -> Iterator[list[Prepared]]:
    """Pieces of at most so many turns; small conversations share one, long ones are cut."""
    batch: list[Prepared] = []
    room = size
    for one in prepared:
        at = 0
        while at < len(one.episodes) or (not one.episodes and at == 0):
            part = one.episodes[at : at + room]
            batch.append(replace(one, episodes=part, pasted=one.pasted[at : at + room]))
            at += max(len(part), 1)
            room -= len(part)
            if room <= 0:
                yield batch
                batch, room = [], size
    if batch:
        yield batch


@dataclass(kw_only=True, slots=True)
class _Run:
    deps: Dependencies
    act_id: ActId
    trace_id: TraceId
    namespace: Namespace
    counts: _Counts
    refiner: Refiner | None
    grown: set[ConversationId] = field(default_factory=set)
    turns: Counter[ConversationId] = field(default_factory=Counter)  # kept, of each conversation of the file

    def batch(self, batch: Sequence[Prepared]) -> None:
        """Keep and learn one batch in one transaction."""
        with self.deps.store.read() as view:
            fresh = [(one, self._admit(view, one)) for one in batch]
        if not any(admitted.episodes for _, admitted in fresh) and all(self._is_known(one) for one, _ in fresh):
            return
        thoughts: list[Ingestor] = []

        def think() -> list[Judged]:
            thoughts.clear()
            judged: list[Judged] = []
            with self.deps.store.read() as view:
                overlay = Overlay(view)
                for one, admitted in fresh:
                    thinker = self._thinker(view, overlay, one)
                    thoughts.append(thinker)
                    judged += thinker.think(self._heard(view, one, admitted))
            return judged

        kept: list[int] = []

        def keep(tx: WriteTransaction) -> None:
            kept[:] = [append(tx, _grown(tx, one), admitted) for one, admitted in fresh]

        receipts = commit_with_retry(self.deps.store, think, keep, self.deps.clock.now())
        self.counts.episodes += sum(kept)
        for (one, _), new in zip(fresh, kept, strict=True):
            self.turns[one.conversation.id] += new
        self.grown.update(one.conversation.id for (one, _), new in zip(fresh, kept, strict=True) if new)
        self._count(receipts, thoughts)

    def correct(self, one: Prepared) -> None:
        """Propose what a conversation asks of the assistant that grew, or that a stopped import left half read."""
        if one.conversation.id not in self.grown and not self._is_half_read(one.conversation.id):
            return
        found = learn_corrections(
            self.deps,
            one.conversation.id,
            act_id=self.act_id,
            trace_id=self.trace_id,
            project=one.project,
            namespace=self.namespace,
            pasted={e.id: spans for e, spans in zip(one.episodes, one.pasted, strict=True) if spans},
            boot_lines=one.boot_lines,
        )
        self.counts.outcomes.update(receipt.outcome for receipt in found.receipts)
        mine = {e.id: self.counts.handed[e.id] for e in one.episodes if e.id in self.counts.handed}
        self.counts.left_out.update(found.left_out(mine))

    def practise(self, one: Prepared) -> None:
        """Stage what a conversation that grew teaches about how to work, where a tool or a test reported in it."""
        has_results = any(turn.kind is EpisodeKind.TOOL_RESULT for turn in one.episodes)
        if not has_results or one.conversation.id not in self.grown or self.namespace is not Namespace.PROD:
            return
        from dopejar.engine.bullets.reflection import MOST, learn_bullets  # most conversations do without

        taken = learn_bullets(self.deps, one.conversation.id, self.trace_id, act_id=self.act_id, most=MOST)
        self.counts.outcomes.update(receipt.outcome for receipt in (taken.receipts if taken else ()))

    def _is_half_read(self, conversation: ConversationId) -> bool:
        with self.deps.store.read() as view:
            read = read_of(view, conversation)
        return self.turns[conversation] > (read.turns if read else 0)

    def _is_known(self, one: Prepared) -> bool:
        with self.deps.store.read() as view:
            return view.conversation(one.conversation.id) is not None

    def _admit(self, view: ReadView, one: Prepared) -> AdmittedEpisodes:
        known = view.episodes(tuple(e.id for e in one.episodes))
        new = [e for e in one.episodes if e.id not in known]
        self.counts.known += len(known)
        self.turns[one.conversation.id] += len(known)
        secret = view.meta("secret") if view.has_tombstones() else None
        if secret and new:
            stones = {keyed_digest(bytes.fromhex(secret), SOURCE, e.id): e.id for e in new}
            gone = {stones[d] for d in view.has_tombstone(SOURCE, tuple(stones))}
            self.counts.buried += len(gone)
            new = [e for e in new if e.id not in gone]
        admitted = admit(new, self.deps.redact, self.deps.may_keep)
        self.counts.redactions.update(admitted.redactions)
        self.counts.refused += sum(admitted.refused.values())
        return admitted

    def _thinker(self, view: ReadView, overlay: Overlay, one: Prepared) -> Ingestor:
        return conversation_ingestor(
            self.deps,
            view,
            act_id=self.act_id,
            trace_id=self.trace_id,
            project=one.project,
            namespace=self.namespace,
            boot_lines=one.boot_lines,
            overlay=overlay,
            refiner=self.refiner,
        )

    def _heard(self, view: ReadView, one: Prepared, admitted: AdmittedEpisodes) -> list[TurnInput]:
        place = {e.id: at for at, e in enumerate(one.episodes)}
        heard = []
        for episode in admitted.episodes:
            at = place[episode.id]
            raw = one.episodes[at]
            if at:
                before = one.episodes[at - 1].text[-_BEFORE:]
            else:
                earlier = (
                    view.turns(episode.conversation, episode.index - 1, episode.index - 1) if episode.index else ()
                )
                before = earlier[0].text[-_BEFORE:] if earlier else ""
            pasted = one.pasted[at] if raw.text == episode.text else _moved(one.pasted[at], raw.text, episode.text)
            heard.append(TurnInput(episode=episode, before=before, pasted=pasted))
        return heard

    def _count(self, receipts: Sequence[Receipt], thoughts: Sequence[Ingestor]) -> None:
        self.counts.outcomes.update(one.outcome for one in receipts)
        for thinker in thoughts:
            self.counts.atoms += thinker.tally.atoms
            self.counts.left_out.update(thinker.tally.left_out)
            self.counts.handed.update(thinker.tally.handed)
            self.counts.guarded.update(thinker.tally.guarded)


def _moved(pasted: Sequence[Span], raw: str, text: str) -> tuple[Span, ...]:
    """Pasted ranges after redaction changed the length: found again by their first and last words, else left out."""
    found = []
    for start, end in pasted:
        head, tail = raw[start:end][:40], raw[start:end][-40:]
        first = text.find(head)
        last = text.find(tail, first + 1 if first >= 0 else 0)
        if first >= 0 and last >= 0:
            found.append((first, last + len(tail)))
        else:
            found.append((min(start, len(text)), len(text)))
    return tuple(found)


def _grown(tx: WriteTransaction, one: Prepared) -> Conversation:
    """The conversation's row with how far its import has come."""
    old = tx.conversation(one.conversation.id)
    last = one.episodes[-1].index + 1 if one.episodes else 0
    if old is None:
        return replace(one.conversation, imported=last)
    return replace(old, imported=max(old.imported, last))
