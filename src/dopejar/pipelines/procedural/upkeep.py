"""Upkeep of the bullets: duplicates are merged, useless and harmful ones retired, conflicts flagged.

Takes: bullets as records and the time. Gives: a plan, to be reviewed before anything is proposed. Never: changes a
bullet, rewrites all of them, or plans more than a hundred changes at once.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from dopejar.errors import InputError
from dopejar.memory.derivation import CONFLICT_TAG
from dopejar.pipelines.mutual_relations import each_relation
from dopejar.pipelines.procedural.bullet_similarity import (
    NARROW,
    TokenOverlapIndex,
    diversity,
)
from dopejar.pipelines.procedural.bullets import HEMISPHERES, is_alive
from dopejar.ports.statement_reader import StatementReader
from dopejar.values.record import Record, Status
from dopejar.values.scope import Namespace, Scope, Side
from dopejar.values.statement import Relation

MOST: Final = 100
WITHOUT_FORCE: Final = 50

_Pairs = list[tuple[Record, Record]]
_Words = tuple[Side, Scope, Namespace, str]  # of one place


@dataclass(frozen=True, kw_only=True, slots=True)
class PruningPolicy:
    """When a bullet is retired: by its ratio of harmful to helpful outcomes, by days unused, by days on trial."""

    harmful_ratio: float
    unused_days: int
    trial_days: int


POLICIES: Final[Mapping[str, PruningPolicy]] = MappingProxyType(
    {
        "aggressive": PruningPolicy(harmful_ratio=1.0, unused_days=7, trial_days=14),
        "balanced": PruningPolicy(harmful_ratio=1.5, unused_days=14, trial_days=30),
        "conservative": PruningPolicy(harmful_ratio=2.0, unused_days=30, trial_days=60),
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedMerge:
    """Bullets that say the same, and the one that they are merged into."""

    into: Record
    others: tuple[Record, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedRetirement:
    """A bullet that is to be retired, and why."""

    record: Record
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class UpkeepPlan:
    """The changes of one run. `left_over` counts changes for the next run, `resolved` are bullets that lose a flag.

    The next run may find more: reading ends where a run has enough.
    """

    merges: tuple[PlannedMerge, ...]
    retirements: tuple[PlannedRetirement, ...]
    conflicts: tuple[tuple[Record, Record], ...]
    diversity: float
    left_over: int
    resolved: tuple[Record, ...] = ()

    @property
    def changes(self) -> int:
        """How many bullets would be merged away, retired, flagged, or lose a flag."""
        flagged = {bullet.id for pair in self.conflicts for bullet in pair if CONFLICT_TAG not in bullet.tags}
        return (
            sum(len(merge.others) for merge in self.merges) + len(self.retirements) + len(flagged) + len(self.resolved)
        )

    @property
    def needs_force(self) -> bool:
        """Whether there are so many changes that a person must confirm them."""
        return self.changes > WITHOUT_FORCE

    @property
    def is_narrow(self) -> bool:
        """Whether the two hemispheres have grown alike enough for a warning."""
        return self.diversity < NARROW


def pruning_policy(name: str) -> PruningPolicy:
    """The pruning policy of this name; raises InputError for any other."""
    if name not in POLICIES:
        raise InputError(f"{name!r} is no pruning policy. They are: {', '.join(POLICIES)}.")
    return POLICIES[name]


def plan_upkeep(
    records: Sequence[Record], policy: PruningPolicy, now: datetime, reader: StatementReader, most: int = MOST
) -> UpkeepPlan:
    """What is due among these bullets. Staged ones are left out: they wait for a person already."""
    alive = [record for record in records if is_alive(record) and record.status is not Status.STAGED]
    retirements = [retirement for record in alive if (retirement := _retirement(record, policy, now))]
    retired = {retirement.record.id for retirement in retirements}
    remaining = [record for record in alive if record.id not in retired]
    same, opposed, unread = _compared(remaining, reader, most - len(retirements))
    merges = _merges(remaining, same)
    resolved = _resolved(remaining, (*opposed, *unread))
    conflicts = [(a, b) for a, b in opposed if a.side == b.side]
    kept_merges, kept_retirings, kept_conflicts, left_over = _within(most, merges, retirements, conflicts)
    room = max(
        0, most - sum(len(merge.others) for merge in kept_merges) - len(kept_retirings) - 2 * len(kept_conflicts)
    )
    return UpkeepPlan(
        merges=kept_merges,
        retirements=kept_retirings,
        conflicts=kept_conflicts,
        diversity=diversity(*([record for record in remaining if record.side is side] for side in HEMISPHERES)),
        left_over=left_over + max(0, len(resolved) - room),
        resolved=resolved[:room],
    )


def _resolved(remaining: Sequence[Record], opposed: Sequence[tuple[Record, Record]]) -> tuple[Record, ...]:
    """Flagged bullets that nothing in use contradicts any longer."""
    in_conflict = {_words(record) for pair in opposed for record in pair}
    return tuple(record for record in remaining if CONFLICT_TAG in record.tags and _words(record) not in in_conflict)


def _within(
    most: int,
    merges: Sequence[PlannedMerge],
    retirements: Sequence[PlannedRetirement],
    conflicts: Sequence[tuple[Record, Record]],
) -> tuple[tuple[PlannedMerge, ...], tuple[PlannedRetirement, ...], tuple[tuple[Record, Record], ...], int]:
    """The first changes to at most `most` bullets, and how many are left: retirements, then merges, then conflicts."""
    room, left = most, 0
    kept: list[PlannedRetirement] = list(retirements[:room])
    room -= len(kept)
    left += len(retirements) - len(kept)
    kept_merges: list[PlannedMerge] = []
    for merge in merges:
        others = merge.others[:room]
        left += len(merge.others) - len(others)
        if others:
            kept_merges.append(PlannedMerge(into=merge.into, others=others))
            room -= len(others)
    pairs = list(conflicts[: room // 2])
    left += 2 * (len(conflicts) - len(pairs))
    return tuple(kept_merges), tuple(kept), tuple(pairs), left


def _retirement(record: Record, policy: PruningPolicy, now: datetime) -> PlannedRetirement | None:
    helpful, harmful = record.helpful_count, record.harmful_count
    days = (now - record.created_at).total_seconds() / 86_400
    if record.pinned:
        return None
    if harmful >= policy.harmful_ratio * max(helpful, 1):
        return PlannedRetirement(record=record, reason=f"it did harm {harmful} times and helped {helpful} times")
    is_unused = not helpful and not harmful and record.last_accessed_at is None
    if is_unused and days >= policy.unused_days:
        return PlannedRetirement(record=record, reason=f"it was never used in {days:.0f} days")
    if record.status is Status.QUARANTINED and days >= policy.trial_days:
        return PlannedRetirement(record=record, reason=f"it has not proved itself in {days:.0f} days")
    return None


def _is_at_one_place(record: Record, other: Record) -> bool:
    return (record.side, record.scope, record.namespace) == (other.side, other.scope, other.namespace)


def _compared(records: Sequence[Record], reader: StatementReader, room: int) -> tuple[_Pairs, _Pairs, _Pairs]:
    """Pairs that say the same, pairs that contradict each other, and those that were left unread.

    One bullet stands for all with its words. Reading ends where more than `room` bullets are to be changed.
    """
    pairs = _candidate_pairs(_by_words(records).values())
    same: _Pairs = []
    opposed: _Pairs = []
    changes, place = _changes(records, same, opposed), 0
    relations = each_relation(reader, [(one.text, other.text) for one, other in pairs])
    while changes <= room and place < len(pairs):
        pair, relation = pairs[place], next(relations)
        place += 1
        if relation is Relation.SAME and _is_at_one_place(*pair):
            same.append(pair)
        elif relation is Relation.CONTRADICTION:
            opposed.append(pair)
        else:
            continue
        changes = _changes(records, same, opposed)
    return same, opposed, pairs[place:]


def _changes(records: Sequence[Record], same: _Pairs, opposed: _Pairs) -> int:
    conflicts = 2 * sum(one.side == other.side for one, other in opposed)
    return conflicts + sum(len(merge.others) for merge in _merges(records, same))


def _candidate_pairs(groups: Iterable[Sequence[Record]]) -> _Pairs:
    """The first of each group with the nearest of those before it: those with a flag first, then the nearest.

    Two sides neither merge nor conflict: there it only matters whether a flagged one is contradicted.
    """
    index: TokenOverlapIndex[tuple[Record, bool]] = TokenOverlapIndex()
    found: list[tuple[bool, float, tuple[Record, Record]]] = []
    for group in groups:
        record, is_flagged = group[0], any(CONFLICT_TAG in one.tags for one in group)
        for overlap, (other, is_other_flagged) in index.overlaps(record.text):
            if is_flagged or is_other_flagged or record.side is other.side:
                found.append((is_flagged or is_other_flagged, overlap, (other, record)))
        index.add((record, is_flagged), record.text)
    return [pair for _, _, pair in sorted(found, key=lambda row: row[:2], reverse=True)]


def _by_words(records: Sequence[Record]) -> dict[_Words, list[Record]]:
    """The bullets by place and words, each group with the one that stays first."""
    groups: defaultdict[_Words, list[Record]] = defaultdict(list)
    for record in records:
        groups[_words(record)].append(record)
    return {words: sorted(group, key=_merge_rank, reverse=True) for words, group in groups.items()}


def _words(record: Record) -> _Words:
    return record.side, record.scope, record.namespace, record.content_hash


def _merges(records: Sequence[Record], pairs: _Pairs) -> list[PlannedMerge]:
    """Each bullet that stays, with those that say the same as it itself does, the best first."""
    groups = _by_words(records)
    alike: defaultdict[_Words, list[_Words]] = defaultdict(list)
    for one, other in pairs:
        alike[_words(one)].append(_words(other))
        alike[_words(other)].append(_words(one))
    merges: list[PlannedMerge] = []
    taken: set[_Words] = set()
    for words, group in sorted(groups.items(), key=lambda item: _merge_rank(item[1][0]), reverse=True):
        if words in taken:
            continue
        near = [other for other in dict.fromkeys(alike[words]) if other not in taken]
        taken.update((words, *near))
        others = (*group[1:], *(record for other in near for record in groups[other]))
        if others:
            merges.append(PlannedMerge(into=group[0], others=others))
    return merges


def _merge_rank(record: Record) -> tuple[bool, float, float, datetime]:
    """The greatest stays: an active bullet, then by helpful ratio x ln(1 + uses) x confidence, then the newest."""
    uses = record.helpful_count + record.harmful_count
    ratio = record.helpful_count / uses if uses else 0.0
    weight = ratio * math.log(1 + uses) * record.confidence
    return record.status is Status.ACTIVE, weight, record.confidence, record.created_at
