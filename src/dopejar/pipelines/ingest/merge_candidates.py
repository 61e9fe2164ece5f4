"""Which memories under different keys say one thing, and which of them stays.

Takes: active records, and a reader of statements. Gives: merges to propose. Never: merges; a
person approves each, because two wordings of one thing and two things are sometimes told apart by a person alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dopejar.memory.change_set import UNCHAINED
from dopejar.memory.derivation import MERGED_INTO
from dopejar.pipelines.ingest.related_records import begins
from dopejar.pipelines.mutual_relations import mutual_relations
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.normalisation import same_value
from dopejar.values.ids import RecordId
from dopejar.values.record import Kind, Record, Status, Sublayer
from dopejar.values.statement import Relation

_SURE: Final = 0.7  # probability from which two memories count as one
_STATING: Final = frozenset({Kind.FACT, Kind.PREFERENCE, Kind.ALIAS})
_SPEAKERS: Final = re.compile(r"\b(?:I|[Ww]e|[Hh]e|[Ss]he|[Tt]hey)\b")  # who acts: "I bought" is not "my sister bought"


@dataclass(frozen=True, kw_only=True, slots=True)
class Merging:
    """Memories that say the same: the one that stays, and those that become part of it."""

    into: Record
    others: tuple[Record, ...]


def is_mergeable(record: Record) -> bool:
    """Whether a memory may take part: in force, lasting, and the only version of its concept.

    A later version of something would leave the version before it in force again.
    """
    return (
        record.status is Status.ACTIVE
        and not record.temporary
        and record.supersedes is None
        and record.kind not in UNCHAINED
        and MERGED_INTO not in record.attributes
    )


def says_one_thing(one: Record, other: Record, reader: StatementReader) -> bool:
    """Whether two memories under different keys say the same of the same person at the same place, read both ways."""
    if not may_be_one(one, other) or not _kinds_agree(one, other):
        return False
    if begins(one.text, other.text) or begins(other.text, one.text):
        return False  # each may change by itself
    if set(_SPEAKERS.findall(one.text)) != set(_SPEAKERS.findall(other.text)):
        return False
    return mutual_relations(reader, [(one.text, other.text)], _SURE) == (Relation.SAME,)


def may_be_one(one: Record, other: Record) -> bool:
    """Whether two memories stand at one place under keys of their own, and nothing but their words could part them."""
    place, theirs = (one.namespace, one.scope, one.side), (other.namespace, other.scope, other.side)
    return place == theirs and one.chain != other.chain and _goals_agree(one, other) and _slots_agree(one, other)


def survivor(one: Record, other: Record) -> tuple[Record, Record]:
    """The memory that stays and the one that joins it: what has a slot, else what is older, stays."""
    first, second = sorted((one, other), key=lambda record: (not record.slot, record.created_at, record.id))
    return first, second


def plan_merges(pairs: Sequence[tuple[Record, Record]]) -> tuple[Merging, ...]:
    """The pairs that say one thing as merges, in the order found; no memory takes part in two of them but to stay."""
    into: dict[RecordId, Record] = {}
    groups: dict[RecordId, list[Record]] = {}
    for one, other in pairs:
        stays, joins = survivor(one, other)
        if joins.id in into or joins.id in groups or stays.id in into:
            continue
        into[joins.id] = stays
        groups.setdefault(stays.id, []).append(joins)
    heads = {record.id: record for record in into.values()}
    return tuple(Merging(into=heads[head], others=tuple(others)) for head, others in groups.items())


def _goals_agree(one: Record, other: Record) -> bool:
    return (one.sublayer is Sublayer.GOAL) is (other.sublayer is Sublayer.GOAL)  # what is planned is not yet so


def _kinds_agree(one: Record, other: Record) -> bool:
    return one.kind is other.kind or {one.kind, other.kind} <= _STATING


def _slots_agree(one: Record, other: Record) -> bool:
    """Two slots are two concepts, unless they differ in nothing but how their value was reached."""
    if not one.slot or not other.slot:
        return True
    return one.slot.partition("#")[0] == other.slot.partition("#")[0] and same_value(one.value, other.value)
