"""The alignment signal: whether a draft contradicts an active rule or a north star.

Takes: a draft and the rules in force. Gives: 0 or 1. Never: reads the store; the caller brings the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dopejar.text.similarity import Similarity, similar
from dopejar.values.record import Draft, Kind, Record, Status

ALIGNED: Final = 1.0
MISALIGNED: Final = 0.0

_DIRECTING_KINDS: Final = frozenset({Kind.RULE, Kind.CONSTRAINT, Kind.DECISION, Kind.CORRECTION})
_DENIAL_SIMILARITY: Final = 0.6  # least word overlap at which opposite polarity counts as a denial
_OTHER_VALUE_SIMILARITY: Final = 0.8  # least word overlap at which another value counts as breaking the rule


def score_alignment(draft: Draft, active_rules: Sequence[Record], north_stars: Sequence[str] = ()) -> float:
    """0 where a draft contradicts an active rule that applies to it, or a north star; else 1.

    A contradiction is the opposite polarity in nearly the same words, or another value in words that are otherwise the
    same. A new version of a rule's own slot contradicts nothing: that is a conflict, and is scored as one.
    """
    for rule in active_rules:
        if _applies_to(rule, draft) and _is_contradiction(similar(draft.text, rule.text)):
            return MISALIGNED
    if any(_is_contradiction(similar(draft.text, star)) for star in north_stars):
        return MISALIGNED
    return ALIGNED


def _applies_to(rule: Record, draft: Draft) -> bool:
    """Whether a rule is in force where the draft would hold; a project's rule does not bind another project."""
    if rule.status is not Status.ACTIVE or rule.kind not in _DIRECTING_KINDS or rule.namespace != draft.namespace:
        return False
    is_in_scope = rule.scope.kind == "universal" or draft.scope == rule.scope or draft.scope.kind == "universal"
    chain = draft.slot or draft.key
    return is_in_scope and not (chain and chain == rule.chain)


def _is_contradiction(similarity: Similarity) -> bool:
    if not similarity.same_polarity:
        return similarity.lexical >= _DENIAL_SIMILARITY and similarity.same_values
    return not similarity.same_values and similarity.lexical >= _OTHER_VALUE_SIMILARITY
