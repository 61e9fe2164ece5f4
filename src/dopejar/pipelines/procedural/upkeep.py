"""What the playbook needs from time to time: duplicates merged, the useless and the harmful retired, conflicts shown.

Takes: bullets as records and the time. Gives: a plan, to be looked at before anything is proposed. Never: changes one,
rewrites the whole, or plans more than a hundred changes at once.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Final

from dopejar.errors import InputError
from dopejar.memory.derivation import CONFLICT_TAG
from dopejar.pipelines.procedural.bullets import HEMISPHERES, NARROW, diversity, is_alive, is_duplicate, is_opposed
from dopejar.pipelines.procedural.similarity import TokenOverlapIndex
from dopejar.values.ids import RecordId
from dopejar.values.record import Record, Status
from dopejar.values.scope import Side

SAME: Final = 0.90
MOST: Final = 100
WITHOUT_FORCE: Final = 50


@dataclass(frozen=True, kw_only=True, slots=True)
class Pruning:
    """When a bullet is retired: harm so many times its help, never used for so many days, on trial for so many days."""

    harmful_ratio: float
    unused_days: int
    trial_days: int


POLICIES: Final[Mapping[str, Pruning]] = MappingProxyType({
    "aggressive": Pruning(harmful_ratio=1.0, unused_days=7, trial_days=14),
    "balanced": Pruning(harmful_ratio=1.5, unused_days=14, trial_days=30),
    "conservative": Pruning(harmful_ratio=2.0, unused_days=30, trial_days=60),
})


@dataclass(frozen=True, kw_only=True, slots=True)
class Merging:
    """Bullets that say the same, and the one that stays."""

    into: Record
    others: tuple[Record, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Retiring:
    """A bullet that is to leave use, and why."""

    record: Record
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What a run would propose. `left_over` counts what waits for the next run, `settled` lose a flag that is over."""

    merges: tuple[Merging, ...]
    retirings: tuple[Retiring, ...]
    conflicts: tuple[tuple[Record, Record], ...]
    diversity: float
    left_over: int
    settled: tuple[Record, ...] = ()

    @property
    def changes(self) -> int:
        """How many bullets would be merged away, retired, flagged, or lose a flag."""
        flagged = {one.id for pair in self.conflicts for one in pair if CONFLICT_TAG not in one.tags}
        return sum(len(one.others) for one in self.merges) + len(self.retirings) + len(flagged) + len(self.settled)

    @property
    def needs_force(self) -> bool:
        """Whether it is so much that a person must say so twice."""
        return self.changes > WITHOUT_FORCE

    @property
    def is_narrow(self) -> bool:
        """Whether the two hemispheres have grown so alike that it is worth a warning."""
        return self.diversity < NARROW


def pruning(name: str) -> Pruning:
    """The pruning policy of this name; raises InputError for any other."""
    if name not in POLICIES:
        raise InputError(f"{name!r} is no pruning policy. They are: {', '.join(POLICIES)}.")
    return POLICIES[name]


def plan_upkeep(records: Sequence[Record], policy: Pruning, now: datetime, most: int = MOST) -> Plan:
    """What is due among these bullets. Staged ones are left alone: they wait for a person already."""
    alive = [one for one in records if is_alive(one) and one.status is not Status.STAGED]
    retirings = [found for one in alive if (found := _retiring(one, policy, now))]
    going = {one.record.id for one in retirings}
    staying = [one for one in alive if one.id not in going]
    pairs = list(_near_pairs(staying))
    merges = _merges([(a, b) for a, b in pairs if _is_same(a, b)])
    opposed = [(a, b) for a, b in pairs if is_opposed(a.text, b.text)]
    settled = _settled(staying, opposed)
    conflicts = [(a, b) for a, b in opposed if a.side == b.side]
    kept_merges, kept_retirings, kept_conflicts, left_over = _within(most, merges, retirings, conflicts)
    room = max(0, most - sum(len(one.others) for one in kept_merges) - len(kept_retirings) - 2 * len(kept_conflicts))
    return Plan(
        merges=kept_merges,
        retirings=kept_retirings,
        conflicts=kept_conflicts,
        diversity=diversity(*([one for one in staying if one.side is side] for side in HEMISPHERES)),
        left_over=left_over + max(0, len(settled) - room),
        settled=settled[:room],
    )


def _settled(staying: Sequence[Record], opposed: Sequence[tuple[Record, Record]]) -> tuple[Record, ...]:
    """Flagged bullets that nothing in use contradicts any more."""
    still = {one.id for pair in opposed for one in pair}
    return tuple(one for one in staying if CONFLICT_TAG in one.tags and one.id not in still)


def _within(
    most: int,
    merges: Sequence[Merging],
    retirings: Sequence[Retiring],
    conflicts: Sequence[tuple[Record, Record]],
) -> tuple[tuple[Merging, ...], tuple[Retiring, ...], tuple[tuple[Record, Record], ...], int]:
    """The first of each that come to at most so many changed bullets, harm before doubles before conflicts."""
    room, left = most, 0
    kept: list[Retiring] = list(retirings[:room])
    room -= len(kept)
    left += len(retirings) - len(kept)
    joined: list[Merging] = []
    for one in merges:
        taken = one.others[:room]
        left += len(one.others) - len(taken)
        if taken:
            joined.append(Merging(into=one.into, others=taken))
            room -= len(taken)
    pairs = list(conflicts[: room // 2])
    left += 2 * (len(conflicts) - len(pairs))
    return tuple(joined), tuple(kept), tuple(pairs), left


def _retiring(record: Record, policy: Pruning, now: datetime) -> Retiring | None:
    helped, harmed = record.helpful_count, record.harmful_count
    days = (now - record.created_at).total_seconds() / 86_400
    if record.pinned:
        return None
    if harmed >= policy.harmful_ratio * max(helped, 1):
        return Retiring(record=record, reason=f"it did harm {harmed} times and helped {helped} times")
    is_unused = not helped and not harmed and record.last_accessed_at is None
    if is_unused and days >= policy.unused_days:
        return Retiring(record=record, reason=f"it was never used in {days:.0f} days")
    if record.status is Status.QUARANTINED and days >= policy.trial_days:
        return Retiring(record=record, reason=f"it has not proved itself in {days:.0f} days")
    return None


def _is_same(one: Record, other: Record) -> bool:
    same_place = (one.side, one.scope, one.namespace) == (other.side, other.scope, other.namespace)
    return same_place and is_duplicate(one.text, other.text, SAME)


def _near_pairs(records: Sequence[Record]) -> Iterator[tuple[Record, Record]]:
    """Pairs that share most of their words, each once."""
    before: TokenOverlapIndex[Record] = TokenOverlapIndex()
    for record in records:
        for other in before.near(record.text):
            yield other, record
        before.add(record, record.text)


def _merges(pairs: Sequence[tuple[Record, Record]]) -> list[Merging]:
    """The connected components of what says the same, each with the one that stays."""
    found: dict[RecordId, Record] = {}
    parent: dict[RecordId, RecordId] = {}

    def root(of: RecordId) -> RecordId:
        while parent[of] != of:
            parent[of] = parent[parent[of]]
            of = parent[of]
        return of

    for one, other in pairs:
        for record in (one, other):
            found[record.id] = record
            parent.setdefault(record.id, record.id)
        parent[root(one.id)] = root(other.id)
    groups: dict[RecordId, list[Record]] = defaultdict(list)
    for record in found.values():
        groups[root(record.id)].append(record)
    merges = []
    for group in groups.values():
        first = max(group, key=_standing)
        merges.append(Merging(into=first, others=tuple(one for one in group if one.id != first.id)))
    return merges


def _standing(record: Record) -> tuple[bool, float, float, datetime]:
    """Which of several stays: an active one; then by helpful ratio x ln(1 + uses) x confidence; then the newest."""
    uses = record.helpful_count + record.harmful_count
    ratio = record.helpful_count / uses if uses else 0.0
    weight = ratio * math.log(1 + uses) * record.confidence
    return record.status is Status.ACTIVE, weight, record.confidence, record.created_at


def sides_of(records: Sequence[Record]) -> Mapping[Side, int]:
    """How many bullets live where: the sizes of the staging, left, right and shared views."""
    counts: dict[Side, int] = dict.fromkeys((Side.STAGING, Side.LEFT, Side.RIGHT, Side.SHARED), 0)
    for one in records:
        if is_alive(one) and one.side in counts:
            counts[one.side] += 1
    return counts
