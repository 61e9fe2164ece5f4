"""Patterns in the store: a row each, found by their stems.

Takes: a view of the store, signatures, outcomes. Gives: the patterns that fit, and rows to write. Never: writes.

The index has a row for each kind and stem with the ids and stems of the patterns there. A pattern stands under those of
its stems one of which every input has that fits it, so a lookup reads an index row for each stem of the input, and then
the patterns that fit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, cast

from dopejar.governance.learning.pattern import (
    SIMILAR,
    Pattern,
    fits,
    lookup_stems,
    pattern_id,
    strengthened,
    weakened,
)
from dopejar.values.frozen_json import reader_of
from dopejar.values.held_bodies import as_list, list_of, object_of, require
from dopejar.values.versioned_rows import KeyValueRow

if TYPE_CHECKING:
    from dopejar.ports.store import ReadView

ROWS: Final = "pattern"
"""The kind of the held rows with patterns, by id."""

INDEX: Final = "pattern_index"
"""The kind of the held rows with the ids of patterns, by kind and stem."""


def find(view: ReadView, kind: str, stems: Sequence[str]) -> list[Pattern]:
    """The patterns that an input of this kind fits, the surest first; trimmed and unproven ones as well."""
    asked = frozenset(stems)
    ids: dict[str, None] = {}
    for stem in stems or ("",):
        row = view.held(INDEX, place_of(kind, stem))
        for name, is_general, others in read_index(row) if row is not None else ():
            if is_general or _may_fit(asked, others):
                ids[name] = None
    found = (pattern_of(row) for one in ids if (row := view.held(ROWS, one)) is not None)
    return sorted(
        (one for one in found if fits(one, stems)), key=lambda one: (one.confidence, one.hit_count), reverse=True
    )


def with_outcome(
    view: ReadView, kind: str, stems: Sequence[str], action: str, *, succeeded: bool, at: datetime
) -> Iterator[KeyValueRow]:
    """The rows of one more outcome: of the pattern that had this action, or of a new one.

    A success that a trimmed pattern would have had is noted with it.
    """
    for old in find(view, kind, stems):
        if old.action_taken != action:
            continue
        if not old.trimmed:
            yield row_of(view, strengthened(old, at) if succeeded else weakened(old))
            return
        if succeeded:
            yield row_of(view, replace(old, regrets=old.regrets + 1))
            return
    fresh = Pattern(
        id=pattern_id(kind, stems, action), kind=kind, stems=tuple(stems), action_taken=action, created_at=at
    )
    yield from rows_of_new(view, strengthened(fresh, at) if succeeded else weakened(fresh))


def rows_of_new(view: ReadView, pattern: Pattern) -> Iterator[KeyValueRow]:
    """The row of a pattern and of each index entry that lacks it."""
    yield row_of(view, pattern)
    for stem in lookup_stems(pattern.stems):
        key = place_of(pattern.kind, stem)
        row = view.held(INDEX, key)
        entries = [[name, is_general, *others] for name, is_general, others in read_index(row)] if row else []
        if all(entry[0] != pattern.id for entry in entries):
            body = json.dumps([*entries, entry_of(pattern)], separators=(",", ":"))
            yield KeyValueRow(kind=INDEX, key=key, body=body, version=row.version if row is not None else 0)


def row_of(view: ReadView, pattern: Pattern) -> KeyValueRow:
    """The next version of a pattern's row."""
    row = view.held(ROWS, pattern.id)
    return KeyValueRow(kind=ROWS, key=pattern.id, body=body_of(pattern), version=row.version if row is not None else 0)


def pattern_of(row: KeyValueRow) -> Pattern:
    """The pattern of a row. Raises as `values.held_bodies` does."""
    return cast("Pattern", reader_of(Pattern)({**object_of(row), "id": row.key}))


def read_index(row: KeyValueRow) -> list[tuple[str, int, list[str]]]:
    """The entries of a row of the index: id, whether made of others, stems. Raises as `values.held_bodies` does."""
    entries = []
    for name, is_general, *stems in map(as_list, list_of(row)):
        entries.append((require(name, str), require(is_general, int), [require(stem, str) for stem in stems]))
    return entries


def body_of(pattern: Pattern) -> str:
    """A pattern as the body of its row: the fields that are not as they are by default."""
    body = {name: value for name, value in asdict(pattern).items() if value != _DEFAULTS[name] and name != "id"}
    return json.dumps(body, default=datetime.isoformat, separators=(",", ":"))


def entry_of(pattern: Pattern) -> list[str | int]:
    """A pattern in the index: its id, whether it was made of others, its stems."""
    return [pattern.id, int(bool(pattern.made_of)), *pattern.stems]


def _may_fit(asked: frozenset[str], stems: Sequence[str]) -> bool:
    shared = len(asked.intersection(stems))
    return shared >= SIMILAR * (len(asked) + len(stems) - shared)


def place_of(kind: str, stem: str) -> str:
    """The key of an index row."""
    return f"{kind}#{stem}"


_DEFAULTS: Final = {one.name: one.default for one in fields(Pattern)} | {"made_of": ()}
