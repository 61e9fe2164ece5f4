"""The cues of a language: regular expressions from data files, compiled once.

Takes: a language code. Gives: a frozen `Cues`; languages without a file read with the short international list.
Never: text of a user.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType

_NOTHING = re.compile(r"(?!)")
Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Cues:
    """Compiled cues by `table.name`; a missing one never matches."""

    language: str
    patterns: Mapping[str, Pattern]

    def has(self, name: str, text: str) -> bool:
        """Whether the cue occurs in the text."""
        return self.patterns.get(name, _NOTHING).search(text) is not None

    def find(self, name: str, text: str) -> str:
        """The words that matched the cue, folded, or ""."""
        found = self.patterns.get(name, _NOTHING).search(text)
        return found.group(0).strip(" ,.:;").casefold() if found else ""

    def pattern(self, name: str) -> Pattern:
        """The compiled expression behind a cue."""
        return self.patterns.get(name, _NOTHING)


def _cased(part: str) -> str:
    """Within a case-insensitive expression `[A-Z]` still means a capital letter."""
    return part.replace("[A-Z]", "(?-i:[A-Z])")


@lru_cache(maxsize=16)
def cues(language: str) -> Cues:
    """The cues of a language; English where there is no file for it. Compiled at first use."""
    path = files("dopejar.pipelines.ingest").joinpath("data", f"{language}.toml")
    if not path.is_file():
        return cues("en") if language != "en" else Cues("en", MappingProxyType({}))
    with path.open("rb") as stream:
        tables = tomllib.load(stream)
    patterns = {
        f"{table}.{name}": re.compile("|".join(f"(?:{_cased(part)})" for part in parts), re.IGNORECASE)
        for table, names in tables.items()
        for name, parts in names.items()
    }
    return Cues(language, MappingProxyType(patterns))
