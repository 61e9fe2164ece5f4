"""Choices: what is to be used, and what is not to be used in its place ("use uv instead of poetry").

Takes: the words of two statements. Gives: whether the later one refuses what the earlier one chose or the value that
it holds, or only refuses something else beside it. Never: takes two choices that refuse the same for one. Judges
English.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from dopejar.text.normalisation import fold
from dopejar.text.polarity import polarity
from dopejar.text.words import query_terms, words

_USE: Final = (
    r"\b(?:us(?:e|es|ing)|prefer(?:s|red)?|run(?:s|ning)?|tak(?:e|es)|pick|choose|stick(?:ing)? (?:to|with)"
    r"|stay(?:ing)? (?:on|with))"
)
_TURN: Final = re.compile(
    r"(?<![^;:.!?])(?P<good>[^;:.!?]*?[^\s,;:.!?]),? "
    r"(?:instead of|rather than|in place of|over|(?:and )?(?:not|never)) "
    r"(?:(?:use|using|with|to|through|the|a|an) )*(?P<bad>[^,;:()]+?)"
    r"(?=[,;:()]|[.!?]*$|[.!?] |\s(?:for|in|on|when|if|to|here|since|because|as|any ?more|any longer|from|at)\b)"
)
_OBJECT: Final = re.compile(rf"{_USE} (?:(?:the|a|an|only|always) )*(?P<what>.+)$")
_NO_MORE: Final = re.compile(
    r"\b(?:no longer|(?<!\bdo )(?<!\bdoes )(?<!\bdid )(?<!\bis )(?<!\bare )(?<!\bcan )(?<!\bwill )(?<!\bmust )not"
    r"|instead of|rather than|in place of) (?P<bad>[^;:()]+?)"
    r"(?: any ?more| any longer)?(?=,\s|[;:()]|[.!?]*$|[.!?] )"
)
_BETWEEN: Final = re.compile(r"[,;:.!]\s|\s[-\u2013\u2014]\s")
_ENDS: Final = re.compile(r"[,;:()]|\s(?:for|in|on|when|if|to|here|as|from|at|with|and|instead|rather|over)\b")


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """The stems of what is chosen, in each way to read it, and of what is refused; nothing is refused by "use uv"."""

    chosen: frozenset[frozenset[str]]
    refused: frozenset[str]


def refuses_choice(earlier: str, later: str) -> bool:
    """Whether the later statement refuses what the earlier one chose: it takes the place of the earlier one."""
    known, said = _choice(earlier), _choice(later)
    return bool(said.refused) and said.refused in known.chosen and said.refused != known.refused


def refuses_value(earlier: str, later: str) -> bool:
    """Whether the later statement names a value of the earlier one as what holds no more: "60 days, no longer 90"."""
    said = fold(later).replace("\u2019", "'")
    known = frozenset(query_terms(earlier))
    for turn in _NO_MORE.finditer(said):
        refused = frozenset(query_terms(turn["bad"]))
        chosen = frozenset(query_terms(f"{said[: turn.start()]} {said[turn.end() :]}"))
        if refused and refused <= known and not refused <= chosen and not chosen <= known:
            return refused != _choice(earlier).refused and polarity(earlier) >= 0
    return False


def chooses_again(earlier: str, later: str) -> bool:
    """Whether both choose the same and refuse different things: both hold, "uv instead of pip", "instead of poetry"."""
    known, said = _choice(earlier), _choice(later)
    is_same = bool(known.chosen & said.chosen)
    return is_same and bool(known.refused and said.refused) and known.refused.isdisjoint(said.refused)


def refuse_the_same(one: str, other: str) -> bool:
    """Whether both name something else in place of the same thing."""
    return bool(_choice(one).refused) and _choice(one).refused == _choice(other).refused


@lru_cache(maxsize=2048)
def _choice(text: str) -> Choice:
    said = fold(text).replace("\u2019", "'").rstrip(".! ")
    turn = _TURN.search(said)
    if turn is None:
        return _choice_of_clauses(said)
    refused = frozenset(query_terms(turn["bad"]))
    last = words(turn["good"])[-len(words(turn["bad"])) :]  # "deploy with fly instead of heroku"
    return Choice(chosen=frozenset((*_objects(turn["good"]), frozenset(query_terms(" ".join(last))))), refused=refused)


def _choice_of_clauses(said: str) -> Choice:
    """The choice where clauses tell it one by one: "don't use pip here, we use poetry"."""
    chosen, refused = set[frozenset[str]](), set[frozenset[str]]()
    for clause in _BETWEEN.split(said):
        (refused if polarity(clause) < 0 else chosen).update(_objects(clause))
    return Choice(chosen=frozenset(chosen), refused=min(refused, default=frozenset(), key=sorted))


def _objects(said: str) -> Iterator[frozenset[str]]:
    """What follows a word of use."""
    found = _OBJECT.search(said)
    if found:
        yield frozenset(query_terms(_ENDS.split(found["what"], maxsplit=1)[0]))
