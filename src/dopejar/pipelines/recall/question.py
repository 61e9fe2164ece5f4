"""What a question asks for, read from its words.

Takes: the text of a question and when it is asked. Gives: a frozen `Question`. Never: looks into memory or at a clock.

Every reading only shifts weights: a question of a language or form that no pattern knows is searched all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Final

from dopejar.pipelines.recall.window import Window, read_windows
from dopejar.text.normalise import fold
from dopejar.text.words import query_terms, stem, words

_REPLIES: Final = re.compile(
    r"\b(?:did|have|had) you\b"
    r"|\byou(?:'ve| have|'d| had)? (?:said|told|gave|given|wrote|made|listed|shared|recommend\w*|suggest\w*|mention\w*"
    r"|provid\w*|explain\w*|advis\w*|propos\w*|describ\w*)\b"
    r"|\byour (?:advice|answer|explanation|proposal|recommendation|reply|suggestion)s?\b",
    re.IGNORECASE,
)
_REQUEST: Final = re.compile(
    r"^(?:please )?(?:can|could|would|will) you (?!remind|recall|list|tell me what|summar|walk me through|give me an? )"
    r"|\bhow (?:should|can|do|would|could) (?:i|we)\b"
    r"|\b(?:what|which)\b.* (?:would|should|do) you (?:suggest|recommend|think)"
    r"|\bwhat (?:should|would|can) (?:i|we)\b"
    r"|\b(?:show|help|explain to|teach) me\b"
    r"|\b(?:i'm|i am|we're|we are) (?:planning|going|about|trying|looking|working)\b",
    re.IGNORECASE,
)
_MEASURE: Final = re.compile(
    r"\b(?:when|how (?:many|much|long|old|often|far)|what (?:time|date|year|day|number)|percentage|amount)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A question as recall understands it.

    `words` are all its words, folded, for names of speakers. `is_about_self`: the asker's own affairs;
    `is_about_replies`: what the assistant said; `is_request`: help for a task at hand, on which standing instructions
    bear; `wants_measure`: a date, a time, a count.
    """

    text: str
    terms: tuple[str, ...]
    words: frozenset[str]
    windows: tuple[Window, ...] = ()
    is_about_self: bool = False
    is_about_replies: bool = False
    is_request: bool = False
    wants_measure: bool = False

    def without(self, names: frozenset[str]) -> Question:
        """The same question with these names taken as who speaks, no longer as what is looked for."""
        dropped = {stem(name) for name in names}
        kept = tuple(term for term in self.terms if term not in dropped)
        return replace(self, terms=kept or self.terms)


@lru_cache(maxsize=1)
def _data() -> dict[str, object]:
    import tomllib

    return tomllib.loads((Path(__file__).with_name("data") / "question.toml").read_text("utf-8"))


@lru_cache(maxsize=8)
def word_list(name: str) -> frozenset[str]:
    """A list of single folded words of this room, read once."""
    return frozenset(str(_data()[name]).split())


@lru_cache(maxsize=8)
def phrases(name: str) -> tuple[str, ...]:
    """A list of folded phrases of this room, one on a line, read once."""
    return tuple(line.strip() for line in str(_data()[name]).splitlines() if line.strip())


@lru_cache(maxsize=1)
def _talk() -> frozenset[str]:
    return frozenset(map(stem, word_list("talk")))


def read_question(text: str, asked_on: date) -> Question:
    """Read a question. Words that name a time become windows; talk about remembering is dropped from the terms."""
    windows, rest = read_windows(text, asked_on)
    plain = query_terms(rest if rest.strip() else text)
    told = fold(text)
    as_written = words(told)
    spoken = frozenset(as_written) | frozenset(word.removesuffix("'s") for word in as_written)
    return Question(
        text=text,
        terms=tuple(term for term in plain if term not in _talk()) or tuple(plain),
        words=spoken,
        windows=windows,
        is_about_self=not spoken.isdisjoint(word_list("self")),
        is_about_replies=bool(_REPLIES.search(told)),
        is_request=bool(_REQUEST.search(told)),
        wants_measure=bool(_MEASURE.search(told)),
    )
