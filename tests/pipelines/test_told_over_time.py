"""A question for an order, or for a count over time, is answered in order of time."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dopejar import open_memory

MAY = datetime(2026, 5, 11, 10, tzinfo=UTC)
PORTS = (
    "We sailed to Narvik and slept aboard",
    "We sailed to Gdansk",
    "We sailed to Riga in heavy rain, against the wind",
)


@pytest.mark.parametrize("told", list(itertools.permutations(range(3))))
def test_an_order_is_told_in_order_of_time(told: tuple[int, ...], tmp_path: Path) -> None:
    """Whenever each was told, and however well it matches; what is taken is that of any other question."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as memory:
        for place in told:
            memory.remember(f"{PORTS[place]}.", at=MAY + place * timedelta(days=30))
        listed = memory.recall("In which order have we sailed?", records_only=True).items
        others = memory.recall("Where have we sailed?", records_only=True).items
    assert [item.text for item in listed] == list(PORTS)
    assert {item.id for item in listed} == {item.id for item in others}
    assert [item.at for item in others] != sorted(item.at for item in others if item.at)
