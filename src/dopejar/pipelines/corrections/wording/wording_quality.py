"""How good a wording is as the canonical text of a wish.

Takes: a text. Gives: a score for comparing. Never: rewrites.
"""

from __future__ import annotations

from functools import lru_cache

from dopejar.pipelines.corrections.wording.verbs import ordering_verbs

_ACTION = ("always", "never", "do not", "avoid", "prefer", "only", "must")


@lru_cache(maxsize=1)
def starters() -> frozenset[str]:
    """Words that an imperative begins with."""
    return frozenset(
        ordering_verbs()
        | {
            "always",
            "never",
            "avoid",
            "prefer",
            "only",
            "limit",
            "treat",
            "put",
            "ensure",
            "carry",
            "filter",
            "count",
            "poll",
            "stick",
            "handle",
            "escape",
            "encrypt",
            "separate",
            "verify",
            "confirm",
            "respond",
            "speak",
            "stay",
            "shorten",
            "group",
            "prefix",
            "measure",
            "bring",
            "collect",
            "spell",
            "read",
        }
    )


def canonical_score(text: str) -> float:
    """An imperative start +3, five to twelve words +2 (three to fifteen +1), words of action +.5 each; shorter wins."""
    words = text.split()
    lowered = text.casefold()
    first = words[0].casefold().strip(",;:") if words else ""
    score = 3.0 if first in starters() or lowered.startswith("do not ") else 0.0
    score += 2.0 if 5 <= len(words) <= 12 else 1.0 if 3 <= len(words) <= 15 else 0.0
    score += sum(0.5 for word in _ACTION if f" {word} " in f" {lowered} ")
    return score - len(words) * 0.02
