"""Names in a text: words spelled as a name.

Takes: a text. Gives: spans. Never: tells what a name stands for.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.lexicons import word_list
from dopejar.text.normalisation import fold

_WORD: Final = lazy_pattern(
    r"`[^`\n]{2,60}`|\"[^\"\n]{2,60}\"|“[^”\n]{2,60}”|(?:[Ee]x-(?=[A-Z]))?(?P<name>[^\W_](?:[\w.+#@/-]*[^\W_])?)"
)
_SPELLED: Final = lazy_pattern(r"[A-Z][\w.+#@/-]+|\w*[a-z][A-Z]\w*|[A-Za-z][\w.]*(?:[-_/@#+][\w.]+)+|[a-z]+\d\w*")
_JOINT: Final = lazy_pattern(r" (?:(?:and|of) )?")
_CAPITAL: Final = lazy_pattern(r" [A-Z][a-z]")
_LONGEST_NAME: Final = 4  # words


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
