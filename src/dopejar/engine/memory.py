"""`Memory`: the verbs of the engine. Those that read are in `MemoryReader`, the rest is in `Services`.

Takes: requests of hosts and doors. Gives: results as values. Never: a rule of its own; each verb delegates to the
modules of the packages beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from dopejar.engine import lookup

# modules, not names: the command line loads each of them when it is first used
from dopejar.engine.arguments import checked
from dopejar.engine.dependencies import Progress, Reviewer, Speaker, host_speaker, no_progress
from dopejar.engine.ingest import chat_messages, direct_statements, episode_replay, live_turns, transcript_import
from dopejar.engine.memory_reader import MemoryReader
from dopejar.engine.queries import recall, tool_checks
from dopejar.engine.review import erasure, reviewer_actions
from dopejar.memory.note_use import note_use
from dopejar.values.host_values import parse_aware
from dopejar.values.ids import EpisodeId, TraceId, new_trace_id
from dopejar.values.reading import reading_given
from dopejar.values.scope import Namespace, Project

if TYPE_CHECKING:
    from dopejar.ports.store import Store

if TYPE_CHECKING:  # loaded with the verbs that return them
    from dopejar.engine.ingest.live_turns import Observed
    from dopejar.engine.ingest.record_correction import Correction
    from dopejar.engine.results import (
        ErasureReceipt,
        Learned,
        Remembered,
    )
    from dopejar.engine.review.erasure_echoes import Echo
    from dopejar.ports.language_model import LanguageModel
    from dopejar.values.receipt import Receipt
    from dopejar.values.transcript import LiveTurn
    from dopejar.values.turn_decisions import TurnShares
    from dopejar.values.versioned_rows import KeyValueRow


@checked
class Memory(MemoryReader):
    """A governed memory. Made by `open_memory`; close it, or use it in a `with` block.

    Safe to use from several threads. Every verb takes an optional `trace_id`; doors mint one, others get a fresh one.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the store."""
        self._deps.store.close()

    @property
    def store(self) -> Store:
        """The store handle, for reading and for measuring."""
        return self._deps.store

    @property
    def home(self) -> Path:
        """The data directory."""
        return self._deps.home

    @property
    def project(self) -> Project | None:
        """The project this memory is used in."""
        return self._project

    def turn_shares(self, text: str) -> TurnShares | None:
        """What the installed model reads in an utterance; None where none is installed."""
        reader = self._deps.turn_reader()
        return reader.shares(text) if reader else None

    @property
    def language_model(self) -> LanguageModel | None:
        """The configured language model; None by default."""
        return self._deps.language_model()

    def in_project_of(self, directory: Path | None) -> Memory:
        """The same memory, with the project of a directory at hand; None for no project. Closing one closes both."""
        return Memory(self._deps, self._deps.detect_project(directory) if directory else None)

    # -- what comes in -------------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        said_by: str = "",
        speaker: Speaker | None = None,
        namespace: str = "",
        at: datetime | str | None = None,
        tags: Sequence[str] = (),
        by: Reviewer | None = None,
        dry_run: bool = False,
        reading: Mapping[str, str] | None = None,
        trace_id: TraceId | None = None,
    ) -> Remembered:
        """Remember a text. The text is kept as an episode; the statements in it pass the write gate.

        Args:
            text: one or several sentences.
            said_by: the speaker: user, other, tool, assistant or fetched; `open_memory`'s where omitted.
            speaker: the speaker with their channel and name, for doors.
            namespace: prod, test or ephemeral; where empty, the text itself decides.
            at: when it was said, with its time zone, a datetime or an ISO text; now where omitted.
            tags: words that help to route it.
            by: the reviewer who vouches that the user says it; then what directs the work is active at once.
            dry_run: report each stage and write nothing.
            reading: your own reading of the text: `subject` and `value` in its words, `attribute`, `key`. It decides
                the key and the slot of the statement that holds them, instead of the reader.
            trace_id: the id to record it under.

        Raises:
            InputError: the text is empty or too long, nobody said who speaks, or the words do not bear out the
                reading; nothing was kept.
            ConsentError: words of this origin are not to be kept.
        """
        remembered = direct_statements.remember(
            self._deps,
            text,
            speaker or self._speaker(said_by),
            trace_id or new_trace_id(),
            project=self._project,
            namespace=Namespace(namespace) if namespace else None,
            at=parse_aware(at, "`at` of remember"),
            tags=tuple(tags),
            by=by,
            dry_run=dry_run,
            reading=reading_given(reading, "`reading` of remember"),
        )
        return tool_checks.add_check_notes(self._deps.store, remembered, by.name) if by else remembered

    def add(
        self, messages: Sequence[Mapping[str, object]], *, conversation: str = "", trace_id: TraceId | None = None
    ) -> Learned:
        """Keep the messages of a chat as turns, and learn from those that are new, as `learn` does from a file.

        The same messages again change nothing. For one text use `remember`.

        Args:
            messages: dictionaries with `role` (user, assistant, tool, system) and `content`: text, or a list of parts.
                `id`, `name`, `at` (a datetime or an ISO text) and `reading` (as for `remember`) may be given; without
                an id, a message is known by its role and words.
            conversation: your name for the chat, to which later calls add; where omitted, these messages are a chat.
            trace_id: the id to record it under.

        Raises:
            InputError: a message is none; nothing was kept.
        """
        trace = trace_id or new_trace_id()
        return chat_messages.add_messages(self._deps, messages, conversation, trace, project=self._project)

    def learn(
        self,
        paths: Sequence[Path | str] | Path | str,
        *,
        format_name: str | None = None,
        namespace: str = "prod",
        directory: Path | str | None = None,
        progress: Progress = no_progress,
        trace_id: TraceId | None = None,
    ) -> Iterator[Learned]:
        """Learn from transcripts, one or several, file by file; each result is yielded when its file is done.

        Files are learned in the order in which the first conversation of each began, whatever order they are given in.

        Args:
            paths: the files.
            format_name: the format of all files; detected for each file without it.
            namespace: where it is kept: prod, test or ephemeral.
            directory: whose project a conversation belongs to that names no directory, where no project is at hand.
            progress: what is called with each step.
            trace_id: the id to record it under.

        Raises:
            InputError: a file cannot be read; it left nothing behind, and the files before it are done.
        """
        trace = trace_id or new_trace_id()
        for path in self.in_order_of_time(paths, format_name):
            yield transcript_import.learn_file(
                self._deps,
                path,
                trace,
                format_name=format_name,
                project=self._project,
                directory=Path(directory) if directory else None,
                namespace=Namespace(namespace),
                progress=progress,
            )

    def in_order_of_time(self, paths: Sequence[Path | str] | Path | str, format_name: str | None = None) -> list[Path]:
        """The transcripts in the order in which `learn` reads them: that which began first comes first."""
        files = [paths] if isinstance(paths, Path | str) else paths
        return transcript_import.in_order_of_time(self._deps, [*map(Path, files)], format_name)

    def update(
        self,
        name: str,
        text: str,
        by: Reviewer | None = None,
        *,
        said_by: str = "",
        speaker: Speaker | None = None,
        dry_run: bool = False,
        trace_id: TraceId | None = None,
    ) -> Correction:
        """State what is right in place of a memory, by id or key: what was believed stays in its history.

        The words are judged as their speaker's. Where they are about the same concept they supersede the memory, now
        or when a reviewer approves; where they are not, the memory is taken out of use beside them: at once by the
        reviewer `by`, else as a proposal.

        Raises:
            NotFoundError: there is no such memory. InputError: it is not in use, or says the same already.
        """
        from dopejar.engine.ingest.record_correction import correct

        said = speaker or self._speaker(said_by, by)
        return correct(self._deps, name, text, said, trace_id or new_trace_id(), by=by, dry_run=dry_run)

    def _speaker(self, said_by: str, by: Reviewer | None = None) -> Speaker:
        return host_speaker(said_by or ("user" if by is not None else self._deps.said_by))

    def observe(
        self,
        turn: LiveTurn,
        *,
        rows: Callable[[Observed], Sequence[KeyValueRow]] | None = None,
        trace_id: TraceId | None = None,
    ) -> Observed:
        """Keep one turn of a conversation that is going on; its words are redacted, and the same turn again is known.

        Nothing is learned yet. Where the result says that learning is `due`, call `sessions.end` or `sessions.learn`.
        `rows` makes rows of the result, which are written in the transaction of a turn that is new: both, or neither.

        Raises:
            InputError: the turn has no text, no id, no conversation, or a time without a zone.
            StaleProposalError: one of the rows was written since it was read; the turn was not kept.
        """
        return live_turns.observe(self._deps, turn, trace_id or new_trace_id(), project=self._project, rows=rows)

    def relearn(
        self, conversations: Sequence[str] = (), *, progress: Progress = no_progress, trace_id: TraceId | None = None
    ) -> tuple[Learned, ...]:
        """Read kept conversations (all where none is named) again; only differences are proposed."""
        return episode_replay.relearn(self._deps, conversations, trace_id or new_trace_id(), progress)

    def note_injected(self, texts: Sequence[str]) -> bool:
        """Record texts that were handed to an assistant, so that they are not learned when they come back."""
        return note_use(self._deps.store, (), recall.digests_of(texts), self._deps.clock.now())

    def note_used(self, names: Sequence[str]) -> bool:
        """Count one use of memories that an answer cited or that were acted on: they grow stronger.

        Being recalled does not count. Raises NotFoundError, AmbiguousIdError: there is no such memory.
        """
        with self._deps.store.read() as view:
            used = [lookup.find_record(view, name).id for name in names]
        return note_use(self._deps.store, used, (), self._deps.clock.now())

    # -- what a reviewer does ------------------------------------------------------------------------------------------

    def undo(self, name: str, by: Reviewer, trace_id: TraceId | None = None) -> Receipt:
        """Undo an act, or everything learned from a conversation."""
        return reviewer_actions.undo(self._deps, name, by, trace_id or new_trace_id())

    def delete(
        self,
        names: Sequence[str] | str,
        by: Reviewer | None = None,
        trace_id: TraceId | None = None,
        *,
        said_by: str = "",
    ) -> tuple[Receipt, ...]:
        """Take memories out of use: at once for a reviewer, in one act; else it is proposed, and waits.

        They stay readable in `history`, and `bring_back` restores them. `erase` removes their words for good.

        Raises:
            NotFoundError, AmbiguousIdError: there is no such memory. IllegalMoveError: it is out of use already.
        """
        chosen = (names,) if isinstance(names, str) else names
        trace = trace_id or new_trace_id()
        if by is not None:
            return (reviewer_actions.deprecate(self._deps, chosen, by, trace),)
        from dopejar.engine.ingest.privacy import propose_removals

        return propose_removals(self._deps, chosen, "Its removal was asked for", self._speaker(said_by), trace)

    def bring_back(self, names: Sequence[str], by: Reviewer, trace_id: TraceId | None = None) -> Receipt:
        """Restore deprecated, retracted or superseded records, and return rejected and expired ones to the queue.

        What was superseded stands beside what replaced it from then on.
        """
        return reviewer_actions.bring_back(self._deps, names, by, trace_id or new_trace_id())

    def erase(
        self,
        by: Reviewer,
        *,
        records: Sequence[str] = (),
        episodes: Sequence[EpisodeId] = (),
        conversation: str = "",
        echoes: Sequence[Echo] = (),
        trace_id: TraceId | None = None,
    ) -> ErasureReceipt:
        """Erase for good, verify it in the data files, and name what still speaks of it, backups included.

        `echoes` are places of `inspection.preview_echoes` to erase as well.
        """
        return erasure.erase(
            self._deps,
            by,
            trace_id or new_trace_id(),
            records=records,
            episodes=episodes,
            conversation=conversation,
            echoes=echoes,
        )
