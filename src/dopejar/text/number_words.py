"""Number words: a table of them, and their conversion to digits.

Takes: a text and its language. Gives: a table of English number words; the text in digits. Never: converts a
lone "one", which is rarely a number ("the one", "no one", "one of them"), or an ordinal that is none ("second
thoughts").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.lexicons import lexicon
from dopejar.values.dates import MONTH_NAMES

NUMBER_WORDS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60,
    "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SCALES: Final = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 1_000_000}
_POWERS: Final = (100, 1000, 1_000_000)
_AND: Final = {"en": "and", "es": "y", "pt": "e", "fr": "et"}
_DIGITS: Final = 3  # so many words of one digit are spelled out: "seven four two one"
_ORDINALS: Final = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16,
    "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip
_ORDINAL: Final = rf"(?:(twenty|thirty)[ -])?({'|'.join(_ORDINALS)})\b"
_MONTH: Final = rf"(?-i:(?=[A-Z])){MONTH_NAMES}\b"
_MAY_ORDER: Final = (
    *(f"the {digit}" for digit in "123456789"), "first", "second", "third", "other ", "urth", "fth", "xth", "nth",
    "ghth", "ieth",
)  # fmt: skip
_ORDERED: Final = lazy_pattern(
    rf"\b(?:(every|each) (?:(other)\b|{_ORDINAL})(?= [a-z])"
    rf"|{_ORDINAL}(?=(?: day)?(?: of)? {_MONTH}| (?:floor|level|storey|grade|street|avenue|edition)\b)"
    rf"|({_MONTH} )(?:the )?(?:{_ORDINAL}|(\d{{1,2}})(?:st|nd|rd|th)\b))",
    re.IGNORECASE,
)
_MAY_COUNT: Final = (
    "two", "three", "four", "five", "six", "seven", "eight", "nine", " ten", "-ten", "(ten", "eleven", "twelve",
    "thir", "fif", "twenty", "forty", "hundred", "thousand", "million", "dozen",
)  # fmt: skip


def in_digits(text: str, language: str = "en") -> str:
    """The text with its number words in digits: "four hundred lines" is "400 lines", "the ninth of May" the 9th.

    Digits that are spelled out are one number ("seven four two one"), an hour and its minutes a time of day.
    """
    words = _table(language)
    if not words:
        return text
    if language == "en":
        low = f" {text.lower()}"
        if any(map(low.__contains__, _MAY_ORDER)):
            text = _ORDERED.sub(_ordered, text)
        if not any(map(low.__contains__, _MAY_COUNT)):
            return text
    return _runs(language).sub(lambda match: _spelled(match, language, words), text)


@lru_cache(maxsize=8)
def _table(language: str) -> Mapping[str, int]:
    if language == "de":  # "dreißig" is folded in the lexicon; twenty-five is one word
        plain = {word.replace("ss", "ß"): value for word, value in lexicon("de").numbers.items() if word != "sechs"}
        ones = {"einund": 1, **{f"{word}und": value for word, value in plain.items() if value < 10}}
        tens = [word for word, value in plain.items() if value in range(20, 100, 10)]
        return {**plain, "sechs": 6, **{one + ten: ones[one] + plain[ten] for one in ones for ten in tens}}
    if language != "en":
        return lexicon(language).numbers
    return {"zero": 0, **{word: value for word, value in NUMBER_WORDS.items() if len(word) > len("an")}, **_SCALES}


@lru_cache(maxsize=8)
def _runs(language: str) -> re.Pattern[str]:
    """Number words in a row, as one match; built at first use."""
    word = "|".join(sorted(_table(language), key=len, reverse=True))
    joint = rf"(?:[ -]|,? {_AND[language]} )" if language in _AND else "[ -]"
    opening = r"(?:half a (?=dozen)|(?:a|\d{1,3}) (?=hundred|thousand|million|dozen))?" if language == "en" else ""
    return re.compile(rf"\b{opening}(?:{word})(?:{joint}(?:{word}))*\b(?!')", re.IGNORECASE)


def _spelled(match: re.Match[str], language: str, words: Mapping[str, int]) -> str:
    said = match[0].lower()
    if said in ("one", "zero"):
        return match[0]
    if said.startswith("half a "):
        return "6"
    numbers, joints = _numbers(re.findall(r"\w+|,", said), language, words)
    if not numbers:
        return match[0]
    if len(numbers) >= _DIGITS and max(numbers) < 10 and not any(joints):
        return "".join(map(str, numbers))
    if len(numbers) == 2 and not any(joints):
        return _paired(numbers[0], numbers[1], match.string[match.end() : match.end() + 1])
    return str(numbers[0]) + "".join(f"{joint} {one}" for joint, one in zip(joints, numbers[1:], strict=True))


def _paired(first: int, second: int, following: str) -> str:
    """Two numbers in a row: a time of day ("five thirty"), or a year or port read in halves ("twenty twenty-six")."""
    if not (10 <= second <= 99) or first > 99 or following == "-":
        return f"{first} {second}"
    if first <= 12:
        return f"{first}:{second}" if second < 60 else f"{first} {second}"
    return f"{first}{second}"


def _numbers(row: list[str], language: str, words: Mapping[str, int]) -> tuple[list[int], list[str]]:
    """The numbers of a row of words, with the words between them ("", " and")."""
    numbers: list[int] = []
    joints: list[str] = []
    whole = last = 0  # what stands before a thousand, and the value of the last word
    joint = ""
    for word in row:
        if word == "," or word == _AND.get(language):
            joint += word if word == "," else f" {word}"
            continue
        value = 1 if word == "a" else int(word) if word.isdigit() else words[word]
        is_scale = value in _POWERS or word == "dozen"
        if numbers and (not joint and last < value if is_scale else _goes_on(last, value, joint, language)):
            if is_scale:
                numbers[-1] = whole + (numbers[-1] - whole) * value
                whole = numbers[-1] if value >= 1000 else whole
            else:
                numbers[-1] += value
        else:
            joints += [joint] if numbers else []
            numbers.append(value)
            whole = 0
        last, joint = value, ""
    return numbers, joints


def _goes_on(last: int, value: int, joint: str, language: str) -> bool:
    """Whether a number word adds to the number before it: five after twenty, anything less after a hundred."""
    if last in _POWERS:
        return value < last
    return last in range(20, 100, 10) and value < 10 and (not joint or language != "en")


def _ordered(match: re.Match[str]) -> str:
    often, other, *pairs, month, tens, one, day = match.groups()
    if often:
        return f"{often} {2 if other else _ordinal(pairs[0], pairs[1])}"
    if month:
        return f"{month}{day or _ordinal(tens, one)}"
    return f"{_ordinal(pairs[2], pairs[3])}th"


def _ordinal(tens: str | None, one: str) -> int:
    return NUMBER_WORDS.get((tens or "").lower(), 0) + _ORDINALS[one.lower()]
