"""The strength of a memory: reinforcement by accesses, decay with time.

Takes: a number of accesses and an age. Gives: a number between 0 and 1. Never: removes anything; it affects ranking,
and mildly.
"""

from __future__ import annotations

from datetime import datetime
from math import log2
from typing import Final

from dopejar.values.record import Record

HALF_SATURATION: Final = 3.0
"""Accesses at which a memory that was just accessed has half of the greatest strength."""

HALF_LIFE_DAYS: Final = 90.0
"""Days without access that halve the part that decays, for one access; each doubling of the count adds as many."""

FLOOR: Final = 0.2
"""The part of its strength that a memory never loses."""

_DAY: Final = 86_400.0


def strength(accesses: int, idle_days: float) -> float:
    """The strength after so many accesses, the last one so many days ago: above 0, below 1.

    With n accesses (at least 1) and a days since the last one (at least 0):

        strength = n / (n + 3) * (0.2 + 0.8 * 2 ** (-a / (90 * (1 + log2(n)))))

    The first factor is reinforcement: each access adds, and each adds less than the one before. The second is decay: it
    halves with time, more slowly for what was repeated, and stops at a fifth. So the strength never falls when n grows,
    never rises when a grows, and never reaches 0.
    """
    count = max(1, accesses)
    idle = max(0.0, idle_days)
    decay: float = 2.0 ** (-idle / (HALF_LIFE_DAYS * (1.0 + log2(count))))
    return count / (count + HALF_SATURATION) * (FLOOR + (1.0 - FLOOR) * decay)


def last_access(record: Record) -> datetime:
    """The time when the record was last stated or used, at the earliest its `valid_from`."""
    used = record.last_accessed_at
    return record.valid_from if used is None or used < record.valid_from else used


def strength_of(record: Record, now: datetime) -> float:
    """The strength of a record at a time; a new record has one access. See `strength`."""
    return strength(record.access_count, (now - last_access(record)).total_seconds() / _DAY)
