"""The parts of a readable key, from what a reader of statements found: what it is about, its sort, its property.

Takes: a frame and the coordinates of a statement. Gives: three titles of whole words, together short enough for a key.
Never: a stem, a banned word, or a part of a word.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Final

from dopejar.text.words import content_words
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, Frame

BANNED: Final = frozenset({"really", "very", "favorite", "update", "new"})
LONGEST_TITLE: Final = 23  # characters of the three parts with their hyphens, so that a digest fits behind them
_MOST_WORDS: Final = 2  # of a part
_SIGNS: Final = re.compile(r"[\W_]+")
ASPECTS: Final = {
    Sublayer.IDENTITY: "Id",
    Sublayer.PREFERENCE: "Pref",
    Sublayer.CONSTRAINT: "Limit",
    Sublayer.FACT: "Fact",
    Sublayer.FAILURE: "Failure",
    Sublayer.METHOD: "Method",
    Sublayer.RULE: "Rule",
    Sublayer.GOAL: "Goal",
    Sublayer.ANTI_PATTERN: "Rule",
}
_CLASS_ASPECTS: Final = {FactClass.ENVIRONMENT: "Env", FactClass.ALIAS: "Alias"}
_SURE: Final = 0.12  # of some thousand properties; one in three of those below is right
SPEAKER: Final = frozenset({"i", "me", "my", "mine", "myself", "i'm", "im", "i've"})
GROUP: Final = frozenset({"we", "us", "our", "ours", "we're", "we've"})
_ROOTS: Final = {Layer.SELF: "Self", Layer.WORLD: "World", Layer.INTENT: "Dev"}


def frame_title(text: str, frame: Frame, layer: Layer, sublayer: Sublayer) -> tuple[str, str, str]:
    """`My dog's name is Rex` -> (Self, Dog, Name); `Logs are kept for 30 days` -> (Logs, Fact, Retention).

    Where the property is unsure, its place is taken by the words that are neither subject nor value, or by the value.
    """
    aspect = _CLASS_ASPECTS.get(frame.fact_class) or ASPECTS[sublayer]
    return title_of(frame.subject, _property(text, frame), aspect, layer)


def title_of(subject: str, attribute: Sequence[str], aspect: str, layer: Layer) -> tuple[str, str, str]:
    """The parts of a key from the words for a subject, those for its property, and the sort."""
    words = [word.strip("'’.,").casefold() for word in subject.split()]
    is_own = bool(words) and words[0] in SPEAKER
    thing = [word for word in content_words(subject) if word.casefold() not in SPEAKER | GROUP | BANNED]
    attribute = [word for word in attribute if word.casefold() not in {one.casefold() for one in thing}] or [*attribute]
    root = "Self" if is_own else "Project" if words and words[0] in GROUP else _ROOTS[layer]
    if is_own and thing:
        return fitted(["Self"], thing, attribute)
    return fitted(thing or [root], [aspect], attribute)


def _property(text: str, frame: Frame) -> list[str]:
    if frame.attribute_certainty >= _SURE:
        return content_words(frame.attribute)
    value = content_words(frame.value)
    known = {word.casefold() for word in (*value, *content_words(frame.subject))} | SPEAKER | GROUP
    return [word for word in content_words(text) if word.casefold() not in known] or value


def fitted(subject: list[str], aspect: list[str], qualifier: list[str]) -> tuple[str, str, str]:
    """The three parts of a key, each with as many of its last words as fit together."""
    parts = [subject[-_MOST_WORDS:], aspect[-_MOST_WORDS:], qualifier[-_MOST_WORDS:] or ["Note"]]
    while (over := len("-".join(map(joined, parts))) - LONGEST_TITLE) > 0:
        longest = max(parts, key=lambda part: len(joined(part)))
        if len(longest) > 1:
            longest.pop(0)
        elif parts[1]:
            parts[1] = []  # the sort says least
        else:
            longest[0] = longest[0][: max(len(longest[0]) - over, 1)]
    return joined(parts[0]), joined(parts[1]), joined(parts[2])


def joined(words: Sequence[str]) -> str:
    """`backend team` -> `BackendTeam`; banned words leave, letters of every script stay."""
    letters = [_SIGNS.sub("", unicodedata.normalize("NFC", word)) for word in words if word.casefold() not in BANNED]
    return "".join(word[:1].upper() + word[1:] for word in letters)
