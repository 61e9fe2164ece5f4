"""Names and measures in a text: words spelled as a name, and figures with their unit.

Takes: a text. Gives: spans. Never: tells what a name stands for, or what a figure measures.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from dopejar.text.lexicons import word_list
from dopejar.text.normalisation import fold
from dopejar.text.number_words import NUMBER_WORDS

_WORD: Final = re.compile(
    r"`[^`\n]{2,60}`|\"[^\"\n]{2,60}\"|“[^”\n]{2,60}”|(?:[Ee]x-(?=[A-Z]))?(?P<name>[^\W_](?:[\w.+#@/-]*[^\W_])?)"
)
_SPELLED: Final = re.compile(r"[A-Z][\w.+#@/-]+|\w*[a-z][A-Z]\w*|[A-Za-z][\w.]*(?:[-_/@#+][\w.]+)+|[a-z]+\d\w*")
_JOINT: Final = re.compile(r" (?:(?:and|of) )?")
_CAPITAL: Final = re.compile(r" [A-Z][a-z]")
_LONGEST_NAME: Final = 4  # words
_NO_UNIT: Final = re.compile(
    r"(?:a|after|again|an|and|are|as|at|before|but|by|for|from|going|here|if|in|instead|is|it|no|not|now|of|on|or|per"
    r"|rather|since|so|that|the|then|this|till|to|today|until|while|with)"
)
_NUMBERS: Final = "|".join(sorted((word for word in NUMBER_WORDS if len(word) > 2), key=len, reverse=True))
_FIGURE: Final = re.compile(
    r"(?<![\w.,/-])(?:[$€£] ?)?\d(?:[\d.,]*\d)?(?:[a-z]{1,2}\b| ?%|(?: |-)(?P<unit>[a-z][a-z/]*))?(?![\w-]|[.,]\d)"
    rf"|(?<![\w-])(?:{_NUMBERS})(?: |-)(?P<counted>[a-z]+)(?![\w-])",
    re.IGNORECASE,
)


class Span(NamedTuple):
    """A range of characters, and what stands there."""

    start: int
    end: int
    text: str


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    return word_list("capitalised", "en")


def spelled_names(text: str) -> tuple[Span, ...]:
    """The words that are spelled as names, in order; several capitalised ones in a row are one."""
    found: list[Span] = []
    for match in _WORD.finditer(text):
        start, end = match.start(), match.end()
        if match["name"] is None:
            found.append(Span(start, end, text[start + 1 : end - 1]))
            continue
        start = match.start("name")
        name = text[start:end]
        if not _SPELLED.fullmatch(name) or (fold(name) in _common() and not _begins_name(text, start, end)):
            continue
        before = found[-1] if found else None
        if before is not None and name[0].isupper() and text[before.start].isupper() and _is_one(text, before, start):
            found[-1] = Span(before.start, end, text[before.start : end])
        else:
            found.append(Span(start, end, name))
    return tuple(found)


def _begins_name(text: str, start: int, end: int) -> bool:
    """Whether a common word is written as the first of a name: within a sentence, and before another capital."""
    return text[:start].endswith((" ", '"')) and text[start].isupper() and _CAPITAL.match(text, end) is not None


def _is_one(text: str, before: Span, start: int) -> bool:
    return _JOINT.fullmatch(text, before.end, start) is not None and len(before.text.split()) < _LONGEST_NAME


def measures(text: str) -> tuple[Span, ...]:
    """The figures, each with the word that says what it counts."""
    found = []
    for match in _FIGURE.finditer(text):
        unit = match["unit"] or match["counted"]
        counts = unit is not None and _NO_UNIT.fullmatch(fold(unit)) is None
        if match["counted"] is not None and not counts:
            continue
        end = match.start("unit") if unit is not None and not counts else match.end()
        said = text[match.start() : end].rstrip(" -")
        found.append(Span(match.start(), match.start() + len(said), said))
    return tuple(found)
