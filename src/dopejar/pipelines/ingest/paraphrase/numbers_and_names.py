"""What a statement states whatever else it says: its numbers in all their forms, and its names.

Takes: a text. Gives: its numbers, its names, and the text as it is read for them. Never: judges which of them is right.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.integrity.measures import read_measure
from dopejar.pipelines.ingest.paraphrase.time_of_day import clocks_read, readings, times_in
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import fold
from dopejar.text.number_words import in_digits
from dopejar.text.text_values import extract_values

_DIGIT: Final = re.compile(r"\d")
_DATE: Final = re.compile(r"(?:(\d{4})-)?(\d\d-\d\d)")
_DOTTED: Final = re.compile(r"(\d{1,2})\.(\d\d?)")
_SLASHED: Final = re.compile(  # 1/2 is a half
    r"(?<![\w/.-])(?:(\d\d?)/(\d\d?)/((?:19|20)?\d\d)|(?=\d?\d/\d\d|\d\d/)(\d\d?)/(\d\d?))(?![\w/])"
)
_BOUND: Final = re.compile(r"^(?:sub|under|over|top|max|min|version)-(?=\d)")
_LONE_HOUR: Final = re.compile(r"\d|1\d|2[0-4]")
_CURRENCY: Final = re.compile(r"[\d.]+ (usd|eur|gbp|jpy|rub|inr|brl|czk|pln|chf|cny)\b")
_YEAR: Final = 365 * 24 * 60 * 60
_BACKGROUND: Final = re.compile(  # how long it has been so says nothing about what it is
    r"\b(?:since|seit|desde|depuis) (?:the )?(?:\w+ )?(?:19|20)\d\d\b|\b(?:for|over|seit|desde hace|depuis|há) "
    r"(?:about |almost |over |more than )?\w+ (?:years?|months?|jahren?|años?|anos?|ans)\b|"
    r"\b\w+ (?:years?|months?) ago\b|\b(?:the )?\d of (?:us|them|you)(?! (?:an?|per|every)\b)",
    re.IGNORECASE,
)
_MIXED: Final = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
_ACRONYM: Final = re.compile(r"^[a-z0-9]{1,4}(?:-[a-z]+)?$")
_NAMELIKE: Final = re.compile(r"^[\w' .&+#/@~-]+$")  # a piece of code between backticks names nothing
_NO_PERSON: Final = re.compile(
    r"\b(package|password|dependency|window|task|file|version|session|context|process|plugin|boot|display) managers?\b"
    r"|\bmother tongue\b",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(  # who is Ada's father says the same as who has a daughter Ada
    r"\b(I'm|I am|I’m) (?:(?:the|a|an|proud|single|\w+['’]s) )*"
    r"(?:father|mother|mum|mom|dad|parent|brother|sister|uncle|aunt|grandmother|grandfather)\b",
    re.IGNORECASE,
)
_CAPITALS_NAME: Final = frozenset({"fr", "es", "pt"})  # a capital within a sentence makes a name there
_CAPITALISED: Final = re.compile(r"(?<=[^\W\d_A-Z] )[A-ZÀ-Ý][^\W\d_]+")
_DOTTED_LETTERS: Final = re.compile(r"\w\.\w")  # i.e. and e.g. name nothing


@lru_cache(maxsize=2048)
def plainly(text: str) -> str:
    """The text with numbers in digits, times in one spelling, and no words that only seem to name a person."""
    read = clocks_read(in_digits(text, guess_language(text)))
    if "'" in read or "’" in read or " am " in read:
        read = _ROLE.sub(r"\1 family", read)
    if "anager" not in read and "other tongue" not in read:
        return read
    return _NO_PERSON.sub(lambda found: f"{found[1]} tool" if found[1] else "native language", read)


def number_met(number: str, theirs: frozenset[str]) -> bool:
    """Whether one of theirs is the same number: in one of its readings, in other units, or a date with its year."""
    return any(number == other or _met(number, other) for other in theirs)


@lru_cache(maxsize=4096)
def _met(one: str, other: str) -> bool:
    """Whether two numbers have a reading in common.

    Plain forms meet their like. Where both have a unit (`=`), only that counts: 24 hours are no 24 minutes. What is
    told in part (`?6`, `?03-15`) meets what is told in full (`!6` of 18:00, `!03-15` of 2026-03-15), and two that are
    told in full do not meet by their parts.
    """
    mine, theirs = one.split("|"), other.split("|")
    measured = [form for form in mine if form[0] == "="], [form for form in theirs if form[0] == "="]
    if all(measured):
        return not set(measured[0]).isdisjoint(measured[1])
    if any(form in theirs for form in mine if form[0] not in "!?"):
        return True
    return any(f"!{form[1:]}" in theirs for form in mine if form[0] == "?") or any(
        f"!{form[1:]}" in mine for form in theirs if form[0] == "?"
    )


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
    rest, times = times_in(_BACKGROUND.sub(" ", plainly(text)))
    numbers.update(times)
    if "/" in rest:
        rest = _SLASHED.sub(lambda found: _slashed(found, numbers), rest)
    for value in extract_values(rest):
        if value.startswith("weekday "):
            continue  # a rival like any other
        if _DIGIT.search(value) and not value.startswith(("/", "~", ".")):
            numbered = [one for one in value.split() if _DIGIT.search(one)]
            mixed.update(one for one in numbered if _MIXED.search(one))
            numbers.update(_forms(one, value) for one in numbered if not _MIXED.search(one))
        elif not _ACRONYM.match(value) and _NAMELIKE.search(value) and not _DOTTED_LETTERS.fullmatch(value):
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
    """A number in all its readings, joined: `15|=900s` for 15 minutes, `16.30|16:30` for what may be a time."""
    bare = _BOUND.sub("", number.partition("/")[0].strip("%.:-"))
    date = _DATE.fullmatch(bare)
    if date:
        return f"{bare}|!{date[2]}" if date[1] else f"{bare}|?{date[2]}"
    measured, currency = read_measure(value), _CURRENCY.match(value)
    forms = [bare]
    if measured:
        forms.append(f"={measured[1]}")
        if "month" in value:
            forms.append(f"={float(bare) * _YEAR / 12:.0f}s")  # half a year is 6 months
        if measured[0] == "share":
            forms.append(f"{float(bare) / 100:g}")  # 85 % is .85
    elif currency:
        forms.append(f"={bare}{currency[1]}")
    if value == number and _LONE_HOUR.fullmatch(bare):
        forms.append(f"?{bare}")
    return "|".join([*forms, *(_dotted(bare) if value == number else ())])


def _dotted(number: str) -> list[str]:
    """What "16.30" and "15.03" may stand for besides: a time, a day of a month."""
    found = _DOTTED.fullmatch(number)
    if not found:
        return []
    day, minute = int(found[1]), int(found[2])
    forms = [f"{minute:02}-{day:02}", f"?{minute:02}-{day:02}"] if 1 <= day <= 31 and 1 <= minute <= 12 else []
    if day < 25 and minute < 60 and len(found[2]) == 2:
        forms += readings(day, found[2], is_sure=found[1][0] == "0", said=found[1]).split("|")
    return forms


def _slashed(found: re.Match[str], numbers: set[str]) -> str:
    """Notes the dates that "30/01" or "03/04/2026" may stand for, day first or month first."""
    first, second = int(found[1] or found[4]), int(found[2] or found[5])
    year = f"20{found[3][-2:]}-" if found[3] else ""
    days = [f"{month:02}-{day:02}" for day, month in ((first, second), (second, first)) if month <= 12 and day <= 31]
    if not days or not first or not second:
        return found[0]
    numbers.add("|".join([found[0], *(f"{year}{one}|{'!' if year else '?'}{one}" for one in dict.fromkeys(days))]))
    return " , "
