"""A bullet in softer words, for the shared side.

Takes: the words of a proven bullet. Gives: the same advice as a recommendation. Never: turns its meaning round.
"""

from __future__ import annotations

import re
from typing import Final

_NOT: Final = r"(?:never|do not|don't|don’t)"
_SWAPS: Final = (
    (re.compile(r"\bmust\b", re.IGNORECASE), "should"),
    (re.compile(r"\bshall\b", re.IGNORECASE), "should"),
    (re.compile(r"\balways\b", re.IGNORECASE), "usually"),
    (re.compile(r"\b(?:has|have) to\b", re.IGNORECASE), "should"),
    (re.compile(r"\b(?:is|are) (?:required|mandatory)\b", re.IGNORECASE), "is recommended"),
    (re.compile(r"\b(?:is|are) (?:forbidden|prohibited)\b", re.IGNORECASE), "is better avoided"),
)
_DENIED: Final = re.compile(rf"(?P<before>^|[.;:!,]\s+|\s[—–-]\s){_NOT}\s+(?P<verb>[A-Za-z]{{2,}})\b", re.IGNORECASE)
_INSIDE: Final = (re.compile(r"\bnever\b", re.IGNORECASE), "rarely")
_DOUBLED: Final = frozenset({
    *("put", "set", "get", "run", "stop", "let", "cut", "drop", "log", "skip", "plan", "ship", "trim", "wrap", "pin"),
    *("swap", "tag", "map", "begin", "commit", "omit", "refer", "submit", "permit"),
})


def soften(text: str) -> str:
    """The text with `must` as should, `always` as usually, and `never do` or `do not do` as avoid doing.

    Case at the beginning is kept, everything else stays as it is.
    """
    softer = _DENIED.sub(_avoided, text)
    for pattern, word in (*_SWAPS, _INSIDE):
        softer = _swapped(pattern, word, softer)
    return softer


def _swapped(pattern: re.Pattern[str], word: str, text: str) -> str:
    return pattern.sub(lambda match: _cased(word, match[0]), text)


def _avoided(match: re.Match[str]) -> str:
    said = match[0][len(match["before"]) :]
    return f"{match['before']}{_cased('avoid', said)} {gerund(match['verb'].lower())}"


def _cased(word: str, like: str) -> str:
    return word.capitalize() if like[:1].isupper() else word


def gerund(verb: str) -> str:
    """The -ing form of an English verb in its plain form."""
    if verb == "be":
        return "being"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    if verb in _DOUBLED:
        return f"{verb}{verb[-1]}ing"
    return f"{verb}ing"
