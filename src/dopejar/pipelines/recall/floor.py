"""The floor: from which relevance on memory has an answer at all.

Takes: a question and ranked items. Gives: the items that are relevant enough, none where the best of them is not.
Never: compares questions by their fused scores, which say which item is best and not whether it is any good.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.passages import text_terms
from dopejar.pipelines.recall.question import word_list
from dopejar.text.normalisation import fold
from dopejar.text.words import words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.pipelines.recall.question import Question
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.ports.embedder import EmbedderIdentity

_COMPARED: Final = 20  # best items, among which the most relevant is looked for
_MOST_TERMS: Final = 16  # a longer text describes a situation, of which memory cannot be expected to hold most words
_LONGEST: Final = 60  # characters; a longer text is more than an acknowledgement


@dataclass(frozen=True, kw_only=True, slots=True)
class Floor:
    """The least relevance of the best item, the weight of shared terms in it, and the least cosine of any item."""

    floor: float = -1.0
    coverage: float = 1.0
    item: float = -1.0


@lru_cache(maxsize=1)
def _floors() -> dict[str, Floor]:
    import tomllib

    data = tomllib.loads((Path(__file__).with_name("data") / "floor.toml").read_text("utf-8"))
    return {name: Floor(**values) for name, values in data.items()}


def floor_of(embedder: EmbedderIdentity | None) -> Floor:
    """The floor of a search with this embedder, or without one; none where it was not calibrated."""
    return _floors().get("words" if embedder is None else embedder.name, Floor())


def is_acknowledgement(text: str) -> bool:
    """Whether a text only acknowledges ("ok", "go on", "8"): it asks for nothing, and tells nothing."""
    if len(text) > _LONGEST:
        return False
    said = words(fold(text))
    return all((len(word) < 2 and word.isascii()) or word in word_list("acknowledgements") for word in said)


def relevant(
    question: Question, items: Sequence[RankedItem], embedder: EmbedderIdentity | None, *, is_named: bool = False
) -> tuple[list[RankedItem], float]:
    """The items that are relevant enough, and the relevance of the best; no items where that is below the floor.

    `is_named`: the graph knows a thing that the question names, under whatever name; then there is no floor.
    """
    floor = floor_of(embedder)
    best = max(_relevances(question.terms, items[:_COMPARED], floor), default=0.0)
    if best < floor.floor and not is_named and len(question.terms) <= _MOST_TERMS:
        return [], best
    return [item for item in items if _is_near(item, floor)], best


def _is_near(item: RankedItem, floor: Floor) -> bool:
    return item.lexical > 0 or item.from_neighbours > 0 or item.cosine is None or item.cosine >= floor.item


def _relevances(terms: Sequence[str], items: Sequence[RankedItem], floor: Floor) -> list[float]:
    """The relevance of each item. A term counts more, the fewer of the items contain it, and most where none does."""
    texts = [text_terms(_text_of(item)) for item in items]
    weights = {term: log(1 + len(items) / max(0.5, sum(term in text for text in texts))) for term in terms}
    whole = sum(weights.values()) or 1.0
    return [
        floor.coverage * sum(weights[term] for term in terms if term in text) / whole + (item.cosine or 0.0)
        for item, text in zip(items, texts, strict=True)
    ]


def _text_of(item: RankedItem) -> str:
    return f"{item.text} {item.record.key.replace('-', ' ')}" if item.record is not None else item.text
