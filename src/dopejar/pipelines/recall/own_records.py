"""What answers a question about the asker, or about somebody named, though it shares few words with the question.

Takes: a question and ranked records. Gives: the records that answer by their meaning, and what has only a name in
common. Never: reads the store, or judges what shares the rest of the question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.question import word_list
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.normalisation import fold
from dopejar.text.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.pipelines.recall.question import Question
    from dopejar.pipelines.recall.ranked_item import RankedItem

_THE_USER: Final = lazy_pattern(r"\bthe user\b", re.IGNORECASE)
_NEAR: Final = 0.85  # of the best cosine of the asker's own records, which another answer needs
_TELLING: Final = 2  # terms beside a name that together tell what is asked


def is_own(text: str) -> bool:
    """Whether a text speaks of whoever says it, or of "the user", as agents note what a user says of themself."""
    return bool(_THE_USER.search(text)) or not word_list("self").isdisjoint(words(fold(text)))


def own_answers(question: Question, items: Sequence[RankedItem], least: float) -> frozenset[str]:
    """The ids of the records in the first person that are near a question in the first person: `least` by cosine.

    "What do I do for a living?" has no word of "I'm a baker", and few terms to tell it from other questions. That
    both speak of the same person is what the floor of other questions asks of the words.
    """
    if not (question.is_about_self and question.is_asking) or question.is_request or question.is_about_replies:
        return frozenset()
    near = {
        item.id: item.cosine
        for item in items
        if item.record is not None and item.cosine is not None and is_own(item.record.text)
    }
    best = max(near.values(), default=0.0)
    return frozenset(name for name, cosine in near.items() if cosine >= max(least, _NEAR * best))


def misses_subject(
    question: Question, item: RankedItem, terms: frozenset[str], enough: float, *, is_linked: bool = False
) -> bool:
    """Whether an item, whose `terms` these are, has no more in common with a question than a name, or lacks the name.

    "What is Piotr's birthday?" is answered neither by whatever else is known of Piotr nor by another's birthday. A
    cosine may be `enough`; where there is none, other words may say the rest. What the graph linked is about the name
    under another one.
    """
    names = question.names & frozenset(question.terms)
    if not names or (item.cosine or 0.0) >= enough:
        return False
    rest = frozenset(question.terms) - names
    if names.isdisjoint(terms) and not is_linked:
        return len(rest) < _TELLING or not rest <= terms
    return item.cosine is not None and bool(rest) and rest.isdisjoint(terms)


def stands_alone(item: RankedItem) -> bool:
    """Whether more speaks for an item than for its neighbours; what holds for now stands for another."""
    if item.record is not None:
        return not item.record.temporary
    return item.cosine is not None and item.from_neighbours < item.fused
