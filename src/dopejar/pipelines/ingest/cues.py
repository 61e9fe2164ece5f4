"""The cues of a language: regular expressions from data files, compiled once.

Takes: a language code. Gives: a frozen `Cues`; a language without a file reads with the English one. Never: text of a
user.
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

from dopejar.text.needles import alternatives, may_match, needles

_NOTHING: Final = re.compile(r"(?!)")
_CUTTING: Final = ("open", "hedge")  # tables whose matches are cut from the text as written
Pattern = re.Pattern[str]


@dataclass(frozen=True)
class Cue:
    """One cue, looked for cheaply first, and compiled when it is first tried: most are not, for a single statement.

    What must open a text is tried there alone, and what may stand anywhere is looked for where one of its `needles`
    stands. A cue without a capital is matched against the text in lower case, which takes half the time of ignoring
    case; `is_cased` tells the others.
    """

    parts: tuple[str, ...]
    needles: tuple[str, ...]
    is_cased: bool

    @cached_property
    def whole(self) -> Pattern:
        """The expression as it is written."""
        return _compiled(self.parts, is_cased=self.is_cased)

    @cached_property
    def opening(self) -> Pattern:
        """What must open the text."""
        return _compiled([one for one in _single(self.parts) if one.startswith("^")], is_cased=self.is_cased)

    @cached_property
    def elsewhere(self) -> Pattern:
        """What may stand anywhere."""
        return _compiled([one for one in _single(self.parts) if not one.startswith("^")], is_cased=self.is_cased)

    def is_in(self, text: str) -> bool:
        """Whether the cue occurs in the text."""
        low = text.lower()
        read = text if self.is_cased else low
        if self.opening.match(read):
            return True
        may = may_match(self.needles, low) or not low.isascii()  # beyond ASCII ignoring case is more than writing small
        return may and self.elsewhere.search(read) is not None

    def find(self, text: str) -> str:
        """The words that matched, or ""."""
        found = self.whole.search(text if self.is_cased else text.lower()) if self.is_in(text) else None
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


def _single(parts: Sequence[str]) -> list[str]:
    return [one for part in parts for one in alternatives(part)]


def _cue(parts: Sequence[str]) -> Cue:
    single = _single(parts)
    elsewhere = [one for one in single if not one.startswith("^")]
    return Cue(
        parts=tuple(parts),
        needles=tuple(one.lower() for one in needles("|".join(elsewhere))) if elsewhere else (),
        is_cased=any("[A-Z" in one for one in single),
    )


def _compiled(parts: Sequence[str], *, is_cased: bool) -> Pattern:
    whole = "|".join(f"(?:{part})" for part in parts)
    if not parts:
        return _NOTHING
    return re.compile(_cased(whole), re.IGNORECASE) if is_cased else re.compile(whole)


@lru_cache(maxsize=16)
def cues(language: str) -> Cues:
    """The cues of a language, English for every list it lacks. Compiled at first use."""
    path = files("dopejar.pipelines.ingest").joinpath("data", f"{language}.toml")
    if not path.is_file():
        return cues("en")
    with path.open("rb") as stream:
        tables = tomllib.load(stream)
    below = None if language == "en" else cues("en")
    known: dict[str, Cue] = dict(below.known) if below else {}
    cutting: dict[str, Pattern] = dict(below.cutting) if below else {}
    for table, names in tables.items():
        for name, parts in names.items():
            known[f"{table}.{name}"] = _cue(parts)
            if table in _CUTTING:
                cutting[f"{table}.{name}"] = _compiled(parts, is_cased=True)
    return Cues(language, MappingProxyType(known), MappingProxyType(cutting))
