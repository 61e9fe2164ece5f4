"""Which records bear on a prompt, by its terms that tell a topic, and by those among them that are rare.

Takes: a parsed prompt, and ranked items. Gives: its terms without those of nearly every instruction; the records that
share them. Never: reads the store, or leaves out a quotation that may be told.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.answer_floor import floor_of, signals_of
from dopejar.pipelines.recall.item_weights import STANDING_KINDS, only_asks
from dopejar.pipelines.recall.key_names import naming_words
from dopejar.pipelines.recall.own_records import is_own
from dopejar.pipelines.recall.passages import text_terms
from dopejar.pipelines.recall.question import names_in, word_list
from dopejar.text.lexicons import guess_language, light_words
from dopejar.text.text_values import has_digit
from dopejar.text.words import is_frequent, query_terms, stem
from dopejar.values.record import DIRECTING, Kind
from dopejar.values.scope import UNIVERSAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

    from dopejar.pipelines.recall.question import Question
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.values.record import Record

_NEAR: Final = 0.35  # cosine from which a prompt and a memory may be about the same, whatever their words
_HOW_TO_WORK: Final = frozenset(DIRECTING) - {Kind.CONSTRAINT}  # that is mostly of a person: an allergy
_GREETING: Final = re.compile(r"(?:\bgood |^)(morning|afternoon|evening|night)\b", re.IGNORECASE)
_HIDES: Final = 0.6  # of the score of a turn, below which a record is no answer beside it
_TELLS: Final = 2.0  # log odds, from which what shares no word with a task may be told for what it says of the user
_NOTE: Final = re.compile(r":\s|[,;]\s.*[,;]\s")  # that lists values
_FEW: Final = 3  # records with a name, each of which may be what is asked for
_DENIED: Final = -3.0  # log odds, below which a record with only the name in common is about something else of it


def topic_terms(question: Question) -> frozenset[str]:
    """The terms without greetings and words of nearly every instruction; a question has all where no other is left."""
    light = light_words(guess_language(question.text)) | word_list("acknowledgements")
    terms = frozenset(question.terms) - frozenset(map(stem, _GREETING.findall(question.text)))
    telling = terms - frozenset(map(stem, light))
    return telling or (terms if question.is_asking else telling)


def tells_more(text: str, asked: Set[str], said: Set[str]) -> bool:
    """Whether what was said has half of the numbers of a text, else of its rare terms, without those asked with."""
    rare = frozenset(term for term in query_terms(text) if not is_frequent(term))
    own = (frozenset(filter(has_digit, rare)) or rare) - asked
    return 0 < len(own) <= 2 * len(own & said)


def met_by_rare_terms(question: Question, items: Iterable[RankedItem], *, in_project: bool = False) -> frozenset[str]:
    """The ids of the records that share the prompt's rare terms: all with a question, one with a task.

    Most words of a task are new: "create a Svelte component for the footer" is told what is known of Svelte. A question
    is answered by what it asks for: "when is Ida's birthday?" is not by Ida's address. In a project, what holds
    everywhere is met only where it says how to work or both speak of the user, and by half of the terms.
    """
    rare = frozenset(term for term in topic_terms(question) if not is_frequent(term))

    def is_met(record: Record) -> bool:
        is_everywhere = in_project and record.scope == UNIVERSAL
        if is_everywhere and not (record.kind in _HOW_TO_WORK or (question.is_about_self and is_own(record.text))):
            return False
        least = len(rare) if question.is_asking else len(rare) / 2 if is_everywhere else 1
        return len(rare & text_terms(record.text)) >= max(1, least)

    return frozenset(item.record.id for item in items if item.record is not None and is_met(item.record))


def not_denied(question: Question, items: Sequence[RankedItem]) -> list[RankedItem]:
    """The notes on what a question names, where a few name it and reading does not deny them.

    "What rate does Novatek pay?" shares only the name with "Novatek: 1.90 a word, contact is Jana": a note lists values
    without their properties, so that reading is less sure of each, and no words tell it from what else is known.
    """
    asked, records = frozenset(question.terms), [item for item in items if item.record is not None]
    if not question.is_asking:
        return []
    names = question.names or frozenset[str]().union(*(names_in(item.text) for item in records))  # as they are written
    named = names & asked
    naming = [item for item in records if named <= text_terms(item.text)]
    if not named or len(naming) > _FEW:
        return []
    read = [item for item in naming if item.answer is not None and item.answer >= _DENIED]
    return [item for item in read if _NOTE.search(item.text)]


def bearing_on(
    items: Sequence[RankedItem], question: Question, *, led: Set[str] = frozenset(), in_project: bool = False
) -> list[RankedItem]:
    """The items without the records that share only words of no topic with a prompt, and without idle rivals.

    "run it again" is not about an oven that runs hot. What holds everywhere is mostly of the user's own life: in a
    project it takes two words, or one that is rare in English, or the whole of the prompt where it says how to work,
    or where the user asks of themself. Of an older version only rare words count. What a prompt names, a graph or an
    own slot led to, and what is near by its meaning stays.
    """
    asked = topic_terms(question)
    is_of_self = question.is_about_self and question.is_asking

    def bears(item: RankedItem) -> bool:
        record = item.record
        if record is None or (item.cosine or 0.0) >= _NEAR or item.id in led or naming_words(record.key, question):
            return True
        telling = asked & text_terms(item.text)
        telling |= frozenset(term for term in asked & text_terms(item.led_by) if not is_frequent(term))
        if not (in_project and record.scope == UNIVERSAL):
            return bool(telling) or not question.respelled.isdisjoint(text_terms(item.text))
        is_meant = record.kind in _HOW_TO_WORK or (is_of_self and is_own(record.text))
        is_whole = is_meant and bool(asked) and asked <= telling
        return len(telling) > 1 or is_whole or not all(map(is_frequent, telling))

    kept = [item for item in items if bears(item)]
    telling = _without_idle_rivals(kept) if question.is_asking else kept
    if len(telling) == len(kept) or _is_found(question, telling):
        return telling
    met = met_by_rare_terms(question, telling, in_project=in_project) | led
    return [
        item for item in telling if item.record is None or item.id in met or naming_words(item.record.key, question)
    ]


def concerning(
    items: Sequence[RankedItem], question: Question, *, led: Set[str] = frozenset(), in_project: bool = False
) -> list[RankedItem]:
    """The items that concern a task with which memory was asked.

    No text answers a task, so that reading both tells little. It has to share a topic with what is told, or to be near
    it. Only what directs work, or what the user surely told of themself for this, may do neither: an allergy, to
    "suggest a dinner".
    """
    asked = topic_terms(question)
    borne = {item.id for item in bearing_on(items, question, led=led, in_project=in_project)}

    def concerns(item: RankedItem) -> bool:
        if (item.answer or 0.0) >= _TELLS and is_own(item.text):
            return True
        if item.record is not None:
            return item.id in borne or item.record.kind in STANDING_KINDS
        return (item.cosine or 0.0) >= _NEAR or not asked.isdisjoint(text_terms(item.text))

    return [item for item in items if concerns(item)]


def _is_found(question: Question, items: Sequence[RankedItem]) -> bool:
    """Whether the items reach the floor of a search by words; vectors are no worse for what was asked before."""
    floor = floor_of(None)
    is_near = any(item.cosine is not None for item in items)
    return is_near or floor.relevance(signals_of(question, items, frozenset())) >= floor.floor


def _without_idle_rivals(items: Sequence[RankedItem]) -> list[RankedItem]:
    """The items without turns that would not be told, and have more of a question than a record.

    A record that has far fewer of its words than a turn is no answer beside that turn. A turn that only asked the same
    before, or had something done, tells nothing: it is no reason to be silent about the record, nor to tell it.
    """
    from dopejar.pipelines.recall.prompt_selection import tells_nothing  # only hooks speak unasked

    told = [item.fused for item in items if item.record is not None] or [1.0]

    def is_idle(item: RankedItem) -> bool:
        turn = item.episode
        if turn is None or item.fused <= min(told):
            return False
        return only_asks(turn.text) or (_HIDES * item.fused > max(told) and tells_nothing(turn))  # that reads it

    return [item for item in items if not is_idle(item)]
