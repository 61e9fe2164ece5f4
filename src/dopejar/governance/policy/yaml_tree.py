"""A YAML document as a tree in which every value knows its line.

Takes: YAML. Gives: plain values with lines, and errors that name file, line and key. Never: builds objects, follows
anchors, or imports the YAML library before a text is read.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dopejar.errors import SettingError

if TYPE_CHECKING:
    import yaml

YamlValue = None | bool | int | float | str | dict[str, "YamlEntry"] | list["YamlEntry"]

_YAML_TAG = "tag:yaml.org,2002:"
_MOST_DEPTH = 12
_MOST_BRACKETS = 2000


@dataclass(frozen=True, kw_only=True, slots=True)
class YamlEntry:
    """One value of a file. `line` counts from 1; `key` is its path (`rules.conflict.when.kind`)."""

    value: YamlValue
    line: int
    key: str
    file: str

    def wrong(self, takes: str) -> SettingError:
        """The error for this value: it names file, line and key, what the key takes, and what it has."""
        return SettingError(f"{self.file}, line {self.line}: `{self.key}` takes {takes}, not {_describe(self.value)}.")

    def mapping(self, known: Collection[str] | None = None) -> dict[str, YamlEntry]:
        """The value as a mapping. Raises SettingError where it is none, or has an unknown key."""
        if not isinstance(self.value, dict):
            raise self.wrong("keys with values")
        if known is not None:
            for key, entry in self.value.items():
                if key not in known:
                    place = f"{entry.file}, line {entry.line}"
                    raise SettingError(f"{place}: `{entry.key}` is no known key. Use one of: {', '.join(known)}.")
        return self.value

    def items(self) -> list[YamlEntry]:
        """The value as a list. Raises SettingError where it is none."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return self.value

    def word(self, allowed: Collection[str] | None = None) -> str:
        """The value as a text, one of the allowed ones where they are given. Raises SettingError."""
        if not isinstance(self.value, str) or not self.value.strip():
            raise self.wrong("a text" if allowed is None else f"one of {', '.join(allowed)}")
        if allowed is not None and self.value not in allowed:
            raise self.wrong(f"one of {', '.join(allowed)}")
        return self.value.strip()

    def words(self, allowed: Collection[str]) -> tuple[str, ...]:
        """The value as a list of allowed words, at least one. Raises SettingError."""
        if not isinstance(self.value, list) or not self.value:
            raise self.wrong(f"a list of {', '.join(allowed)}")
        return tuple(entry.word(allowed) for entry in self.value)

    def number(self) -> float:
        """The value as a number from 0 to 1. Raises SettingError."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not 0 <= self.value <= 1:
            raise self.wrong("a number from 0 to 1")
        return float(self.value)

    def switch(self) -> bool:
        """The value as true or false. Raises SettingError."""
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value


def read_tree(text: str, file: str) -> YamlEntry:
    """The tree of one YAML text; `file` is its name in messages.

    Raises SettingError for invalid YAML, duplicate keys, anchors, and nesting deeper than a policy needs.
    """
    import yaml  # import time that most commands need not pay

    if text.count("[") + text.count("{") > _MOST_BRACKETS:  # the C parser uses one stack frame for each
        raise SettingError(f"{file}, line 1: a policy has no more than {_MOST_BRACKETS} brackets. Give another file.")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        node = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as cause:
        mark = cause.problem_mark or cause.context_mark
        place = f", line {mark.line + 1}" if mark is not None else ""
        raise SettingError(f"{file}{place}: the YAML is invalid ({cause.problem}). Correct it.") from cause
    except (yaml.YAMLError, UnicodeError) as cause:
        raise SettingError(f"{file}: the YAML is invalid ({cause}). Correct it.") from cause
    if node is None:
        return YamlEntry(value={}, line=1, key="the file", file=file)
    return _Builder(file).entry(node, "", 0)


class _Builder:
    """Turns YAML nodes into entries; keeps seen nodes to detect anchors."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._seen: set[int] = set()
        self._kept: list["yaml.Node"] = []  # keeps the ids of seen nodes from being reused

    def entry(self, node: "yaml.Node", key: str, depth: int) -> YamlEntry:
        line = node.start_mark.line + 1
        if id(node) in self._seen or depth > _MOST_DEPTH:
            place = f"{self._file}, line {line}"
            raise SettingError(f"{place}: anchors and deep nesting are not supported. Write the value out.")
        self._seen.add(id(node))
        self._kept.append(node)
        return YamlEntry(value=self._value(node, key, depth), line=line, key=key or "the file", file=self._file)

    def _value(self, node: "yaml.Node", key: str, depth: int) -> YamlValue:
        import yaml  # already imported when a tree is built

        if isinstance(node, yaml.MappingNode):
            return self._mapping(node.value, key, depth)
        if isinstance(node, yaml.SequenceNode):
            return [self.entry(item, f"{key}[{index}]", depth + 1) for index, item in enumerate(node.value)]
        return _scalar(node.tag.removeprefix(_YAML_TAG), node.value)

    def _mapping(self, pairs: list[tuple["yaml.Node", "yaml.Node"]], key: str, depth: int) -> dict[str, YamlEntry]:
        entries: dict[str, YamlEntry] = {}
        for name_node, value_node in pairs:
            name = str(name_node.value)
            if not isinstance(name_node.value, str) or name in entries:
                line = name_node.start_mark.line + 1
                problem = "occurs twice; keep one" if name in entries else "is no plain key; write a word"
                raise SettingError(f"{self._file}, line {line}: `{name}` {problem}.")
            entries[name] = self.entry(value_node, f"{key}.{name}" if key else name, depth + 1)
        return entries


def _scalar(tag: str, text: str) -> YamlValue:
    try:
        match tag:
            case "int":
                return int(text, 0) if text.lower().lstrip("+-").startswith(("0x", "0o", "0b")) else int(text)
            case "float":
                number = float(text)
                return number if math.isfinite(number) else text
            case "bool":
                return text.lower() in {"true", "yes", "on"}
            case "null":
                return None
            case _:
                return text
    except ValueError:
        return text  # a number in an unsupported notation stays a text, and the key's own check refuses it


def _describe(value: YamlValue) -> str:
    if isinstance(value, Mapping):
        return "keys with values"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    return "nothing" if value is None else repr(value)
