"""The cues of a language: regular expressions from data files, compiled once.

Takes: a language code. Gives: compiled patterns by name; a language without a file reads with the English ones.
Never: text of a user.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from dopejar.text.needles import may_match, needles

_FLAGS: Final = re.MULTILINE  # what is read is folded, so case needs no flag and the search is twice as fast
_ANCHORS: Final = (r"\b", "^")
_DEEPEST: Final = 2  # macros within macros
_PACKAGE: Final = "dopejar.pipelines.corrections"


def table(name: str) -> Mapping[str, object]:
    """A data file of this room as it is written."""
    with files(_PACKAGE).joinpath("data", f"{name}.toml").open("rb") as stream:
        return MappingProxyType(tomllib.load(stream))


def has_table(name: str) -> bool:
    """Whether there is such a data file."""
    return files(_PACKAGE).joinpath("data", f"{name}.toml").is_file()


@dataclass(frozen=True)
class Cue:
    """One cue; it is tried, and first compiled, only where one of its needles stands."""

    expression: str
    needles: tuple[str, ...] = ()

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled expression."""
        return re.compile(self.expression, _FLAGS)

    def search(self, text: str) -> re.Match[str] | None:
        """The first place where the cue stands in a folded text."""
        return self.pattern.search(text) if may_match(self.needles, text) else None


_NOTHING: Final = Cue(r"(?!)")


class Cues:
    """Compiled cues of one language. A cue of the table `opening` is looked for in the first sentence alone."""

    def __init__(self, language: str, tables: Mapping[str, object]) -> None:
        self.language = language
        macros = _strings(tables.get("macros", {}))
        self._tables = {
            name: {cue: alternation(parts, macros) for cue, parts in group.items() if isinstance(parts, list)}
            for name, group in tables.items()
            if isinstance(group, dict) and name != "macros"
        }

    def groups(self) -> tuple[str, ...]:
        """The groups of patterns there are."""
        return tuple(self._tables)

    def names(self, group: str) -> Mapping[str, Cue]:
        """The patterns of a group by name."""
        return self._tables.get(group, {})

    def pattern(self, group: str, name: str) -> Cue:
        """One pattern; a missing one never matches."""
        return self.names(group).get(name, _NOTHING)

    def has(self, group: str, name: str, text: str) -> bool:
        """Whether a cue occurs in the text."""
        return self.pattern(group, name).search(text) is not None


def _strings(value: object) -> dict[str, str]:
    return {str(key): str(part) for key, part in value.items()} if isinstance(value, dict) else {}


def alternation(parts: Sequence[object], macros: Mapping[str, str]) -> Cue:
    """One alternation. What must stand at a word or a line is tried there alone, which is most of the time saved."""
    written = [_spelled(str(part), macros) for part in parts]
    groups: dict[str, list[str]] = {}
    for part in written:
        anchor = next((one for one in _ANCHORS if part.startswith(one) and not _has_choice(part)), "")
        groups.setdefault(anchor, []).append(part.removeprefix(anchor))
    whole = "|".join(f"{anchor}(?:{'|'.join(f'(?:{part})' for part in rest)})" for anchor, rest in groups.items())
    return Cue(whole, needles(whole))


def _spelled(part: str, macros: Mapping[str, str]) -> str:
    for _ in range(_DEEPEST):
        for name, meaning in macros.items():
            part = part.replace(f"<{name}>", meaning)
    return part


def _has_choice(part: str) -> bool:
    """Whether an alternation stands outside every group."""
    depth, inside, escaped = 0, False, False
    for letter in part:
        if escaped:
            escaped = False
        elif letter == "\\":
            escaped = True
        elif inside:
            inside = letter != "]"
        elif letter == "[":
            inside = True
        elif letter in "()":
            depth += 1 if letter == "(" else -1
        elif letter == "|" and depth == 0:
            return True
    return False


@lru_cache(maxsize=16)
def cues(language: str) -> Cues:
    """The cues of a language; English where there is no file for it. Compiled at first use."""
    known = language if has_table(language) else "en"
    return Cues(known, table(known))
