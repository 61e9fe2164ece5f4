"""Compares the rows of a table with their digests and with their sum.

Takes: a snapshot, the key and the stored sums. Gives: what was changed, added and removed. Never: writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dopejar.adapters.sqlite.codec import Cell
from dopejar.adapters.sqlite.digest_sums import Sums
from dopejar.adapters.sqlite.row_digests import DigestedTable, RowDigests

_SHOWN = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class TableComparison:
    """How the rows of one table differ from their digests; rows are named as a person knows them."""

    name: str
    rows: int
    changed: tuple[str, ...]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    missing: int  # rows that the sum counts and the digests do not; below zero, the other way round
    is_sum_right: bool

    @property
    def is_all_altered(self) -> bool:
        """Whether no row has its digest."""
        return self.rows == len(self.changed) + len(self.added)

    def details(self) -> Iterator[str]:
        """One sentence per kind of difference."""
        for names, words in ((self.changed, "changed"), (self.added, "added"), (self.removed, "removed")):
            if names:
                rows = "1 row was" if len(names) == 1 else f"{len(names)} rows were"
                yield f"{rows} {words} outside DoPeJar: {', '.join(names[:_SHOWN])}{', ...' * (len(names) > _SHOWN)}"
        if not self.is_sum_right:
            count = f"{abs(self.missing)} too {'few' if self.missing > 0 else 'many'}"
            yield f"The rows are not those that DoPeJar wrote last{f' ({count})' if self.missing else ''}."


def compare_table(view: RowDigests, key: bytes, table: DigestedTable, sums: Sums) -> TableComparison:
    """The comparison of one table."""
    stored = view.stored_digests(table)
    left, total = dict(stored), Sums()
    for digest in stored.values():
        total.change(key, table.name, None, digest)
    changed: list[Cell] = []
    added: list[Cell] = []
    rows = 0
    for row, digest in view.computed_digests(key, table):
        rows += 1
        wanted = left.pop(row, None)
        if wanted is None:
            added.append(row)
        elif wanted != digest:
            changed.append(row)
    count, weight = sums.tables.get(table.name, (0, 0))
    there, sum_now = total.tables.get(table.name, (0, 0))
    return TableComparison(
        name=table.name,
        rows=rows,
        changed=_named(view, table, changed),
        added=_named(view, table, added),
        removed=tuple(map(str, left)),
        missing=count - there,
        is_sum_right=not sums.is_sound or (count, weight) == (there, sum_now),
    )


def _named(view: RowDigests, table: DigestedTable, rows: list[Cell]) -> tuple[str, ...]:
    """The rows as a person knows them; those that are not shown stay keys."""
    return (*(view.label(table, row) for row in rows[:_SHOWN]), *map(str, rows[_SHOWN:]))
