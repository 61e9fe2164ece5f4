"""What is told right after a statement may correct it, or lean on it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dopejar import open_memory

TOLD = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path):
    """A memory without a model that the user speaks to."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        yield opened


def active(memory) -> list[str]:
    """The texts in force."""
    return sorted(record.text for record in memory.list())


@pytest.mark.parametrize(
    ("first", "then", "left"),
    [
        ("The eye check is on 11 January at 8.", "No, 12 January, not 11.", "The eye check is on 12 January at 8"),
        ("The rent of the kiosk is 840 euros.", "Sorry, 860, not 840.", "The rent of the kiosk is 860 euros"),
    ],
)
def test_a_slip_is_corrected_by_the_next_statement(memory, first, then, left):
    """Where it names the value that was wrong, the statement stands with the new one alone."""
    memory.remember(first, at=TOLD)
    memory.remember(then, at=TOLD + timedelta(minutes=2))
    assert active(memory) == [left]


def test_a_correction_reaches_no_further_than_an_hour(memory):
    """What was told longer ago stays as it was."""
    memory.remember("The eye check is on 11 January at 8.", at=TOLD)
    memory.remember("No, 12 January, not 11.", at=TOLD + timedelta(hours=2))
    assert "The eye check is on 11 January at 8" in active(memory)


def test_a_correction_concerns_its_own_speaker(memory):
    """What another says corrects nothing that the user said."""
    memory.remember("The eye check is on 11 January at 8.", at=TOLD)
    memory.remember("No, 12 January, not 11.", said_by="other", at=TOLD + timedelta(minutes=2))
    assert "The eye check is on 11 January at 8" in active(memory)
