"""The cues of a language: regular expressions from data files, compiled once, when they are first asked for.

Takes: a language code. Gives: a frozen `Cues`; a language without a file uses the English one. Never: holds a user's
text.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from dopejar.text.regex_prefilter.cues import Cue, compile_cues

_NEVER_MATCHES: Final = re.compile(r"(?!)")
_CUTTING: Final = ("open", "hedge")  # tables whose matches are cut from the text as written
Pattern = re.Pattern[str]


class _Tables(dict[str, "Cue | None"]):
    """Cues by `table.name`, None for a missing one: each table is compiled with the first of its cues."""

    def __init__(self, tables: Mapping[str, Mapping[str, Sequence[str]]], fallback: _Tables | None) -> None:
        super().__init__()
        self._tables, self._fallback = tables, fallback

    @property
    def names(self) -> frozenset[str]:
        """The cues that there are, looked up or not."""
        own = frozenset(f"{table}.{name}" for table, names in self._tables.items() for name in names)
        return own | self._fallback.names if self._fallback is not None else own

    def __missing__(self, name: str) -> Cue | None:
        table = name.partition(".")[0]
        sources = self._tables.get(table, {})
        self.update(compile_cues({f"{table}.{one}": list(map(_cased, parts)) for one, parts in sources.items()}))
        if name not in self:
            self[name] = self._fallback[name] if self._fallback is not None else None
        return self[name]


@dataclass(frozen=True, slots=True)
class Cues:
    """Cues by `table.name`; a missing one never matches. `cutting`: parts of those that are removed."""

    language: str
    known: _Tables
    cutting: Mapping[str, tuple[str, ...]]

    @property
    def names(self) -> frozenset[str]:
        """The names of all cues, those of English for every list that the language lacks included."""
        return self.known.names

    def has(self, name: str, text: str) -> bool:
        """Whether the cue occurs in the text."""
        cue = self.known[name]
        return cue is not None and cue.is_in(text)

    def find(self, name: str, text: str) -> str:
        """The words that matched the cue, folded, or ""."""
        cue = self.known[name]
        match = cue.search(text) if cue else None
        return match.group(0).strip(" ,.:;").casefold() if match else ""

    def pattern(self, name: str) -> Pattern:
        """The expression of a cue whose match is removed from the text, compiled at first use."""
        return _compile_pattern(self.cutting[name]) if name in self.cutting else _NEVER_MATCHES


def _cased(part: str) -> str:
    """Keep `[A-Z]` a capital letter within a case-insensitive expression."""
    return part.replace("[A-Z]", "(?-i:[A-Z])")


@cache
def _compile_pattern(parts: tuple[str, ...]) -> Pattern:
    return re.compile(_cased("|".join(f"(?:{part})" for part in parts)), re.IGNORECASE)


@lru_cache(maxsize=16)
def cues(language: str) -> Cues:
    """The cues of a language, English for every list it lacks."""
    path = files("dopejar.pipelines.ingest").joinpath("data", f"{language}.toml")
    if not path.is_file():
        return cues("en")
    with path.open("rb") as stream:
        tables = tomllib.load(stream)
    fallback = None if language == "en" else cues("en")
    cutting = dict(fallback.cutting) if fallback else {}
    for table in _CUTTING:
        for name, parts in tables.get(table, {}).items():
            cutting[f"{table}.{name}"] = tuple(parts)
    return Cues(language, _Tables(tables, fallback.known if fallback else None), MappingProxyType(cutting))
