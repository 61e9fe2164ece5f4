"""The cues of a language: regular expressions from data files, compiled once.

Takes: a language code. Gives: compiled patterns by name; a language without a file reads with the English ones.
Never: text of a user.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final, TypeVar

from dopejar.text.needles import alternatives
from dopejar.text.sieve import Rule, Sieve

_FLAGS: Final = re.MULTILINE  # what is read is folded, so case needs no flag and the search is twice as fast
_DEEPEST: Final = 2  # macros within macros
_PACKAGE: Final = "dopejar.pipelines.corrections"
_Name = TypeVar("_Name")


def data_table(name: str) -> Mapping[str, object]:
    """A data file of this room as it is written."""
    with files(_PACKAGE).joinpath("data", f"{name}.toml").open("rb") as stream:
        return MappingProxyType(tomllib.load(stream))


def has_table(name: str) -> bool:
    """Whether there is such a data file."""
    return files(_PACKAGE).joinpath("data", f"{name}.toml").is_file()


@dataclass(frozen=True, slots=True)
class Cue:
    """One cue, tried only where the words of a text do not rule it out."""

    rule: Rule
    sieve: Sieve

    def search(self, text: str) -> re.Match[str] | None:
        """The first place where the cue stands in a folded text."""
        return self.rule.first(text, self.sieve.marks(text))

    def is_in(self, text: str) -> bool:
        """Whether the cue stands in a folded text."""
        marks = self.sieve.marks(text)
        return bool(marks & self.rule.hints) and self.rule.is_in(text, marks)


_NOTHING: Final = Cue(Rule((), 0), Sieve(()))


class Cues:
    """Cues of one language. A cue of the table `opening` is looked for in the first sentence alone."""

    def __init__(self, language: str, tables: Mapping[str, object]) -> None:
        self.language = language
        macros = tables.get("macros", {})
        written = {
            (name, cue): expand_macros(parts, macros)
            for name, group in tables.items()
            if isinstance(group, dict) and name != "macros"
            for cue, parts in group.items()
            if isinstance(parts, list)
        }
        self._tables: dict[str, dict[str, Cue]] = {}
        for (name, cue), one in compile_cues(written).items():
            self._tables.setdefault(name, {})[cue] = one

    def groups(self) -> tuple[str, ...]:
        """The groups of patterns there are."""
        return tuple(self._tables)

    def names(self, group: str) -> Mapping[str, Cue]:
        """The cues of a group by name."""
        return self._tables.get(group, {})

    def cue(self, group: str, name: str) -> Cue:
        """One cue; a missing one never matches."""
        return self.names(group).get(name, _NOTHING)

    def has(self, group: str, name: str, text: str) -> bool:
        """Whether a cue occurs in the text."""
        return self.cue(group, name).is_in(text)


def compile_cues(written: Mapping[_Name, Sequence[str]]) -> dict[_Name, Cue]:
    """Cues that share one sieve, each from its expressions."""
    parted = {name: [one for part in parts for one in alternatives(part)] for name, parts in written.items()}
    sieve = Sieve(one for parts in parted.values() for one in parts)
    return {name: Cue(sieve.rule(parts, _FLAGS), sieve) for name, parts in parted.items()}


def expand_macros(parts: Sequence[object], macros: object) -> list[str]:
    """Expressions with what their macros stand for."""
    meanings = {f"<{name}>": str(meaning) for name, meaning in macros.items()} if isinstance(macros, dict) else {}
    return [_spelled(str(part), meanings) for part in parts]


def _spelled(part: str, meanings: Mapping[str, str]) -> str:
    for _ in range(_DEEPEST):
        for name, meaning in meanings.items():
            part = part.replace(name, meaning)
    return part


@lru_cache(maxsize=16)
def cues(language: str) -> Cues:
    """The cues of a language; English where there is no file for it. Compiled at first use."""
    known = language if has_table(language) else "en"
    return Cues(known, data_table(known))
