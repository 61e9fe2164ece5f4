"""The cues of a language: regular expressions from data files, compiled once.

Takes: a language code. Gives: a frozen `Cues`; a language without a file uses the English one. Never: holds a user's
text.
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

from dopejar.text.regex_prefilter.required_literals import alternatives
from dopejar.text.regex_prefilter.rule_filter import EVERY, RegexRule, RulePrefilter

_NEVER_MATCHES: Final = re.compile(r"(?!)")
_CUTTING: Final = ("open", "hedge")  # tables whose matches are cut from the text as written
Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue, tried only where the prefilter does not rule it out for a text.

    A cue without a capital letter is matched against the text in lower case, which takes half the time of IGNORECASE;
    `is_cased` marks the others.
    """

    rule: RegexRule
    prefilter: RulePrefilter
    is_cased: bool

    def is_in(self, text: str) -> bool:
        """Whether the cue occurs in the text."""
        # beyond ASCII, IGNORECASE matches more than lower case does: then every cue is tried
        marks = self.prefilter.marks(text) if text.isascii() or not self.is_cased else EVERY
        return bool(marks & self.rule.hints) and self.rule.is_in(text if self.is_cased else text.lower(), marks)

    def find(self, text: str) -> str:
        """The words that matched, or ""."""
        marks = self.prefilter.marks(text) if text.isascii() or not self.is_cased else EVERY
        if not marks & self.rule.hints:
            return ""
        match = self.rule.first(text if self.is_cased else text.lower(), marks)
        return match.group(0) if match else ""


@dataclass(frozen=True, slots=True)
class Cues:
    """Compiled cues by `table.name`; a missing one never matches. `cutting` are those whose match is removed."""

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
        """The compiled expression of a cue whose match is removed from the text."""
        return self.cutting.get(name, _NEVER_MATCHES)


def _cased(part: str) -> str:
    """Keep `[A-Z]` a capital letter within a case-insensitive expression."""
    return part.replace("[A-Z]", "(?-i:[A-Z])")


def _compile_cues(tables: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, Cue]:
    """The cues of a data file by `table.name`; they share one prefilter."""
    sources = {f"{table}.{name}": parts for table, names in tables.items() for name, parts in names.items()}
    split = {
        name: [branch for part in parts for branch in alternatives(_cased(part))] for name, parts in sources.items()
    }
    prefilter = RulePrefilter((branch for branches in split.values() for branch in branches), lower=True)
    compiled = {}
    for name, branches in split.items():
        is_cased = any("[A-Z" in branch for branch in branches)
        compiled[name] = Cue(prefilter.rule(branches, re.IGNORECASE if is_cased else 0), prefilter, is_cased)
    return compiled


def _compile_pattern(parts: Sequence[str]) -> Pattern:
    return re.compile(_cased("|".join(f"(?:{part})" for part in parts)), re.IGNORECASE)


@lru_cache(maxsize=16)
def cues(language: str) -> Cues:
    """The cues of a language, English for every list it lacks. Compiled at first use."""
    path = files("dopejar.pipelines.ingest").joinpath("data", f"{language}.toml")
    if not path.is_file():
        return cues("en")
    with path.open("rb") as stream:
        tables = tomllib.load(stream)
    fallback = None if language == "en" else cues("en")
    known = {**(fallback.known if fallback else {}), **_compile_cues(tables)}
    cutting: dict[str, Pattern] = dict(fallback.cutting) if fallback else {}
    for table in _CUTTING:
        for name, parts in tables.get(table, {}).items():
            cutting[f"{table}.{name}"] = _compile_pattern(parts)
    return Cues(language, MappingProxyType(known), MappingProxyType(cutting))
