"""`Memory.surveys`: overviews of the whole store, and the section of an instruction file.

Takes: a view. Gives: key chains, hygiene, the profile, decisions and corrections. Never: changes the memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.engine.arguments import checked
from dopejar.engine.file_replacement import rewrite_file
from dopejar.ports.store import ReadView
from dopejar.values.recall import RecordFilter
from dopejar.values.record import DIRECTING, Record, Status
from dopejar.values.scope import EVERY_LANGUAGE, Namespace, Project, ReadScope
from dopejar.values.strength import strength_of

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Dependencies
    from dopejar.pipelines.corrections.views import GuidanceLine, Profile
    from dopejar.pipelines.hygiene import Hygiene

__all__ = ["GuidanceLine", "Hygiene", "KeyChain", "Profile", "Surveys"]  # also types of pipelines that surveys return

_EVERY_RECORD = 1_000_000
_SECTION_BYTES = 4096  # of an instruction file
_LISTED = (Status.ACTIVE, Status.SUPERSEDED, Status.STAGED, Status.QUARANTINED)


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyChain:
    """A canonical key with the versions of its concept, oldest first, and the strength of the current one."""

    key: str
    slot: str
    scope: str
    versions: tuple[Record, ...]
    strength: float

    @property
    def current(self) -> Record:
        """The version in force, else the newest one."""
        return _current(self.versions)


def _current(versions: tuple[Record, ...]) -> Record:
    active = [record for record in versions if record.status is Status.ACTIVE]
    return active[-1] if active else versions[-1]


def measure_hygiene(deps: Dependencies, read_scope: ReadScope) -> Hygiene:
    """Duplicates, junk, stale memories, secrets and recall loops among the active memories, with examples."""
    from dopejar.governance.policy.loop_guard import digests
    from dopejar.pipelines.hygiene import inspect

    with deps.store.read() as view:
        records = view.list_records(RecordFilter.readable(read_scope), _EVERY_RECORD)

        def was_injected(record: Record) -> bool:
            marks = digests(record.text)
            return bool(marks) and len(view.injected(marks, record.created_at)) == len(marks)

        return inspect(
            records,
            deps.clock.now(),
            has_secret=lambda text: bool(deps.redact(text)[1]),
            was_injected=was_injected,
        )


def list_keys(view: ReadView, now: datetime, prefix: str, read_scope: ReadScope) -> tuple[KeyChain, ...]:
    """Every chain whose key begins with the prefix, by key; versions oldest first."""
    where = replace(RecordFilter.readable(read_scope, _LISTED), key_prefix=prefix)
    chains: dict[tuple[str, ...], list[Record]] = {}
    for record in view.list_records(where, _EVERY_RECORD):
        if record.chain:
            # denials and temporary records may stand beside the version in force: each has a line of its own
            denied = record.value if record.value.startswith("-") and not record.supersedes else ""
            line = record.id if record.temporary else denied
            chains.setdefault((str(record.scope), record.chain, line), []).append(record)
    return tuple(
        sorted(
            (_key_chain(scope, records, now) for (scope, *_), records in chains.items()),
            key=lambda chain: (chain.key, chain.scope),
        )
    )


def _key_chain(scope: str, records: list[Record], now: datetime) -> KeyChain:
    versions = tuple(sorted(records, key=lambda record: (record.valid_from, record.id)))
    newest = versions[-1]
    strength = round(strength_of(_current(versions), now), 3)
    return KeyChain(key=newest.key, slot=newest.slot, scope=scope, versions=versions, strength=strength)


def active_guidance(view: ReadView, read_scope: ReadScope, now: datetime) -> tuple[Record, ...]:
    """Active records that direct an assistant's work, that may be read in this scope, and that are not over."""
    where = replace(RecordFilter.readable(read_scope), kinds=DIRECTING, holds_at=now)
    return view.list_records(where, _EVERY_RECORD)


@checked
class Surveys:
    """Overviews of what may be read in the project at hand, or, where that is asked for, in all projects."""

    def __init__(self, deps: Dependencies, project: Project | None = None) -> None:
        self._deps, self._project = deps, project

    def hygiene(self, namespace: str = "prod", *, all_projects: bool = False) -> Hygiene:
        """How clean the active memories are: duplicates, junk, stale ones, secrets, recall loops, with examples."""
        return measure_hygiene(self._deps, self._read_scope(namespace, all_projects=all_projects))

    def keys(self, prefix: str = "", namespace: str = "prod", *, all_projects: bool = False) -> tuple[KeyChain, ...]:
        """The canonical keys with this prefix, each with the versions of its concept."""
        with self._deps.store.read() as view:
            read_scope = self._read_scope(namespace, all_projects=all_projects)
            return list_keys(view, self._deps.clock.now(), prefix, read_scope)

    def _read_scope(self, namespace: str, *, all_projects: bool) -> ReadScope:
        return replace(ReadScope.inside(self._project, Namespace(namespace)), all_projects=all_projects)

    def profile(self) -> Profile:
        """How the person wants work done: in general, and by programming language."""
        from dopejar.pipelines.corrections import views

        return views.profile(self._guidance())

    def decisions(self) -> tuple[GuidanceLine, ...]:
        """What was decided in the project at hand, newest first."""
        from dopejar.pipelines.corrections import views

        if self._project is None:
            return ()
        return tuple(views.decisions(self._guidance(), self._project.id).get(self._project.id, ()))

    def corrections(self, limit: int | None = None) -> tuple[GuidanceLine, ...]:
        """What was corrected, most frequent first."""
        from dopejar.pipelines.corrections import views

        return views.corrections(self._guidance(), limit)

    def _guidance(self) -> tuple[Record, ...]:
        with self._deps.store.read() as view:
            return active_guidance(view, ReadScope.inside(self._project), self._deps.clock.now())

    def rules_of_call(
        self,
        tool: str,
        given: Mapping[str, object],
        *,
        place: str = "",
        known: Sequence[str] = (),
        limit: int = 3,
        budget: int = 150,
    ) -> tuple[Record, ...]:
        """The approved rules that apply to a tool call and that no check compares it with, the nearest first.

        Args:
            tool: its name.
            given: its arguments.
            place: the directory of the work, whose own path tells nothing.
            known: ids of rules that the host has at hand.
            limit: rules at most.
            budget: tokens of all of them together.
        """
        from dopejar.engine.queries.tool_checks import is_checked
        from dopejar.pipelines.corrections.tool_checks.tool_calls import read_call
        from dopejar.pipelines.recall.call_rules import rules_of_call
        from dopejar.text.tokens import count_tokens

        scopes = (*ReadScope.inside(self._project).scopes, EVERY_LANGUAGE)
        with self._deps.store.read() as view:
            records = active_guidance(view, ReadScope(scopes=scopes), self._deps.clock.now())
            rules = [record for record in records if record.approved_by and record.id not in known]
            chosen: list[Record] = []
            for rule in rules_of_call(read_call(tool, given), rules, place):
                cost = count_tokens(rule.text)
                if len(chosen) < limit and cost <= budget and not is_checked(view, rule):
                    chosen.append(rule)
                    budget -= cost
        return tuple(chosen)

    def instructions(self, into: Path | None = None, budget: int = _SECTION_BYTES) -> str:
        """The section of an instruction file (AGENTS.md, CLAUDE.md) that states what holds here; `budget` is in bytes.

        It states only what a person approved: an assistant reads it in every conversation, without having asked.
        With `into`, the section is written between its markers into that file; the rest of the file is unchanged.

        Raises:
            InputError: the file cannot be read or written, is read-only, or has half a pair of markers, or the budget
            is
                too small for anything. The file is unchanged.
        """
        from dopejar.governance.reviewer_credentials import is_person
        from dopejar.pipelines.corrections import instruction_file, views

        approved = [record for record in self._guidance() if is_person(record.approved_by)]
        project = self._project.id if self._project else ""
        section = instruction_file.render_section(
            views.profile(approved),
            views.decisions(approved, project).get(project, ()),
            views.corrections(approved),
            budget=budget,
        )
        if into is not None:
            rewrite_file(into.expanduser(), lambda old: instruction_file.insert_section(old, section))
        return section
