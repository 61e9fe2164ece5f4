"""The cues of a language: regular expressions from data files, compiled once.

Takes: a language code. Gives: compiled patterns by name; a language without a file uses the English ones. Never: holds
a user's text.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Final

from dopejar.text.regex_prefilter.cues import Cue, compile_cues
from dopejar.text.regex_prefilter.rule_filter import RegexRule, RulePrefilter

_DEEPEST: Final = 2  # levels of macros within macros
_PACKAGE: Final = "dopejar.pipelines.corrections"


def data_table(name: str) -> Mapping[str, object]:
    """The content of a data file of this package."""
    with files(_PACKAGE).joinpath("data", f"{name}.toml").open("rb") as stream:
        return MappingProxyType(tomllib.load(stream))


def has_table(name: str) -> bool:
    """Whether the data file exists."""
    return files(_PACKAGE).joinpath("data", f"{name}.toml").is_file()


_NEVER_MATCHES: Final = Cue(RegexRule((), 0), RulePrefilter(()))


class CorrectionCues:
    """The cues of one language. Cues of the table `opening` are searched in the first sentence only."""

    def __init__(self, language: str, tables: Mapping[str, object]) -> None:
        self.language = language
        macros = tables.get("macros", {})
        sources = {
            (name, cue): expand_macros(parts, macros)
            for name, group in tables.items()
            if isinstance(group, dict) and name != "macros"
            for cue, parts in group.items()
            if isinstance(parts, list)
        }
        self._tables: dict[str, dict[str, Cue]] = {}
        for (name, cue), compiled in compile_cues(sources, is_folded=True).items():
            self._tables.setdefault(name, {})[cue] = compiled

    def groups(self) -> tuple[str, ...]:
        """The names of the groups of cues."""
        return tuple(self._tables)

    def names(self, group: str) -> Mapping[str, Cue]:
        """The cues of a group by name."""
        return self._tables.get(group, {})

    def cue(self, group: str, name: str) -> Cue:
        """A cue by group and name; a missing one never matches."""
        return self.names(group).get(name, _NEVER_MATCHES)

    def has(self, group: str, name: str, text: str) -> bool:
        """Whether a cue occurs in the text."""
        return self.cue(group, name).is_in(text)


def expand_macros(parts: Sequence[object], macros: object) -> list[str]:
    """The expressions with their macros expanded."""
    meanings = {f"<{name}>": str(meaning) for name, meaning in macros.items()} if isinstance(macros, dict) else {}
    return [_expand(str(part), meanings) for part in parts]


def _expand(part: str, meanings: Mapping[str, str]) -> str:
    for _ in range(_DEEPEST):
        for name, meaning in meanings.items():
            part = part.replace(name, meaning)
    return part


@lru_cache(maxsize=16)
def cues(language: str) -> CorrectionCues:
    """The cues of a language; English where there is no file for it. Compiled at first use."""
    known = language if has_table(language) else "en"
    return CorrectionCues(known, data_table(known))
