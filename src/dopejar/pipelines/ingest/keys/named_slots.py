"""Named slots: where a property that somebody names is kept: "my phone number", "where we live", "how old I am".

Takes: the words for a property. Gives: the slots that statements of it fill where it is the speaker's, and how it is
told of anybody else. Never: a slot of anybody else's property, or of a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from dopejar.pipelines.ingest.keys.read_slot import read_slot

_OWNED: Final = re.compile(r"(?:my|our) (?P<what>[\w' -]{2,40})", re.IGNORECASE)
_ASKED: Final = re.compile(
    r"(?P<what>how \w+|which \w+|where|when|what|who) (?P<who>i|we|my|our)\b ?(?P<rest>[\w' -]{1,40})",
    re.IGNORECASE,
)
_COPULA: Final = re.compile(r" (?:is|are|am)$")
# values of different forms: a relation is read by the form of its value
_VALUES: Final = ("Qorvat", "0612345678", "3 May 1990", "40", "q@quarry.example", "71 kilos")
_ANSWERS: Final = {
    "where": ("in Qorvat", "at Qorvat"),
    "when": ("on 3 May 1990",),
    "how old": ("40 years old",),
    "which one": ("Qorvat",),
}
_PART: Final = re.compile(r"(?P<of>[\w' -]+)'s? (?P<what>[\w-]+)")
# what is told of a thing without the word for it: "my exam's date" by "my exam is on 3 May"
_TELLING: Final = {
    **dict.fromkeys(("date", "day", "time"), ("is on 3 May 1990",)),
    **dict.fromkeys(("home", "address", "place"), ("lives in Qorvat", "is in Qorvat")),
    "age": ("is 40 years old",),
    "name": ("is called Qorvat",),
}
# properties that are told by each other
_ALIKE: Final = (
    frozenset({"self.home", "self.address", "self.home-address", "self.postal-address", "self.residence"}),
    frozenset({"self.birthday", "self.date-birth.date", "self.age"}),
    frozenset({"self.employer", "self.workplace", "self.job", "self.role"}),
)
# how the same is told of somebody else, behind their name
_LIVES: Final = r"(?:(?:lives|resides|is living) (?:at|in|on|near)|(?:has )?moved to(?! (?:the|an?|another|our)))(?!\w)"
_TOLD: Final = {
    **dict.fromkeys(("home", "address", "place"), _LIVES),
    "age": r"(?:is|turned) \d+(?= years|\W*$|,| and )|was born(?!\w)",
    "birthday": r"was born(?!\w)",
}
_ANOTHERS: Final = re.compile(r"(?P<who>(?!my |our )[\w -]+)['’]s (?:[\w-]+ )?(?P<what>[\w-]+)")


def other_owner_pattern(words: str) -> re.Pattern[str] | None:
    """What tells of somebody else's property without the word for it, folded: "carla's address" by "carla lives in"."""
    found = _ANOTHERS.fullmatch(words.strip())
    told = _TOLD.get(found["what"]) if found else None
    return re.compile(rf"(?<!\w){re.escape(found['who'])} (?:now |still )?(?:{told})") if found and told else None


@lru_cache(maxsize=256)
def named_slots(words: str) -> frozenset[str]:
    """The slots of the property; none where the words name no property of the speaker."""
    found = {slot.name for said in _statements(words.strip()) if (slot := read_slot(said, 1)) is not None}
    own = {name for name in found if name.startswith("self.") and "#" not in name}
    return frozenset(own.union(*(alike for alike in _ALIKE if alike & own)))


def _statements(words: str) -> Iterator[str]:
    """Statements of the property, with values that stand for any."""
    if owned := _OWNED.fullmatch(words):
        yield from (f"My {owned['what']} is {value}" for value in _VALUES)
        if part := _PART.fullmatch(owned["what"]):
            yield from (f"My {part['of']} {told}" for told in _TELLING.get(part["what"].lower(), ()))
    elif asked := _ASKED.fullmatch(words):
        who, rest = asked["who"], asked["rest"]
        if who.lower() in ("my", "our"):
            yield from (f"My {_COPULA.sub('', rest)} is {value}" for value in _VALUES)
            yield from (f"My {rest} {answer}" for answer in _ANSWERS.get(asked["what"].lower(), ()))
        else:
            yield from (f"{who} {rest} {answer}" for answer in _ANSWERS.get(asked["what"].lower(), _VALUES))
