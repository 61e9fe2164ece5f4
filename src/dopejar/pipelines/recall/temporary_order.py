"""What holds for now before what lasts, and what is announced behind what holds.

Takes: ranked items and a time. Gives: the same, a temporary record in force, or one announced for a day that has come,
before the lasting one of the same thing, one of a day to come behind the records that hold. Never: reads the store, or
drops an item.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING

from dopejar.pipelines.recall.passages import text_terms
from dopejar.text.lexicons import dropped_in_queries, guess_language
from dopejar.text.words import folded_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.values.ids import RecordId
    from dopejar.values.recall import Citation
    from dopejar.values.record import Record


def temporary_first(items: Sequence[RankedItem], at: datetime, terms: frozenset[str]) -> list[RankedItem]:
    """A temporary record in force comes before the lasting one of the same thing, with at least that record's score.

    `terms` are those of the question: what the lasting one alone has of them is not replaced.
    """
    for_now = [item for item in items if item.record and item.record.temporary and _is_valid_at(item.record, at)]
    return _put_first(items, for_now, "holds for now", terms)


def announced_first(
    items: Sequence[RankedItem], cited: Mapping[RecordId, Sequence[Citation]], at: datetime, terms: frozenset[str]
) -> list[RankedItem]:
    """What was announced for a day that has come takes the place of what it was announced to follow."""
    announced = [
        item
        for item in items
        if (record := item.record) is not None
        and not record.temporary
        and _is_valid_at(record, at)
        and any(record.begins_later(turn.at) for turn in cited.get(record.id, ()))
    ]
    return _put_first(items, announced, "was announced", terms)


def _put_first(
    items: Sequence[RankedItem], moved: Sequence[RankedItem], reason: str, terms: frozenset[str]
) -> list[RankedItem]:
    """Each of the moved items before the first lasting record above it that says the same thing of an earlier time."""
    ordered = list(items)
    rivals = _by_opening(items) if moved else {}
    for item in moved:
        record = item.record
        if record is None or not (near := _near(record, rivals)):
            continue
        here = ordered.index(item)
        for place, above in enumerate(ordered[:here]):
            rival = above.record
            if rival is None or rival.id not in near or rival.temporary or rival.valid_from > record.valid_from:
                continue
            if (_chain_of(rival) == _chain_of(record) != ()) or _is_same(rival.text, record.text, terms):
                ordered.insert(place, replace(ordered.pop(here), score=above.score, reasons=(*item.reasons, reason)))
                break
    return ordered


def _by_opening(items: Sequence[RankedItem]) -> Mapping[tuple[str, ...], set[str]]:
    """The records by their chain and by their first two words: whatever says the same thing shares one of these."""
    found = defaultdict[tuple[str, ...], set[str]](set)
    for item in items:
        if item.record is not None:
            found[_chain_of(item.record)].add(item.record.id)
            found[folded_words(item.record.text)[:2]].add(item.record.id)
    found.pop((), None)
    return found


def _near(record: Record, rivals: Mapping[tuple[str, ...], set[str]]) -> set[str]:
    said = (_chain_of(record), *pairwise(folded_words(record.text)))
    return set().union(*(rivals.get(name, ()) for name in said)) - {record.id}


def _is_same(lasting: str, other: str, terms: frozenset[str]) -> bool:
    """Whether two texts say the same words up to the value: "the fee is 40 euros", "from May the fee is 50 euros".

    Behind the words that they share, of which one must tell something, stand values and no words of the grammar.
    """
    if terms & text_terms(lasting) - text_terms(other):
        return False
    dropped = dropped_in_queries(guess_language(lasting))
    first, second = folded_words(lasting), folded_words(other)
    for start in range(len(second)):
        shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second[start:], strict=False)))
        rest = (first[shared : shared + 1], second[start + shared : start + shared + 1])
        if shared > 1 and all(rest) and dropped.isdisjoint((*rest[0], *rest[1])):
            return not dropped.issuperset(first[:shared])
    return False


def announced_last(items: Sequence[RankedItem], at: datetime) -> list[RankedItem]:
    """What holds only from a later day on comes behind every record that holds; quotations keep their places."""
    to_come = [item for item in items if _is_to_come(item, at)]
    if not to_come:
        return list(items)
    held = [item for item in items if item.record is not None and not _is_to_come(item, at)]
    most = min((item.score for item in held), default=1.0)
    behind = [replace(item, score=min(item.score, most)) for item in to_come]
    records = iter([*held, *behind])
    return [item if item.record is None else next(records) for item in items]


def _is_to_come(item: RankedItem, at: datetime) -> bool:
    return item.record is not None and item.record.begins_later(at)


def _chain_of(record: Record | None) -> tuple[str, ...]:
    if record is None or not record.chain:
        return ()
    return (record.namespace.value, record.side.value, record.chain)


def _is_valid_at(record: Record, at: datetime) -> bool:
    return record.valid_from <= at and (record.valid_to is None or at < record.valid_to)
