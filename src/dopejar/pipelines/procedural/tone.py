"""Tone: a rule reworded as a recommendation, for the shared side.

Takes: the text of a proven bullet. Gives: the same advice in softer words. Never: reverses its meaning.
"""

from __future__ import annotations

import re
from typing import Final

_NOT: Final = r"(?:never|do not|don't|don’t)"
_REPLACEMENTS: Final = (
    (re.compile(r"\bmust\b", re.IGNORECASE), "should"),
    (re.compile(r"\bshall\b", re.IGNORECASE), "should"),
    (re.compile(r"\balways\b", re.IGNORECASE), "usually"),
    (re.compile(r"\b(?:has|have) to\b", re.IGNORECASE), "should"),
    (re.compile(r"\b(?:is|are) (?:required|mandatory)\b", re.IGNORECASE), "is recommended"),
    (re.compile(r"\b(?:is|are) (?:forbidden|prohibited)\b", re.IGNORECASE), "is better avoided"),
)
_PROHIBITION: Final = re.compile(
    rf"(?P<before>^|[.;:!,]\s+|\s[—–-]\s){_NOT}\s+(?P<verb>[A-Za-z]{{2,}})\b", re.IGNORECASE
)
_NEVER_INSIDE: Final = (re.compile(r"\bnever\b", re.IGNORECASE), "rarely")
_DOUBLES_CONSONANT: Final = frozenset(
    {
        *(
            "put",
            "set",
            "get",
            "run",
            "stop",
            "let",
            "cut",
            "drop",
            "log",
            "skip",
            "plan",
            "ship",
            "trim",
            "wrap",
            "pin",
        ),
        *("swap", "tag", "map", "begin", "commit", "omit", "refer", "submit", "permit"),
    }
)


def soften(text: str) -> str:
    """The text with `must` replaced by should, `always` by usually, and `never do` or `do not do` by avoid doing.

    The case of the first letter is kept, and everything else stays as it is.
    """
    softer = _PROHIBITION.sub(_as_avoidance, text)
    for pattern, word in (*_REPLACEMENTS, _NEVER_INSIDE):
        softer = _replace(pattern, word, softer)
    return softer


def _replace(pattern: re.Pattern[str], word: str, text: str) -> str:
    return pattern.sub(lambda match: _with_case_of(word, match[0]), text)


def _as_avoidance(match: re.Match[str]) -> str:
    prohibition = match[0][len(match["before"]) :]
    return f"{match['before']}{_with_case_of('avoid', prohibition)} {gerund(match['verb'].lower())}"


def _with_case_of(word: str, like: str) -> str:
    return word.capitalize() if like[:1].isupper() else word


def gerund(verb: str) -> str:
    """The -ing form of an English verb in its plain form."""
    if verb == "be":
        return "being"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    if verb in _DOUBLES_CONSONANT:
        return f"{verb}{verb[-1]}ing"
    return f"{verb}ing"
