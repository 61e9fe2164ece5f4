"""Edits of a JSON document that leave the rest of its text as it is.

Takes: the text of a document, a path of keys, a value. Gives: the text with a value added or removed, and what each
edit did, so that it can be taken back exactly. Never: changes indentation, order or spelling of what it does not edit.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from json import JSONDecodeError, JSONDecoder
from typing import Final

Place = tuple[str | int, ...]
_SPACE: Final = re.compile(r"[ \t\n\r\ufeff]*")
_INDENT: Final = re.compile(r"\n([ \t]+)\S")


@dataclass(frozen=True, kw_only=True, slots=True)
class Edit:
    """At `start`, the text `removed` was replaced by `inserted`."""

    start: int
    removed: str
    inserted: str

    def apply(self, text: str) -> str:
        """The text with this edit."""
        return text[: self.start] + self.inserted + text[self.start + len(self.removed) :]

    def reverse(self) -> Edit:
        """The edit that takes this one back."""
        return replace(self, removed=self.inserted, inserted=self.removed)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Node:
    """A value and where it stands; `parts` are the members of an object or an array, from their key to their end."""

    start: int
    end: int
    value: object
    parts: dict[str | int, tuple[int, _Node]] = field(default_factory=dict)


class JsonDocument:
    """A JSON text under edit; `edits` are those that were made, in order."""

    def __init__(self, text: str) -> None:
        """Raises JSONDecodeError where the text is not JSON."""
        self.text = text
        self.edits: list[Edit] = []
        self._root = _document(text)

    @property
    def value(self) -> object:
        """The document's value."""
        return self._root.value

    def at(self, path: Place) -> object:
        """The value at a path. Raises KeyError."""
        return self._node(path).value

    def add(self, path: Place, key: str | None, value: object) -> None:
        """Add a member to the object at a path, or where `key` is None an item to the array there, as the last one."""
        node, depth = self._node(path), len(path) + 1
        body = self.text[node.start + 1 : node.end - 1]
        unit, line = self._indent(), "\r\n" if "\r\n" in self.text else "\n"
        is_inline = bool(node.parts) and "\n" not in self.text[node.start : node.end]
        rendered = json.dumps(value, indent=None if is_inline else unit, ensure_ascii=False)
        member = (f"{json.dumps(key, ensure_ascii=False)}: " if key is not None else "") + rendered
        member = member.replace("\n", line + unit * depth)
        if not node.parts:
            inserted = f"{line}{unit * depth}{member}{line}{unit * (depth - 1)}"
            self._edit(node.start + 1, body, inserted)
            return
        last = max(part.end for _, part in node.parts.values())
        self._edit(last, "", f", {member}" if is_inline else f",{line}{unit * depth}{member}")

    def remove(self, path: Place) -> None:
        """Remove the member or item at a path, with the comma that parts it from the others."""
        node, key = self._node(path[:-1]), path[-1]
        spans = [(begin, part.end) for begin, part in node.parts.values()]
        begin, part = node.parts[key]
        place = spans.index((begin, part.end))
        if len(spans) == 1:
            begin, end = node.start + 1, node.end - 1
        elif place == 0:
            end = spans[1][0]
        else:
            begin, end = spans[place - 1][1], part.end
        self._edit(begin, self.text[begin:end], "")

    def _edit(self, start: int, removed: str, inserted: str) -> None:
        edit = Edit(start=start, removed=removed, inserted=inserted)
        self.edits.append(edit)
        self.text = edit.apply(self.text)
        self._root = _document(self.text)

    def _node(self, path: Place) -> _Node:
        node = self._root
        for key in path:
            node = node.parts[key][1]
        return node

    def _indent(self) -> str:
        found = _INDENT.search(self.text)
        return found[1] if found else "  "


def revert_edits(text: str, edits: Sequence[Edit]) -> str:
    """The text before these edits were made, in this order."""
    for edit in reversed(edits):
        text = edit.reverse().apply(text)
    return text


def _document(text: str) -> _Node:
    root = _node(text, _after_space(text, 0))
    if _after_space(text, root.end) != len(text):
        raise JSONDecodeError("Extra data", text, root.end)
    return root


def _after_space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _node(text: str, start: int) -> _Node:
    opening = text[start : start + 1]
    if opening not in {"{", "["}:
        value, end = JSONDecoder().raw_decode(text, start)
        return _Node(start=start, end=end, value=value)
    closing = "}" if opening == "{" else "]"
    parts: dict[str | int, tuple[int, _Node]] = {}
    place = _after_space(text, start + 1)
    while text[place : place + 1] != closing:
        if parts:
            if text[place : place + 1] != ",":
                raise JSONDecodeError("Expecting ',' delimiter", text, place)
            place = _after_space(text, place + 1)
        begin, key = place, len(parts)
        if opening == "{":
            name, place = _key(text, place)
            part = _node(text, place)
            if name in parts:
                raise JSONDecodeError(f"The key {name!r} stands twice", text, begin)
            parts[name] = (begin, part)
        else:
            part = _node(text, place)
            parts[key] = (begin, part)
        place = _after_space(text, part.end)
    values = {key: part.value for key, (_, part) in parts.items()}
    value = values if opening == "{" else list(values.values())
    return _Node(start=start, end=place + 1, value=value, parts=parts)


def _key(text: str, place: int) -> tuple[str, int]:
    """The key at a place, and where its value begins."""
    if text[place : place + 1] != '"':
        raise JSONDecodeError("Expecting property name enclosed in double quotes", text, place)
    name, end = JSONDecoder().raw_decode(text, place)
    end = _after_space(text, end)
    if text[end : end + 1] != ":":
        raise JSONDecodeError("Expecting ':' delimiter", text, end)
    return str(name), _after_space(text, end + 1)
