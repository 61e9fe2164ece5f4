"""`Memory`: every verb, in one place.

Takes: wishes of hosts and doors. Gives: results as values. Never: a rule of its own; each verb is a few
lines that read, think, judge and commit in the modules beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from dopejar.engine.exchange import json_lines as exchange
from dopejar.engine.corrections.sessions import Sessions
from dopejar.engine.dependencies import Dependencies, Progress, Reviewer, Speaker, no_progress
from dopejar.engine.exchange import backups
from dopejar.engine.ingest import direct_statements, episode_replay, transcript_import
from dopejar.engine.maintenance import housekeeping
from dopejar.engine.queries import recall
from dopejar.engine.queries.entity_graph import Graphs
from dopejar.engine.queries.surveys import Surveys
from dopejar.engine.review import decisions, reviewer_actions
from dopejar.engine.review.review_queue import ReviewQueue
from dopejar.errors import NotFoundError
from dopejar.memory.hold import hold_reference, hold_working_set
from dopejar.memory.note_use import note_use
from dopejar.ports.store import ReadView, RecordFilter, Store
from dopejar.values.ids import ConversationId, EpisodeId, TraceId, new_trace_id
from dopejar.values.recall import ContextPack, Query, Source
from dopejar.values.record import Kind, Record
from dopejar.values.scope import Namespace, Project, ReadScope, Scope

if TYPE_CHECKING:  # loaded with the verbs that give them
    from dopejar.engine.results import (
        Checked,
        ErasureReceipt,
        History,
        Learned,
        LoggedAct,
        Maintained,
        Remembered,
        Standing,
    )
    from dopejar.memory.commit import Receipt
    from dopejar.memory.ledger import LedgerVerification
    from dopejar.values.versioned_rows import SharedReference, WorkingSet


class Memory(Surveys, Graphs, ReviewQueue, Sessions):
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
    def deps(self) -> Dependencies:
        """What the verbs work with, for surveys and rarer acts of the rooms beside this one."""
        return self._deps

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

    def remember(
        self,
        text: str,
        *,
        said_by: str = "user",
        speaker: Speaker | None = None,
        namespace: str = "",
        at: datetime | None = None,
        tags: Sequence[str] = (),
        dry_run: bool = False,
        trace_id: TraceId | None = None,
    ) -> Remembered:
        """Remember a text. The words are kept; what they say passes the gate.

        Args:
            text: one or several sentences.
            said_by: whose words these are: user, other, tool, assistant or fetched.
            speaker: the same in full, for doors.
            namespace: prod, test or ephemeral; by the text itself where empty.
            at: when it was said, aware; now where omitted.
            tags: words that help to route it.
            dry_run: show each stage and write nothing.
            trace_id: what to note it under.

        Raises:
            InputError, ConsentError: nothing was kept.
        """
        return direct_statements.remember(
            self._deps,
            text,
            speaker or direct_statements.host_speaker(said_by),
            trace_id or new_trace_id(),
            project=self._project,
            namespace=Namespace(namespace) if namespace else None,
            at=at,
            tags=tuple(tags),
            dry_run=dry_run,
        )

    def add_memory(self, text: str, *, said_by: str = "user") -> Remembered:
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
        """Learn from transcripts, file by file; each result comes when its file is done.

        Raises:
            InputError: a file cannot be read; the files before it are done, it left nothing behind.
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

    def relearn(
        self, conversations: Sequence[str] = (), *, progress: Progress = no_progress, trace_id: TraceId | None = None
    ) -> tuple[Learned, ...]:
        """Read kept conversations (all where none is named) again; only differences are proposed."""
        with self._view() as view:
            chosen: Sequence[ConversationId] = (
                [reviewer_actions.find_conversation(view, name) for name in conversations]
                if conversations
                else [one.id for one in view.conversations(10_000_000)]
            )
        return episode_replay.relearn(self._deps, chosen, trace_id or new_trace_id(), progress)

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
            trace_id: what to note it under.
        """
        trace = trace_id or new_trace_id()
        reading_ = self._reading(project, languages, Namespace(namespace), all_projects=all_projects)
        query = Query(
            text=question,
            budget=self._deps.recall_budget if budget is None else budget,
            limit=limit,
            read_scope=reading_,
            as_of=as_of,
            believed_at=believed_at,
            kinds=tuple(Kind(one) for one in kinds),
            sources=(Source.RECORD,) if records_only or kinds else (Source.RECORD, Source.EPISODE),
            explain=explain,
        )
        return recall.recall(self._deps, query, trace)

    def _reading(self, project: str, languages: Sequence[str], namespace: Namespace, *, all_projects: bool) -> ReadScope:
        chosen = self.find_project(project) if project else self._project
        base = ReadScope.inside(chosen, namespace)
        extra = tuple(Scope.language(one) for one in languages)
        scopes = tuple(dict.fromkeys((*base.scopes, *extra)))
        return replace(base, scopes=scopes, all_projects=all_projects)

    def find_project(self, name: str) -> Project:
        """The project with this id or label that something was learned in. Raises NotFoundError."""
        with self._view() as view:
            for one in view.conversations(100_000):
                if one.project and name in (one.project, one.project_label):
                    return Project(id=one.project, label=one.project_label, languages=one.languages)
        if self._project is not None and name in (self._project.id, self._project.label):
            return self._project
        raise NotFoundError(f"Nothing was learned in a project {name!r}. `dopejar status` names those there are.")

    def list_records(
        self, where: RecordFilter | None = None, limit: int = 50, after: Record | None = None
    ) -> tuple[Record, ...]:
        """A page of records, newest first."""
        with self._view() as view:
            return view.list_records(where or RecordFilter(), limit, after.id if after else None)

    def history(self, name: str) -> History:
        """A record's states, acts, evidence and other versions; by id, its beginning, or key."""
        with self._view() as view:
            return recall.history(view, name)

    def log(self, limit: int = 20, before: int | None = None) -> tuple[LoggedAct, ...]:
        """The newest acts, newest first."""
        with self._view() as view:
            return recall.log(view, limit, before)

    def verify(self, expected_head: str = "") -> LedgerVerification:
        """Follow the ledger's chain. Raises LedgerBrokenError."""
        with self._view() as view:
            return recall.checked_ledger(view, expected_head)

    def status(self) -> Standing:
        """What the store holds and how it is."""
        return recall.standing(self._deps, self._project)

    def note_injected(self, texts: Sequence[str]) -> bool:
        """Remember texts that were handed to an assistant, so that they are not learned when they come back."""
        return note_use(self._deps.store, (), recall.digests_of(texts), self._deps.clock.now())

    def add_reviewer(self, name: str, passphrase: str, by: Reviewer | None = None) -> None:
        """Add a reviewer, or change a passphrase. Only the first one needs nobody's word."""
        decisions.add_reviewer(self._deps, name, passphrase, by)

    def remove_reviewer(self, name: str, by: Reviewer) -> None:
        """Remove a reviewer."""
        decisions.remove_reviewer(self._deps, name, by)

    def reviewers(self) -> tuple[str, ...]:
        """Names of the reviewers."""
        with self._view() as view:
            return view.reviewers()

    def unlock(self, passphrase: str, *, name: str = "", terminal: str = "") -> Reviewer:
        """The reviewer whose passphrase this is. Raises ReviewerRequiredError."""
        return decisions.unlock(self._deps, passphrase, name=name, terminal=terminal)

    def reviewer_at(self, terminal: str) -> Reviewer | None:
        """The reviewer whose 15 minutes at this terminal are not over."""
        return decisions.reviewer_at(self._deps, terminal)

    def lock(self, terminal: str) -> bool:
        """End the session at this terminal; whether there was one."""
        return decisions.lock(self._deps, terminal)

    def undo(self, name: str, by: Reviewer, trace_id: TraceId | None = None) -> Receipt:
        """Take back an act, or everything learned from a conversation."""
        return reviewer_actions.undo(self._deps, name, by, trace_id or new_trace_id())

    def deprecate(self, names: Sequence[str], by: Reviewer, trace_id: TraceId | None = None) -> Receipt:
        """Take records out of use."""
        return reviewer_actions.deprecate(self._deps, names, by, trace_id or new_trace_id())

    def bring_back(self, names: Sequence[str], by: Reviewer, trace_id: TraceId | None = None) -> Receipt:
        """Bring deprecated or retracted records back, and rejected ones into the queue."""
        return reviewer_actions.bring_back(self._deps, names, by, trace_id or new_trace_id())

    def erase(
        self,
        by: Reviewer,
        *,
        records: Sequence[str] = (),
        episodes: Sequence[EpisodeId] = (),
        conversation: str = "",
        trace_id: TraceId | None = None,
    ) -> ErasureReceipt:
        """Erase for good, verify, and say which backups still hold the words."""
        return reviewer_actions.erase(
            self._deps, by, trace_id or new_trace_id(), records=records, episodes=episodes, conversation=conversation
        )

    def hold_working_set(self, working: WorkingSet) -> None:
        """Write the next version of a working set."""
        with self._deps.store.write() as tx:
            hold_working_set(tx, working, self._deps.clock.now())

    def working_set(self, problem_id: str, lane_id: str = "") -> WorkingSet | None:
        """The working set of this problem and lane alone."""
        with self._view() as view:
            return view.working_set(problem_id, lane_id)

    def put_reference(self, reference: SharedReference) -> None:
        """Write the next version of a shared reference."""
        with self._deps.store.write() as tx:
            hold_reference(tx, reference)

    def reference(self, key: str, version: int | None = None) -> SharedReference | None:
        """A shared reference, its newest version unless one is named."""
        with self._view() as view:
            return view.reference(key, version)

    def maintain(
        self, *, budget_s: float | None = None, progress: Progress = no_progress, trace_id: TraceId | None = None
    ) -> Maintained:
        """Do the housekeeping that is due."""
        return housekeeping.maintain(self._deps, trace_id or new_trace_id(), budget_s=budget_s, progress=progress)

    def tidy(self) -> Maintained:
        """What a writing command does on its way out: at most the setting's milliseconds of housekeeping."""
        return self.maintain(budget_s=self._deps.maintenance_ms / 1000)

    def reembed(self, progress: Progress = no_progress) -> int:
        """Make every vector anew with the embedder of today."""
        return housekeeping.reembed(self._deps, progress)

    def doctor(self, *, repair: bool = False) -> Checked:
        """Look for faults; with `repair`, rebuild what can be rebuilt."""
        return housekeeping.doctor(self._deps, repair=repair)

    def backup(self, to: Path) -> Path:
        """A consistent copy while others write."""
        return housekeeping.backup(self._deps, to)

    def restore(
        self, source: Path, open_store: Callable[[Path], Store], by: Reviewer, trace_id: TraceId | None = None
    ) -> int:
        """Put a backup in the place of the data file; what was erased since is erased again; how much."""
        return backups.restore(self._deps, source, open_store, by, trace_id or new_trace_id())

    def export_to(self, path: Path) -> exchange.Exchanged:
        """Write everything as JSON lines."""
        return exchange.export_to(self._deps, path)

    def import_from(self, path: Path, by: Reviewer, trace_id: TraceId | None = None) -> exchange.Exchanged:
        """Merge an export, in one undoable act."""
        return exchange.import_from(self._deps, path, by, trace_id or new_trace_id())
