"""`MemoryReader`: the verbs that read, which `Memory` has beside those that write.

Takes: questions and names. Gives: what the memory holds, as values. Never: changes what is believed; what was returned
is noted, so that it is not learned again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from dopejar.engine import lookup

# modules, not names: the command line loads each of them when it is first used
from dopejar.engine.arguments import checked
from dopejar.engine.queries import history, recall, recent_changes, record_search, surveys, tool_checks
from dopejar.engine.services import Services
from dopejar.errors import InputError
from dopejar.memory.note_use import note_use
from dopejar.text.normalisation import is_blank
from dopejar.values.host_values import parse_aware
from dopejar.values.ids import TraceId, new_trace_id
from dopejar.values.recall import ContextPack, Query, RecordFilter, Source
from dopejar.values.record import Kind, Record, Status
from dopejar.values.scope import Namespace, Project, ReadScope, Scope

if TYPE_CHECKING:
    from dopejar.engine.queries.recent_changes import RecentChange
    from dopejar.engine.queries.tool_checks import CheckFinding
    from dopejar.engine.results import History, LoggedAct, SearchResult, StoreStatus
    from dopejar.memory.ledger import LedgerVerification
    from dopejar.ports.store import ReadView


def _require_words(text: str, name: str) -> None:
    if is_blank(text):
        raise InputError(f"The {name} is empty. Say in plain words what to look for.")


@checked
class MemoryReader(Services):
    """The verbs that read one memory."""

    def _view(self) -> AbstractContextManager[ReadView]:
        return self._deps.store.read()

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
        outside: str = "",
        known: Sequence[str] = (),
        unasked: bool = False,
        explain: bool = False,
        why_not: str = "",
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
            records_only: leave quotations of episodes out, and rules that apply to the situation but do not answer.
            outside: the name of a conversation that is not quoted: its host has it at hand.
            known: ids of items that the host has at hand, as an earlier answer gave them: they are not shown again,
                and nothing less relevant takes their place.
            unasked: the text is a prompt to somebody else: memories that bear on it, and a quotation only where it
                plainly answers and no memory does.
            explain: say why each item was taken.
            why_not: the id of a memory or a turn: the explanation says why it is not in the answer.
            trace_id: the id to record it under.

        Raises:
            InputError: the question is empty. NotFoundError: there is no such project.
        """
        if not unasked:  # a prompt to somebody else may hold no words
            _require_words(question, "question")
        scope = self._read_scope(namespace, project, languages, all_projects=all_projects)
        with self._view() as view:
            at_hand = lookup.conversations_named(view, outside) if outside else ()
            missed = lookup.find_id(view, why_not) if why_not else ""
        query = Query(
            text=question,
            budget=self._deps.recall_budget if budget is None else budget,
            limit=limit,
            read_scope=scope,
            as_of=as_of,
            believed_at=believed_at,
            kinds=tuple(map(Kind, kinds)),
            sources=(Source.RECORD,) if records_only or kinds else (Source.RECORD, Source.EPISODE),
            without=at_hand,
            known=frozenset(known),
            unasked=unasked,
            explain=explain,
            why_not=missed,
        )
        return recall.recall(self._deps, query, trace_id or new_trace_id())

    def search(
        self,
        query: str,
        *,
        limit: int = 10,
        kinds: Sequence[str] = (),
        key: str = "",
        tag: str = "",
        scope: str = "",
        as_of: datetime | None = None,
        project: str = "",
        all_projects: bool = False,
        namespace: str = "prod",
        trace_id: TraceId | None = None,
    ) -> tuple[SearchResult, ...]:
        """The memories that answer a query, best first, each with its score; none where nothing is relevant enough.

        `recall` is for the context of a model: it packs under a budget, and quotes what was said.

        Args:
            query: in plain words.
            limit: results at most.
            kinds: only memories of these kinds.
            key: only keys that begin so.
            tag: only memories with this tag.
            scope: only universal, language:NAME or project:NAME, by id or label.
            as_of: what was true then.
            project: another project than the one at hand, by id or label.
            all_projects: read every scope.
            namespace: prod, test or ephemeral.
            trace_id: the id to record it under.

        Raises:
            InputError: the query is empty, or the scope is none. NotFoundError: there is no such project.
        """
        _require_words(query, "query")
        inside = self._read_scope(namespace, project, all_projects=all_projects)
        chosen = replace(inside, scopes=(Scope.parse(scope),), all_projects=False) if scope else inside
        asked = Query(
            text=query,
            limit=limit,
            read_scope=chosen,
            as_of=as_of,
            kinds=tuple(map(Kind, kinds)),
            sources=(Source.RECORD,),
        )
        return record_search.search_records(self._deps, asked, trace_id or new_trace_id(), key_prefix=key, tag=tag)

    def _read_scope(
        self, namespace: str, project: str = "", languages: Sequence[str] = (), *, all_projects: bool = False
    ) -> ReadScope:
        base = ReadScope.inside(self.find_project(project) if project else self._project, Namespace(namespace))
        scopes = dict.fromkeys((*base.scopes, *map(Scope.language, languages)))
        return replace(base, scopes=tuple(scopes), all_projects=all_projects)

    def get(self, name: str) -> Record:
        """The memory with this id, beginning of an id, or key, in whatever state. Raises NotFoundError."""
        with self._view() as view:
            return lookup.find_record(view, name)

    def find_project(self, name: str) -> Project:
        """The project with this id or label that something was learned in. Raises NotFoundError."""
        with self._view() as view:
            return lookup.find_project(view, name, self._project)

    def project_labels(self) -> Mapping[str, str]:
        """The name for people of each project, by its id; a name that two projects share is left out."""
        with self._view() as view:
            return lookup.project_labels(view, self._project)

    def list(
        self,
        where: RecordFilter | None = None,
        limit: int = 50,
        after: Record | None = None,
        *,
        kinds: Sequence[str] = (),
        statuses: Sequence[str] = (Status.ACTIVE,),
        key: str = "",
        tag: str = "",
        scope: str = "",
        conversation: str = "",
        project: str = "",
        all_projects: bool = False,
        namespace: str = "prod",
    ) -> tuple[Record, ...]:
        """A page of the memories that may be read in the project at hand, newest first.

        Args:
            where: the whole filter as one value, in place of all that follow `after`.
            limit: memories at most.
            after: the last memory of the page before.
            kinds: only these kinds.
            statuses: only these states; of active ones alone, those whose time is not over.
            key: only keys that begin so.
            tag: only memories with this tag.
            scope: only universal, language:NAME or project:NAME, by id or label.
            conversation: only those with evidence from this conversation, by id or name.
            project: another project than the one at hand, by id or label.
            all_projects: of every scope.
            namespace: prod, test or ephemeral.
        """
        inside = self._read_scope(namespace, project, all_projects=all_projects)
        chosen = where or self._record_filter(inside, kinds, statuses, key, tag, scope)
        if chosen.statuses == (Status.ACTIVE,) and chosen.holds_at is None:
            chosen = replace(chosen, holds_at=self._deps.clock.now())
        with self._view() as view:
            if conversation:
                chosen = replace(chosen, conversation=lookup.find_conversation(view, conversation))
            return view.list_records(chosen, limit, after.id if after else None)

    def _record_filter(
        self, inside: ReadScope, kinds: Sequence[str], statuses: Sequence[str], key: str, tag: str, scope: str
    ) -> RecordFilter:
        kind, _, label = scope.partition(":")
        if kind == "project":  # listings show the label
            ids = {shown: project_id for project_id, shown in self.project_labels().items()}
            scope = f"project:{ids.get(label.strip(), label)}"
        return record_search.record_filter(inside, kinds=kinds, statuses=statuses, scope=scope, key_prefix=key, tag=tag)

    def changes(
        self,
        since: datetime | str,
        limit: int = 50,
        *,
        kinds: Sequence[str] = (),
        statuses: Sequence[str] = (),
        key: str = "",
        tag: str = "",
        scope: str = "",
        conversation: str = "",
        project: str = "",
        all_projects: bool = False,
        namespace: str = "prod",
        became_true: bool = False,
    ) -> tuple[RecentChange, ...]:
        """What was learned and retired since a time, each memory once, newest change first.

        It tells of memories that may be read in the project at hand; the other arguments are those of `list`.

        Args:
            since: a datetime with its time zone, or an ISO text; not when something was said, but when it was learned.
            limit: memories at most.
            kinds: only these kinds.
            statuses: only these states.
            key: only keys that begin so.
            tag: only memories with this tag.
            scope: only universal, language:NAME or project:NAME, by id or label.
            conversation: only those with evidence from this conversation, by id or name.
            project: another project than the one at hand, by id or label.
            all_projects: of every scope.
            namespace: prod, test or ephemeral.
            became_true: instead what began or ceased to hold since then, however late it was learned.
        """
        inside = self._read_scope(namespace, project, all_projects=all_projects)
        where = self._record_filter(inside, kinds, statuses or recent_changes.ONCE_BELIEVED, key, tag, scope)
        moment = parse_aware(since, "`since` of changes")
        with self._view() as view:
            if conversation:
                where = replace(where, conversation=lookup.find_conversation(view, conversation))
            return recent_changes.changes_since(view, moment, where, limit, became_true=became_true)

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
        is advice and is not returned. A rule that is returned was used.
        """
        with self._view() as view:
            scope = ReadScope.inside(self._project)
            records = surveys.active_guidance(view, scope, self._deps.clock.now())
            findings = tool_checks.check_tool_call(view, records, tool, given, branch, read_scope=scope)
        if findings and self._deps.note_use:
            note_use(self._deps.store, [one.record_id for one in findings], (), self._deps.clock.now())
        return findings
