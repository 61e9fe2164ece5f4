"""What a statement states whatever else it says: its numbers in all their forms, and its names.

Takes: a text. Gives: its numbers, its names, and the text as it is read for them. Never: judges which of them is right.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.integrity.measures import measure
from dopejar.text.lexicons import lexicon
from dopejar.text.normalise import fold
from dopejar.text.values_in import values_in

_DIGIT: Final = re.compile(r"\d")
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
_NO_PERSON: Final = re.compile(
    r"\b(package|password|dependency|window|task|file|version|session|context|process|plugin|boot|display) managers?\b"
    r"|\bmother tongue\b",
    re.IGNORECASE,
)
_CAPITALS_NAME: Final = frozenset({"fr", "es", "pt"})  # a capital within a sentence makes a name there
_CAPITALISED: Final = re.compile(r"(?<=[^\W\d_A-Z] )[A-ZÀ-Ý][^\W\d_]+")
_PARTS: Final = {"half": 30, "quarter": 15, "five": 5, "ten": 10, "twenty": 20}


def plainly(text: str) -> str:
    """The text with spoken times of day as numbers, and without words that only seem to name a person."""
    return _NO_PERSON.sub(lambda found: f"{found[1]} tool" if found[1] else "native language", _clocks_read(text))


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


def number_met(number: str, theirs: frozenset[str]) -> bool:
    """Whether one of theirs is the same number: as written, in other units, or a date with its year."""
    forms = set(number.split("|"))
    return any(forms & set(other.split("|")) or other.endswith(f"-{number}") for other in theirs)


class _Values(NamedTuple):
    """What a text states whatever its language: its numbers, its names with a digit, and what else may be a name."""

    numbers: frozenset[str]
    mixed: frozenset[str]
    named: frozenset[str]


def numbers_in(text: str) -> frozenset[str]:
    """The numbers of a text without their units, each in all its forms."""
    return _values(text).numbers


@lru_cache(maxsize=2048)
def _values(text: str) -> _Values:
    numbers: set[str] = set()
    mixed: set[str] = set()
    named: set[str] = set()
    for value in values_in(_COUNTED.sub(r"\1 ", _BACKGROUND.sub(" ", plainly(text)))):
        if value.startswith("weekday "):
            continue  # a rival like any other
        if _DIGIT.search(value) and not value.startswith(("/", "~", ".")):
            numbered = [one for one in value.split() if _DIGIT.search(one)]
            mixed.update(one for one in numbered if _MIXED.search(one))
            numbers.update(_forms(one, value) for one in numbered if not _MIXED.search(one))
        elif not _ACRONYM.match(value) and _NAMELIKE.search(value):
            named.add(value)
    return _Values(frozenset(numbers), frozenset(mixed), frozenset(named))


def names_in(text: str, language: str) -> frozenset[str]:
    """Names; a bare word only in English, where a capital makes one, and an abbreviation never."""
    found = _values(text)
    names = {*found.mixed, *(one for one in found.named if language == "en" or not one.isalpha())}
    if language in _CAPITALS_NAME:
        names.update(fold(one) for one in _CAPITALISED.findall(plainly(text)) if not _ACRONYM.match(fold(one)))
    return frozenset(names)


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
