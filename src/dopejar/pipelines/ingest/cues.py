"""The cues of a language: regular expressions from data files, compiled once.

Takes: a language code. Gives: a frozen `Cues`; a language without a file reads with the English one. Never: text of a
user.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from dopejar.text.needles import alternatives
from dopejar.text.sieve import EVERY, Rule, Sieve

_NOTHING: Final = re.compile(r"(?!)")
_CUTTING: Final = ("open", "hedge")  # tables whose matches are cut from the text as written
Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Cue:
    """One cue, tried only where the words of a text do not rule it out.

    A cue without a capital is matched against the text in lower case, which takes half the time of ignoring case;
    `is_cased` tells the others.
    """

    rule: Rule
    sieve: Sieve
    is_cased: bool

    def is_in(self, text: str) -> bool:
        """Whether the cue occurs in the text."""
        # beyond ASCII ignoring case is more than writing small: then all is tried
        marks = self.sieve.marks(text) if text.isascii() or not self.is_cased else EVERY
        return bool(marks & self.rule.hints) and self.rule.is_in(text if self.is_cased else text.lower(), marks)

    def find(self, text: str) -> str:
        """The words that matched, or ""."""
        marks = self.sieve.marks(text) if text.isascii() or not self.is_cased else EVERY
        if not marks & self.rule.hints:
            return ""
        found = self.rule.first(text if self.is_cased else text.lower(), marks)
        return found.group(0) if found else ""


@dataclass(frozen=True, slots=True)
class Cues:
    """Compiled cues by `table.name`; a missing one never matches. `cutting` are those that are cut from the text."""

    language: str
    known: Mapping[str, Cue]
    cutting: Mapping[str, Pattern]

    def has(self, name: str, text: str) -> bool:
        """Whether the cue occurs in the text."""
        cue = self.known.get(name)
        return cue is not None and cue.is_in(text)

    def find(self, name: str, text: str) -> str:
        """The words that matched the cue, folded, or ""."""
        cue = self.known.get(name)
        return cue.find(text).strip(" ,.:;").casefold() if cue else ""

    def pattern(self, name: str) -> Pattern:
        """The compiled expression behind a cue that is cut from the text."""
        return self.cutting.get(name, _NOTHING)


def _cased(part: str) -> str:
    """Within a case-insensitive expression `[A-Z]` still means a capital letter."""
    return part.replace("[A-Z]", "(?-i:[A-Z])")


def _cues(tables: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, Cue]:
    """The cues of a data file by `table.name`; they share one sieve."""
    written = {f"{table}.{name}": parts for table, names in tables.items() for name, parts in names.items()}
    parted = {name: [one for part in parts for one in alternatives(_cased(part))] for name, parts in written.items()}
    sieve = Sieve((one for parts in parted.values() for one in parts), lower=True)
    found = {}
    for name, parts in parted.items():
        is_cased = any("[A-Z" in one for one in parts)
        found[name] = Cue(sieve.rule(parts, re.IGNORECASE if is_cased else 0), sieve, is_cased)
    return found


def _compiled(parts: Sequence[str]) -> Pattern:
    return re.compile(_cased("|".join(f"(?:{part})" for part in parts)), re.IGNORECASE)


@lru_cache(maxsize=16)
def cues(language: str) -> Cues:
    """The cues of a language, English for every list it lacks. Compiled at first use."""
    path = files("dopejar.pipelines.ingest").joinpath("data", f"{language}.toml")
    if not path.is_file():
        return cues("en")
    with path.open("rb") as stream:
        tables = tomllib.load(stream)
    below = None if language == "en" else cues("en")
    known = {**(below.known if below else {}), **_cues(tables)}
    cutting: dict[str, Pattern] = dict(below.cutting) if below else {}
    for table in _CUTTING:
        for name, parts in tables.get(table, {}).items():
            cutting[f"{table}.{name}"] = _compiled(parts)
    return Cues(language, MappingProxyType(known), MappingProxyType(cutting))
