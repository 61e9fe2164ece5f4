"""The English verbs that instructions begin with.

Takes: nothing, or a verb. Gives: the verbs, the -ing form of one. Never: knows a language's whole grammar.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.correction_cues import data_table

_ADVERBS: Final = frozenset({"always", "never", "avoid", "prefer", "only", "limit", "put", "ensure"})
_DOUBLES: Final = frozenset(
    {
        "stop", "put", "run", "get", "set", "cut", "split", "commit", "drop", "skip", "forget", "begin", "plan", "log",
        "tag", "wrap", "ship", "debug", "grep", "stub", "strip", "hit", "let", "quit", "chat", "scan", "map", "pin",
        "step", "shut", "dig", "rip", "swap", "trim", "flag", "plug", "unplug", "omit", "submit", "permit", "refer",
    }
)  # fmt: skip


@lru_cache(maxsize=1)
def plain_verbs() -> frozenset[str]:
    """The plain verbs that instructions begin with."""
    found = data_table("verbs").get("plain", [])
    return frozenset(map(str, found)) if isinstance(found, list) else frozenset()


@lru_cache(maxsize=1)
def ordering_verbs() -> frozenset[str]:
    """Every verb that an order may begin with, also those that detection does not weigh."""
    found = data_table("verbs").get("further", [])
    return plain_verbs() | (frozenset(map(str, found)) if isinstance(found, list) else frozenset())


@lru_cache(maxsize=1)
def starters() -> frozenset[str]:
    """Words that an order begins with."""
    return ordering_verbs() | _ADVERBS


def ing_of(word: str) -> str:
    """`use` -> `using`; of a plain verb."""
    lower = word.casefold()
    if lower.endswith("ing") and len(lower) > 5:
        return lower
    if lower in _DOUBLES:
        return lower + lower[-1] + "ing"
    if lower.endswith("ie"):
        return lower[:-2] + "ying"
    if lower.endswith("e") and not lower.endswith(("ee", "oe", "ye")) and len(lower) > 2:
        return lower[:-1] + "ing"
    return lower + "ing"
