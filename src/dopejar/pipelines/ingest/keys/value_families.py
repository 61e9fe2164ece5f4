"""Value families: which words are values of one concept (themes, editors, databases, diets ...).

Takes: the shipped data file and, where there is one, a user's file of the same form. Gives: matches in a text. Never: a
value that no file names.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from dopejar.errors import InputError

_EDGE_LEFT = r"(?<![\w@/.-])"
_EDGE_RIGHT = r"(?![\w@/]|[.-]\w)"
_PIECE: Final = re.compile(r"\w+|[^\w\s]")  # an edge of a spelling is an edge of a piece


_Entry = tuple[str, str, bool, bool]  # family, canonical value, matched as written, weak


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """One concept and its values.

    `binary`: denying one value means the other. `rule`: it is about how work is done. `about`: subjects that add
    nothing ("tests" for a test runner). `after`: the value counts only behind such words.
    """

    name: str
    aspect: str
    one: bool
    binary: bool = False
    rule: bool = False
    suffix: str = ""
    about: tuple[str, ...] = ()
    after: re.Pattern[str] | None = None
    values: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """A value found in a text. `weak`: the word means other things too and counts only beside a verb of use."""

    family: str
    value: str
    start: int
    end: int
    weak: bool


@dataclass(frozen=True, slots=True)
class Families:
    """All families, and one expression that finds their values."""

    by_name: Mapping[str, Family]
    words: Mapping[str, _Entry] = field(repr=False)  # folded word: family, value, cased, weak
    exact: Mapping[str, _Entry] = field(repr=False)
    pattern: re.Pattern[str] = field(repr=False)
    pieces: Mapping[str, tuple[frozenset[str], ...]] = field(repr=False)  # of each spelling, by the first of them
    patterns: tuple[tuple[str, re.Pattern[str]], ...] = field(repr=False, default=())

    def find(self, text: str) -> tuple[Member, ...]:
        """The values in a text, in order."""
        found: list[Member] = []
        if self._may_hold(text):
            found += [member for match in self.pattern.finditer(text) if (member := self._member(match))]
        for name, pattern in self.patterns:
            found += [
                Member(family=name, value=match.group(0).casefold(), start=match.start(), end=match.end(), weak=False)
                for match in pattern.finditer(text)
            ]
        return tuple(sorted(found, key=lambda member: member.start))

    def _may_hold(self, text: str) -> bool:
        """Whether all pieces of a spelling stand in the text: a fraction of the cost of trying them all everywhere."""
        said = frozenset(_PIECE.findall(text.lower()))
        near = [one for first in self.pieces.keys() & said for one in self.pieces[first]]
        return not text.isascii() or any(one <= said for one in near)

    def _member(self, match: re.Match[str]) -> Member | None:
        word = match.group(0)
        entry = self.exact.get(word) or self.words.get(" ".join(word.casefold().split()))
        if entry is None:
            return None
        family, value, _, weak = entry
        after = self.by_name[family].after
        if after and not after.search(match.string[: match.start()]):
            return None
        return Member(family=family, value=value, start=match.start(), end=match.end(), weak=weak)


def load_families(extra: Path | None = None) -> Families:
    """The shipped families, with a user's file laid over them; InputError where that file is not of the form."""
    with files("dopejar.pipelines.ingest").joinpath("data", "families.toml").open("rb") as stream:
        tables = tomllib.load(stream)
    if extra is not None:
        try:
            added = tomllib.loads(extra.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise InputError(
                f"The value families in {extra} cannot be read: {error}. Correct the file or remove it."
            ) from error
        for name, table in added.items():
            tables[name] = _laid_over(tables.get(name, {}), table, name, extra)
    return _build(tables)


def values_named(text: str) -> tuple[Member, ...]:
    """The values of the families in force in a text, in order; a statement is looked at by several steps."""
    return _found(text, _EXTRA.get())


def families() -> Families:
    """The families in force, compiled at first use: the shipped ones, with the user's file where `using` names one."""
    return _compiled(_EXTRA.get())


@contextmanager
def using(extra: Path | None) -> Iterator[None]:
    """Within the block, and in this thread alone, a user's file lies over the shipped families.

    Raises:
        InputError: the file is not of the form; the message names the family and what it needs.
    """
    _compiled(extra)
    token = _EXTRA.set(extra)
    try:
        yield
    finally:
        _EXTRA.reset(token)


_EXTRA: ContextVar[Path | None] = ContextVar("extra_families", default=None)


@lru_cache(maxsize=1024)
def _found(text: str, extra: Path | None) -> tuple[Member, ...]:
    return _compiled(extra).find(text)


@lru_cache(maxsize=8)
def _compiled(extra: Path | None) -> Families:
    return load_families(extra)


_FLAGS: Final = frozenset({"one", "binary", "rule"})
_TEXTS: Final = frozenset({"aspect", "suffix", "after", "pattern"})
_LISTS: Final = frozenset({"about"})
_KNOWN: Final = frozenset({*_FLAGS, *_TEXTS, *_LISTS, "values"})
_KEY_PART: Final = re.compile(r"[^\W_]{1,12}$")


def _laid_over(below: Mapping[str, Any], above: object, name: str, source: Path) -> dict[str, Any]:
    wrong = _fault(above, is_new=not below)
    if wrong or not isinstance(above, dict):
        raise InputError(f"The family {name!r} in {source} {wrong}.")
    return {**below, **above, "values": {**below.get("values", {}), **above.get("values", {})}}


def _fault(table: object, *, is_new: bool) -> str:
    """What is wrong with a user's family; "" where nothing is."""
    if not isinstance(table, dict):
        return "must be a table: write [name] above its lines"
    unknown = sorted(set(table) - _KNOWN)
    if unknown:
        return f"has {', '.join(unknown)}; a family takes {', '.join(sorted(_KNOWN))}"
    values = table.get("values", {})
    if not isinstance(values, dict) or not all(_is_words(words) for words in values.values()):
        return 'needs a table `values` of canonical value = ["word", "other word"]'
    if is_new and not values and "pattern" not in table:
        return "names no values: give it a table `values`, or a `pattern`"
    return _fault_of_fields(table)


def _fault_of_fields(table: Mapping[str, object]) -> str:
    wrong = [name for name in _FLAGS & set(table) if not isinstance(table[name], bool)]
    if wrong:
        return f"has {wrong[0]} that is neither true nor false"
    wrong = [name for name in _TEXTS & set(table) if not isinstance(table[name], str)]
    if wrong:
        return f"has {wrong[0]} that is no text"
    if not _is_words(table.get("about", ["-"])):
        return "has `about` that is no list of words"
    if "aspect" in table and not _KEY_PART.match(str(table["aspect"])):
        return "has an aspect that is no word of at most 12 letters; it becomes a part of the key"
    for name in ("after", "pattern"):
        try:
            re.compile(str(table.get(name, "")))
        except re.error as fault:
            return f"has {name} that is no regular expression ({fault})"
    return ""


def _is_words(found: object) -> bool:
    return isinstance(found, list) and bool(found) and all(isinstance(one, str) and one.strip("~ ") for one in found)


def _build(tables: Mapping[str, Mapping[str, Any]]) -> Families:
    by_name: dict[str, Family] = {}
    words: dict[str, _Entry] = {}
    exact: dict[str, _Entry] = {}
    patterns: list[tuple[str, re.Pattern[str]]] = []
    for name, table in tables.items():
        by_name[name] = Family(
            name=name,
            aspect=str(table.get("aspect", name.title())),
            one=bool(table.get("one", False)),
            binary=bool(table.get("binary", False)),
            rule=bool(table.get("rule", False)),
            suffix=str(table.get("suffix", "")),
            about=tuple(table.get("about", ())),
            after=re.compile(str(table["after"]), re.IGNORECASE) if table.get("after") else None,
            values=tuple(table.get("values", {})),
        )
        if table.get("pattern"):
            patterns.append((name, re.compile(str(table["pattern"]))))
        for value, spellings in table.get("values", {}).items():
            for spelling in spellings:
                word = spelling.removeprefix("~")
                weak = spelling.startswith("~")
                cased = weak or word != word.casefold()  # a word with other meanings is matched as written
                entry = (name, value, cased, weak)
                (exact if cased else words)[word] = entry
    return Families(
        MappingProxyType(by_name),
        MappingProxyType(words),
        MappingProxyType(exact),
        _alternation(exact, words),
        _pieces((*exact, *words)),
        tuple(patterns),
    )


def _pieces(spellings: Iterable[str]) -> Mapping[str, tuple[frozenset[str], ...]]:
    found: dict[str, tuple[frozenset[str], ...]] = {}
    for one in spellings:
        first, *more = _PIECE.findall(one.lower())
        found[first] = (*found.get(first, ()), frozenset([first, *more]))
    return MappingProxyType(found)


def _alternation(exact: Mapping[str, object], words: Mapping[str, object]) -> re.Pattern[str]:
    """Longest first, so that "GitHub Actions" is not read as "GitHub"; capitals are checked on the match."""
    entries = sorted({*exact, *words}, key=lambda word: (-len(word), word))
    inner = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in entries)
    return re.compile(f"{_EDGE_LEFT}(?:{inner}){_EDGE_RIGHT}", re.IGNORECASE)
