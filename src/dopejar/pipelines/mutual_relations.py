"""What two statements are to each other where neither is the later one: bullets, and memories under different keys.

Takes: a reader, and pairs of texts. Gives: for each pair whether they say the same, cannot both hold, or stand apart.
Never: depends on which of the two comes first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dopejar.language.relations import judged
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.normalisation import content_hash
from dopejar.text.qualifiers import is_qualified_otherwise
from dopejar.values.statement import Related, Relation, Statement

_DISAGREE = frozenset({Relation.UPDATE, Relation.END, Relation.CONTRADICTION})
_AT_ONCE = 64  # pairs


def mutual_relations(
    reader: StatementReader, pairs: Sequence[tuple[str, str]], least: float = 0.0
) -> tuple[Relation, ...]:
    """`same`, `contradiction` or `apart` for each pair, read in batches and in both orders.

    They say the same where both orders find it, each with the probability `least`; they contradict each other where
    either order finds any disagreement: of two values of one thing one alone can be followed. What holds only
    somewhere, or under a condition of its own, is not the same as what holds elsewhere too.
    """
    return tuple(each_relation(reader, pairs, least))


def each_relation(reader: StatementReader, pairs: Sequence[tuple[str, str]], least: float = 0.0) -> Iterator[Relation]:
    """The same, batch by batch as they are asked for. No text is read twice."""
    read: dict[str, Statement] = {}
    for first in range(0, len(pairs), _AT_ONCE):
        yield from _mutual(reader, pairs[first : first + _AT_ONCE], least, read)


def _mutual(
    reader: StatementReader, pairs: Sequence[tuple[str, str]], least: float, read: dict[str, Statement]
) -> Iterator[Relation]:
    are_identical = [content_hash(one) == content_hash(other) for one, other in pairs]
    differing = [pair for pair, is_identical in zip(pairs, are_identical, strict=True) if not is_identical]
    both = [order for one, other in differing for order in ((one, other), (other, one))]
    unread = [text for text in dict.fromkeys(text for pair in differing for text in pair) if text not in read]
    read.update(zip(unread, reader.read(unread), strict=True))
    found = (
        judged(read[earlier], read[later], related)
        for (earlier, later), related in zip(both, reader.relate(both), strict=True)
    )
    for (one, other), is_identical in zip(pairs, are_identical, strict=True):
        yield Relation.SAME if is_identical else _of_both_orders(one, other, next(found), next(found), least)


def _of_both_orders(one: str, other: str, there: Related, back: Related, least: float) -> Relation:
    kinds = {there.relation, back.relation}
    if kinds == {Relation.SAME} and min(there.share(Relation.SAME), back.share(Relation.SAME)) >= least:
        return Relation.APART if is_qualified_otherwise(one, other) else Relation.SAME
    return Relation.APART if kinds.isdisjoint(_DISAGREE) else Relation.CONTRADICTION
