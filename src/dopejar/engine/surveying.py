"""Looking over the whole store: hygiene, keys with their chains, what stands around an entity.

Takes: a view. Gives: surveys. Never: changes anything.
"""

from __future__ import annotations

from dataclasses import dataclass

from dopejar.engine.parts import Parts
from dopejar.governance.policy.loop_guard import digests
from dopejar.pipelines.hygiene import Hygiene, inspect
from dopejar.ports.store import ReadView, RecordFilter
from dopejar.values.edge import Edge
from dopejar.values.record import Record, Status
from dopejar.values.scope import Namespace

_MOST = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyLine:
    """One canonical key with the versions of its concept, oldest first."""

    key: str
    slot: str
    scope: str
    versions: tuple[Record, ...]

    @property
    def standing(self) -> Record:
        """The version in force, else the newest one."""
        active = [one for one in self.versions if one.status is Status.ACTIVE]
        return active[-1] if active else self.versions[-1]


def hygiene(parts: Parts, namespace: Namespace = Namespace.PROD) -> Hygiene:
    """How clean the active memories are."""
    with parts.store.read() as view:
        records = view.list_records(RecordFilter(namespace=namespace), _MOST)

        def was_injected(text: str) -> bool:
            marks = digests(text)
            return bool(marks) and len(view.injected(marks)) == len(marks)

        return inspect(
            records,
            parts.clock.now(),
            has_secret=lambda text: bool(parts.redact(text)[1]),
            was_injected=was_injected,
        )


def keys(view: ReadView, prefix: str = "", namespace: Namespace = Namespace.PROD) -> tuple[KeyLine, ...]:
    """Every chain that begins so, by key; versions oldest first."""
    shown = (Status.ACTIVE, Status.SUPERSEDED, Status.STAGED, Status.QUARANTINED)
    where = RecordFilter(statuses=shown, namespace=namespace, key_prefix=prefix)
    lines: dict[tuple[str, str], list[Record]] = {}
    for record in view.list_records(where, _MOST):
        if record.chain:
            lines.setdefault((str(record.scope), record.chain), []).append(record)
    result = []
    for (scope, _), records in lines.items():
        versions = tuple(sorted(records, key=lambda one: (one.valid_from, one.id)))
        newest = versions[-1]
        result.append(KeyLine(key=newest.key, slot=newest.slot, scope=scope, versions=versions))
    return tuple(sorted(result, key=lambda line: (line.key, line.scope)))


def graph(view: ReadView, entity: str, hops: int = 1, limit: int = 100) -> tuple[Edge, ...]:
    """Edges around an entity (`tool:ruff`, a bare name, or a memory's id), nearest first."""
    names = [entity] if ":" in entity or entity.startswith("m_") else [f"{kind}:{entity}" for kind in ENTITY_KINDS]
    found: dict[Edge, None] = {}
    for name in names:
        found.update(dict.fromkeys(view.neighbourhood(name.lower() if ":" in name else name, hops, limit)))
    return tuple(found)[:limit]


ENTITY_KINDS = ("person", "project", "service", "tool", "file", "place", "thing")
