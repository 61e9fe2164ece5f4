"""The terms of a prompt that tell its topic, and which of them are rare.

Takes: a parsed prompt, and records that a search found. Gives: its terms without those of nearly every instruction; the
records that share rare ones. Never: reads the store.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.passages import text_terms
from dopejar.pipelines.recall.question import word_list
from dopejar.text.lexicons import guess_language, light_words
from dopejar.text.lexicons import word_list as list_of_words
from dopejar.text.words import stem
from dopejar.values.scope import UNIVERSAL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dopejar.pipelines.recall.question import Question
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.values.record import Record

_GREETING: Final = re.compile(r"\bgood (morning|afternoon|evening|night)\b", re.IGNORECASE)
_KEPT: Final = 2  # first letters of a word, which are those of its stem


def topic_terms(question: Question) -> frozenset[str]:
    """The terms without greetings and words of nearly every instruction, of which no memory is about."""
    light = light_words(guess_language(question.text)) | word_list("acknowledgements")
    dropped = (*light, *_GREETING.findall(question.text))
    return frozenset(question.terms) - frozenset(map(stem, dropped))


@lru_cache(maxsize=1)
def _frequent() -> frozenset[str]:
    return list_of_words("frequent", "en")


@lru_cache(maxsize=1024)
def is_frequent(term: str) -> bool:
    """Whether a term is the stem of a word that is frequent in English; a stem changes only the end of a word."""
    return any(word.startswith(term[:_KEPT]) and stem(word) == term for word in _frequent())


def met_by_rare_terms(question: Question, items: Iterable[RankedItem]) -> frozenset[str]:
    """The ids of the records that share the prompt's rare terms: one with a task, half if they hold everywhere.

    Most words of a task are new: "create a Svelte component for the footer" is told what is known of Svelte. A question
    is answered by what it asks for, and takes all: "when is Ida's birthday?" is not answered by Ida's address.
    """
    rare = frozenset(term for term in topic_terms(question) if not is_frequent(term))

    def is_met(record: Record) -> bool:
        least = len(rare) if question.is_asking else len(rare) / 2 if record.scope == UNIVERSAL else 1
        return len(rare & text_terms(record.text)) >= max(1, least)

    return frozenset(item.record.id for item in items if item.record is not None and is_met(item.record))
