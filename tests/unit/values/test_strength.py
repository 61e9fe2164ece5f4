"""How strong a memory is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.testing.builders import a_record
from dopejar.values.strength import FLOOR, last_access, strength, strength_of

NOON = datetime(2031, 5, 4, 12, tzinfo=UTC)
COUNTS = st.integers(min_value=0, max_value=1_000_000)
DAYS = st.floats(min_value=0, max_value=100_000, allow_nan=False)


@given(COUNTS, DAYS)
def test_strength_is_bounded(count: int, days: float) -> None:
    """Whatever the count and the age, it is above 0 and below 1: nothing fades away, nothing rules alone."""
    assert 0 < strength(count, days) < 1


@given(COUNTS, COUNTS, DAYS)
def test_strength_never_falls_with_access(one: int, other: int, days: float) -> None:
    """Whoever was said or used more often is at least as strong at the same age."""
    less, more = sorted((one, other))
    assert strength(less, days) <= strength(more, days)


@given(COUNTS, DAYS, DAYS)
def test_strength_never_rises_with_age(count: int, one: float, other: float) -> None:
    """Whoever was said or used longer ago is at most as strong at the same count."""
    recent, old = sorted((one, other))
    assert strength(count, recent) >= strength(count, old)


@given(st.integers(min_value=1, max_value=10_000), DAYS)
def test_one_access_more_counts_at_once(count: int, days: float) -> None:
    """Being said or used again makes a memory stronger than it was, however old it had become."""
    assert strength(count + 1, 0) > strength(count, days)


@given(COUNTS, DAYS)
def test_a_part_is_never_lost(count: int, days: float) -> None:
    """However long ago, a fifth of what it had stays."""
    assert strength(count, days) >= FLOOR * strength(count, 0)


@pytest.mark.parametrize(
    ("count", "days", "expected"),
    [(1, 0, 0.25), (3, 0, 0.5), (1, 90, 0.15), (3, 1e9, 0.1), (2, 180, 0.24), (0, 0, 0.25), (1, -5, 0.25)],
)
def test_the_formula_gives_what_it_promises(count: int, days: float, expected: float) -> None:
    """A new memory has a quarter, three accesses half; ninety days take half of what can fade of one said once."""
    assert strength(count, days) == pytest.approx(expected)


def test_a_record_fades_from_its_last_access() -> None:
    """Time counts from the last use, else from when it began to hold; a use before that does not make it older."""
    record = a_record("lamp", valid_from=NOON, access_count=2)
    used = a_record("lamp", valid_from=NOON, access_count=2, last_accessed_at=NOON + timedelta(days=80))
    early = a_record("lamp", valid_from=NOON, last_accessed_at=NOON - timedelta(days=80))
    later = NOON + timedelta(days=90)
    assert strength_of(used, later) == strength(2, 10) > strength_of(record, later) == strength(2, 90)
    assert last_access(early) == NOON
