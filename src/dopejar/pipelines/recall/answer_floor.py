"""The floor: from which relevance on memory has an answer at all.

Takes: a question and ranked items. Gives: the items that are relevant enough, none where no answer is to be expected.
Never: compares questions by their fused scores, which say which item is best and not whether it is any good.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from heapq import nlargest
from math import log
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.pipelines.recall.item_weights import speaker_names
from dopejar.pipelines.recall.key_names import is_slip, naming_words, topic_of
from dopejar.pipelines.recall.own_records import misses_subject, own_answers, stands_alone
from dopejar.pipelines.recall.passages import text_terms
from dopejar.pipelines.recall.question import word_list
from dopejar.pipelines.recall.weights import weights
from dopejar.text.lexicons import guess_language, stop_words
from dopejar.text.normalisation import fold
from dopejar.text.words import stem, words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dopejar.pipelines.recall.question import Question
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.ports.embedder import EmbedderIdentity

_NEAREST: Final = 100  # hits, the farthest of which tells how many there are
_COMPARED: Final = 20  # best items, among which the most relevant is looked for
MOST_TERMS: Final = 16
"""A longer text describes a situation, of which memory cannot be expected to hold most words."""
_MOST_OF_REST: Final = 0.6
_ANSWERS: Final = 1.0  # log odds, from which an item that was read answers, whatever the rest speaks for
_LIKELY: Final = 0.0  # the same of one that has the name of whom the question is about
_MEMBER: Final = 0.0  # the same of one of a set, of which another answers
_DENIED: Final = -3.5  # log odds, below which it does not
_LONGEST: Final = 80  # characters; a longer text is more than an acknowledgement


class Nearness(NamedTuple):
    """What tells whether a question has an answer.

    `cosine` is the best of an item, `coverage` the best share of the question's terms in an item, `terms` the logarithm
    of their number. `crowd` is the cosine of the farthest of the nearest hits, less where there are few: the more there
    is in memory, and the more of it is like the question, the more the best must stand out. `answer` are the best
    log odds that an item answers, 0 where none was read.
    """

    cosine: float
    coverage: float
    terms: float
    crowd: float
    answer: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Floor:
    """The weights of the signals, the least weighted sum of a question, and the least cosine of any item.

    `own` is the least cosine of what the asker said of themself to a question about themself, `named` that of a record
    that shares only a name with the question, or all but the name.
    """

    floor: float = -1.0
    cosine: float = 1.0
    coverage: float = 1.0
    terms: float = 0.0
    crowd: float = 0.0
    answer: float = 0.0
    item: float = -1.0
    own: float = 2.0
    named: float = -1.0

    def relevance(self, signals: Nearness) -> float:
        """The weighted sum of the signals."""
        return (
            self.cosine * signals.cosine
            + self.coverage * signals.coverage
            + self.terms * signals.terms
            + self.crowd * signals.crowd
            + self.answer * signals.answer
        )


@lru_cache(maxsize=1)
def _floors() -> dict[str, Floor]:
    import tomllib

    data = tomllib.loads((Path(__file__).with_name("data") / "floor.toml").read_text("utf-8"))
    return {name: Floor(**values) for name, values in data.items()}


def floor_of(embedder: EmbedderIdentity | None, *, is_read: bool = False) -> Floor:
    """The floor of a search with this embedder, or without one.

    Of an embedder with which none was fitted it is not known which cosine tells of an answer: it helps to order what
    words find. `is_read`: the best items were read with the question.
    """
    name, floors = "words" if embedder is None else embedder.name, _floors()
    return (floors.get(f"{name} read") if is_read else None) or floors.get(name, floors["words"])


def is_acknowledgement(text: str) -> bool:
    """Whether a text only acknowledges ("ok", "8", "I do not know."): it asks for nothing, and tells nothing."""
    if len(text) > _LONGEST:
        return False
    known = word_list("acknowledgements")
    rest = [word for word in words(fold(text)) if word not in known and not (len(word) < 2 and word.isascii())]
    return not rest or ("?" not in text and stop_words(guess_language(text)).issuperset(rest))


def relevant(
    question: Question,
    items: Sequence[RankedItem],
    floor: Floor,
    signals: Nearness,
    *,
    linked: frozenset[str] = frozenset(),
    own: frozenset[str] = frozenset(),
    met: frozenset[str] = frozenset(),
    otherwise: Callable[[], bool] = lambda: False,
    denied: bool = False,
) -> list[RankedItem]:
    """The items that are relevant enough; none but those `met` where the question's relevance is below the floor.

    `otherwise` says whether turns of which reading tells nothing reach the floor of a search where nothing is read.
    `denied`: all that was read surely does not answer, and what was not is still less likely to.

    There is no floor where the question names a record: by its key, or in the graph, which `linked` it. Other records
    stand beside a named one for what they say of the rest of the question. Those far below the best one, or for a
    question below the best turn, are left out, but not those that it names, nor what holds for now in place of another.
    What only stands near a turn that matches can answer a question; for a task or a situation it is left out.
    """
    naming = {item.id: naming_words(item.record.key, question) for item in items if item.record is not None}
    missing = {
        item.id
        for item in items
        if not _is_answer(item, question)
        and stands_alone(item)
        and misses_subject(question, item, text_terms(_text_of(item)), floor.named, is_linked=item.id in linked)
    }
    named = (linked | {name for name, words in naming.items() if words}) - missing
    if missing:  # how near they are tells nothing of an answer
        near = max((item.cosine or 0.0 for item in items if item.id not in missing), default=0.0)
        signals = signals._replace(cosine=near)
    filling, own = own, own or own_answers(question, items, floor.own - floor.crowd * signals.crowd)
    unlikely = {item.id for item in items if item.answer is not None and item.answer < _DENIED}
    answering = {item.id for item in items if item.answer is not None and item.answer > _ANSWERS}
    if question.listed and answering:  # where one member of a set answers, what may be another does
        answering |= {item.id for item in items if item.answer is not None and item.answer >= _MEMBER}
    own -= {item.id for item in items if item.answer is not None and item.answer < 0} - filling
    named -= unlikely
    if not question.is_asking:  # a task for Ida may be told where she sits
        own |= met
    is_found = not denied and (floor.relevance(signals) >= floor.floor or otherwise())
    if not is_found and not named and len(question.terms) <= MOST_TERMS:
        return [item for item in items if item.id in own | met - missing - unlikely]
    tail = weights().tail * _best_rival(question, items)
    rest = _rest(question, naming.values())
    return [
        item
        for item in items
        if item.id in named | own | answering
        or (
            item.id not in unlikely
            and _is_near(item, floor, is_asking=question.is_asking)
            and _is_high(item, tail)
            and _is_of_rest(item, rest)
            and not (item.id in missing and not item.from_neighbours)  # else it may go on with another turn
        )
    ]


def _is_answer(item: RankedItem, question: Question) -> bool:
    """Whether reading found that an item answers; one with the name that is asked about need only be likely to."""
    if item.answer is None or item.answer >= _ANSWERS:
        return item.answer is not None
    return item.answer >= _LIKELY and not question.names.isdisjoint(text_terms(item.text))


def finds_unread(
    question: Question, items: Sequence[RankedItem], floor: Floor, speakers: frozenset[str], cosines: Iterable[float]
) -> bool:
    """Whether turns of which reading tells nothing reach a floor, where others were read."""
    unread = [item for item in items if item.answer is None and item.episode is not None]
    if not unread or len(unread) == len(items):
        return False
    return floor.relevance(signals_of(question, unread, speakers, cosines)) >= floor.floor


def _best_rival(question: Question, items: Sequence[RankedItem]) -> float:
    """The own score by which records are measured: for a question the best turn's, where that has more of its terms.

    A word that stands in most of a few memories counts nothing there and much among the turns: of two texts with the
    same words, the scores then say which was searched.
    """
    records = [item for item in items if item.record is not None]
    first = max(records, key=lambda item: item.fused, default=None)
    best = max(items, key=lambda item: item.fused, default=None)
    if best is None or first is None or not question.is_asking:
        return first.fused if first is not None else 0.0
    asked = frozenset(question.terms)
    has_all = bool(shared := asked & text_terms(best.text)) and shared <= text_terms(_text_of(first))
    return first.fused if has_all else best.fused


def _rest(question: Question, naming: Iterable[frozenset[str]]) -> frozenset[str]:
    """The question's terms beside the names of records; none where it names no record."""
    names = frozenset(map(stem, frozenset[str]().union(*naming)))
    return frozenset(question.terms) - names if names else frozenset()


def _is_of_rest(item: RankedItem, rest: frozenset[str]) -> bool:
    """Whether a record has most of the terms that do not only name another one."""
    if item.record is None or item.record.temporary:
        return True
    return len(rest & text_terms(_text_of(item))) >= _MOST_OF_REST * len(rest)


def _is_high(item: RankedItem, least: float) -> bool:
    return item.record is None or item.record.temporary or item.fused >= least


def _is_near(item: RankedItem, floor: Floor, *, is_asking: bool) -> bool:
    """Whether an item has a word or a meaning in common with the question, or stands where it may be answered."""
    if item.lexical > 0 or (item.from_neighbours > 0 and is_asking):
        return True
    return not item.from_neighbours if item.cosine is None else item.cosine >= floor.item


def signals_of(
    question: Question, items: Sequence[RankedItem], speakers: frozenset[str], cosines: Iterable[float] = ()
) -> Nearness:
    """The signals of a question over the best of its items, and over the cosines of all hits.

    `speakers` are the names of speakers in the question.

    A term counts more, the fewer of the items contain it, and most where none does; a record and the turn that it
    repeats say it once. The name of a speaker, which is no term of the question any more, counts as a term that is in
    what they said.
    """
    read = (item.answer for item in items if item.answer is not None)  # wherever reading put them
    answer, items, nearest = max(read, default=0.0), items[:_COMPARED], nlargest(_NEAREST, cosines)
    texts = [text_terms(_text_of(item)) | _meant(question, item) for item in items]
    said = {text_terms(item.text): text for item, text in zip(reversed(items), reversed(texts), strict=True)}.values()
    weights = {term: log(1 + len(said) / max(0.5, sum(term in text for text in said))) for term in question.terms}
    named = len(speakers) * sum(weights.values()) / (len(weights) or 1)
    whole = sum(weights.values()) + named or 1.0
    shares = (
        sum(weights[term] for term in question.terms if term in text) + (named if _is_by(item, speakers) else 0.0)
        for item, text in zip(items, texts, strict=True)
    )
    return Nearness(
        cosine=max((item.cosine or 0.0 for item in items), default=0.0),
        coverage=max(shares, default=0.0) / whole,
        terms=log(1 + len(question.terms)),
        crowd=nearest[-1] * len(nearest) / _NEAREST if nearest else 0.0,
        answer=answer,
    )


def _meant(question: Question, item: RankedItem) -> frozenset[str]:
    """The question's terms that a record spells otherwise."""
    if item.record is None or not question.respelled:
        return frozenset()
    near = question.respelled & text_terms(_text_of(item))
    return frozenset(term for term in question.terms if any(is_slip(term, other) for other in near))


def _is_by(item: RankedItem, speakers: frozenset[str]) -> bool:
    return item.episode is not None and bool(speakers) and not speakers.isdisjoint(speaker_names(item.episode.speaker))


def _text_of(item: RankedItem) -> str:
    return f"{item.text} {topic_of(item.record)}" if item.record is not None else item.text
