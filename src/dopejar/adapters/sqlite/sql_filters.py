"""Search filters as SQL conditions, applied before anything is ranked.

Takes: a `SearchFilter` and the time. Gives: a condition over `r` (records) or `e` (episodes), with its values.
Never: ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from dopejar.adapters.sqlite.codec import Cell, when
from dopejar.adapters.sqlite.transaction import marks
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import BLOCK_TAG, Kind, Status
from dopejar.values.scope import EVERY_LANGUAGE, Namespace, Scope

NO_BLOCK_TAG: Final = f"r.attributes NOT LIKE '%\"{BLOCK_TAG}\":%'"
"""A condition over records: a tag of a block is no answer, and in no listing."""

_HELD: Final = (Status.ACTIVE, Status.SUPERSEDED)
_PRESENT: Final = "max(?, coalesce((SELECT at FROM ledger ORDER BY seq DESC LIMIT 1), ''))"


class Condition(NamedTuple):
    """`join` comes after the table, `where` is true for every row that may be returned."""

    join: str
    where: str
    values: tuple[Cell, ...]


class _ConditionBuilder:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.values: list[Cell] = []

    def add(self, condition: str, *values: Cell) -> None:
        self.parts.append(condition)
        self.values.extend(values)

    def among(self, column: str, wanted: Sequence[str], otherwise: str = "") -> None:
        self.add(f"({column} IN ({marks(len(wanted))}){otherwise})", *wanted)


def condition(where: SearchFilter, now: datetime) -> Condition:
    """The condition on rows of the filter's source. `now` decides what is still valid where no time is asked for."""
    return _of_records(where, now) if where.source is Source.RECORD else _of_episodes(where)


def _of_records(where: SearchFilter, now: datetime) -> Condition:
    built = _ConditionBuilder()
    join = ""
    if where.believed_seq is not None:
        join = "JOIN record_states s ON s.record_id = r.id"
        built.add("s.from_seq <= ? AND (s.to_seq IS NULL OR s.to_seq > ?)", where.believed_seq, where.believed_seq)
        built.add("r.status <> 'erased'")
    stood = "r" if where.believed_seq is None else "s"
    _status(built, where, stood)
    _validity(built, where, stood, now)
    built.add(NO_BLOCK_TAG)
    built.add("r.namespace = ?", where.read_scope.namespace.value)
    if not where.read_scope.all_projects:
        scopes = where.read_scope.scopes
        built.among("r.scope", [str(scope) for scope in scopes], or_any_language(scopes))
    if where.kinds:
        built.among("r.kind", where.kinds)
    if where.conversation is not None or where.origins:
        _evidence(built, where)
    return Condition(join=join, where=" AND ".join(built.parts), values=tuple(built.values))


def _status(built: _ConditionBuilder, where: SearchFilter, stood: str) -> None:
    is_belief = where.believed_seq is not None and where.valid_at is None
    statuses = (Status.ACTIVE,) if is_belief else _HELD
    # an unproven bullet is returned where bullets are asked for: otherwise it could never prove itself
    unproven = f" OR ({stood}.status = 'quarantined' AND r.kind = 'bullet')" if Kind.BULLET in where.kinds else ""
    built.add(f"({stood}.status IN ({marks(len(statuses))}){unproven})", *statuses)


def _validity(built: _ConditionBuilder, where: SearchFilter, stood: str, now: datetime) -> None:
    if where.valid_at is not None:
        at = when(where.valid_at)
        built.add(f"{stood}.valid_from <= ? AND ({stood}.valid_to IS NULL OR {stood}.valid_to > ?)", at, at)
    elif where.believed_seq is None:
        # by a clock that never runs behind the ledger; a value to come does not end the one before it
        to_come = f" OR ({stood}.valid_from > {_PRESENT} AND {stood}.status <> 'superseded')" if where.announced else ""
        built.add(
            f"({stood}.valid_from <= {_PRESENT}"
            f" AND ({stood}.valid_to > {_PRESENT} OR ({stood}.valid_to IS NULL AND {stood}.status <> 'superseded'))"
            f"{to_come})",
            *(when(now) for _ in range(3 if to_come else 2)),
        )
    else:
        built.add(
            f"({stood}.valid_to IS NULL OR {stood}.valid_to > coalesce((SELECT at FROM ledger WHERE seq = ?), ''))",
            where.believed_seq,
        )


def _evidence(built: _ConditionBuilder, where: SearchFilter) -> None:
    inner = _ConditionBuilder()
    if where.conversation is not None:
        inner.add("p.conversation = ?", where.conversation)
    if where.origins:
        inner.among("p.origin", where.origins)
    built.add(
        "r.id IN (SELECT v.record_id FROM episodes p JOIN evidence v ON v.episode_id = p.id WHERE "
        f"{' AND '.join(inner.parts)})"
        if where.conversation is not None
        else "EXISTS (SELECT 1 FROM evidence v JOIN episodes p ON p.id = v.episode_id WHERE v.record_id = r.id AND "
        f"{' AND '.join(inner.parts)})",
        *inner.values,
    )


def _of_episodes(where: SearchFilter) -> Condition:
    built = _ConditionBuilder()
    built.add("e.text <> ''")
    if where.read_scope.namespace is Namespace.PROD:  # nearly every conversation is: the others are quicker to list
        built.add("e.conversation NOT IN (SELECT id FROM conversations WHERE namespace <> 'prod')")
    else:
        built.add(
            "e.conversation IN (SELECT id FROM conversations WHERE namespace = ?)", where.read_scope.namespace.value
        )
    if not where.read_scope.all_projects:
        built.among("e.project", ["", *_projects(where.read_scope.scopes)])
    if where.conversation is not None:
        built.add("e.conversation = ?", where.conversation)
    for conversation in where.without:
        built.add("e.conversation <> ?", conversation)
    if where.origins:
        built.among("e.origin", where.origins)
    if where.valid_at is not None:
        built.add("e.at <= ?", when(where.valid_at))
    return Condition(join="", where=" AND ".join(built.parts), values=tuple(built.values))


def or_any_language(scopes: Sequence[Scope]) -> str:
    """What a condition on the scopes of records `r` lets through beside them: every language, where they have it."""
    return f" OR r.scope GLOB '{EVERY_LANGUAGE}'" if EVERY_LANGUAGE in scopes else ""


def _projects(scopes: Sequence[Scope]) -> list[str]:
    return [scope.name for scope in scopes if scope.kind == "project"]
