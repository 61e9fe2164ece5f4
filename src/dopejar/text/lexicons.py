"""Lexicons: word lists per language, read from data files.

Takes: a language code or a text. Gives: the lexicon of the language; a cheap guess of a text's language. Never: reads
a lexicon file before it is needed, or twice.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from dopejar.errors import InputError
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.normalisation import fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LANGUAGES: Final = ("en", "pt", "es", "de", "fr", "ru", "cs", "zh")
_DATA: Final = Path(__file__).with_name("data")
_LONE_LETTER: Final = 0.4  # what a word of one letter tells: it may be a variable or a key to press
_LETTERS: Final = lazy_pattern(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_ELIDED: Final = 2.0  # no other of these languages writes so
_ELISION: Final = lazy_pattern(  # French drops a vowel before a vowel; not the D' of a name, nor the C's of English
    r"\b(?:[cdjlmnst]|qu|[CDJLMNST]|Qu)['\u2019](?=[aeiouyh\u00e0-\u00ff\u0153])"
)
_CYRILLIC: Final = lazy_pattern("[\u0400-\u04ff]")
_ENTRY: Final = lazy_pattern(r"^(?=\w+ = |\[)", re.MULTILINE)  # where a key or a table of a data file begins
_LATIN: Final = lazy_pattern("[A-Za-z\u00c0-\u024f]")
_HINTS: Final = (
    ("cs", lazy_pattern("[ěřůýčšžťďň]")),
    ("de", lazy_pattern("[ßäöü]")),
    ("pt", lazy_pattern("[ãõ]|ção|ções")),
    ("es", lazy_pattern("[ñ¿¡]|ción")),
    ("fr", lazy_pattern("[œèêîûù]")),
)


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """What one language says with which words; every entry is folded, entries of several words are allowed.

    `negations` deny (not, never); `reversals` are words that deny by their meaning (avoid, disable); `unnegations`
    look negative and are not (not only, no doubt). `has_concord`: several negations of one clause deny once.
    `privatives` deny a thing within a statement (without). `reporting` words let "that" carry the statement on.
    `subordinators`, `adjuncts`, `contrasts` and `conjunctions` part a sentence. `fluff` opens a sentence and says
    nothing; `interjections` do so only where punctuation follows; `light` words say little. `hedges` map to the
    certainty they leave, from 0 to 1. The first of each of the `synonyms` names its group.
    """

    language: str
    has_concord: bool
    negations: tuple[str, ...]
    reversals: tuple[str, ...]
    unnegations: tuple[str, ...]
    privatives: tuple[str, ...]
    reporting: frozenset[str]
    subordinators: tuple[str, ...]
    adjuncts: tuple[str, ...]
    contrasts: tuple[str, ...]
    conjunctions: tuple[str, ...]
    hedges: Mapping[str, float]
    intensifiers: frozenset[str]
    fluff: tuple[str, ...]
    interjections: tuple[str, ...]
    stops: frozenset[str]
    question_words: frozenset[str]
    light: frozenset[str]
    numbers: Mapping[str, int]
    months: Mapping[str, int]
    weekdays: Mapping[str, int]
    opposites: tuple[tuple[str, str], ...]
    synonyms: tuple[tuple[str, ...], ...]

    @cached_property
    def dropped_in_queries(self) -> frozenset[str]:
        """Stop and question words together."""
        return self.stops | self.question_words

    @cached_property
    def fluff_opening(self) -> re.Pattern[str]:
        """Matches one opener that says nothing, with its punctuation, at the start of a folded text."""
        close = "" if self.language == "zh" else r"(?!\w|[-']\w)"
        mark = r"[,:;.!?\u2026\u3001\u3002-]+"
        plain = rf"(?:{joined(self.fluff)}){close}\s*(?:{mark})?"
        marked = rf"(?:{joined(self.interjections)})\s*(?:{mark}|$)"
        return re.compile(rf"\s*(?:{plain}|{marked})(?:\s+|(?<=[^ -~])|$)")

    @cached_property
    def hedging(self) -> re.Pattern[str]:
        """Matches one hedge in a folded text."""
        return alternatives(self.hedges, is_spaced=self.language != "zh")


def joined(entries: Iterable[str]) -> str:
    """Entries as alternatives, longest first; `*` stands for the rest of a word."""
    ordered = sorted(set(entries), key=lambda entry: (-len(entry), entry))
    return "|".join(re.escape(entry).replace(r"\*", r"\w*").replace(r"\ ", r"\s+") for entry in ordered) or "(?!)"


def alternatives(entries: Iterable[str], *, is_spaced: bool = True) -> re.Pattern[str]:
    """One pattern that matches any entry, longest first; at word boundaries where the script has spaces."""
    return re.compile(rf"\b(?:{joined(entries)})(?!\w)" if is_spaced else f"(?:{joined(entries)})")


@lru_cache(maxsize=len(LANGUAGES))
def lexicon(language: str) -> Lexicon:
    """The lexicon of `language`, read once; raises InputError where there is none."""
    if language not in LANGUAGES:
        raise InputError(f"There is no lexicon for {language!r}. Use one of {', '.join(LANGUAGES)}.")
    raw = _read(language)
    entries, table, groups = partial(_entries, raw), partial(_table, raw), partial(_groups, raw)
    return Lexicon(
        language=language,
        has_concord=bool(raw.get("has_concord", False)),
        negations=tuple(entries("negations")),
        reversals=tuple(entries("reversals")),
        unnegations=tuple(entries("unnegations")),
        privatives=tuple(entries("privatives")),
        reporting=frozenset(entries("reporting")),
        subordinators=tuple(entries("subordinators")),
        adjuncts=tuple(entries("adjuncts")),
        contrasts=tuple(entries("contrasts")),
        conjunctions=tuple(entries("conjunctions")),
        hedges=MappingProxyType({key: float(str(value)) for key, value in table("hedges").items()}),
        intensifiers=frozenset(entries("intensifiers")),
        fluff=tuple(entries("fluff")),
        interjections=tuple(entries("interjections")),
        stops=frozenset(entries("stops")),
        question_words=frozenset(entries("question_words")),
        light=frozenset(entries("light")),
        numbers=MappingProxyType({key: int(str(value)) for key, value in table("numbers").items()}),
        months=MappingProxyType({key: int(str(value)) for key, value in table("months").items()}),
        weekdays=MappingProxyType({key: int(str(value)) for key, value in table("weekdays").items()}),
        opposites=tuple((group[0], group[1]) for group in groups("opposites")),
        synonyms=tuple(groups("synonyms")),
    )


@lru_cache(maxsize=len(LANGUAGES))
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language, without the rest of its lexicon: a short process needs no more."""
    return _listed(language, "stops")


@lru_cache(maxsize=len(LANGUAGES))
def question_words(language: str) -> frozenset[str]:
    """The question words of a language, likewise."""
    return _listed(language, "question_words")


@lru_cache(maxsize=len(LANGUAGES))
def light_words(language: str) -> frozenset[str]:
    """The words of nearly every instruction in a language, likewise."""
    return _listed(language, "light")


@lru_cache(maxsize=len(LANGUAGES))
def dropped_in_queries(language: str) -> frozenset[str]:
    """The stop and question words of a language together."""
    return stop_words(language) | question_words(language)


def _listed(language: str, name: str) -> frozenset[str]:
    entries = _ENTRY.split((_DATA / f"{language}.toml").read_text(encoding="utf-8"))
    return frozenset(_entries(_parsed("".join(entry for entry in entries if entry.startswith(f"{name} ="))), name))


@lru_cache(maxsize=len(LANGUAGES))
def unspaced_stops(language: str) -> re.Pattern[str]:
    """The same as one pattern, for scripts without spaces."""
    return alternatives(dropped_in_queries(language), is_spaced=False)


def _entries(raw: dict[str, object], name: str) -> list[str]:
    """A list of entries, or the words of a string."""
    raw_value = raw.get(name, [])
    return [fold(str(entry)) for entry in raw_value] if isinstance(raw_value, list) else fold(str(raw_value)).split()


def _table(raw: dict[str, object], name: str) -> dict[str, object]:
    raw_value = raw.get(name, {})
    return {fold(key): value for key, value in raw_value.items()} if isinstance(raw_value, dict) else {}


def _groups(raw: dict[str, object], name: str) -> list[tuple[str, ...]]:
    raw_value = raw.get(name, [])
    return [tuple(fold(str(entry)) for entry in group) for group in raw_value] if isinstance(raw_value, list) else []


def _read(name: str) -> dict[str, object]:
    return _parsed((_DATA / f"{name}.toml").read_text(encoding="utf-8"))


def _parsed(text: str) -> dict[str, object]:
    import tomllib

    return tomllib.loads(text)


def word_list(file: str, name: str) -> frozenset[str]:
    """One list of words of a data file, folded; raises InputError where the file has no such list."""
    raw_value = _read(file).get(name)
    if not isinstance(raw_value, str):
        raise InputError(f"The word file {file!r} has no list {name!r}. Reinstall the package.")
    return frozenset(fold(raw_value).split())


@lru_cache(maxsize=1)
def _markers() -> dict[str, tuple[str, ...]]:
    """Words that betray a language, each with the languages it speaks for."""
    spoken: dict[str, list[str]] = {}
    for language, marks in _read("markers").items():
        for word in dict.fromkeys(fold(str(marks)).split()):  # each speaks once
            spoken.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in spoken.items()}


@lru_cache(maxsize=1)
def _foreign_markers() -> frozenset[str]:
    """The markers that do not speak for English; without one of them a text in plain letters is English."""
    return frozenset(word for word, languages in _markers().items() if "en" not in languages)


def _language_of_script(sample: str) -> str:
    latin = len(_LATIN.findall(sample))
    if len(_CYRILLIC.findall(sample)) > latin:
        return "ru"
    return "zh" if 3 * sum("\u3400" <= letter <= "\u9fff" for letter in sample) > latin else ""


@lru_cache(maxsize=512)  # a turn is asked about by several rooms in a row
def guess_language(text: str) -> str:
    """One of `LANGUAGES`, by script, letters and everyday words of the first 400 characters; "en" when unsure."""
    sample = fold(text[:400])
    if by_script := "" if sample.isascii() else _language_of_script(sample):
        return by_script
    spoken = _LETTERS.findall(sample)
    is_elided = "'" in sample and _ELISION.search(text, 0, 400) is not None
    if sample.isascii() and not is_elided and _foreign_markers().isdisjoint(spoken):
        return "en"  # nothing could outweigh it
    scores = dict.fromkeys(LANGUAGES, 0.0)
    markers = _markers()
    for word, count in Counter(filter(markers.__contains__, spoken)).items():
        weight = count if len(word) > 1 else _LONE_LETTER
        for language in markers[word]:
            scores[language] += weight
    if is_elided:
        scores["fr"] += _ELIDED * len(_ELISION.findall(text[:400]))
    if not sample.isascii():
        for language, letters in _HINTS:
            scores[language] += min(2, len(letters.findall(sample)))
    best = max(LANGUAGES, key=lambda language: scores[language])
    return best if scores[best] > max(scores["en"], 2 * _LONE_LETTER) else "en"
