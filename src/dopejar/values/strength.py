"""How strong a memory is: what was said or used often, and lately, is strong.

Takes: how often, and how long ago. Gives: a number between 0 and 1. Never: removes anything; it ranks, and mildly.
"""

from __future__ import annotations

from datetime import datetime
from math import log2
from typing import Final

from dopejar.values.record import Record

HALF_REACHED: Final = 3.0
"""Accesses after which a memory that was just touched has half of all the strength there is."""

HALF_LIFE_DAYS: Final = 90.0
"""Days without access that halve what can fade of a memory said once; each doubling of the count adds as many."""

KEPT: Final = 0.2
"""The part of its strength that a memory never loses."""

_DAY: Final = 86_400.0


def strength(accesses: int, idle_days: float) -> float:
    """The strength of what was said or used so often, and last so many days ago: above 0, below 1.

    With n accesses (at least 1) and a days since the last one (at least 0):

        strength = n / (n + 3) * (0.2 + 0.8 * 2 ** (-a / (90 * (1 + log2(n)))))

    The first factor is reinforcement: each access adds, and each adds less than the one before. The second is fading:
    it halves with time, slower for what was repeated, and stops at a fifth. So the strength never falls when n grows,
    never rises when a grows, and never reaches 0.
    """
    said = max(1, accesses)
    idle = max(0.0, idle_days)
    fading: float = 2.0 ** (-idle / (HALF_LIFE_DAYS * (1.0 + log2(said))))
    return said / (said + HALF_REACHED) * (KEPT + (1.0 - KEPT) * fading)


def last_access(record: Record) -> datetime:
    """When the record was last said or used: no earlier than when it began to hold."""
    used = record.last_accessed_at
    return record.valid_from if used is None or used < record.valid_from else used


def strength_of(record: Record, now: datetime) -> float:
    """The strength of a record at a time: a new one has its first access; see `strength`."""
    return strength(record.access_count, (now - last_access(record)).total_seconds() / _DAY)
