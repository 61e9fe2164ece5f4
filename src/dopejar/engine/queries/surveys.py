"""Looking over the whole store: hygiene, keys with their chains, what stands around an entity.

Takes: a view. Gives: surveys. Never: changes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.engine.queries import tool_checks
from dopejar.errors import InputError
from dopejar.ports.store import ReadView, RecordFilter
from dopejar.values.record import Record, Status
from dopejar.values.scope import Namespace, Project, ReadScope
from dopejar.values.strength import strength_of

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Dependencies
    from dopejar.engine.queries.tool_checks import CheckFinding
    from dopejar.pipelines.corrections.views import Line, Profile
    from dopejar.pipelines.hygiene import Hygiene

_MOST = 1_000_000
_BUDGET = 4096  # bytes of an instruction section
_MAY_WRITE = 0o222  # of a file's rights


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyLine:
    """One canonical key with the versions of its concept, oldest first, and how strong the one in force is."""

    key: str
    slot: str
    scope: str
    versions: tuple[Record, ...]
    strength: float

    @property
    def standing(self) -> Record:
        """The version in force, else the newest one."""
        return _standing(self.versions)


def _standing(versions: tuple[Record, ...]) -> Record:
    active = [one for one in versions if one.status is Status.ACTIVE]
    return active[-1] if active else versions[-1]


def hygiene(deps: Dependencies, namespace: Namespace = Namespace.PROD) -> Hygiene:
    """How clean the active memories are."""
    from dopejar.governance.policy.loop_guard import digests
    from dopejar.pipelines.hygiene import inspect

    with deps.store.read() as view:
        records = view.list_records(RecordFilter(namespace=namespace), _MOST)

        def was_injected(record: Record) -> bool:
            marks = digests(record.text)
            return bool(marks) and len(view.injected(marks, record.created_at)) == len(marks)

        return inspect(
            records,
            deps.clock.now(),
            has_secret=lambda text: bool(deps.redact(text)[1]),
            was_injected=was_injected,
        )


def keys(view: ReadView, now: datetime, prefix: str = "", namespace: Namespace = Namespace.PROD) -> tuple[KeyLine, ...]:
    """Every chain that begins so, by key; versions oldest first."""
    shown = (Status.ACTIVE, Status.SUPERSEDED, Status.STAGED, Status.QUARANTINED)
    where = RecordFilter(statuses=shown, namespace=namespace, key_prefix=prefix)
    lines: dict[tuple[str, ...], list[Record]] = {}
    for record in view.list_records(where, _MOST):
        if record.chain:
            # what is denied, and what holds for a time, may stand beside the version in force
            beside = record.value if record.value.startswith("-") and not record.supersedes else ""
            apart = record.id if record.temporary else beside
            lines.setdefault((str(record.scope), record.chain, apart), []).append(record)
    result = []
    for (scope, *_), records in lines.items():
        versions = tuple(sorted(records, key=lambda one: (one.valid_from, one.id)))
        newest = versions[-1]
        strong = round(strength_of(_standing(versions), now), 3)
        result.append(KeyLine(key=newest.key, slot=newest.slot, scope=scope, versions=versions, strength=strong))
    return tuple(sorted(result, key=lambda line: (line.key, line.scope)))


def directing(view: ReadView, read_scope: ReadScope) -> tuple[Record, ...]:
    """Active records that direct an assistant's work and that may be read here."""
    from dopejar.pipelines.corrections.proposing.staging import DIRECTING

    found = view.list_records(RecordFilter(kinds=DIRECTING, namespace=read_scope.namespace), _MOST)
    return tuple(one for one in found if read_scope.sees(one.namespace, one.scope))


def _put_into(path: Path, changed: Callable[[str], str]) -> None:
    """Write a file anew in one step: through a link the file it leads to, with the rights and line ends it had."""
    file = path.resolve()
    fresh = file.with_name(f".{file.name}.part")
    try:
        rights = file.stat().st_mode if file.exists() else None
        if rights is not None and not rights & _MAY_WRITE:
            raise InputError(f"{path} is read-only. Make it writable, or name another file.")
        old = file.read_bytes().decode("utf-8") if rights is not None else ""
        text = changed(old)
        if text == old:
            return
        try:
            fresh.write_bytes(text.encode("utf-8"))
            if rights is not None:
                fresh.chmod(rights)
            fresh.replace(file)
        finally:
            fresh.unlink(missing_ok=True)
    except (OSError, UnicodeDecodeError) as fault:
        raise InputError(f"{path} cannot be written: {fault}. Name another file.") from fault


class Surveys:
    """The verbs that look over the whole memory; `Memory` has them."""

    _deps: Dependencies
    _project: Project | None

    def hygiene(self, namespace: str = "prod") -> Hygiene:
        """How clean the active memories are: duplicates, junk, stale ones, secrets, recall loops, with examples."""
        return hygiene(self._deps, Namespace(namespace))

    def keys(self, prefix: str = "", namespace: str = "prod") -> tuple[KeyLine, ...]:
        """The canonical keys that begin so, each with the versions of its concept."""
        with self._deps.store.read() as view:
            return keys(view, self._deps.clock.now(), prefix, Namespace(namespace))

    def _directing(self) -> tuple[Record, ...]:
        with self._deps.store.read() as view:
            return directing(view, ReadScope.inside(self._project))

    def profile(self) -> Profile:
        """How the person wants work done: in general, and by programming language."""
        from dopejar.pipelines.corrections import views

        return views.profile(self._directing())

    def decisions(self) -> tuple[Line, ...]:
        """What was decided in the project at hand, newest first."""
        from dopejar.pipelines.corrections import views

        if self._project is None:
            return ()
        return tuple(views.decisions(self._directing(), self._project.id).get(self._project.id, ()))

    def corrections(self, limit: int | None = None) -> tuple[Line, ...]:
        """What was corrected, the most frequent first."""
        from dopejar.pipelines.corrections import views

        return views.corrections(self._directing(), limit)

    def instructions(self, into: Path | None = None, budget: int = _BUDGET) -> str:
        """The section of an instruction file (AGENTS.md, CLAUDE.md) that says what holds here, under a size budget.

        With `into`, the file gets the section between its markers; all else in it stays as it is.

        Raises:
            InputError: the file cannot be read or written, is read-only, has half a pair of markers, or the budget is
                too small for anything. The file is as it was.
        """
        from dopejar.pipelines.corrections import instruction_file

        written = instruction_file.section(self.profile(), self.decisions(), self.corrections(), budget=budget)
        if into is not None:
            _put_into(into.expanduser(), lambda old: instruction_file.with_section(old, written))
        return written

    def check(self, tool: str, given: Mapping[str, object], branch: str = "") -> tuple[CheckFinding, ...]:
        """The approved rules that a tool call would break, as far as they can be made precise, with what they rest on.

        Each says `prompt`: whoever runs the tool asks a person. A rule whose evidence contradicts its check is advice.
        """
        with self._deps.store.read() as view:
            records = directing(view, ReadScope.inside(self._project))
            return tool_checks.check_tool_call(view, records, tool, given, branch)
