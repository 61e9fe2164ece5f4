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
from dopejar.values.statement import Relation

_DISAGREE = frozenset({Relation.UPDATE, Relation.END, Relation.CONTRADICTION})
_AT_ONCE = 256  # pairs; a reader holds what it reads


def mutual_relations(
    reader: StatementReader, pairs: Sequence[tuple[str, str]], least: float = 0.0
) -> tuple[Relation, ...]:
    """`same`, `contradiction` or `apart` for each pair, read in batches and in both orders.

    They say the same where both orders find it, each with the probability `least`; they contradict each other where
    either order finds any disagreement: of two values of one thing one alone can be followed. What holds
    only somewhere, or under a condition of its own, is not the same as what holds elsewhere too.
    """
    return tuple(
        relation
        for first in range(0, len(pairs), _AT_ONCE)
        for relation in _mutual(reader, pairs[first : first + _AT_ONCE], least)
    )


def _mutual(reader: StatementReader, pairs: Sequence[tuple[str, str]], least: float) -> Iterator[Relation]:
    both = [order for one, other in pairs for order in ((one, other), (other, one))]
    read = reader.read([text for order in both for text in order])
    found = [
        judged(earlier, later, related)
        for earlier, later, related in zip(read[::2], read[1::2], reader.relate(both), strict=True)
    ]
    for (one, other), there, back in zip(pairs, found[::2], found[1::2], strict=True):
        kinds = {there.relation, back.relation}
        is_same = kinds == {Relation.SAME} and min(there.share(Relation.SAME), back.share(Relation.SAME)) >= least
        if content_hash(one) == content_hash(other) or (is_same and not is_qualified_otherwise(one, other)):
            yield Relation.SAME
        else:
            yield Relation.APART if kinds.isdisjoint(_DISAGREE) else Relation.CONTRADICTION
