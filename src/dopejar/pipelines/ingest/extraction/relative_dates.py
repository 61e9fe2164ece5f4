"""Relative dates made absolute: "yesterday", "next Friday", "two weeks ago", "in 3 days".

Takes: a text and when it was said. Gives: the text with dates. Never: reads a clock, or reads how long something holds.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Final

from dopejar.text.dates import COUNT, WEEKDAY, named_days
from dopejar.text.lazy_patterns import lazy_pattern

_RELATIVE: Final = lazy_pattern(
    rf"\b(?:(?P<day>the day (?:before yesterday|after tomorrow)|yesterday|today|tomorrow|tonight|last night|"
    rf"this morning|this afternoon|this evening)"
    rf"|(?P<which>last|next|this|this past|past) (?P<what>{WEEKDAY}|week(?:end)?|month|year|summer|winter|"
    rf"spring|fall|autumn)"
    rf"|(?:(?:about|around|roughly) )?(?P<count>{COUNT} (?:day|week|month|year)s? ago)"
    rf"|(?P<ahead>in {COUNT} (?:day|week|month|year)s?)(?= ?[.!;,]?$))"
    r"\b(?!['’]s| of\b)",
    re.IGNORECASE,
)
# days of other languages, as days from today; they take no word before the date
_DAYS_ABROAD: Final = {
    "vorgestern": -2, "gestern": -1, "heute": 0, "übermorgen": 2,
    "anteayer": -2, "ayer": -1, "hoy": 0,
    "anteontem": -2, "ontem": -1, "hoje": 0, "amanhã": 1,
    "aujourd'hui": 0, "demain": 1,
    "позавчера": -2, "вчера": -1, "сегодня": 0, "завтра": 1,
    "předevčírem": -2, "včera": -1, "dnes": 0, "zítra": 1,
}  # fmt: skip
_ABROAD: Final = lazy_pattern(rf"\b(?:{'|'.join(_DAYS_ABROAD)})\b", re.IGNORECASE)
_TO_COME: Final = lazy_pattern(
    r"\b(?:is|are|am|'s|'m|'re|will|shall|leaves?|fly|flies|starts?|begins?|ends?|expires?|opens?|closes?|comes?|moves?|"
    r"goes|go|have|has|get|gets)\b(?!.*\b(?:once|every|ever|done|finished|built)\b)",
    re.IGNORECASE,
)
# of whom or what it is told that something happens then: "payment follows in 60 days" is a term and dates nothing
_OF_THIS: Final = lazy_pattern(
    r"(?:(?:so|and|but|also|well|oh|ok|okay|btw|by the way|fyi|apparently|luckily|remember that|finally|now)[\s,:]+)*"
    r"(?:(?:i|we|he|she|it|they|my|our|his|her|their|your|the|this|that|these|those)\b|[\w-]+['’]s \w"
    r"|(?<!^)(?-i:[A-Z])\w)",
    re.IGNORECASE,
)
_OF_A_TERM: Final = lazy_pattern(
    r"\b(?:after|within|whenever|when|if|unless|upon|per|each|any|all|late|(?:is|are|be|gets?|has|have) (?:been )?"
    r"(?:paid|sent|made|[a-z]{3,}ed|payable))\b",
    re.IGNORECASE,
)
_PART: Final = lazy_pattern(r"[;:.!?]\s+|,\s+(?:(?:and|but|so|then)\s+)?|\s(?:but|because|so|then)\s+", re.I)
_SEASONS: Final = frozenset({"summer", "winter", "spring", "fall", "autumn"})
_AUTUMN: Final = 9  # the month from which on "last summer" is this year's
_LED: Final = lazy_pattern(r"\b(?:from|since|until|till|by|of|after|before|for)\s+$", re.IGNORECASE)
# one of somebody's or something's own, and no date: "in her last year at school", "the next week", "every last Friday"
_OF_ITS_OWN: Final = lazy_pattern(
    r"(?:\b(?:my|our|your|his|its|their|whose|the|an?|this|these|those|every|each|one|another|any|some|no|very|"
    r"(?:first|second|penultimate)(?: (?:and|or|to))?)|\w['’]s|s['’]"
    r"|(?:^|[,;:.(–—]\s*|\b(?:is|was|be|in|of|on|for|from|since|until|till|by|during|before|after|through|into|as|and)\s|"
    r"['’]s\s)(?:her|that))\s+$",  # elsewhere these may end what is told before: "I saw her last Friday"
    re.IGNORECASE,
)
_IS: Final = lazy_pattern(r"\b(?:it|that|this|there|he|she|what|when|where|who)['’]s\s+$", re.IGNORECASE)


def with_dates(text: str, at: datetime, language: str = "en") -> str:
    """The text with its relative dates as days; a ValueError or OverflowError for one beyond the calendar."""
    dated = _RELATIVE.sub(lambda found: _absolute(found, at), text)
    if language == "en":
        return dated
    return _ABROAD.sub(lambda found: _day(at, _DAYS_ABROAD[found.group(0).casefold()]), dated)


def _day(at: datetime, shift: int) -> str:
    return (at + timedelta(days=shift)).date().isoformat()


def _absolute(found: re.Match[str], at: datetime) -> str:
    """The expression as a date; after "from", "since" or "as of" it takes no further preposition."""
    dated = _dated(found, at)
    preposition, _, rest = dated.partition(" ")
    is_led = preposition in ("on", "in") and _LED.search(found.string[: found.start()])
    return rest if is_led else dated


def _dated(found: re.Match[str], at: datetime) -> str:
    before, which, what = found.string[: found.start()], *map(str.casefold, (found["which"] or "", found["what"] or ""))
    words = found["day"] or found["count"] or found["ahead"] or f"{which} {what}"
    if (found["ahead"] and not _tells_when(before)) or (which and _is_of_its_own(before, which)):
        return found[0]  # "finished in two weeks" is no date
    if what in _SEASONS:
        year = at.year + (1 if which == "next" else 0 if at.month >= _AUTUMN else -1)
        return found[0] if which == "this" else f"in the {what} of {year}"
    if which == "this" and what.startswith("week"):
        return found[0]
    first, behind = named_days(words, at.date())
    days = (behind - first).days
    if days == 1:
        return f"{'around' if 'week' in words.casefold() else 'on'} {first}"
    return f"in the week of {first}" if days == 7 else f"in {first.isoformat()[: 7 if days < 32 else 4]}"


def _is_of_its_own(before: str, which: str) -> bool:
    """Whether the words name a week, month or year that belongs to what stands before it: it may be the final one."""
    if re.search(r"['’]s?\s+$", before) and ("last" not in which or _IS.search(before)):
        return False  # "the exam's next week", "it's last week"
    return _OF_ITS_OWN.search(before) is not None


def _tells_when(before: str) -> bool:
    """Whether the words tell of something in particular that it happens so far from now; a general term does not."""
    start = max((found.end() for found in _PART.finditer(before)), default=0)
    return all((_TO_COME.search(before, start), _OF_THIS.match(before, start), not _OF_A_TERM.search(before)))
