"""Truth first: what holds now before the quotations that led to it or that it replaced.

Takes: ranked items, and the statements of the quoted turns. Gives: the items in their order, quotations with what
became of their statements. Never: a quotation above the record that holds in its place, or of forgotten words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.item_weights import only_asks
from dopejar.pipelines.recall.key_names import topic_words
from dopejar.pipelines.recall.passages import text_terms
from dopejar.pipelines.recall.turn_statements import FORGOTTEN, shown_text, stated_share
from dopejar.pipelines.recall.weights import weights
from dopejar.values.recall import Source
from dopejar.values.record import Record

if TYPE_CHECKING:
    from dopejar.pipelines.recall.question import Question
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.pipelines.recall.turn_statements import TurnStatement
    from dopejar.values.ids import ConversationId, EpisodeId, RecordId
    from dopejar.values.record import RecordBrief

Load = Callable[[Sequence[str]], Mapping[str, "Record"]]

_FEW: Final = 2  # statements of a turn that all count where none matched by its words
_WHOLE: Final = 0.6  # share of a turn's letters from which its statements are all that it says


def order_by_truth(
    items: Sequence[RankedItem],
    statements: Mapping[EpisodeId, Sequence[TurnStatement]],
    question: Question,
    *,
    with_records: bool,
    load: Load | None = None,
) -> list[RankedItem]:
    """The items with the records that hold placed before the turns that lead to them.

    A turn whose statements the records before it tell as well is left out: they cite it, or say what replaced it. A
    question about the past keeps what was replaced. Without `with_records` no record is added. `load` reads records in
    full of which only a brief is known.
    """
    ranked = {item.record.id: item for item in items if item.record is not None}
    answers = _answers(items, statements, frozenset(question.terms)) if with_records else {}
    full = _in_full(answers, ranked, load)
    gone = _gone(items, statements)
    ordered: dict[str, RankedItem] = {}
    for item in items:
        if gone and _is_beside(item, gone):
            continue
        stated = statements.get(item.episode.id, ()) if item.episode is not None else ()
        if item.episode is None or not stated:
            ordered.setdefault(item.id, item)
            continue
        for answer in answers.get(item.id, ()):
            if answer.id in full:
                words = _words_of(answer, item.episode.text, stated)
                ordered.setdefault(answer.id, _raised(full[answer.id], ranked, item, words))
        told = _known_records(stated, ordered)
        wanted = len(stated) if len(stated) > _FEW or any(one.fate for one in stated) else len(answers.get(item.id, ()))
        if not _is_told(item.episode.text, stated, told, question, wanted) and _is_quotable(item.episode.text, stated):
            ordered[item.id] = replace(item, statements=tuple(stated))
    return list(ordered.values())


def _answers(
    items: Sequence[RankedItem], statements: Mapping[EpisodeId, Sequence[TurnStatement]], asked: frozenset[str]
) -> dict[str, list[Record | RecordBrief]]:
    """The records that hold, by the matching turn that leads to them; a turn far behind the best one leads to none.

    A question asked before is not the best one: it tells nothing.
    """
    best = max((item.fused for item in items if item.episode is None or not only_asks(item.text)), default=0.0)
    least = weights().tail * best
    return {
        item.id: _answering(item.episode.text, statements.get(item.episode.id, ()), asked)
        for item in items
        if item.episode is not None and item.fused >= max(least, 1e-9)
    }


def _in_full(
    answers: Mapping[str, Sequence[Record | RecordBrief]], ranked: Mapping[RecordId, RankedItem], load: Load | None
) -> dict[str, Record]:
    """The answers by id, read in full where only a brief is known and no item holds them."""
    known: dict[str, Record] = {name: item.record for name, item in ranked.items() if item.record is not None}
    every = [answer for found in answers.values() for answer in found]
    known.update((answer.id, answer) for answer in every if isinstance(answer, Record))
    missing = tuple(dict.fromkeys(answer.id for answer in every if answer.id not in known))
    return known | dict(load(missing)) if load is not None and missing else known


def _answering(text: str, stated: Sequence[TurnStatement], asked: frozenset[str]) -> list[Record | RecordBrief]:
    """The records that hold, of the statements that the question matched; all of a few where it matched none."""
    holding = [one for one in stated if one.current is not None]
    matched = [one for one in holding if one.current and _matches(text[one.start : one.end], one.current, asked)]
    chosen = holding if not matched and len(stated) <= _FEW else matched
    return [one.current for one in chosen if one.current is not None]


def _matches(words: str, record: Record | RecordBrief, asked: frozenset[str]) -> bool:
    """Whether a question's term stands in the words, the record's text or its key."""
    texts = (words, topic_words(record.key), "" if record.text == words else record.text)
    return any(not asked.isdisjoint(text_terms(text)) for text in texts)


def _words_of(record: Record | RecordBrief, text: str, stated: Sequence[TurnStatement]) -> str:
    """The words of the turn's text that led to the record."""
    return " ".join(text[one.start : one.end] for one in stated if one.current and one.current.id == record.id)


def _raised(record: Record, ranked: Mapping[RecordId, RankedItem], turn: RankedItem, words: str) -> RankedItem:
    """The record as an item with at least the score of the turn whose words lead to it."""
    known = ranked.get(record.id)
    if known is not None:
        return replace(known, score=max(known.score, turn.score), led_by=words)
    found = replace(turn, source=Source.RECORD, record=record, episode=None, lexical=0.0, cosine=None, led_by=words)
    return replace(found, reasons=("a matching turn led to it",))


def _known_records(stated: Sequence[TurnStatement], ordered: Mapping[str, RankedItem]) -> list[Record | RecordBrief]:
    return [one.current for one in stated if one.current is not None and one.current.id in ordered]


def _is_told(
    text: str, stated: Sequence[TurnStatement], told: Sequence[Record | RecordBrief], question: Question, least: int
) -> bool:
    """Whether nothing is lost without the turn beside the records that are told, at least so many of them."""
    if not told or len(told) < least:
        return False
    terms = frozenset[str]().union(*map(_terms, told))
    shared = text_terms(text) & frozenset(question.terms)
    is_whole = stated_share(text, stated) >= _WHOLE
    if any(one.fate for one in stated):
        return is_whole and not question.is_about_past and shared <= terms
    return shared <= terms and (is_whole or bool(shared))


def _is_quotable(text: str, stated: Sequence[TurnStatement]) -> bool:
    """Whether words are left that say something, without those that were forgotten."""
    if not any(one.fate in FORGOTTEN for one in stated):
        return True
    return stated_share(text, [one for one in stated if one.fate in FORGOTTEN]) < _WHOLE and bool(
        shown_text(text, stated).strip(" .")
    )


def _gone(
    items: Sequence[RankedItem], statements: Mapping[EpisodeId, Sequence[TurnStatement]]
) -> frozenset[tuple[ConversationId, int]]:
    """The places of turns that are not quoted, as they were forgotten."""
    turns = [item.episode for item in items if item.episode is not None and statements.get(item.episode.id)]
    return frozenset((one.conversation, one.index) for one in turns if not _is_quotable(one.text, statements[one.id]))


def _is_beside(item: RankedItem, gone: frozenset[tuple[ConversationId, int]]) -> bool:
    """Whether a turn has no word of the question, and stands where something forgotten matched it."""
    turn = item.episode
    if turn is None or item.lexical > 0 or item.from_neighbours <= item.fused:
        return False
    return any((turn.conversation, turn.index + step) in gone for step in (-2, -1, 1, 2))


def _terms(record: Record | RecordBrief) -> frozenset[str]:
    return text_terms(f"{record.text} {topic_words(record.key)}")
