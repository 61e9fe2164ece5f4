"""`MemoryManager`: areas over the real store, their consent, tiers, windows, traces and subscriptions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from dopejar import open_memory
from dopejar.engine.memory import Memory
from dopejar.errors import InputError, RefusedError
from dopejar.seeds import MemoryManager, SharedReference, WorkingSet
from dopejar.turn.memory_areas import AREAS, CONSENT, WINDOWS, Tier
from dopejar.values.ids import TraceId

PEOPLE = "shared.people"
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Time:
    """A clock that the test moves; each look at it is a second later, so that use has an order."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> datetime:
        """The time, a second after the last look."""
        self.at += timedelta(seconds=1)
        return self.at


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory."""
    with open_memory(tmp_path / "home", said_by="user") as opened:
        yield opened


def kept_by_others(memory: Memory, area: str) -> list[str]:
    """The keys that another manager of the same store sees."""
    return sorted(item.key for item in MemoryManager(memory, now=Time()).items(area, cold=True))


@pytest.mark.parametrize("area", sorted(AREAS - {CONSENT, "shared.north_stars", "shared.priorities"}))
def test_without_consent_nothing_is_kept(memory: Memory, area: str) -> None:
    """An item is hot until its area is allowed, then kept, and leaves the store when consent is taken back."""
    manager = MemoryManager(memory, now=Time())
    manager.write(area, "one", {"n": [1, None, "ä"]})
    assert kept_by_others(memory, area) == []
    assert manager.items(area)[0].tier is Tier.HOT
    manager.allow(area)
    assert kept_by_others(memory, area) == ["one"]
    assert manager.items(area)[0].tier is Tier.WARM
    manager.withdraw(area)
    assert kept_by_others(memory, area) == []
    assert manager.read(area, "one") == {"n": [1, None, "ä"]}
    manager.delete(area, "one")
    assert manager.read(area, "one") is None


def test_consent_cannot_be_written_as_an_item(memory: Memory) -> None:
    """Consent changes by `allow` and `withdraw` alone, and is listed in its area."""
    manager = MemoryManager(memory)
    for act in (
        lambda: manager.write(CONSENT, PEOPLE, {"kept": True}),
        lambda: manager.delete(CONSENT, PEOPLE),
        lambda: manager.allow(CONSENT),
    ):
        with pytest.raises(RefusedError):
            act()
    assert not manager.can_persist(PEOPLE)
    manager.allow(PEOPLE)
    assert [item.key for item in manager.items(CONSENT)] == [PEOPLE]


def test_unused_items_go_cold_and_reading_warms_them(memory: Memory) -> None:
    """After 14 days without use an item is out of queries unless it is asked for; one read brings it back."""
    time = Time()
    manager = MemoryManager(memory, now=time)
    manager.allow(PEOPLE)
    manager.write(PEOPLE, "ana", {"role": "colleague"})
    time.at += timedelta(days=15)
    assert manager.query(PEOPLE) == []
    assert [item.tier for item in manager.items(PEOPLE, cold=True)] == [Tier.COLD]
    assert manager.read(PEOPLE, "ana") == {"role": "colleague"}
    assert [item.tier for item in manager.items(PEOPLE)] == [Tier.WARM]


@pytest.mark.parametrize("is_kept", [True, False])
@pytest.mark.parametrize("area", sorted(WINDOWS))
def test_windows_roll(memory: Memory, area: str, is_kept: bool) -> None:
    """Of an area with a window the items used last are shown; kept ones beyond it are cold, hot ones are gone."""
    manager = MemoryManager(memory, now=Time())
    if is_kept:
        manager.allow(area)
    size = WINDOWS[area]
    for place in range(size):
        manager.write(area, f"k{place}", {"place": place})
    manager.read(area, "k0")
    if is_kept:  # a read of the same day is not written down
        manager.write(area, "k0", {"place": 0})
    manager.write(area, "new", {"place": size})
    shown = {item.key for item in manager.items(area)}
    assert shown == {"new", *(f"k{place}" for place in range(size))} - {"k1"}
    beyond = [item.key for item in manager.items(area, cold=True) if item.tier is Tier.COLD]
    assert beyond == (["k1"] if is_kept else [])


def test_subscribers_of_another_manager_hear_each_change_once(memory: Memory) -> None:
    """Writes, overwrites and deletions are heard where they were kept, once each, also under one trace id."""
    writer, reader = MemoryManager(memory), MemoryManager(memory)
    writer.allow(PEOPLE)
    writer.write(PEOPLE, "ana", {"n": 0})
    heard: list[tuple[str, object]] = []
    reader.subscribe(PEOPLE, lambda key, data: heard.append((key, data)))
    assert reader.poll() == 0
    request = TraceId("t_one_request_000")
    for n in (1, 2):
        assert writer.write(PEOPLE, "ana", {"n": n}, request) == request
        assert reader.poll() == 1
    writer.delete(PEOPLE, "ana")
    assert reader.poll() == 1
    assert reader.poll() == 0
    assert heard == [("ana", {"n": 1}), ("ana", {"n": 2}), ("ana", None)]


def test_every_act_has_a_trace_id(memory: Memory) -> None:
    """Acts are listed with their verb and trace id; an item shows that of its last write."""
    manager = MemoryManager(memory)
    manager.allow(PEOPLE)
    written = manager.write(PEOPLE, "ana", {})
    manager.read(PEOPLE, "ana")
    manager.query(PEOPLE, "a*")
    manager.delete(PEOPLE, "ben")
    assert [act.verb for act in manager.acts] == ["allow", "write", "read", "query", "delete"]
    assert len({act.trace_id for act in manager.acts}) == 5
    assert manager.items(PEOPLE)[0].trace_id == written


def test_priorities_are_those_that_govern(memory: Memory) -> None:
    """The areas of north stars and priorities read the shared references, and are not written here."""
    value = json.dumps(["ship the reader", "sleep"])
    memory.workspace.put_reference(
        SharedReference(key="priorities", value=value, version=1, source="plan", updated_by="user", updated_at=START)
    )
    manager = MemoryManager(memory, now=Time())
    assert manager.read("shared.priorities", "1") == {"text": "ship the reader"}
    assert manager.query("shared.priorities", "2") == [{"text": "sleep"}]
    with pytest.raises(RefusedError, match="put_reference"):
        manager.write("shared.priorities", "1", {"text": "other"})


def test_wrong_arguments_change_nothing(memory: Memory) -> None:
    """An unknown area, an empty key and what is no JSON are refused, and nothing is written."""
    manager = MemoryManager(memory)
    for area, key, data in (("shared.plans", "a", {}), (PEOPLE, "", {}), (PEOPLE, "a", {"at": START})):
        with pytest.raises(InputError):
            manager.write(area, key, data)
    assert manager.items(PEOPLE) == ()


def test_secrets_are_redacted_where_they_are_kept(memory: Memory) -> None:
    """What is kept passes the same redaction as every note."""
    manager = MemoryManager(memory)
    manager.allow(PEOPLE)
    secret = "ghp_" + "a1B2" * 9
    manager.write(PEOPLE, "ana", {"token": f"her token is {secret}"})
    assert secret not in json.dumps(manager.read(PEOPLE, "ana"))


def test_an_expired_working_set_is_gone(memory: Memory) -> None:
    """It is not read from the moment that it expires, and another one may begin in its place at once."""
    expired = WorkingSet(problem_id="leak", lane_id="", body='{"next": "look"}', expires_at=START - timedelta(days=900))
    memory.workspace.hold_working_set(expired)
    assert memory.workspace.working_set("leak") is None
    memory.workspace.hold_working_set(
        WorkingSet(
            problem_id="leak", lane_id="", body='{"next": "mend"}', expires_at=datetime.now(UTC) + timedelta(hours=1)
        )
    )
    held = memory.workspace.working_set("leak")
    assert held is not None
    assert held.body == '{"next": "mend"}'
