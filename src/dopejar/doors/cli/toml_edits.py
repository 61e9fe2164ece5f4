"""Edits of a TOML document by whole tables, which leave the rest of its text as it is.

Takes: the text of a document, a table. Gives: the text with the table appended or removed, and what each edit did.
Never: changes another table; an edit that would is refused.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Final

from dopejar.doors.cli.json_edits import Edit, Place
from dopejar.errors import InputError

_HEADER: Final = re.compile(r"^[ \t]*\[{1,2}[^\[\]\n]+\]{1,2}[ \t]*(?:#.*)?\r?$", re.MULTILINE)
_ABOVE: Final = re.compile(r"(?:^[ \t]*(?:#.*)?\r?\n)+\Z", re.MULTILINE)  # blank lines and remarks before a header


class TomlDocument:
    """A TOML text under edit; `edits` are those that were made, in order. Its places are tables."""

    def __init__(self, text: str) -> None:
        """Raises TOMLDecodeError where the text is not TOML."""
        self.text = text
        self.edits: list[Edit] = []
        self.value: object = tomllib.loads(text)

    def at(self, path: Place) -> object:
        """The value at a path; None where there is none."""
        value: object = self.value
        for key in path:
            value = value.get(str(key)) if isinstance(value, dict) else None
        return value

    def add(self, path: Place, key: str | None, value: object) -> None:
        """Append a table of texts and lists of texts. An empty one is not written: a table is made by its members."""
        if not value or not isinstance(value, Mapping):
            return
        name = ".".join(str(part) for part in (*path, key))
        lines = [f"[{name}]", *(f"{name} = {_rendered(part)}" for name, part in value.items())]
        before = "" if not self.text else "\n" if self.text.endswith("\n") else "\n\n"
        self._edit(len(self.text), "", before + "\n".join(lines) + "\n", _with(self.value, (*path, key), value))

    def remove(self, path: Place) -> None:
        """Remove a table with those below it. Raises InputError where it is not written as a table."""
        wanted = _without(self.value, path)
        for start, end in reversed(self._blocks(path)):
            self._edit(start, self.text[start:end], "", None)
        if _pruned(self.value) != _pruned(wanted):
            name = ".".join(map(str, path))
            raise InputError(f"{name} is not written as a table [{name}]; take it out by hand.")

    def _blocks(self, path: Place) -> list[tuple[int, int]]:
        """Where the tables at a path and below it begin and end."""
        headers = list(_HEADER.finditer(self.text))
        found = []
        for number, header in enumerate(headers):
            keys = _keys(header[0])
            if keys[: len(path)] != tuple(path):
                continue
            end = len(self.text)
            if number + 1 < len(headers):
                end = headers[number + 1].start()
                above = _ABOVE.search(self.text, header.end() + 1, end)
                end = above.start() if above else end  # remarks belong to the table below them
            found.append((header.start(), end))
        return found

    def _edit(self, start: int, removed: str, inserted: str, wanted: object) -> None:
        edit = Edit(start=start, removed=removed, inserted=inserted)
        text = edit.apply(self.text)
        try:
            value = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"its tables cannot be edited without changing others ({error}).") from error
        if wanted is not None and value != wanted:
            raise InputError("its tables cannot be edited without changing others.")
        self.text, self.value = text, value
        self.edits.append(edit)


def _rendered(value: object) -> str:
    """A text, or a list of texts, in a form that TOML and JSON share."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _keys(header: str) -> Sequence[object]:
    """The keys of a header; none where it is no header but a line of a text."""
    try:
        value: object = tomllib.loads(header.strip())
    except tomllib.TOMLDecodeError:
        return ()
    keys: list[object] = []
    while isinstance(value, dict) and value:
        key, value = next(iter(value.items()))
        keys.append(key)
    return tuple(keys)


def _with(value: object, path: Sequence[object], added: object) -> object:
    if not path:
        return added
    holder = value if isinstance(value, dict) else {}
    return {**holder, str(path[0]): _with(holder.get(str(path[0])), path[1:], added)}


def _without(value: object, path: Place) -> object:
    if not isinstance(value, dict) or path[0] not in value:
        return value
    if len(path) == 1:
        return {key: part for key, part in value.items() if key != path[0]}
    return {**value, str(path[0]): _without(value[str(path[0])], path[1:])}


def _pruned(value: object) -> object:
    """A value without empty tables at its top, which no text stands for."""
    return {key: part for key, part in value.items() if part != {}} if isinstance(value, dict) else value
