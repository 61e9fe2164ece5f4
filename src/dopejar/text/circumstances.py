"""Circumstances: the recurring or passing time for which alone a statement says how something is.

Takes: a text. Gives: the words for that time. Never: takes a date for one.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.normalisation import fold

_SOMEBODY: Final = r"(?:i|we|you|he|she|it|they|(?:the|my|our|his|her|their) [\w-]+(?: [\w-]+)?|(?-i:[A-Z])[\w-]+)"
_HOLIDAYS: Final = r"(?:week(?:end)?|period|break|holidays?|shutdown)"
_FEAST: Final = (
    r"(?:christmas|xmas|new year|easter|whitsun|pentecost|thanksgiving|midsummer|diwali|hanukkah|eid|carnival|"
    r"bank holiday)"
)
_CIRCUMSTANCE: Final = re.compile(
    rf"\bwhile {_SOMEBODY}(?:['’](?:m|s|re)| am| is| are) (?:still )?(?:off|away|ill|sick|out|on|in|at|\w+ing)\b"
    r"|\bduring (?:(?:the|my|our|his|her|their) )?(?:[\w-]+ )?(?:holidays?|term|half[- ]term|vacation|summer|winter|"
    r"spring|autumn|season|week|day|night|ramadan|lent|advent|exams?|leave)\b"
    r"|\b(?:in|outside|out of) (?:the )?(?:[\w-]+ )?(?:holidays|term[- ]?time|half[- ]term|vacation)\b"
    rf"|\b(?:in|for|during|over) (?:the )?{_FEAST} {_HOLIDAYS}\b|\b(?:during|over) (?:the )?{_FEAST}\b(?!['’]s)"
    r"|\bover (?:the )?(?:summer|winter|(?:\w+ )?(?:holidays|vacation)|half[- ]term|ramadan)\b|\bfor half[- ]term\b"
    rf"|\bbetween christmas and {_FEAST}\b"
    r"|\bat (?:the )?weekends?\b|\bon (?:the )?weekends\b|^in (?:the )?(?:summer|winter|spring|autumn)\b",
    re.IGNORECASE,
)


def circumstance(text: str) -> str:
    """The words for the time for which alone the text says how things are ("in the holidays"); "" without any."""
    found = _CIRCUMSTANCE.search(text)
    return fold(found[0]) if found else ""
