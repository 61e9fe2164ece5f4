"""The cues of a language: regular expressions from data files, compiled once.

Takes: a language code. Gives: a frozen `Cues`; a language without a file reads with the English one. Never: text of a
user.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

_NOTHING: Final = re.compile(r"(?!)")
_CUTTING: Final = ("open.", "hedge.")  # tables whose matches are cut from the text as written
Pattern = re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Cues:
    """Compiled cues by `table.name`; a missing one never matches.

    `lowered` holds those without a capital: matching them against the lower-case text takes half the time of ignoring
    case. `written` holds the others, and those that are cut from the text.
    """

    language: str
    lowered: Mapping[str, Pattern]
    written: Mapping[str, Pattern]

    def has(self, name: str, text: str) -> bool:
        """Whether the cue occurs in the text."""
        return self._search(name, text) is not None

    def find(self, name: str, text: str) -> str:
        """The words that matched the cue, folded, or ""."""
        found = self._search(name, text)
        return found.group(0).strip(" ,.:;").casefold() if found else ""

    def pattern(self, name: str) -> Pattern:
        """The compiled expression behind a cue that is cut from the text."""
        return self.written.get(name, _NOTHING)

    def _search(self, name: str, text: str) -> re.Match[str] | None:
        lowered = self.lowered.get(name)
        return lowered.search(text.lower()) if lowered else self.written.get(name, _NOTHING).search(text)


def _cased(part: str) -> str:
    """Within a case-insensitive expression `[A-Z]` still means a capital letter."""
    return part.replace("[A-Z]", "(?-i:[A-Z])")


@lru_cache(maxsize=16)
def cues(language: str) -> Cues:
    """The cues of a language, English for every list it lacks. Compiled at first use."""
    path = files("dopejar.pipelines.ingest").joinpath("data", f"{language}.toml")
    if not path.is_file():
        return cues("en")
    with path.open("rb") as stream:
        tables = tomllib.load(stream)
    below = None if language == "en" else cues("en")
    lowered: dict[str, Pattern] = dict(below.lowered) if below else {}
    written: dict[str, Pattern] = dict(below.written) if below else {}
    for name, parts in ((f"{table}.{name}", parts) for table, names in tables.items() for name, parts in names.items()):
        whole = "|".join(f"(?:{part})" for part in parts)
        lowered.pop(name, None)
        written.pop(name, None)
        if "[A-Z" in whole or name.startswith(_CUTTING):
            written[name] = re.compile(_cased(whole), re.IGNORECASE)
        if "[A-Z" not in whole:
            lowered[name] = re.compile(whole)
    return Cues(language, MappingProxyType(lowered), MappingProxyType(written))
