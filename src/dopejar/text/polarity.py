"""Whether a statement is denied.

Takes: a text and its language. Gives: +1 or -1. Never: weighs feelings; "I hate Mondays" denies, it does not sulk.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from dopejar.text.lexicons import Lexicon, alternatives, lexicon
from dopejar.text.normalise import fold

_CLAUSE: Final = re.compile(r"[;:.!?。！？；：，,…]+(?=\s|$|[\u3000-\u9fff])|\s[-]+\s|\n+")
_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")


@lru_cache(maxsize=16)
def _patterns(language: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], Lexicon]:
    book = lexicon(language)
    is_spaced = language != "zh"
    return (
        alternatives(book.unnegations, is_spaced=is_spaced),
        alternatives(book.negations, is_spaced=is_spaced),
        alternatives(book.reversals, is_spaced=is_spaced),
        book,
    )


def polarity(text: str, language: str = "en") -> int:
    """-1 where the main clause is denied, else +1.

    The first clause that says something decides: subordinate openings ("if it fails, ...") and fluff ("no, ...") are
    passed over. Two denials of one clause cancel out, except in languages where they strengthen each other; "not only"
    and its like deny nothing. Raises InputError for a language without a lexicon.
    """
    affirmed, negated, reversed_, book = _patterns(language)
    folded = affirmed.sub(" ", fold(text))
    clauses = [clause for clause in _CLAUSE.split(folded) if clause and clause.strip()]
    main = next((clause for clause in clauses if _says_something(clause, book)), folded)
    denials = len(negated.findall(main))
    if book.has_concord:
        denials = min(denials, 1)
    denials += len(reversed_.findall(main))
    return -1 if denials % 2 else 1


def _says_something(clause: str, book: Lexicon) -> bool:
    if book.fluff_opening.fullmatch(clause + " ") or book.fluff_opening.fullmatch(clause):
        return False
    if book.language == "zh":
        return not any(clause.strip().startswith(word) for word in book.subordinators)
    spoken = _WORD.findall(clause)
    if not spoken or spoken[0] in book.subordinators:
        return False
    return not all(word in book.intensifiers for word in spoken)
