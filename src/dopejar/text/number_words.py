"""Number words: small numbers as they are written out in English.

Takes: nothing. Gives: a table. Never: reads a text itself.
"""

from __future__ import annotations

from typing import Final

NUMBER_WORDS: Final = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "twenty": 20,
    "thirty": 30,
    "sixty": 60,
    "ninety": 90,
}
