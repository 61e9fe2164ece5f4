"""How surely the best items answer the question, read together with it; what is alike need not.

Takes: a question, ranked items, and a function that reads. Gives: the items with how surely they answer. Never: reads
more than a few, as each costs a pass of an encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import exp
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.answer_floor import MOST_TERMS
from dopejar.pipelines.recall.item_weights import speaker_names
from dopejar.pipelines.recall.key_names import naming_words, topic_of
from dopejar.pipelines.recall.passages import best_passage, text_terms
from dopejar.pipelines.recall.weights import weights
from dopejar.text.sentences import sentences

if TYPE_CHECKING:
    from dopejar.pipelines.recall.question import Question
    from dopejar.pipelines.recall.ranked_item import RankedItem

Answers = Callable[[str, Sequence[str]], Sequence[float]]
"""The log odds that each text answers a question."""

_READ: Final = 8  # texts
_READ_OF_SET: Final = 16  # the same where every member of a set is asked for
_READ_IN_ALL: Final = 24  # the same in all searches of one recall
_NEAREST: Final = 4  # of them at least by their cosine alone
_BUDGET: Final = 80  # tokens of a long turn
_TELLS: Final = 2.0  # log odds, above which a turn tells whether there is an answer
_ENDS: Final = " .!\n"  # which a record of a turn may lack
_NOTHING: Final = -4.0  # log odds; from -3 on, one answer in a hundred is lost in conversations of two people
_DENIED: Final = -3.5  # log odds, below which what is read does not answer, whatever it names
_ANSWERS: Final = 1.0  # log odds, from which it does
_SURE: Final = 4.0  # log odds, beyond which nothing changes


class FewReadings:
    """Reads for all searches of one recall, each text once with a question; `room` is how many the next may read."""

    def __init__(self, answers: Answers) -> None:
        self._answers, self._known = answers, dict[tuple[str, str], float]()
        self._left = self.room = _READ_IN_ALL

    def __call__(self, question: str, texts: Sequence[str]) -> list[float]:
        """The log odds that each text answers the question."""
        new = [text for text in dict.fromkeys(texts) if (question, text) not in self._known]
        self._known.update(((question, text), one) for text, one in zip(new, self._answers(question, new), strict=True))
        self._left = self.room = max(0, self._left - len(new))
        return [self._known[question, text] for text in texts]

    def share(self, searches: int) -> None:
        """Leave each of so many searches its part of what may still be read."""
        self.room = self._left // searches


def with_answers(
    text: str, question: Question, items: Sequence[RankedItem], answers: Answers | None
) -> list[RankedItem]:
    """The items, best first, of which the best few are read: how surely they answer changes their order.

    A long text describes a situation and asks for nothing that one of them could say. What a turn says it may say only
    with the turns before it, or by its date, so that nothing speaks against one; a record stands by itself.
    """
    terms = frozenset(question.terms)
    if answers is None or not items or len(terms) > MOST_TERMS:
        return list(items)
    if not question.listed and _names(question, items):
        return list(items)
    most = _READ_OF_SET if question.listed else _READ
    room = answers.room if isinstance(answers, FewReadings) else most
    texts = {words: _said(item, question) for words, item in _chosen(items, min(most, room)).items()}
    odds = dict(zip(texts, answers(question.listed or text, list(texts.values())), strict=True))
    if (last := _last_question(text)) and not question.listed:
        alone = answers(last, list(texts.values()))
        odds = {words: max(odds[words], one) for words, one in zip(texts, alone, strict=True)}
    recorded = {_words(item) for item in items if item.record is not None}
    found = [
        replace(item, odds=odds[words], answer=odds[words] if words in recorded or odds[words] > 0 else None)
        if (words := _words(item)) in odds
        else item
        for item in items
    ]
    return _named_before_likes(_in_order(found), terms)


def _named_before_likes(items: Sequence[RankedItem], asked: frozenset[str]) -> list[RankedItem]:
    """The items; what names more of a question before what names a part and does not surely answer: others' ports.

    The places keep their scores.
    """
    ordered: list[RankedItem] = []
    for item in items:
        place = len(ordered)
        if item.record is not None and item.answer is not None and item.answer > _DENIED:
            said = _shared(item, asked)
            rivals = (
                at
                for at, other in enumerate(ordered)
                if _is_unsure(other) and frozenset() < _shared(other, asked) < said
            )
            place = next(rivals, place)
        ordered.insert(place, item)
    return [replace(item, score=place.score) for item, place in zip(ordered, items, strict=True)]


def _is_unsure(item: RankedItem) -> bool:
    return item.record is not None and item.answer is not None and item.answer < _ANSWERS


def _shared(item: RankedItem, asked: frozenset[str]) -> frozenset[str]:
    topic = topic_of(item.record) if item.record is not None else ""
    return asked & text_terms(f"{item.text} {topic}")


def is_read(items: Sequence[RankedItem]) -> bool:
    """Whether what was read tells if there is an answer: of a record always, of a turn where it surely answers."""
    return any(item.answer is not None and (item.record is not None or item.answer > _TELLS) for item in items)


def is_denied(items: Sequence[RankedItem]) -> bool:
    """Whether all that was read surely does not answer, turns included: then nothing does."""
    odds = [item.odds for item in items if item.odds is not None]
    return bool(odds) and max(odds) < _NOTHING


def _names(question: Question, items: Sequence[RankedItem]) -> bool:
    """Whether a question names a record by its key, or one thing and asks no more ("What about the boiler?")."""
    terms = frozenset(question.terms)
    if len(terms) == 1 and any(terms <= text_terms(item.text) for item in items[:_READ]):
        return True
    return any(item.record is not None and naming_words(item.record.key, question) for item in items)


def _last_question(text: str) -> str:
    """The question that ends a text of several sentences: what stands before it may be about something else."""
    pieces = sentences(text)
    last = text[pieces[-1].start : pieces[-1].end].strip() if len(pieces) > 1 else ""
    return last if last.endswith("?") else ""


def _chosen(items: Sequence[RankedItem], read: int) -> dict[str, RankedItem]:
    """The best items and the nearest by what they say: a record and the turn that it repeats are read once."""
    nearest = sorted(items, key=lambda item: -(item.cosine or 0.0))
    found: dict[str, RankedItem] = {}
    for most, ranked in ((read - min(_NEAREST, read // 2), items), (read, nearest), (read, items)):
        for item in ranked:
            if len(found) >= most:
                break
            found.setdefault(_words(item), item)
    return found


def _words(item: RankedItem) -> str:
    return item.text.strip(_ENDS).casefold()


def _said(item: RankedItem, question: Question) -> str:
    turn, said = item.episode, best_passage(item.text, frozenset(question.terms), _BUDGET)
    if turn is not None and speaker_names(turn.speaker):
        said = f"{turn.speaker}: {said}"
    return _dated(said, item) if question.asks_when_it_was else said


def _dated(said: str, item: RankedItem) -> str:
    """What is said with the day from which it holds, or on which it was said."""
    at = item.record.valid_from if item.record is not None else item.episode.at if item.episode is not None else None
    return f"On {at.day} {at:%B} {at.year}: {said}" if at is not None else said


def _in_order(items: Sequence[RankedItem]) -> list[RankedItem]:
    """The items by their scores and how surely they answer; the scores themselves stay those of the places."""
    share = weights().answer
    ordered = sorted(items, key=lambda item: -item.score * exp(share * max(-_SURE, min(_SURE, item.answer or 0.0))))
    return [replace(item, score=place.score) for item, place in zip(ordered, items, strict=True)]
