"""Which of several things of one kind a statement is about: flat 1 or flat 2, Mr Jones or Mrs Jones.

Takes: two statements with the words for their subjects, or any text. Gives: whether the two are about two things of one
kind; what a text tells from others of its kind. Never: tells people apart who share no name; who of them holds a post
may change.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.normalisation import fold
from dopejar.text.text_values import has_digit
from dopejar.text.words import content_words, query_terms, stem, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dopejar.values.statement import Statement

# what follows a subject and belongs to it: "the tenant [in 14 Alder Court]", "the meter [of no. 7]"
_BELONGS: Final = lazy_pattern(
    r"\s+(?:of|for|in|at|on|near|behind|with)\s+(?:(?:the|our|my|no\.?|number)\s+)*[\w./&'’-]+(?:\s+(?:[A-Z]|\d)[\w'’-]*)*"
)
# a later one takes the place of an earlier one
_REVISIONS: Final = lazy_pattern(r"\b(?:revision|version|release|edition|issue|draft|rev|ver|v)\b", re.IGNORECASE)
# of each row, two words in the places of each other tell two things of one kind apart
_CONTRASTS: Final = {
    word: row
    for row, words in enumerate(
        (
            "left right middle",
            "morning afternoon evening night day",
            "hourly daily nightly weekly monthly quarterly yearly annual",
            "spring summer autumn winter easter christmas",
            "first second third fourth fifth last",
            "one two three four five six",
            "upstairs downstairs ground basement",
            "upper lower top bottom",
            "front back rear side",
            "inner outer inside outside indoor outdoor",
            "old new",
            "older younger elder",
            "big small large little",
            "half full whole",
            "north south east west",
            "children youth adult junior senior",
            "boy girl man woman",
            "hot cold",
        )
    )
    for word in words.split()
}
_POSSESSIVE: Final = lazy_pattern(r"['’]s?$")
_LETTERS: Final = r"[^\W\d_]{2,}"
_MARK: Final = r"(?:[A-Za-z]?\d{1,4}[A-Za-z]?|[A-HJ-Z])(?!\w|[.,:]\d)"  # 2, 2b, A3, B; neither "I" nor 9.30
_COUNTED: Final = "one two three four five six seven eight nine ten eleven twelve"
_COUNTS: Final = {word: str(number) for number, word in enumerate(_COUNTED.split(), 1)}
# "flat two", "chapter three is", not "lunch two days ago"
_SPELT: Final = lazy_pattern(
    rf"\b(?P<kind>{_LETTERS}) (?P<mark>(?i:{'|'.join(_COUNTS)}))"
    r"(?= ?(?:$|[.,;:!?)'’]|(?:is|are|was|has|have|and|or|on|in|to|for|from|does|did|pays?|needs?)\b))"
)
# "web01", "crate7z", "Q3": one of a row that is numbered; not "v2", which takes the place of "v1"
_CODED: Final = lazy_pattern(
    r"\b(?P<kind>(?!(?:v|ver|rev)\d)[^\W\d_]+)-?(?P<mark>\d{1,6})(?P<tail>[a-z]?)\b", re.IGNORECASE
)
_ARTICLE: Final = lazy_pattern(r"^(?:the|our|this|that)\s+", re.IGNORECASE)
_OPENING: Final = 2  # words, in which a short subject stands
_LISTED: Final = r"(?:, and | and | or | & |, | ?[-–] ?|/)"
# "flat 2", "flats 1 and 3", "rooms 4-6", "server B's"
_MARKED: Final = lazy_pattern(rf"\b(?P<kind>{_LETTERS}) (?:no\.? ?|number |#)?(?P<marks>{_MARK}(?:{_LISTED}{_MARK})*)")
_SPAN: Final = lazy_pattern(r"(\d+) ?[-–] ?(\d+)")
_MOST: Final = 100  # things that a span of numbers tells of
_NAME: Final = r"[A-Z][\w-]+(?: [A-Z][\w-]+)*"
_NAMED: Final = (
    lazy_pattern(rf"\b(?P<names>{_NAME})['’]s? (?P<kind>[a-z]{{2,}})\b"),  # "Ada's desk"
    lazy_pattern(rf"(?<![.!?:] )(?<!^)\b(?P<names>{_NAME}) (?P<kind>[a-z]{{2,}})\b"),  # "the Porto office"
    lazy_pattern(rf"\b(?P<kind>{_LETTERS}) (?:of|for|in|at) (?:the )?(?P<names>{_NAME})"),  # "the office in Porto"
)
_OF: Final = " of"
_TYPED: Final = lazy_pattern(
    rf"\b(?P<names>{_LETTERS})['’]s (?P<kind>[a-z]{{2,}})\b"
)  # "ada's desk", by who types fast


class Thing(NamedTuple):
    """One of several things of a kind, and what tells it from the others: a flat and "2", a door and "back"."""

    kind: str
    mark: str

    @property
    def is_named(self) -> bool:
        """Whether a name tells it apart; it may be a second name of the same thing."""
        return self.kind.endswith(_OF)


@lru_cache(maxsize=4096)
def things_in(text: str) -> frozenset[Thing]:
    """The things that a text tells from others of their kind, by a number, a letter, a name or a contrast."""
    return frozenset(
        thing
        for thing in (*_marked(text), *_spelt(text), *_coded(text), *_contrasted(text), *_named(text))
        if thing.kind
    )


def are_others(things: frozenset[Thing], asked: frozenset[Thing]) -> bool:
    """Whether some of the things are of a kind that is asked for, and none is one of those asked for."""
    return things.isdisjoint(asked) and not {one.kind for one in things}.isdisjoint(one.kind for one in asked)


def names_another(earlier: Statement, later: Statement) -> bool:
    """Whether the two are about two things of one kind, by a number, a name or a contrast in their subjects."""
    mine, theirs = subject_of(later), subject_of(earlier)
    if not mine or not theirs or _REVISIONS.search(mine):
        return False
    own, other = _identifiers(mine, later.text), _identifiers(theirs, earlier.text)
    all_own, all_other = _terms(mine), _terms(theirs)
    if all_own.isdisjoint(all_other):
        return False
    if not _contrasts(all_own - all_other).isdisjoint(_contrasts(all_other - all_own)):
        return True
    new, old = own - all_other, other - all_own
    return any(map(has_digit, new)) is any(map(has_digit, old)) and bool(new) and bool(old)


def opens_with_another(earlier: str, later: str) -> bool:
    """Whether two texts open with two things of one kind, and neither tells of the other's: "web01", "web02"."""
    mine, theirs = _opening(later), _opening(earlier)
    return are_others(mine, theirs) and things_in(earlier).isdisjoint(mine) and things_in(later).isdisjoint(theirs)


def tells_something_else(earlier: Statement, later: Statement) -> bool:
    """Whether each of the two tells something of its subject that the other does not."""
    mine, theirs = (frozenset(query_terms(_rest(one))) for one in (later, earlier))
    return bool(mine - theirs) and bool(theirs - mine)


def has_subject_of_its_own(earlier: Statement, later: Statement) -> bool:
    """Whether neither text has a word for the other's subject, and each tells something that the other does not.

    Who says "I" or "it" names no subject. "Sam handles refunds now" is about what Jo did before.
    """
    mine, theirs = subject_of(later), subject_of(earlier)
    if not content_words(mine) or not content_words(theirs):
        return False
    is_named = frozenset(query_terms(mine)) & frozenset(query_terms(earlier.text))
    names_it = frozenset(query_terms(theirs)) & frozenset(query_terms(later.text))
    return not is_named and not names_it and tells_something_else(earlier, later)


def speaks_of(earlier: Statement, later: Statement) -> bool:
    """Whether the later one has a word of what the earlier one says of its subject: who "has moved out" of Dan's flat.

    Two that only share their subject mostly tell two properties of it.
    """
    said = frozenset(query_terms(_rest(earlier))) - frozenset(query_terms(subject_of(earlier)))
    return not said.isdisjoint(query_terms(later.text))


def _opening(text: str) -> frozenset[Thing]:
    return things_in(" ".join(_ARTICLE.sub("", text).split()[:_OPENING]))


def subject_of(said: Statement) -> str:
    """The words for the subject, with the place or the thing that it belongs to; empty where no reader found them."""
    start, end = _span(said)
    return said.text[start:end]


def _span(said: Statement) -> tuple[int, int]:
    frame = said.frame
    if frame is None or not frame.subject:
        return 0, 0
    start = said.text.find(frame.subject)
    end, value = start + len(frame.subject), said.text.find(frame.value, start + len(frame.subject))
    found = _BELONGS.match(said.text, end, value if frame.value and value >= 0 else len(said.text))
    return start, found.end() if found else end


def _rest(said: Statement) -> str:
    start, end = _span(said)
    return f"{said.text[:start]} {said.text[end:]}"


def _identifiers(subject: str, text: str) -> frozenset[str]:
    """The numbers and names among the words of a subject. A capital that only opens the sentence is none."""
    found, known = set(), content_words(subject)
    for place, word in enumerate(known):
        follows = known[place + 1] if place + 1 < len(known) else ""
        is_name = word[:1].isupper() and (
            not text.startswith(word) or follows[:1].isupper() or _POSSESSIVE.search(word) is not None
        )
        if is_name or has_digit(word):
            found.add(_plain(word))
    return frozenset(found)


def _terms(subject: str) -> frozenset[str]:
    return frozenset(map(_plain, content_words(subject)))


def _contrasts(terms: frozenset[str]) -> frozenset[int]:
    """The rows of the contrasts that the words are in, in the plural, too."""
    forms = (form for term in terms for form in (term, term.removesuffix("s")))
    return frozenset(_CONTRASTS[form] for form in forms if form in _CONTRASTS)


def _kind(word: str) -> str:
    """The stem of a word that may be one for a kind of things; empty for others."""
    return stem(word) if content_words(word) else ""


def _marked(text: str) -> Iterator[Thing]:
    for match in _MARKED.finditer(text):
        kind, marks = _kind(match["kind"]), match["marks"]
        yield from (Thing(kind, fold(mark)) for mark in re.findall(r"\w+", marks) if has_digit(mark) or len(mark) == 1)
        for first, last in _SPAN.findall(marks):
            yield from (Thing(kind, str(number)) for number in range(int(first), min(int(last), int(first) + _MOST)))


def _spelt(text: str) -> Iterator[Thing]:
    for match in _SPELT.finditer(text):
        yield Thing(_kind(match["kind"]), _COUNTS[fold(match["mark"])])


def _coded(text: str) -> Iterator[Thing]:
    for match in _CODED.finditer(text):
        yield Thing(f"{fold(match['kind'])}#{fold(match['tail'])}", match["mark"])


def _contrasted(text: str) -> Iterator[Thing]:
    """Counts are none: "three cats" are no other cats than two."""
    known = [*map(fold, words(text))]
    for one, following in pairwise(known):
        if one in _CONTRASTS and _CONTRASTS[one] != _CONTRASTS["two"] and (kind := _kind(following)):
            yield Thing(f"{kind} {_CONTRASTS[one]}", one)


def _named(text: str) -> Iterator[Thing]:
    for form in (*_NAMED, _TYPED) if text == text.lower() else _NAMED:
        for match in form.finditer(text):
            kind = _kind(match["kind"])
            names = content_words(match["names"])
            yield from (Thing(f"{kind}{_OF}", stem(_plain(name))) for name in names if kind)


def _plain(word: str) -> str:
    return fold(_POSSESSIVE.sub("", word))
