"""Whether a text tells somebody what to do, and whether it blames.

Takes: a text. Gives: booleans, and the polarity of a wish. Never: other words than a person said.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.exchange import Polarity
from dopejar.pipelines.corrections.wording.rule_statements import states_rule
from dopejar.pipelines.corrections.wording.verbs import starters
from dopejar.text.polarity import polarity

_I: Final = re.IGNORECASE
_FIRST: Final = re.compile(r"[\w']+")
_BLAMES: Final = re.compile(
    r"^(?:why|how come)\b.*\byou\b|^you(?:'re|'ve| are| have| were)?\b"
    r"(?! (?:should|must|may|might|can|could|need|have to|ought|forgot|had better|will|want|no longer|"
    r"(?:don['’]?t|do not) (?:need|have) to|needn['’]?t|(?:are |['’]re )?(?:allowed|free|welcome) to)\b)",
    _I,
)


_MISSES: Final = re.compile(r"^(?:why|how come|you)\b[^,.;]{0,20}?(?:n'?t|\bnot|\bnever|\bforgot)\b", _I)


def blames(text: str) -> bool:
    """Whether an English text says what somebody did wrong: "why did you push to main", "you keep adding headers"."""
    return bool(_BLAMES.match(text))


def misses(text: str) -> bool:
    """Whether a text that blames does so for what was not done: "why aren't you using the linter"."""
    return bool(_MISSES.match(text))


def polarity_of(wish: str, language: str) -> Polarity:
    """Whether a wish asks to replace, to avoid or to do something; a complaint wants the opposite of what it says."""
    lowered = f" {wish.casefold()} "
    if any(mark in lowered for mark in (" instead of ", ", not ", " rather than ", " not through ", " em vez de ",
                                        " ao invés de ", " statt ", " au lieu de ", " вместо ", " místo ", "而不是",
                                        " en vez de ", "; do not ", " en lugar de ")):  # fmt: skip
        return Polarity.REPLACE
    if language == "en" and blames(wish):
        return Polarity.DO if misses(wish) else Polarity.AVOID
    return Polarity.AVOID if polarity(wish, language) < 0 else Polarity.DO


_SELF: Final = re.compile(
    r"^(?:(?:and|but|so|well|if|that|which|who|because|since|where|when|as) )*(?:i|i'm|i've|i'll|i'd|my|me|he|"
    r"she|they|it's|its|there's|"
    r"there (?:is|are|was)|which|who|whose|what|what's|why|how|where|if|does|did|is|are|can|could|do you|have|was|were|"
    r"people|someone|everyone|sorry|thanks?|at the end of|in this (?:song|book|movie|story))\b|"
    r"^(?:make sure|ensure|help|remember) (?:that )?(?:i|my|me|understanding)\b",
    _I,
)
_DIRECTS: Final = re.compile(
    r"\b(?:should|must|needs? to|have to|has to|never|always|only|instead of|rather than|do not|prefer)\b|, not \b"
    r"|, (?:so )?don'?t\b|^(?:please )?don'?t\b|^next time you\b",
    _I,
)
_HANGING: Final = re.compile(r"\b(?:this|that|these|those|it|them)\b(?= (?:never|again|now|to|$)|$)", _I)
_NOTHING: Final = re.compile(r"^no (?:more )?(?!need|reason|point|problem|idea|way|longer|one\b)\w", _I)
_NAMED: Final = 7  # words; a shorter wish that hangs on "this" or "it" names nothing that could be kept
_ASKED: Final = re.compile(r"[?\u037e\u061f\uff1f]\s*$")


@lru_cache(maxsize=2048)  # a clause is looked at by several rules
def directs(text: str) -> bool:
    """Whether a text tells somebody what to do, or states a convention. Judges English."""
    return orders(text) or (states_rule(text) and not (_SELF.match(text) or _ASKED.search(text) or _is_hanging(text)))


def _is_hanging(text: str) -> bool:
    return bool(_HANGING.search(text)) and len(text.split()) < _NAMED


def orders(text: str) -> bool:
    """Whether a text is an imperative, or says what should be. Judges English."""
    if _SELF.match(text) or _ASKED.search(text) or _is_hanging(text):
        return False
    first = _FIRST.match(text)
    return bool(first and first[0].casefold() in starters()) or bool(_DIRECTS.search(text) or _NOTHING.match(text))
