"""What a statement says, taken apart for comparison: its frame, content, numbers, names, rivals, denials.

Takes: a text and its language. Gives: a `Said`. Never: compares; `same` does.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.integrity.measures import measure
from dopejar.pipelines.ingest.keys.families import Member, families, values_named
from dopejar.text.lexicons import Lexicon, lexicon
from dopejar.text.normalise import fold
from dopejar.text.similar import with_one_word_each
from dopejar.text.values_in import values_in
from dopejar.text.words import stem, words

_DIGIT: Final = re.compile(r"\d")
_LETTERS: Final = re.compile(r"[^\W_]+")
_CLOCK: Final = re.compile(r"(\d{1,2}):(\d\d)")
_BACKGROUND: Final = re.compile(  # how long it has been so says nothing about what it is
    r"\b(?:since|seit|desde|depuis) (?:the )?(?:\w+ )?(?:19|20)\d\d\b|\b(?:for|over|seit|desde hace|depuis|há) "
    r"(?:about |almost |over |more than )?\w+ (?:years?|months?|jahren?|años?|anos?|ans)\b|"
    r"\b\w+ (?:years?|months?) ago\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    r"\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)-(?=[a-z])", re.IGNORECASE
)
_MIXED: Final = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
_ACRONYM: Final = re.compile(r"^[a-z0-9]{1,4}(?:-[a-z]+)?$")
_NAMELIKE: Final = re.compile(r"^[\w' .&+#/@~-]+$")  # a piece of code between backticks names nothing
_SPOKEN_CLOCK: Final = re.compile(
    r"\b(?P<part>half|quarter|five|ten|twenty) (?P<way>past|to) (?P<hour>\w+)\b"
    r"|\b(?P<hour2>\w+)(?: o'?clock)? in the (?P<half>morning|afternoon|evening)\b|\b(?P<noon>noon|midday|midnight)\b",
    re.IGNORECASE,
)
_RATE: Final = re.compile(r"(?:\b(?:per|each|every) |/)(second|minute|hour|day|week|month|year)\b", re.IGNORECASE)
_PERIODS: Final = 4
_FRAMELESS: Final = frozenset({"the", "a", "an", "our", "my", "please", "always"})
_NEXT: Final = 3  # words between a denial and what it turns round
_NO: Final = r"(?:can't|cannot|can not|must not|mustn't|may not|do not|don't|never|not|no|nothing|nobody)"
_CONTRAST: Final = re.compile(r"\b(?:instead of|rather than|in place of)\b", re.IGNORECASE)
_PART: Final = re.compile(
    r"[;:.!?](?=\s|$)|,(?=\s|$)(?!\s(?:dass|que|that)\b)|"
    r"(?=\b(?:but|over|without|sin|ohne|sans|sem|aber|sondern|sino|mais|mas)\b)"
)
_NO_PERSON: Final = re.compile(
    r"\b(package|password|dependency|window|task|file|version|session|context|process|plugin|boot|display) managers?\b"
    r"|\bmother tongue\b",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(r"\b(?:ever since|have been|has been|seitdem|desde entonces|depuis)\b", re.IGNORECASE)
_NOT_PAST: Final = re.compile(r"\b(?:antes de|antes que)\b", re.IGNORECASE)  # before something, not in former times
_CAPITALS_NAME: Final = frozenset({"fr", "es", "pt"})  # a capital within a sentence makes a name there
_CAPITALISED: Final = re.compile(r"(?<=[^\W\d_A-Z] )[A-ZÀ-Ý][^\W\d_]+")
_CLAUSE: Final = re.compile(
    r"[,;:.!?](?=\s|$)|\b(?:but|because|since|so|although|though|which|when|whenever|if|unless|while|"
    r"weil|wenn|aber|sondern|porque|pero|sino|mas|mais|car|quand|parce)\b",
    re.IGNORECASE,
)
_TURNED: Final = re.compile(r"\s*(?:over|without|sin|ohne|sans|sem)\b")
_TURNED_LAST: Final = re.compile(r"\b(?:over|without|sin|ohne|sans|sem)(?: \w+)?\s*$")
_GIVEN_UP: Final = re.compile(
    r"\b(?:stopped|quit|dropped|abandoned|ditched|gave up|given up|rid of)(?: \w+ing)?(?: on)?(?: the| my| our)?\s*$"
)
_LIMITS: Final = re.compile(rf"\b{_NO}\b(?=[^.;]*\b(?:more than|above|exceed|beyond|longer than|later than|over \d)\b)")
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
    r"(?!have\b|be\b(?! able| \w+ing)|get\b|see\b|use\b)\w|"
    r"\b(?:goal|aim|aiming|ambition|resolution|my target is|is my target|working towards|dream of|the plan is)\b",
    re.IGNORECASE,
)
_PARTS: Final = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20}


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


class Said(NamedTuple):
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
    parts: tuple[Part, ...]
    refused: frozenset[str]  # numbers that are named only to say that they are not meant
    refused_values: Mapping[str, frozenset[str]]  # by family, in the same way


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


def number_met(number: str, theirs: frozenset[str]) -> bool:
    """Whether one of theirs is the same number: as written, in other units, or a date with its year."""
    forms = set(number.split("|"))
    return any(forms & set(other.split("|")) or other.endswith(f"-{number}") for other in theirs)


def name_met(name: str, spoken: frozenset[str]) -> bool:
    """Whether a name is said, in whole or in all its parts, whatever its ending."""
    return name in spoken or all(part in spoken or stem(part) in spoken for part in _LETTERS.findall(name))


@lru_cache(maxsize=2048)
def said_in(text: str, language: str) -> Said:
    """What the text says. Its values are those of the families in use."""
    book = lexicon(language)
    plain = _NO_PERSON.sub(lambda found: f"{found[1]} tool" if found[1] else "native language", _clocks_read(text))
    named = _spoken(fold(plain))
    spoken = _spoken(with_one_word_each(plain, language))
    stems = tuple(stem(word) for word in spoken)
    numbers, names = _values(plain, language)
    members: dict[str, set[str]] = {}
    content = _content(spoken, book)
    affirmed, denied = _leaning(with_one_word_each(_CONTRAST.sub(", not ", plain), language), book)
    refused_values: dict[str, set[str]] = {}
    for member in values_named(plain):
        said = _content(_spoken(fold(plain[member.start : member.end])), book)
        is_denied = bool(said) and said <= denied
        members.setdefault(member.family, set()).add(_other_of_two(member) if is_denied else member.value)
        if _is_refused(fold(plain[: member.start]), fold(plain[member.end :]), book):
            refused_values.setdefault(member.family, set()).add(member.value)
    return Said(
        text=text,
        frame=tuple(root for word, root in zip(spoken, stems, strict=True) if word not in _FRAMELESS),
        content=content,
        numbers=numbers,
        names=names,
        spoken=frozenset(named) | frozenset(spoken) | frozenset(stems),
        families={name: frozenset(found) for name, found in members.items()},
        rivals=_rivals_in((*named, *spoken, *_rates(plain)), has_number=bool(numbers)),
        affirmed=affirmed - denied,
        denied=denied - affirmed,
        past=_is_past(text, language),
        intends=_INTENDS.search(text) is not None,
        changes=cues(language).has("time.change", _NO_CHANGE.sub(" ", text)),
        parts=_parts(with_one_word_each(plain, language), book, language),
        refused=_refused(plain, book),
        refused_values={name: frozenset(found) for name, found in refused_values.items()},
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


def _forms(number: str, value: str) -> str:
    """A number in all its forms, joined: `15|900s` for 15 minutes, `14:00|2` for two in the afternoon."""
    bare = number.strip("%.:-").removeprefix("sub-")
    forms = [bare]
    measured = measure(value)
    if measured:
        forms.append(measured[1])
    clock = _CLOCK.fullmatch(bare)
    if clock:
        hour, minute = int(clock[1]), clock[2]
        forms = [f"{hour:02}:{minute}", *([f"{hour % 12 or 12}", f"{hour}"] if minute == "00" else [])]
    return "|".join(dict.fromkeys(forms))


def _values(text: str, language: str) -> tuple[frozenset[str], frozenset[str]]:
    """Numbers without their units, and names; an abbreviation is no name, since it is often written out."""
    numbers: set[str] = set()
    names: set[str] = set()
    for value in values_in(_COUNTED.sub(r"\1 ", _BACKGROUND.sub(" ", text))):
        if value.startswith("weekday "):
            continue  # a rival like any other
        if _DIGIT.search(value) and not value.startswith(("/", "~", ".")):
            numbered = [one for one in value.split() if _DIGIT.search(one)]
            names.update(one for one in numbered if _MIXED.search(one))
            numbers.update(_forms(one, value) for one in numbered if not _MIXED.search(one))
        elif not _ACRONYM.match(value) and _NAMELIKE.search(value) and (language == "en" or not value.isalpha()):
            names.add(value)
    if language in _CAPITALS_NAME:
        names.update(fold(one) for one in _CAPITALISED.findall(text) if not _ACRONYM.match(fold(one)))
    return frozenset(numbers), frozenset(names)
