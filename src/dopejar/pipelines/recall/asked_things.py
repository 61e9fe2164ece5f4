"""Which of several things of one kind a question asks for: flat 2, not flat 1; server B, the back door.

Takes: a question's text and ranked items. Gives: the items without those about another one of the kind, and, where one
surely answers for what is asked for, without what neither names it nor answers. Never: acts on a thing that no record
names, unless several numbers of its kind are known, or leaves out a version of one that names it: port 9090 may be what
port 8080 has become.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.language.identifiers import are_others, things_in
from dopejar.pipelines.recall.weights import weights
from dopejar.text.words import stem

if TYPE_CHECKING:
    from collections.abc import Sequence, Set

    from dopejar.language.identifiers import Thing
    from dopejar.pipelines.recall.ranked_item import RankedItem

_SEVERAL: Final = 2  # things of a kind, beside which one that no record names is one more
_ACTS: Final = re.compile(r"\b(?:i|you|we|they|he|she|it|to) (\w+)", re.IGNORECASE)  # "do I take 2 tablets?"
_LONGEST: Final = 300  # characters; a longer text tells of much else
_ANSWERS: Final = 1.0  # log odds, from which an item that was read answers
_LIKELY: Final = 0.0  # the same of one that names what is asked for


def asked_things(text: str, items: Sequence[RankedItem]) -> frozenset[Thing]:
    """The things that a question tells from others of their kind: known from records, or one more number of several."""
    if len(text) > _LONGEST or not (asked := things_in(text)):
        return frozenset()
    known = {thing for item in items if item.record is not None for thing in _things(item)}
    acts = {stem(word) for word in _ACTS.findall(text)}
    count = Counter(thing.kind for thing in known if thing.kind not in acts and not thing.is_named)
    return asked & known or frozenset(thing for thing in asked if count[thing.kind] >= _SEVERAL)


def without_others(items: Sequence[RankedItem], asked: frozenset[Thing]) -> list[RankedItem]:
    """The items that are not about other things of the kinds that are asked for."""
    if not asked:
        return list(items)
    exact = {_chain(item) for item in items if not asked.isdisjoint(_things(item))}
    return [item for item in items if _chain(item) in exact or not are_others(_things(item), asked)]


def named_first(items: Sequence[RankedItem], asked: frozenset[Thing]) -> list[RankedItem]:
    """The items; those that name what is asked for count more."""
    more = weights().named_thing
    return [item if asked.isdisjoint(_things(item)) else replace(item, score=more * item.score) for item in items]


def answering(items: Sequence[RankedItem], asked: frozenset[Thing], kept: Set[str]) -> list[RankedItem]:
    """The items; where one that names what is asked for answers, those that name it, answer or are `kept`."""
    exact = {item.id: item.answer or _LIKELY for item in items if not asked.isdisjoint(_things(item))}
    if max(exact.values(), default=_LIKELY) <= _LIKELY:
        return list(items)
    return [item for item in items if item.id in exact or item.id in kept or (item.answer or _LIKELY) >= _ANSWERS]


def _chain(item: RankedItem) -> tuple[object, ...]:
    """What versions of one memory share; every turn is its own."""
    return (item.id,) if item.record is None else (item.record.scope, item.record.side, item.record.chain)


def _things(item: RankedItem) -> frozenset[Thing]:
    return things_in(item.text) if len(item.text) <= _LONGEST else frozenset()
