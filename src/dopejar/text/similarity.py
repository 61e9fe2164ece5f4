"""Whether two texts say the same.

Takes: two texts. Gives: a `Similarity`. Never: calls two texts the same whose polarity or values differ.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.text.lexicons import Lexicon, alternatives, guess_language, lexicon
from dopejar.text.normalisation import content_hash, fold
from dopejar.text.polarity import polarity
from dopejar.text.text_values import extract_values
from dopejar.text.words import index_terms, stem, words

if TYPE_CHECKING:
    from collections.abc import Mapping

_NEAR: Final = 0.75  # words alone
_LIGHT: Final = 0.35  # what a word of nearly every instruction weighs
_SHARED_PREFIX: Final = 6  # letters after which two stems are taken for forms of one word
_KIN_CREDIT: Final = 0.8  # for another form of a word, or its opposite: the same matter
_MOST_PAIRS: Final = 4096  # beyond, these are documents and forms of words no longer matter
_MARK: Final = "\u2063"  # stands before the number of a group of synonyms; no text holds it after folding
_NUMBERED: Final = re.compile(r"([\d.]+)(?: (.+))?$")
_DIGIT: Final = re.compile(r"\d")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_VALUE_WORDS: Final = re.compile(r"[^\W_]+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Similarity:
    """How like two texts are: `lexical` from 0 to 1, and what forbids calling them the same."""

    lexical: float
    same_polarity: bool
    same_values: bool
    same_meaning: bool
    has_opposites: bool = False  # a word here stands against its opposite there ("public", "private")


class _Reading(NamedTuple):
    """What one text says, taken apart once."""

    concepts: Mapping[str, float]  # concept -> weight
    poles: frozenset[str]  # concepts that have an opposite, stop words among them
    spoken: frozenset[str]  # folded words without diacritics
    polarity: int  # "without" turns it as well
    values: frozenset[str]
    language: str
    hash: str


class _Thesaurus(NamedTuple):
    """Synonyms and opposites of one language, ready for look-up."""

    book: Lexicon
    group_of: Mapping[str, str]  # word or stem -> group
    phrases: re.Pattern[str]
    privative: re.Pattern[str]
    unspaced_empty: re.Pattern[str]  # stop words and denials, for scripts without spaces
    light: frozenset[str]
    denials: frozenset[str]
    prefix: str  # that denies any word; "" where the language has none
    undenied: re.Pattern[str]  # words that only begin with it
    unsigned: frozenset[str]  # groups of which some words deny and some do not: "vegetarian", "don't eat meat"
    opposites: Mapping[str, frozenset[str]]


def similar(a: str, b: str) -> Similarity:
    """Compare two texts by words and synonyms, by polarity and by values.

    `lexical` is the weighted Dice overlap of their concepts. `same_polarity` also looks at opposites ("public",
    "private"). `same_meaning` is cautious: polarity and values agree, the words are near-same, and neither says
    something for which the other has another word.
    """
    mine, theirs = _read_as_pair(a, b)
    lexical, has_swapped = _overlap(mine, theirs)
    flips = _flips(mine, theirs)
    same_polarity = mine.polarity * theirs.polarity * (-1 if flips % 2 else 1) == 1
    same_values = _values_agree(mine, theirs)
    is_near = lexical >= _NEAR and not has_swapped
    return Similarity(
        lexical=lexical,
        same_polarity=same_polarity,
        same_values=same_values,
        same_meaning=mine.hash == theirs.hash or (same_polarity and same_values and is_near),
        has_opposites=bool(flips % 2),
    )


@lru_cache(maxsize=8)
def _thesaurus(language: str) -> _Thesaurus:
    book = lexicon(language)
    group_of: dict[str, str] = {}
    for number, group in enumerate(book.synonyms):
        for entry in group:
            group_of.setdefault(entry, f"{_MARK}{number}")
            if " " not in entry and language != "zh":
                group_of.setdefault(stem(entry), f"{_MARK}{number}")
    several = [entry for entry in group_of if " " in entry or "-" in entry or language == "zh"]
    known = _Thesaurus(
        book=book,
        group_of=group_of,
        phrases=alternatives(several, is_spaced=language != "zh"),
        privative=alternatives(book.privatives, is_spaced=language != "zh"),
        unspaced_empty=alternatives((*book.dropped_in_queries, *book.negations, *book.reversals), is_spaced=False),
        light=frozenset(_concept_of(word, group_of) for word in book.light),
        denials=frozenset({*book.negations, *book.reversals}),
        prefix="ne" if "ne*" in book.negations else "",
        undenied=alternatives(book.unnegations),
        unsigned=frozenset(
            f"{_MARK}{number}"
            for number, group in enumerate(book.synonyms)
            if len({polarity(entry, language) for entry in group}) > 1
        ),
        opposites={},
    )
    return known._replace(opposites=_opposites(known))


def _opposites(known: _Thesaurus) -> dict[str, frozenset[str]]:
    """The opposites as concepts, but for pairs of which one denies by itself ("never"): `polarity` counts those."""
    found: dict[str, set[str]] = {}
    for left, right in known.book.opposites:
        if all(polarity(word, known.book.language) == 1 for word in (left, right)):
            one, other = _concept_of(left, known.group_of), _concept_of(right, known.group_of)
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return {concept: frozenset(others) for concept, others in found.items()}


def _concept_of(word: str, group_of: Mapping[str, str]) -> str:
    root = stem(word)
    return group_of.get(word) or group_of.get(root) or root


def _read_as_pair(a: str, b: str) -> tuple[_Reading, _Reading]:
    """Both texts in one language: of a short one that could be any, the other one tells it."""
    languages = guess_language(a), guess_language(b)
    if languages[0] != languages[1]:
        languages = (guess_language(f"{a}\n{b}"),) * 2
    return _read(a, languages[0]), _read(b, languages[1])


@lru_cache(maxsize=1024)
def _read(text: str, language: str) -> _Reading:
    known = _thesaurus(language)
    folded = known.book.hedging.sub(" ", _without_openers(fold(text), known.book))
    phrased = known.phrases.sub(lambda match: f" {known.group_of.get(' '.join(match[0].split()), match[0])} ", folded)
    values = extract_values(text)
    concepts, poles = _concepts(phrased, known)
    concepts.update((f"={_bare(value)}", 1.0) for value in values if _DIGIT.search(value))
    return _Reading(
        concepts=concepts or dict.fromkeys(index_terms(text), 1.0),
        poles=poles,
        spoken=frozenset(_VALUE_WORDS.findall(_unmarked(fold(text)))),
        polarity=polarity(_signed(text, known), language) * (-1 if known.privative.search(folded) else 1),
        values=values,
        language=language,
        hash=content_hash(text),
    )


def _signed(text: str, known: _Thesaurus) -> str:
    """The text without the phrases that have a denial in them and yet say what another phrase says without one."""

    def rest(match: re.Match[str]) -> str:
        group = known.group_of.get(" ".join(match[0].split()), "")
        return "" if group in known.unsigned else match[0]

    return known.phrases.sub(rest, text)


def _bare(value: str) -> str:
    """A number without its unit; any other value as it is."""
    numbered = _NUMBERED.match(value)
    return numbered[1] if numbered else value


def _unmarked(folded: str) -> str:
    """Without diacritics: the same name is often written both ways."""
    return folded if folded.isascii() else _ACCENTS.sub("", unicodedata.normalize("NFD", folded))


def _without_openers(folded: str, book: Lexicon) -> str:
    rest = folded
    while rest and (opener := book.fluff_opening.match(rest)) and opener.end():
        rest = rest[opener.end() :]
    return rest or folded


def _concepts(phrased: str, known: _Thesaurus) -> tuple[dict[str, float], frozenset[str]]:
    """Concepts with their weights, and the poles: synonyms by group, other words by stem; no stops, no denials."""
    book = known.book
    found: dict[str, float] = {}
    poles: set[str] = set()
    for chunk in phrased.split():
        for word in (chunk,) if chunk.startswith(_MARK) else words(chunk):
            if book.language == "zh" and not word.isascii() and not word.startswith(_MARK):
                found.update(dict.fromkeys(index_terms(known.unspaced_empty.sub(" ", word)), 1.0))
                continue
            concept = word if word.startswith(_MARK) else _concept_of(_affirmed(word, known), known.group_of)
            if concept in known.opposites:
                poles.add(concept)
            is_value = _DIGIT.search(word) or (word in book.months and len(word) > 3)  # met again among the values
            is_empty = is_value or word in book.dropped_in_queries or word in known.denials or word.endswith("n't")
            if not is_empty or concept.startswith(_MARK):
                found[concept] = _LIGHT if concept in known.light else 1.0
    return found, frozenset(poles)


def _affirmed(word: str, known: _Thesaurus) -> str:
    """The word without a prefix that denies it, as in Czech: `polarity` counts the denial."""
    denies = known.prefix and word.startswith(known.prefix) and len(word) > len(known.prefix) + 2
    return word if not denies or known.undenied.fullmatch(word) else word.removeprefix(known.prefix)


def _overlap(mine: _Reading, theirs: _Reading) -> tuple[float, bool]:
    """The weighted Dice overlap, and whether each side has a weighty concept that the other lacks."""
    a, b = mine.concepts, theirs.concepts
    shared = sum(min(a[concept], b[concept]) for concept in a.keys() & b.keys())
    left = {concept for concept in a if concept not in b}
    right = {concept for concept in b if concept not in a}
    for one, other in _kin(left, right, _opposites_for(mine, theirs)):
        shared += _KIN_CREDIT * min(a[one], b[other])
        left.discard(one)
        right.discard(other)
    total = sum(a.values()) + sum(b.values())
    if not total:
        return float(mine.hash == theirs.hash), False
    has_swapped = any(a[concept] > _LIGHT for concept in left) and any(b[concept] > _LIGHT for concept in right)
    return min(1.0, 2 * shared / total), has_swapped


def _opposites_for(mine: _Reading, theirs: _Reading) -> Mapping[str, frozenset[str]]:
    """The opposites of the language of both; none where the languages differ."""
    return _thesaurus(mine.language).opposites if mine.language == theirs.language else {}


def _kin(left: set[str], right: set[str], opposites: Mapping[str, frozenset[str]]) -> list[tuple[str, str]]:
    """Pairs of opposites or forms of one word, each concept once; in an order that does not see which side is which."""
    if len(left) * len(right) > _MOST_PAIRS:
        return []
    found = [
        (one, other) for one in left for other in right if other in opposites.get(one, ()) or _is_form_of(one, other)
    ]
    pairs: list[tuple[str, str]] = []
    used: set[str] = set()
    for one, other in sorted(found, key=sorted):
        if one not in used and other not in used:
            pairs.append((one, other))
            used.update((one, other))
    return pairs


def _is_form_of(one: str, other: str) -> bool:
    if len(one) < _SHARED_PREFIX or len(other) < _SHARED_PREFIX or abs(len(one) - len(other)) > 3:
        return False
    return one[:_SHARED_PREFIX] == other[:_SHARED_PREFIX] and one.isalpha() and other.isalpha()


def _flips(mine: _Reading, theirs: _Reading) -> int:
    """How many opposites stand against each other: a pole here, its opposite there, neither on both sides."""
    opposites = _opposites_for(mine, theirs)
    lacking = theirs.poles - mine.poles
    return sum(not opposites.get(pole, frozenset()).isdisjoint(lacking) for pole in mine.poles - theirs.poles)


def _values_agree(mine: _Reading, theirs: _Reading) -> bool:
    """Whether every value of each side is met on the other: equal, the same bare number, or a name that is said."""
    return _all_met(mine.values, theirs) and _all_met(theirs.values, mine)


def _all_met(values: frozenset[str], other: _Reading) -> bool:
    return all(value in other.values or _is_met(value, other) for value in values)


def _is_met(value: str, other: _Reading) -> bool:
    numbered = _NUMBERED.match(value)
    if numbered:
        bare, unit = numbered[1], numbered[2]
        return any(
            (match := _NUMBERED.match(theirs)) is not None and match[1] == bare and not (unit and match[2])
            for theirs in other.values
        )
    parts = _VALUE_WORDS.findall(_unmarked(value))
    return bool(parts) and not any(part.isdigit() for part in parts) and other.spoken.issuperset(parts)
