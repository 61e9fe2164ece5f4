"""Numbers that are written out, in digits."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.number_words import NUMBER_WORDS, in_digits

READ = [
    ("one hundred and twenty euros", "120 euros"),
    ("Four hundred lines at most", "400 lines at most"),
    ("a hundred, a thousand and a dozen", "100, 1000 and 12"),
    ("half a dozen of them, or two dozen", "6 of them, or 24"),
    ("two thousand five hundred and six", "2506"),
    ("three hundred thousand", "300000"),
    ("twelve hundred", "1200"),
    ("fifty-two", "52"),
    ("a six-hour outage", "a 6-hour outage"),
    ("port seven-four-two-one", "port 7421"),
    ("on seven four two one, please", "on 7421, please"),
    ("port eighty eighty in twenty twenty-six", "port 8080 in 2026"),
    ("at five thirty", "at 5:30"),
    ("two ten-page reports", "2 10-page reports"),
    ("two or three, five and six", "2 or 3, 5 and 6"),
    ("the ninth of May", "the 9th of May"),
    ("May the 9th, June the twenty-first", "May 9, June 21"),
    ("the thirtieth of January", "the 30th of January"),
    ("every third week, every other day", "every 3 week, every 2 day"),
    ("on the fourth floor", "on the 4th floor"),
]
LEFT = [
    "one of them",
    "no one",
    "on second thought",
    "my first job",
    "a third of it",
    "someone often phones",
    "we may first",
]


@pytest.mark.parametrize(("said", "digits"), READ)
def test_number_words_become_digits(said: str, digits: str) -> None:
    """Words of any length, digits that are spelled out, and ordinals of days and floors."""
    assert in_digits(said) == digits


@pytest.mark.parametrize("said", LEFT)
def test_words_that_number_nothing_stay(said: str) -> None:
    """A lone "one" and an ordinal that numbers nothing are left."""
    assert in_digits(said) == said


@pytest.mark.parametrize(
    ("language", "said", "digits"),
    [
        ("de", "fünfundzwanzig und dreißig", "25 und 30"),
        ("es", "treinta y cinco", "35"),
        ("pt", "vinte e cinco", "25"),
        ("fr", "cent vingt", "120"),
        ("ru", "два", "2"),
    ],
)
def test_number_words_of_other_languages(language: str, said: str, digits: str) -> None:
    """Each language by its own table and its own "and"."""
    assert in_digits(said, language) == digits


_TENS = {value: word for word, value in NUMBER_WORDS.items() if len(word) > 2}


def _in_words(number: int) -> str:
    parts = []
    for value, word in ((1_000_000, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= value:
            parts.append(f"{_in_words(number // value)} {word}")
            number %= value
    if number in _TENS:
        parts.append(_TENS[number])
    elif number:
        parts.append(f"{_TENS[number - number % 10]}-{_TENS[number % 10]}")
    return " ".join(parts)


@given(st.integers(min_value=2, max_value=9_999_999))
def test_every_number_written_out_is_read(number: int) -> None:
    """Any number up to millions in words is the number, and digits are left as they are."""
    assert in_digits(f"we have {_in_words(number)} lines") == f"we have {number} lines"
    assert in_digits(f"we have {number} lines") == f"we have {number} lines"


@pytest.mark.parametrize("piece", ["two ", "a ", "hundred ", "twenty-", "the 1", "every third ", "half a "])
def test_long_rows_end(piece: str) -> None:
    """Tens of thousands of number words in a row are read to the end."""
    assert in_digits(piece * 20_000)
