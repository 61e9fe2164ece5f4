"""Words in held rows: the notes of hosts, the goals of governed conversations, and the kept answers of the REST door.

Takes: held rows, and lines that are to go. Gives: the texts that somebody wrote in a row, and the row with a mark in
place of the lines. Never: changes how the rest of a row reads for whoever keeps it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.memory.hold import drop_rows, hold
from dopejar.text.normalisation import fold
from dopejar.text.words import words
from dopejar.values.episode import ERASED_MARK
from dopejar.values.versioned_rows import KEPT_ANSWERS, NOTES, TURN_STATES

if TYPE_CHECKING:
    from dopejar.ports.store import ReadView, WriteTransaction
    from dopejar.values.ids import EpisodeId
    from dopejar.values.versioned_rows import KeyValueRow

_GOALS: Final = frozenset({"goal", "lease_goal", "bookmark", "reason", "frame"})  # of a turn state: and what cites one
_SORTS: Final = frozenset({"role", "type", "status"})  # of a note: fields that say what a message is, not what it says
_FIELD: Final = re.compile(r"[a-z_]+")  # a name that a program gave to a part of a note
_CUT: Final = "\u2026"
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-][\d:]+)?")


def note_rows(view: ReadView) -> Iterator[KeyValueRow]:
    """The notes of every space."""
    for kind in view.held_kinds():
        if kind.startswith(NOTES):
            yield from view.held_of(kind)


def texts_in(row: KeyValueRow) -> tuple[str, ...]:
    """The texts of a note or of a turn state; of one that cannot be read, the whole of it."""
    found: list[str] = []

    def noted(text: str) -> str:
        found.append(text)
        return text

    try:
        _reworded(row, noted)
    except ValueError:
        return (row.body,)
    return tuple(found)


def blank_lines(tx: WriteTransaction, kind: str, key: str, gone: Collection[str]) -> None:
    """Put the mark of an erasure in place of lines of a row.

    A note whose own name is among them, and a row that cannot be read, go as a whole.
    """
    row = tx.held(kind, key)
    if row is None or not gone:
        return
    is_named = kind.startswith(NOTES) and any(line in gone for line in key.split("\n"))
    if is_named or texts_in(row) == (row.body,):
        drop_rows(tx, kind, (key,))
    elif any(line in gone for text in texts_in(row) for line in text.split("\n")):
        hold(tx, _reworded(row, lambda text: "\n".join(_blanked(text.split("\n"), gone))))


def _blanked(lines: Iterable[str], gone: Collection[str]) -> Iterator[str]:
    return (ERASED_MARK if line in gone else line for line in lines)


def conversation_names(view: ReadView, turns: Iterable[EpisodeId]) -> frozenset[str]:
    """The names of the conversations that the turns stand in."""
    conversations = {turn.conversation for turn in view.episodes(tuple(turns)).values()}
    rows = (view.conversation(one) for one in sorted(conversations))
    return frozenset(row.name for row in rows if row is not None)


def goals_from(row: KeyValueRow, texts: Sequence[str]) -> tuple[str, ...]:
    """The goals of a turn state that were taken from one of the texts, and what cites them."""
    said, found = [_flat(text) for text in texts], texts_in(row)
    own = [goal for goal in map(_flat, found) if goal.strip() and any(goal in text for text in said)]
    return tuple(text for text in found if any(goal in _flat(text) for goal in own))


def forget_derived(tx: WriteTransaction, names: Iterable[str], texts: Sequence[str]) -> None:
    """Drop what was made of erased texts: the kept answers of the REST door, and goals of their conversations."""
    drop_rows(tx, KEPT_ANSWERS, [row.key for row in tx.held_of(KEPT_ANSWERS)])
    for name in names:
        row = tx.held(TURN_STATES, name)
        if row is not None:
            blank_lines(tx, row.kind, row.key, {line for goal in goals_from(row, texts) for line in goal.split("\n")})


def _flat(text: str) -> str:
    """The words of a text between spaces; those of a long goal, which ends with an ellipsis, may end within a word."""
    return f" {' '.join(words(fold(text)))}{'' if text.endswith(_CUT) else ' '}"


def _reworded(row: KeyValueRow, change: Callable[[str], str]) -> KeyValueRow:
    """The row with its texts changed. Raises ValueError where its body is no JSON."""
    only = _GOALS if row.kind == TURN_STATES else None
    body = _walk(json.loads(row.body), change, only, "")
    return replace(row, body=json.dumps(body, ensure_ascii=False))


def _walk(value: object, change: Callable[[str], str], only: Collection[str] | None, field: str) -> object:
    """A value of JSON with its texts changed, and the names of its parts where they are words of somebody's."""
    if isinstance(value, dict):
        named = change if only is None else str
        return {
            name if _FIELD.fullmatch(name) else named(name): _walk(part, change, only, name)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [_walk(part, change, only, field) for part in value]
    if not isinstance(value, str) or not (field in only if only is not None else _is_said(field, value)):
        return value
    return change(value)


def _is_said(field: str, text: str) -> bool:
    return field not in _SORTS and not _TIME.fullmatch(text)
