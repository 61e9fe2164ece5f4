"""The English verbs that instructions begin with.

Takes: nothing. Gives: the verbs. Never: knows a language's whole grammar.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.correction_cues import data_table

_ADVERBS: Final = frozenset({"always", "never", "avoid", "prefer", "only", "limit", "put", "ensure"})


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
