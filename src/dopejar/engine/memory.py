"""`Memory`: the verbs of the engine, and the services that hold the rest.

Takes: requests of hosts and doors. Gives: results as values. Never: a rule of its own; each verb delegates to the
modules of the packages beside it, and each service is imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

# modules, not names: the command line loads each of them when it is first used
from dopejar.engine.arguments import checked
from dopejar.engine.dependencies import Dependencies, Progress, Reviewer, Speaker, host_speaker, no_progress
from dopejar.engine.ingest import direct_statements, episode_replay, live_turns, transcript_import
from dopejar.engine.queries import history, lookup, recall, surveys, tool_checks
from dopejar.engine.review import erasure, reviewer_actions
from dopejar.memory.note_use import note_use
from dopejar.ports.store import ReadView, Store
from dopejar.values.ids import EpisodeId, TraceId, new_trace_id
from dopejar.values.recall import ContextPack, Query, RecordFilter, Source
from dopejar.values.record import Kind, Record
from dopejar.values.scope import Namespace, Project, ReadScope, Scope

if TYPE_CHECKING:  # loaded with the verbs that return them, and with the services that they are
    from dopejar.engine.bullets.procedural_memory import ProceduralMemory
    from dopejar.engine.corrections.sessions import Sessions
    from dopejar.engine.exchange.data_exchange import DataExchange
    from dopejar.engine.ingest.live_turns import Observed
    from dopejar.engine.maintenance.housekeeping import Maintenance
    from dopejar.engine.queries.entity_graph import EntityGraph
    from dopejar.engine.queries.inspection import Inspection
    from dopejar.engine.queries.surveys import Surveys
    from dopejar.engine.queries.tool_checks import CheckFinding
    from dopejar.engine.results import ErasureReceipt, History, Learned, LoggedAct, Remembered, StoreStatus
    from dopejar.engine.review.erasure_echoes import Echo
    from dopejar.engine.review.review_queue import ReviewQueue
    from dopejar.engine.review.reviewers import Reviewers
    from dopejar.engine.review.settings_acceptance import SettingsAcceptance
    from dopejar.engine.workspace import Workspace
    from dopejar.memory.commit import Receipt
    from dopejar.memory.ledger import LedgerVerification
    from dopejar.values.transcript import LiveTurn


@checked
class Memory:
    """A governed memory. Made by `open_memory`; close it, or use it in a `with` block.

    Safe to use from several threads. Every verb takes an optional `trace_id`; doors mint one, others get a fresh one.
    """

    def __init__(self, deps: Dependencies, project: Project | None = None) -> None:
        self._deps = deps
        self._project = project

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

    def _view(self) -> AbstractContextManager[ReadView]:
        return self._deps.store.read()

    # -- services ------------------------------------------------------------------------------------------------------

    @cached_property
    def review(self) -> ReviewQueue:
        """The review queue: what waits for a person, and the decisions about it."""
        from dopejar.engine.review.review_queue import ReviewQueue

        return ReviewQueue(self._deps)

    @cached_property
    def reviewers(self) -> Reviewers:
        """Who may decide, and their sessions at a terminal."""
        from dopejar.engine.review.reviewers import Reviewers

        return Reviewers(self._deps)

    @cached_property
    def bullets(self) -> ProceduralMemory:
        """Procedural memory: bullets from staging to sharing."""
        from dopejar.engine.bullets.procedural_memory import ProceduralMemory

        return ProceduralMemory(self._deps, self._project)

    @cached_property
    def sessions(self) -> Sessions:
        """Ended conversations and what their corrections propose; instruction files."""
        from dopejar.engine.corrections.sessions import Sessions

        return Sessions(self._deps, self._project)

    @cached_property
    def graph(self) -> EntityGraph:
        """The neighbourhood of an entity."""
        from dopejar.engine.queries.entity_graph import EntityGraph

        return EntityGraph(self._deps, self._project)

    @cached_property
    def surveys(self) -> Surveys:
        """Overviews: keys, hygiene, profile, decisions, corrections, and the section of an instruction file."""
        from dopejar.engine.queries.surveys import Surveys

        return Surveys(self._deps, self._project)

    @cached_property
    def inspection(self) -> Inspection:
        """What an interface shows about queue, records and ledger."""
        from dopejar.engine.queries.inspection import Inspection

        return Inspection(self._deps)

    @cached_property
    def maintenance(self) -> Maintenance:
        """Housekeeping, the doctor, and new vectors."""
        from dopejar.engine.maintenance.housekeeping import Maintenance

        return Maintenance(self._deps)

    @cached_property
    def exchange(self) -> DataExchange:
        """Backups, restoring, export and import."""
        from dopejar.engine.exchange.data_exchange import DataExchange

        return DataExchange(self._deps)

    @cached_property
    def settings(self) -> SettingsAcceptance:
        """The governed settings that a reviewer accepted, and what is configured otherwise."""
        from dopejar.engine.review.settings_acceptance import SettingsAcceptance

        return SettingsAcceptance(self._deps)

    @cached_property
    def workspace(self) -> Workspace:
        """Working sets and shared references."""
        from dopejar.engine.workspace import Workspace

        return Workspace(self._deps)

    # -- what comes in -------------------------------------------------------------------------------------------------

    def remember(
        self,
        text: str,
        *,
        said_by: str = "",
        speaker: Speaker | None = None,
        namespace: str = "",
        at: datetime | None = None,
        tags: Sequence[str] = (),
        by: Reviewer | None = None,
        dry_run: bool = False,
        trace_id: TraceId | None = None,
    ) -> Remembered:
        """Remember a text. The text is kept as an episode; the statements in it pass the write gate.

        Args:
            text: one or several sentences.
            said_by: the speaker: user, other, tool, assistant or fetched; `open_memory`'s where omitted.
            speaker: the speaker with their channel and name, for doors.
            namespace: prod, test or ephemeral; where empty, the text itself decides.
            at: when it was said, aware; now where omitted.
            tags: words that help to route it.
            by: the reviewer who vouches that the user says it; then what directs the work is active at once.
            dry_run: report each stage and write nothing.
            trace_id: the id to record it under.

        Raises:
            InputError: the text is empty or too long, or nobody said who speaks; nothing was kept.
            ConsentError: words of this origin are not to be kept.
        """
        return direct_statements.remember(
            self._deps,
            text,
            speaker or host_speaker(said_by or self._deps.said_by),
            trace_id or new_trace_id(),
            project=self._project,
            namespace=Namespace(namespace) if namespace else None,
            at=at,
            tags=tuple(tags),
            by=by,
            dry_run=dry_run,
        )

    def add_memory(self, text: str, *, said_by: str = "") -> Remembered:
        """The ingestion protocol's name for `remember`: extract, classify, key, integrity, write, reinforce."""
        return self.remember(text, said_by=said_by)

    def learn(
        self,
        paths: Sequence[Path | str],
        *,
        format_name: str | None = None,
        namespace: str = "prod",
        progress: Progress = no_progress,
        trace_id: TraceId | None = None,
    ) -> Iterator[Learned]:
        """Learn from transcripts, file by file; each result is yielded when its file is done.

        Raises:
            InputError: a file cannot be read; it left nothing behind, and the files before it are done.
        """
        trace = trace_id or new_trace_id()
        for path in paths:
            yield transcript_import.learn_file(
                self._deps,
                Path(path),
                trace,
                format_name=format_name,
                project=self._project,
                namespace=Namespace(namespace),
                progress=progress,
            )

    def observe(self, turn: LiveTurn, *, trace_id: TraceId | None = None) -> Observed:
        """Keep one turn of a conversation that is going on; its words are redacted, and the same turn again is known.

        Nothing is learned yet. Where the result says that learning is `due`, call `sessions.end` or `sessions.learn`.

        Raises:
            InputError: the turn has no text, no id, no conversation, or a time without a zone.
        """
        return live_turns.observe(self._deps, turn, trace_id or new_trace_id(), project=self._project)

    def relearn(
        self, conversations: Sequence[str] = (), *, progress: Progress = no_progress, trace_id: TraceId | None = None
    ) -> tuple[Learned, ...]:
        """Read kept conversations (all where none is named) again; only differences are proposed."""
        return episode_replay.relearn(self._deps, conversations, trace_id or new_trace_id(), progress)

    def note_injected(self, texts: Sequence[str]) -> bool:
        """Record texts that were handed to an assistant, so that they are not learned when they come back."""
        return note_use(self._deps.store, (), recall.digests_of(texts), self._deps.clock.now())

    # -- what is read --------------------------------------------------------------------------------------------------

    def recall(
        self,
        question: str,
        *,
        budget: int | None = None,
        limit: int = 50,
        as_of: datetime | None = None,
        believed_at: datetime | None = None,
        project: str = "",
        all_projects: bool = False,
        languages: Sequence[str] = (),
        namespace: str = "prod",
        kinds: Sequence[str] = (),
        records_only: bool = False,
        explain: bool = False,
        trace_id: TraceId | None = None,
    ) -> ContextPack:
        """What memory says about a question, packed under a hard token budget, with citations.

        Args:
            question: in plain words.
            budget: tokens of the whole text; the setting `recall.budget` where omitted.
            limit: items at most.
            as_of: what was true then, as known now.
            believed_at: what was believed then.
            project: another project than the one at hand, by id or label.
            all_projects: read every scope.
            languages: programming languages whose memories count as well.
            namespace: prod, test or ephemeral.
            kinds: only memories of these kinds.
            records_only: leave quotations of episodes out.
            explain: say why each item was taken.
            trace_id: the id to record it under.
        """
        current = self.find_project(project) if project else self._project
        base = ReadScope.inside(current, Namespace(namespace))
        scopes = dict.fromkeys((*base.scopes, *(Scope.language(language) for language in languages)))
        query = Query(
            text=question,
            budget=self._deps.recall_budget if budget is None else budget,
            limit=limit,
            read_scope=replace(base, scopes=tuple(scopes), all_projects=all_projects),
            as_of=as_of,
            believed_at=believed_at,
            kinds=tuple(Kind(kind) for kind in kinds),
            sources=(Source.RECORD,) if records_only or kinds else (Source.RECORD, Source.EPISODE),
            explain=explain,
        )
        return recall.recall(self._deps, query, trace_id or new_trace_id())

    def find_project(self, name: str) -> Project:
        """The project with this id or label that something was learned in. Raises NotFoundError."""
        with self._view() as view:
            return lookup.find_project(view, name, self._project)

    def list_records(
        self, where: RecordFilter | None = None, limit: int = 50, after: Record | None = None
    ) -> tuple[Record, ...]:
        """A page of records, newest first."""
        with self._view() as view:
            return view.list_records(where or RecordFilter(), limit, after.id if after else None)

    def history(self, name: str) -> History:
        """A record's states, acts, evidence and other versions; by id, the beginning of its id, or key."""
        with self._view() as view:
            return history.record_history(view, name)

    def log(self, limit: int = 20, before: int | None = None) -> tuple[LoggedAct, ...]:
        """The newest acts, newest first."""
        with self._view() as view:
            return history.list_acts(view, limit, before)

    def verify(self, expected_head: str = "") -> LedgerVerification:
        """Recompute the ledger's hash chain. Raises LedgerBrokenError."""
        from dopejar.memory.ledger import verify

        with self._view() as view:
            return verify(view, expected_head)

    def status(self) -> StoreStatus:
        """What the store holds, and in which state it is."""
        return history.store_status(self._deps, self._project)

    def check(self, tool: str, given: Mapping[str, object], branch: str = "") -> tuple[CheckFinding, ...]:
        """The approved rules that a tool call would break, as far as they compile to a check, with their sources.

        The effect of each is `prompt`: whoever runs the tool asks a person. A rule whose evidence contradicts its check
        is advice and is not returned.
        """
        with self._view() as view:
            records = surveys.active_guidance(view, ReadScope.inside(self._project))
            return tool_checks.check_tool_call(view, records, tool, given, branch)

    # -- what a reviewer does ------------------------------------------------------------------------------------------

    def undo(self, name: str, by: Reviewer, trace_id: TraceId | None = None) -> Receipt:
        """Undo an act, or everything learned from a conversation."""
        return reviewer_actions.undo(self._deps, name, by, trace_id or new_trace_id())

    def deprecate(self, names: Sequence[str], by: Reviewer, trace_id: TraceId | None = None) -> Receipt:
        """Take records out of use; they stay readable."""
        return reviewer_actions.deprecate(self._deps, names, by, trace_id or new_trace_id())

    def bring_back(self, names: Sequence[str], by: Reviewer, trace_id: TraceId | None = None) -> Receipt:
        """Restore deprecated or retracted records, and return rejected ones to the queue."""
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
