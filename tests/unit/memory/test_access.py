"""What being said again does to a record."""

from __future__ import annotations

from datetime import timedelta

from dopejar.memory.derivation import derive
from dopejar.testing.builders import NOON, a_record, an_episode, some_evidence
from dopejar.values.record import Evidence, EvidenceRole
from dopejar.values.strength import strength_of

_DAY = timedelta(days=1)


def told(*days: int, role: EvidenceRole = EvidenceRole.ASSERTS) -> tuple[Evidence, ...]:
    """Evidence of one episode a day."""
    return tuple(some_evidence(an_episode("It stands here.", day), at=NOON + day * _DAY, role=role) for day in days)


def test_a_new_record_has_one_access_and_no_later_one() -> None:
    """What one episode says counts once and was not accessed again."""
    record = derive(a_record("lamp"), told(0))
    assert (record.access_count, record.last_accessed_at) == (1, None)


def test_a_restated_record_gains() -> None:
    """Each further episode counts, and the last one is when it was last accessed: the record is stronger for it."""
    once, often = derive(a_record("lamp"), told(0)), derive(a_record("lamp"), told(0, 3, 9))
    assert (often.access_count, often.last_accessed_at) == (3, NOON + 9 * _DAY)
    assert strength_of(often, NOON + 10 * _DAY) > strength_of(once, NOON + 10 * _DAY)


def test_what_is_taken_back_or_stands_beside_is_no_access() -> None:
    """Withdrawn statements and mere context neither count nor move the last access."""
    beside = (*told(4, role=EvidenceRole.WITHDRAWN), *told(5, role=EvidenceRole.CONTEXT))
    record = derive(a_record("lamp", last_accessed_at=NOON + 4 * _DAY), (*told(0), *beside))
    assert (record.access_count, record.last_accessed_at) == (1, None)
