"""Whether two statements say one thing in other words: the decision behind "ten wordings are one record".

Takes: a statement, the wordings of what is known, and their cosines where vectors are at hand. Gives: a `Sameness`
with its reason; nothing else is asked, so it fits a review of near duplicates as well as telling. Never: calls two
statements the same that differ in person, polarity, number, name, weekday, time or in one word of the same frame.

How it is decided, in this order:

1. What forbids it: another person or another of two things that exclude each other (`rivals`), numbers or names that
   the other side does not have, values of one family that differ, a past against a present, an opposite polarity.
2. A minimal pair forbids it: the same frame with one stretch of words exchanged ("tests run before you push",
   "... before you merge"), unless the exchanged words name one relation (`kindred`: "lives", "is based").
3. The rest is weighed: the cosine, where there is one, and the words that each side has besides; words that only name
   a relation weigh less than others.

Weights and thresholds come from `bench/data/wordings-development.jsonl` and `near-misses.jsonl`, never from the
held-out set.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.families import Member, families, values_named
from dopejar.text.lexicons import Lexicon, guess_language, lexicon
from dopejar.text.normalise import content_hash, fold
from dopejar.text.similar import Similarity, similar, with_one_word_each
from dopejar.text.values_in import values_in
from dopejar.text.words import stem, words

# Logistic regression over the development wordings and the near misses; see `_Overlap` for what they weigh:
# cosine, anchored, shared, my things, my relations, their things, their relations, and the intercept.
WEIGHTS: Final = (6.88, -0.31, -0.38, -0.2, -0.29, -0.22, -0.32, -2.24)
WEIGHTS_WITHOUT_VECTORS: Final = (0.0, -0.31, 0.22, -0.69, -0.36, -0.71, -0.41, 2.28)
SAME: Final = 0.6  # of the probability
SAME_WITHOUT_VECTORS: Final = 0.76
MOST: Final = 4
_MOST_WORDINGS: Final = 16
_FRAME: Final = 0.5  # of the words, in the same order, make a frame
_DIGIT: Final = re.compile(r"\d")
_LETTERS: Final = re.compile(r"[^\W_]+")
_MIXED: Final = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
_ACRONYM: Final = re.compile(r"^[a-z0-9]{1,4}(?:-[a-z]+)?$")
_NAMELIKE: Final = re.compile(r"^[\w' .&+#/@~-]+$")  # a piece of code between backticks names nothing
_SPOKEN_CLOCK: Final = re.compile(
    r"\b(?P<part>half|quarter|five|ten|twenty) (?P<way>past|to) (?P<hour>\w+)\b"
    r"|\b(?P<hour2>\w+)(?: o'?clock)? in the (?P<half>morning|afternoon|evening)\b|\b(?P<noon>noon|midday|midnight)\b",
    re.IGNORECASE,
)
# The order of `rivals` in the data: kin, other people, animals, stages of a system, periods, weekdays.
_PERSONS: Final = frozenset({0, 1, 2})
_OWNERS: Final = frozenset({0, 1, 2, 3})  # a statement about one of them says nothing about another, or without it
_BY_DEFAULT: Final = {3: frozenset({1})}  # production is what is meant where no stage is named
_PERIODS: Final = 4
_WEEKDAYS: Final = 5
_FRAMELESS: Final = frozenset({"the", "a", "an", "our", "my", "please", "always"})
_NEXT: Final = 3  # words between a denial and what it turns round
_NO: Final = r"(?:can't|cannot|can not|must not|mustn't|may not|do not|don't|never|not|no|nothing|nobody)"
_CONTRAST: Final = re.compile(r"\b(?:instead of|rather than|in place of)\b", re.IGNORECASE)
_PART: Final = re.compile(r"[,;:.!?](?=\s|$)|(?=\b(?:but|over|without|sin|ohne|sans|sem)\b)")
_TURNED: Final = re.compile(r"\s*(?:over|without|sin|ohne|sans|sem)\b")
_LIMITS: Final = re.compile(
    rf"\b{_NO}\b(?=[^.;]*\b(?:more than|above|exceed|beyond|longer than|later than|over \d)\b)"
)
# "no merge without a review" demands the review
_DEMANDS: Final = re.compile(rf"\b{_NO}\b([^.;]*?)\b(?:without|unless|until|before)\b")
_REFUSED: Final = re.compile(
    r"\boff[ -]limits\b|\boff the table\b|\bout of the question\b|\bno[ -]go\b|\b(?:has|have) no place\b|"
    r"\b(?:keep|stay|steer|leave|keeps|stays)(?: \w+){0,2} (?:away|clear|out)\b|\bnot for (?:me|us)\b|"
    r"\bdo(?:es)? not belong\b|\bspare (?:me|us)\b|\bdo without\b|\b(?:give|gave|given) up\b|\bfree of\b"
)
_REPLACED: Final = re.compile(r"^(.*?)\b(?:should|must|is|are|gets?)?(?: be)? replaced (?:with|by)\b")
_NO_CHANGE: Final = re.compile(r"\binstead\b|\brather than\b|\breplaced (?:with|by)\b|\bno \w+ left\b", re.IGNORECASE)
_INTENDS: Final = re.compile(
    r"\b(?:want|wants|plan|planning|hope|hoping|aim|aiming|intend|wish|like|love|going|trying|training|determined) to "
    r"(?!have\b|be\b(?! able)|get\b|see\b|use\b)\w|"
    r"\b(?:goal|aim|aiming|ambition|resolution|target is|is my target|working towards|dream of|the plan is)\b",
    re.IGNORECASE,
)
_PARTS: Final = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20}


@dataclass(frozen=True, kw_only=True, slots=True)
class Sameness:
    """Whether two statements say one thing, how near they are from 0 to 1, and why."""

    same: bool
    score: float
    why: str


class _Lists(NamedTuple):
    kindred: Mapping[str, frozenset[int]]  # stem -> relations
    rivals: Mapping[str, tuple[int, int]]  # stem -> kind, which of it
    filler: frozenset[str]
    averse: frozenset[str]


class _Said(NamedTuple):
    """What one text says, taken apart once."""

    text: str
    frame: tuple[str, ...]  # stems in order
    content: frozenset[str]  # stems that carry meaning
    numbers: frozenset[str]
    names: frozenset[str]
    spoken: frozenset[str]
    families: Mapping[str, frozenset[str]]
    rivals: Mapping[int, frozenset[int]]
    affirmed: frozenset[str]
    denied: frozenset[str]
    past: bool
    intends: bool
    changes: bool


@lru_cache(maxsize=1)
def _lists() -> _Lists:
    with files("dopejar.pipelines.ingest").joinpath("data", "same.toml").open("rb") as stream:
        data = tomllib.load(stream)
    kindred: dict[str, set[int]] = {}
    for number, group in enumerate(data["kindred"]):
        for word in group.split():
            kindred.setdefault(stem(word), set()).add(number)
    rivals: dict[str, tuple[int, int]] = {}
    for kind, group in enumerate(data["rivals"]):
        for which, names in enumerate(group.split()):
            for word in names.split("="):
                rivals.setdefault(fold(word), (kind, which))
    return _Lists(
        {word: frozenset(numbers) for word, numbers in kindred.items()},
        rivals,
        frozenset(stem(word) for word in data["filler"].split()),
        frozenset(stem(word) for word in data["averse"].split()),
    )


def same_statement(told: str, known: Sequence[str], cosines: Sequence[float | None] = ()) -> Sameness:
    """Whether `told` says what the `known` wordings of one record say, all of one namespace, scope and owner.

    `cosines` stand beside the wordings, in their order; missing ones, and None, mean that no vector is at hand.
    """
    wordings = known[:_MOST_WORDINGS]
    hashed = content_hash(told)
    if any(content_hash(one) == hashed for one in wordings):
        return Sameness(same=True, score=1.0, why="the same words")
    language = guess_language(" ".join([told, *wordings[:2]]))  # together they tell it better than alone
    mine = _said(told, language)
    theirs = [_said(one, language) for one in wordings]
    forbids = _forbidden(mine, theirs)
    if forbids:
        return Sameness(same=False, score=0.0, why=forbids)
    beside = [*cosines, *[None] * len(wordings)][: len(wordings)]
    found = [_weighed(mine, one, theirs, cosine) for one, cosine in zip(theirs, beside, strict=True)]
    nothing = Sameness(same=False, score=0.0, why="nothing known")
    return max(found, key=lambda one: (one.same, one.score), default=nothing)


def _forbidden(mine: _Said, theirs: Sequence[_Said]) -> str:
    """What makes it another statement than any of the wordings, or ""."""
    if _other_kind(mine, theirs):
        return "another one of its kind"
    if all(one.past != mine.past for one in theirs):
        return "another time"
    if all(one.intends != mine.intends for one in theirs):
        return "a wish against a fact"
    return _other_values(mine, theirs)


def _other_kind(mine: _Said, theirs: Sequence[_Said]) -> bool:
    """Whether they are about different ones of things that exclude each other, or about another person."""
    for kind, which in mine.rivals.items():
        there = [one.rivals[kind] for one in theirs if kind in one.rivals]
        if there and all(which.isdisjoint(other) for other in there):
            return True
        if not there and kind in _OWNERS and not which <= _BY_DEFAULT.get(kind, frozenset()):
            return True
    return any(kind not in mine.rivals and all(kind in one.rivals for one in theirs) for kind in _PERSONS)


def _other_values(mine: _Said, theirs: Sequence[_Said]) -> str:
    numbers = frozenset[str]().union(*(one.numbers for one in theirs))
    if not _numbers_met(mine.numbers, numbers) or (not mine.numbers and all(one.numbers for one in theirs)):
        return "another number"
    spoken = frozenset[str]().union(*(one.spoken for one in theirs))
    if any(not _name_met(name, spoken) for name in mine.names):
        return "another name"
    named = [one for one in theirs if one.names]
    if named and not any(_name_met(name, mine.spoken) for one in named for name in one.names):
        return "another name"
    for family, values in mine.families.items():
        there = [one.families[family] for one in theirs if family in one.families]
        if there and all(values.isdisjoint(other) for other in there):
            return "another value"
    return ""


def _numbers_met(mine: Iterable[str], theirs: frozenset[str]) -> bool:
    return all(number in theirs or any(other.endswith(number) for other in theirs) for number in mine)


def _name_met(name: str, spoken: frozenset[str]) -> bool:
    return name in spoken or all(part in spoken or stem(part) in spoken for part in _LETTERS.findall(name))


def _weighed(mine: _Said, other: _Said, theirs: Sequence[_Said], cosine: float | None) -> Sameness:
    near = similar(mine.text, other.text, cosine)
    if _opposed(mine, other, near) and not _families_shared(mine, other):
        return Sameness(same=False, score=near.score, why="the opposite")
    if not mine.content or (cosine is None and not _shares_a_thing(mine, other)):
        return Sameness(same=False, score=near.score, why="too little in common")
    if _is_minimal_pair(mine, other, theirs):
        return Sameness(same=False, score=near.score, why="one thing in it is another")
    unexplained = _unexplained(mine, theirs)
    if unexplained and mine.changes and not any(one.changes for one in theirs):
        return Sameness(same=False, score=near.score, why="it says that something changed")
    odds = _odds(_Overlap.of(mine, other, unexplained), cosine)
    score = round(1 / (1 + math.exp(-odds)), 3)
    same = score >= (SAME_WITHOUT_VECTORS if cosine is None else SAME)
    return Sameness(same=same, score=score, why="the same in other words" if same else "too little in common")


def _shares_a_thing(mine: _Said, other: _Said) -> bool:
    """Whether both name one thing, and not only one relation ("I prefer them", "I prefer tea")."""
    return _anchored(mine, other) or any(word not in _lists().kindred for word in mine.content & other.content)


class _Overlap(NamedTuple):
    """What two statements share and what each has besides: things, and words that only name a relation."""

    anchored: bool
    shared: int
    my_things: int
    my_relations: int
    their_things: int
    their_relations: int

    @classmethod
    def of(cls, mine: _Said, other: _Said, unexplained: Sequence[str]) -> _Overlap:
        """Counted, each up to four: more of it says no more."""
        kindred = _lists().kindred
        besides = _unexplained(other, [mine])
        my_relations = sum(word in kindred for word in unexplained)
        their_relations = sum(word in kindred for word in besides)
        return cls(
            _anchored(mine, other),
            min(len(mine.content & other.content), MOST),
            min(len(unexplained) - my_relations, MOST),
            min(my_relations, MOST),
            min(len(besides) - their_relations, MOST),
            min(their_relations, MOST),
        )


def _odds(overlap: _Overlap, cosine: float | None) -> float:
    weights = WEIGHTS_WITHOUT_VECTORS if cosine is None else WEIGHTS
    values = (cosine or 0.0, *map(float, overlap), 1.0)
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def _opposed(mine: _Said, other: _Said, near: Similarity) -> bool:
    """Whether one affirms what the other denies, or each names the opposite of the other's word."""
    if (mine.affirmed & other.denied or mine.denied & other.affirmed) and not mine.denied & other.denied:
        return True
    return near.has_opposites and not mine.denied and not other.denied


def _anchored(mine: _Said, other: _Said) -> bool:
    """Whether both name one number, name, path or value."""
    shared = mine.numbers & other.numbers
    named = any(_name_met(name, other.spoken) for name in mine.names) or any(
        _name_met(name, mine.spoken) for name in other.names
    )
    day = mine.rivals.get(_WEEKDAYS, frozenset()) & other.rivals.get(_WEEKDAYS, frozenset())
    return bool(shared or day) or named or bool(_families_shared(mine, other))


def _families_shared(mine: _Said, other: _Said) -> list[str]:
    return [name for name, values in mine.families.items() if not values.isdisjoint(other.families.get(name, ()))]


def _is_minimal_pair(mine: _Said, other: _Said, theirs: Sequence[_Said]) -> bool:
    """Whether one stretch of words is exchanged within one frame, for words that name something else."""
    a, b = mine.frame, other.frame
    front = 0
    while front < min(len(a), len(b)) and a[front] == b[front]:
        front += 1
    back = 0
    while back < min(len(a), len(b)) - front and a[-1 - back] == b[-1 - back]:
        back += 1
    gone, come = b[front : len(b) - back], a[front : len(a) - back]
    if front + back < _FRAME * min(len(a), len(b)):
        return False
    known = frozenset[str]().union(*(one.content for one in theirs if one is not other))
    left = [word for word in come if word in mine.content and word not in other.content and word not in known]
    right = [word for word in gone if word in other.content and word not in mine.content]
    return bool(left and right) and not any(_kin(one, word) for one in left for word in right)


def _kin(one: str, other: str) -> bool:
    kindred = _lists().kindred
    return not kindred.get(one, frozenset()).isdisjoint(kindred.get(other, frozenset()))


def _unexplained(mine: _Said, theirs: Sequence[_Said]) -> list[str]:
    """Content words of the new statement that no wording has, nor a word kindred to one of theirs."""
    known = frozenset[str]().union(*(one.content for one in theirs))
    kindred = _lists().kindred
    relations = frozenset[int]().union(*(kindred.get(word, frozenset()) for word in known))
    return sorted(word for word in mine.content - known if kindred.get(word, frozenset()).isdisjoint(relations))


@lru_cache(maxsize=2048)
def _said(text: str, language: str) -> _Said:
    book = lexicon(language)
    plain = _clocks_read(text)
    named = _spoken(fold(plain))
    spoken = _spoken(with_one_word_each(plain, language))
    stems = tuple(stem(word) for word in spoken)
    numbers, names = _values(plain, language)
    members: dict[str, set[str]] = {}
    content = _content(spoken, book)
    affirmed, denied = _leaning(with_one_word_each(_CONTRAST.sub(", not ", plain), language), book)
    for member in values_named(plain):
        said = _content(_spoken(fold(plain[member.start : member.end])), book)
        value = _other_of_two(member) if said and said <= denied else member.value
        members.setdefault(member.family, set()).add(value)
    return _Said(
        text=text,
        frame=tuple(root for word, root in zip(spoken, stems, strict=True) if word not in _FRAMELESS),
        content=content,
        numbers=numbers,
        names=names,
        spoken=frozenset(named) | frozenset(spoken) | frozenset(stems),
        families={name: frozenset(found) for name, found in members.items()},
        rivals=_rivals_in((*named, *spoken), has_number=bool(numbers)),
        affirmed=affirmed - denied,
        denied=denied - affirmed,
        past=cues(language).has("time.past", text),
        intends=_INTENDS.search(text) is not None,
        changes=cues(language).has("time.change", _NO_CHANGE.sub(" ", text)),
    )


def _other_of_two(member: Member) -> str:
    """Denying one of two values means the other."""
    family = families().by_name[member.family]
    others = [value for value in family.values if value != member.value]
    return others[0] if family.binary and len(others) == 1 else member.value


def _spoken(folded: str) -> tuple[str, ...]:
    return tuple(word.removesuffix("'s") for token in words(folded) for word in _split(token))


def _content(spoken: Iterable[str], book: Lexicon) -> frozenset[str]:
    """The stems that carry meaning: no stop word, denial, strengthening, filler or number."""
    filler = _lists().filler
    found = set()
    for word in spoken:
        empty = word in book.dropped_in_queries or word in book.negations or word in book.intensifiers
        if not empty and not word.endswith("n't") and not _DIGIT.search(word) and stem(word) not in filler:
            found.add(stem(word))
    return frozenset(found)


def _rivals_in(spoken: Iterable[str], *, has_number: bool) -> dict[int, frozenset[int]]:
    rivals: dict[int, set[int]] = {}
    for word in spoken:
        kind, which = _lists().rivals.get(word, (-1, -1))
        if kind >= 0 and (has_number or kind != _PERIODS):
            rivals.setdefault(kind, set()).add(which)
    return {kind: frozenset(found) for kind, found in rivals.items()}


def _leaning(text: str, book: Lexicon) -> tuple[frozenset[str], frozenset[str]]:
    """Content words that are affirmed, and those that are denied: "use a logger, not print" does both."""
    affirmed: set[str] = set()
    denied: set[str] = set()
    averse = _lists().averse
    plain = _REFUSED.sub("forbidden", text)
    plain = _REPLACED.sub(r"not \1, ", _DEMANDS.sub(r" \1 ", _LIMITS.sub(" ", plain)))
    for clause in _PART.split(plain):
        spoken = _spoken(clause)
        first = next((place for place, word in enumerate(spoken) if _denies(word, book)), None)
        against = next((place for place, word in enumerate(spoken) if stem(word) in averse), None)
        is_against = first is not None or against is not None or _TURNED.match(clause) is not None
        if first is not None and against is not None and 0 < against - first <= _NEXT:
            is_against = False  # "not allergic"
        (denied if is_against else affirmed).update(_content(spoken, book) - averse)
    return frozenset(affirmed), frozenset(denied)


def _denies(word: str, book: Lexicon) -> bool:
    return word in book.negations or word.endswith("n't") or word in book.reversals


def _split(token: str) -> list[str]:
    return [token, *token.split("-")] if "-" in token.strip("-") and not _DIGIT.search(token) else [token]


def _clocks_read(text: str) -> str:
    """Spoken times of day as numbers: "quarter to ten" is 9:45."""

    def one(match: re.Match[str]) -> str:
        numbers = lexicon("en").numbers
        if match["noon"]:
            return "00:00" if match["noon"].lower() == "midnight" else "12:00"
        said = (match["hour"] or match["hour2"]).lower()
        hour = int(said) if said.isdigit() else numbers.get(said)
        if hour is None:
            return match[0]
        if match["half"]:
            return f"{hour + (12 if match['half'].lower() != 'morning' and hour < 12 else 0):02}:00"
        minutes = _PARTS[match["part"].lower()]
        return f"{hour:02}:{minutes:02}" if match["way"].lower() == "past" else f"{hour - 1:02}:{60 - minutes:02}"

    return _SPOKEN_CLOCK.sub(one, text)


def _values(text: str, language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Numbers without their units, and names; an abbreviation is no name, since it is often written out."""
    numbers: set[str] = set()
    names: set[str] = set()
    for value in values_in(text):
        if value.startswith("weekday "):
            continue  # a rival like any other
        if _DIGIT.search(value) and not value.startswith(("/", "~", ".")):
            numbered = [one for one in value.split() if _DIGIT.search(one)]
            names.update(one for one in numbered if _MIXED.search(one))
            numbers.update(one.strip("%.:-").removeprefix("sub-") for one in numbered if not _MIXED.search(one))
        elif not _ACRONYM.match(value) and _NAMELIKE.search(value) and (language == "en" or not value.isalpha()):
            names.add(value)
    return frozenset(numbers), frozenset(names)
