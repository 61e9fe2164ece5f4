"""What a statement says, taken apart for comparison: its frame, content, numbers, names, rivals, denials.

Takes: a text and its language. Gives: a `Said`. Never: compares; `sameness` does.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.keys.value_families import Member, families, values_named
from dopejar.pipelines.ingest.paraphrase.numbers_and_names import names_in, numbers_in, plainly
from dopejar.text.lexicons import Lexicon, lexicon
from dopejar.text.normalisation import fold
from dopejar.text.similarity import with_one_word_each
from dopejar.text.words import stem, words

_DIGIT: Final = re.compile(r"\d")
_LETTERS: Final = re.compile(r"[^\W_]+")
_RATE: Final = re.compile(r"(?:\b(?:per|each|every) |/)(second|minute|hour|day|week|month|year)\b", re.IGNORECASE)
_PERIODS: Final = 4
_LEAST_INITIALS: Final = 3
_FRAMELESS: Final = frozenset({"the", "a", "an", "our", "my", "please", "always"})
_REGION: Final = re.compile(r"\b[a-z]+(?:-[a-z]+){1,3}-\d+\b")  # eu-west-1 is one value
_NEXT: Final = 3  # words between a denial and what it turns round
_NO: Final = r"(?:can't|cannot|can not|must not|mustn't|may not|do not|don't|never|not|no|nothing|nobody)"
_CONTRAST: Final = re.compile(r"\b(?:instead of|rather than|in place of)\b", re.IGNORECASE)
_OVER: Final = r"over(?! (?:our|my|your|his|her|their|its?|this|here|there|\d))"  # tea over coffee, not over our porch
_PART: Final = re.compile(
    r"[;:.!?](?=\s|$)|,(?=\s|$)(?!\s(?:dass|que|that(?!'s| is))\b)|"
    rf"(?=\b(?:but|{_OVER}|without|sin|ohne|sans|sem|aber|sondern|sino|mais|mas)\b)"
)
_GOES_ON: Final = re.compile(r"\b(?:ever since|have been|has been|seitdem|desde entonces|depuis)\b", re.IGNORECASE)
_NOT_PAST: Final = re.compile(r"\b(?:antes de|antes que)\b", re.IGNORECASE)  # before something, not in former times
_CLAUSE: Final = re.compile(
    r"[,;:.!?](?=\s|$)|\b(?:but|because|since|so|although|though|which|when|whenever|if|unless|while|"
    r"weil|wenn|aber|sondern|porque|pero|sino|mas|mais|car|quand|parce)\b",
    re.IGNORECASE,
)
_TURNED: Final = re.compile(rf"\s*(?:{_OVER}|without|sin|ohne|sans|sem)\b")
_TURNED_LAST: Final = re.compile(r"\b(?:over|without|sin|ohne|sans|sem)(?: \w+)?\s*$")
_GIVEN_UP: Final = re.compile(
    r"\b(?:stopped|quit|dropped|abandoned|ditched|gave up|given up|rid of)(?: \w+ing)?(?: on)?(?: the| my| our)?\s*$"
)
_LIMITS: Final = re.compile(
    rf"\band no (?:longer|more)\b(?=\W*$)|\b{_NO}\b(?=[^.;]*\b(?:more than|above|exceed|beyond|longer than|"
    r"later than|over \d|below|under|less than|fewer than|earlier than)\b)"
)
# "no merge without a review" demands the review
_DEMANDS: Final = re.compile(rf"\b{_NO}\b([^.;]*?)\b(?:without|unless|until|before)\b")
_REFUSED: Final = re.compile(
    r"\boff[ -]limits\b|\boff the table\b|\bout of the question\b|\bno[ -]go\b|\b(?:has|have) no place\b|"
    r"\b(?:keep|stay|steer|leave|keeps|stays)(?: \w+){0,2} (?:away|clear|out)\b|\bnot for (?:me|us)\b|"
    r"\bdo(?:es)? not belong\b|\bspare (?:me|us)\b|\bdo without\b|\b(?:give|gave|given) up\b|\bfree of\b|"
    r"\bhands off\b|\b(?:should|must|has to|have to) go(?=\W*$)"
)
_REPLACED: Final = re.compile(r"^(.*?)\b(?:should|must|is|are|gets?)?(?: be)? replaced (?:with|by)\b")
_NO_CHANGE: Final = re.compile(
    r"\binstead\b|\brather than\b|\breplaced (?:with|by)\b|\bno \w+ left\b|\bnever left\b|\bswitched (?:on|off)\b|"
    r"\band no (?:longer|more)\b(?=\W*$)",
    re.IGNORECASE,
)
_INTENDS: Final = re.compile(
    r"(?<!n't )\b(?:want|wants|plan|planning|hope|hoping|aim|aiming|intend|wish|going|trying|training|determined|"
    r"set out|mind|(?:would|'d) (?:like|love)) to (?!have\b|be\b(?! able| \w+ing)|get\b|see\b|use\b)\w|"
    r"\b(?:goal|aim|aiming|ambition|resolution|my target|working towards|dream of|the plan is)\b|"
    r"\bby (?:the end of|year's end)\b|^plan:",
    re.IGNORECASE,
)
_OWN: Final = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|myself|we|we're|we've|our|ours|us|"
    r"ich|mir|mich|mein\w*|wir|uns\w*|yo|mi|mis|je|moi|mon|ma|mes|nous|notre|eu|meu|minha|nós|nosso|nossa)\b",
    re.IGNORECASE,
)


class Lists(NamedTuple):
    """The words of `data/same.toml`, stemmed."""

    kindred: Mapping[str, frozenset[int]]  # stem -> relations
    rivals: Mapping[str, tuple[int, int]]  # stem -> kind, which of it
    filler: frozenset[str]
    averse: frozenset[str]


class Part(NamedTuple):
    """One clause: its content, with its numbers as they are written, whether it speaks of the past, of a wish."""

    text: str
    words: frozenset[str]
    past: bool
    intends: bool


class Said:
    """What one text says, each trait taken from it when it is first asked for: a number or a name often decides."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self._language = language
        self._book = lexicon(language)
        self._plain = plainly(text)

    @cached_property
    def _named(self) -> tuple[str, ...]:
        return _spoken(fold(self._plain))

    @cached_property
    def _one_worded(self) -> str:
        return with_one_word_each(self._plain, self._language)

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return _spoken(self._one_worded)

    @cached_property
    def frame(self) -> tuple[str, ...]:
        """Stems in order."""
        return tuple(stem(word) for word in self._words if word not in _FRAMELESS)

    @cached_property
    def content(self) -> frozenset[str]:
        """Stems that carry meaning."""
        return _content(self._words, self._book)

    @property
    def numbers(self) -> frozenset[str]:
        """Numbers without their units, each in all its forms."""
        return numbers_in(self.text)

    @cached_property
    def names(self) -> frozenset[str]:
        """Names; an abbreviation is none, since it is often written out."""
        return names_in(self.text, self._language)

    @cached_property
    def spoken(self) -> frozenset[str]:
        """Every word, as it is said, by its synonym and by its stem."""
        return frozenset((*self._named, *self._words, *map(stem, self._words)))

    @cached_property
    def _valued(self) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]]]:
        """The values of the families in use, and those that are refused."""
        members: dict[str, set[str]] = {}
        refused: dict[str, set[str]] = {}
        for member in values_named(self._plain):
            said = _content(_spoken(fold(self._plain[member.start : member.end])), self._book)
            is_denied = bool(said) and said <= self._leaning[1]
            members.setdefault(member.family, set()).add(_other_of_two(member) if is_denied else member.value)
            if _is_refused(fold(self._plain[: member.start]), fold(self._plain[member.end :]), self._book):
                refused.setdefault(member.family, set()).add(member.value)
        return (
            {name: frozenset(found) for name, found in members.items()},
            {name: frozenset(found) for name, found in refused.items()},
        )

    @property
    def families(self) -> Mapping[str, frozenset[str]]:
        """Values by family."""
        return self._valued[0]

    @property
    def refused_values(self) -> Mapping[str, frozenset[str]]:
        """By family, values that are named only to say that they are not meant."""
        return self._valued[1]

    @cached_property
    def rivals(self) -> Mapping[int, frozenset[int]]:
        """Which of the things that exclude each other, by kind."""
        return _rivals_in((*self._named, *self._words, *_rates(self._plain)), has_number=bool(self.numbers))

    @cached_property
    def _leaning(self) -> tuple[frozenset[str], frozenset[str]]:
        return _leaning(with_one_word_each(_CONTRAST.sub(", not ", self._plain), self._language), self._book)

    @cached_property
    def affirmed(self) -> frozenset[str]:
        """Content words that are affirmed, and nowhere denied."""
        return self._leaning[0] - self._leaning[1]

    @cached_property
    def denied(self) -> frozenset[str]:
        """Content words that are denied, and nowhere affirmed."""
        return self._leaning[1] - self._leaning[0]

    @cached_property
    def past(self) -> bool:
        """Whether it says what was and is no more."""
        return _is_past(self.text, self._language)

    @cached_property
    def intends(self) -> bool:
        """Whether it states a wish or a plan."""
        return _INTENDS.search(self.text) is not None

    @cached_property
    def changes(self) -> bool:
        """Whether it says that something changed."""
        return cues(self._language).has("time.change", _NO_CHANGE.sub(" ", self.text))

    @cached_property
    def own(self) -> bool:
        """Whether the speaker speaks of themselves, or of what is theirs."""
        return _OWN.search(self.text) is not None

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """Its clauses."""
        return _parts(self._one_worded, self._book, self._language)

    @cached_property
    def refused(self) -> frozenset[str]:
        """Numbers that are named only to say that they are not meant."""
        return _refused(self._plain, self._book)


@lru_cache(maxsize=1)
def lists() -> Lists:
    """The words that comparing knows, read once."""
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
    return Lists(
        {word: frozenset(numbers) for word, numbers in kindred.items()},
        rivals,
        frozenset(stem(word) for word in data["filler"].split()),
        frozenset(stem(word) for word in data["averse"].split()),
    )


def name_met(name: str, spoken: frozenset[str]) -> bool:
    """Whether a name is said: in all its parts whatever their ending, run together, apart, or by its initials."""
    parts = _LETTERS.findall(name)
    if name in spoken or all(part in spoken or stem(part) in spoken for part in parts):
        return True
    if len(parts) == 1:
        return any(name.startswith(word) and name[len(word) :] in spoken for word in spoken if len(word) > 1)
    initials = "".join(part[0] for part in parts)
    return "".join(parts) in spoken or (len(initials) >= _LEAST_INITIALS and initials in spoken)


@lru_cache(maxsize=2048)
def said_in(text: str, language: str) -> Said:
    """What the text says. Its values are those of the families in use."""
    return Said(text, language)


def _other_of_two(member: Member) -> str:
    """Denying one of two values means the other."""
    family = families().by_name[member.family]
    others = [value for value in family.values if value != member.value]
    return others[0] if family.binary and len(others) == 1 else member.value


def _spoken(folded: str) -> tuple[str, ...]:
    return tuple(word.removesuffix("'s") for token in words(folded) for word in _split(token))


def _content(spoken: Iterable[str], book: Lexicon) -> frozenset[str]:
    """The stems that carry meaning: no stop word, denial, strengthening, filler or number."""
    filler = lists().filler
    found = set()
    for word in spoken:
        empty = word in book.dropped_in_queries or word in book.negations or word in book.intensifiers
        if not empty and not word.endswith("n't") and not _DIGIT.search(word) and stem(word) not in filler:
            found.add(stem(word))
    return frozenset(found)


def _rivals_in(spoken: Iterable[str], *, has_number: bool) -> dict[int, frozenset[int]]:
    rivals: dict[int, set[int]] = {}
    for word in spoken:
        kind, which = lists().rivals.get(word, (-1, -1))
        if kind >= 0 and (has_number or kind != _PERIODS):
            rivals.setdefault(kind, set()).add(which)
    return {kind: frozenset(found) for kind, found in rivals.items()}


def _rates(text: str) -> Iterator[str]:
    """What an amount is counted by, as words of one kind in the data: "per minute", "per hour"."""
    return (f"per-{found[1].lower()}" for found in _RATE.finditer(text))


def _leaning(text: str, book: Lexicon) -> tuple[frozenset[str], frozenset[str]]:
    """Content words that are affirmed, and those that are denied: "use a logger, not print" does both."""
    affirmed: set[str] = set()
    denied: set[str] = set()
    averse = lists().averse
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


def _is_past(text: str, language: str) -> bool:
    """Whether it says what was and is no more; what began then and goes on is present."""
    return cues(language).has("time.past", _NOT_PAST.sub(" ", text)) and _GOES_ON.search(text) is None


def _parts(text: str, book: Lexicon, language: str) -> tuple[Part, ...]:
    parts = []
    for clause in _CLAUSE.split(text):
        numbers = frozenset(word.strip("%.:-") for word in words(clause) if _DIGIT.search(word))
        found = _content(_spoken(clause), book) | numbers
        if found:
            parts.append(Part(clause, found, _is_past(clause, language), _INTENDS.search(clause) is not None))
    return tuple(parts)


def _refused(text: str, book: Lexicon) -> frozenset[str]:
    """Numbers in a clause that denies, and in no other: "on 6380, not on 6379"."""
    meant: set[str] = set()
    refused: set[str] = set()
    for clause in _PART.split(_LIMITS.sub(" ", _CONTRAST.sub(", not ", fold(text)))):
        spoken = words(clause)
        numbers = {word.strip("%.:-") for word in spoken if _DIGIT.search(word)}
        numbers |= set(_REGION.findall(clause)) if "-" in clause else frozenset()
        is_against = any(_denies(word, book) for word in spoken) or _TURNED.match(clause) is not None
        (refused if is_against else meant).update(numbers)
    return frozenset(refused - meant)


def _is_refused(before: str, after: str, book: Lexicon) -> bool:
    """Whether a value is named only to say that it is not meant: "not X", "instead of X", "X isn't"."""
    last = _spoken(_PART.split(_CONTRAST.sub(", not", before))[-1])[-_NEXT:]
    following = _spoken(after[:20])[:1]
    is_turned = _GIVEN_UP.search(before) is not None or _TURNED_LAST.search(before) is not None
    return is_turned or any(_denies(word, book) for word in last) or any(word.endswith("n't") for word in following)


def _denies(word: str, book: Lexicon) -> bool:
    return word in book.negations or word.endswith("n't") or word in book.reversals


def _split(token: str) -> list[str]:
    return [token, *token.split("-")] if "-" in token.strip("-") and not _DIGIT.search(token) else [token]
