"""The store of LangGraph, on the real package; `make test-frameworks` installs it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from dopejar import open_memory
from dopejar.engine.memory import Memory
from dopejar.errors import InputError

pytest.importorskip("langgraph.store.base", reason="langgraph-checkpoint is not installed: run `make test-frameworks`")

from langgraph.store.base import GetOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from dopejar.doors.frameworks import LangGraphStore

ANNA, BEN = ("users", "anna"), ("users", "ben")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory."""
    with open_memory(tmp_path / "home") as opened:
        yield opened


@pytest.fixture(params=["dopejar", "in memory"])
def store(request: pytest.FixtureRequest, memory: Memory) -> LangGraphStore | InMemoryStore:
    """Our store, and LangGraph's own as the proof that a test asks for what it promises."""
    return LangGraphStore(memory) if request.param == "dopejar" else InMemoryStore()


def test_an_item_from_put_to_delete(store: LangGraphStore | InMemoryStore) -> None:
    """The newest value is returned, the time of making stays, and a deleted item is gone."""
    assert store.get(ANNA, "diet") is None
    store.put(ANNA, "diet", {"text": "no nuts", "level": 1})
    first = store.get(ANNA, "diet")
    store.put(ANNA, "diet", {"text": "no nuts, no milk", "level": 2})
    second = store.get(ANNA, "diet")
    assert first is not None
    assert second is not None
    assert (second.key, second.namespace, second.value["level"]) == ("diet", ANNA, 2)
    assert second.updated_at >= first.updated_at
    store.delete(ANNA, "diet")
    store.delete(ANNA, "diet")
    assert store.get(ANNA, "diet") is None


def test_namespaces_are_apart(store: LangGraphStore | InMemoryStore) -> None:
    """The same key in two namespaces is two items; a search sees what is below its prefix."""
    store.put(ANNA, "name", {"text": "Anna"})
    store.put(BEN, "name", {"text": "Ben"})
    store.put(("users", "anna", "work"), "name", {"text": "Dr. Anna"})
    assert {item.value["text"] for item in store.search(ANNA)} == {"Anna", "Dr. Anna"}
    assert len(store.search(("users",))) == 3
    assert store.search(("user",)) == []
    assert store.search(("users",), limit=2, offset=2)[0].value in (
        {"text": "Anna"},
        {"text": "Ben"},
        {"text": "Dr. Anna"},
    )


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        ({"kind": "a"}, {"1", "2"}),
        ({"kind": {"$ne": "a"}}, {"3"}),
        ({"size": {"$gt": 1, "$lte": 3}}, {"2", "3"}),
        ({"size": {"$gte": 3}}, {"3"}),
        ({"size": {"$lt": 2}, "kind": {"$eq": "a"}}, {"1"}),
        ({"nothing": 1}, set()),
    ],
)
def test_filters(store: LangGraphStore | InMemoryStore, wanted: dict[str, object], keys: set[str]) -> None:
    """Equality and the six comparisons."""
    for key, kind, size in (("1", "a", 1), ("2", "a", 2), ("3", "b", 3)):
        store.put(ANNA, key, {"kind": kind, "size": size})
    assert {item.key for item in store.search(ANNA, filter=wanted)} == keys


def test_namespaces_are_listed(store: LangGraphStore | InMemoryStore) -> None:
    """By prefix and suffix with wildcards, cut at a depth, each once."""
    for namespace in (("a", "b", "c"), ("a", "b", "d"), ("a", "x", "c"), ("e",)):
        store.put(namespace, "k", {"v": 1})
    assert set(store.list_namespaces(prefix=("a", "b"))) == {("a", "b", "c"), ("a", "b", "d")}
    assert set(store.list_namespaces(prefix=("a", "*", "c"))) == {("a", "b", "c"), ("a", "x", "c")}
    assert set(store.list_namespaces(suffix=("c",))) == {("a", "b", "c"), ("a", "x", "c")}
    assert set(store.list_namespaces(max_depth=1)) == {("a",), ("e",)}
    assert len(store.list_namespaces(limit=2, offset=1)) == 2


def test_a_batch_reads_what_stood_before(store: LangGraphStore | InMemoryStore) -> None:
    """And of several puts of one item the last one counts; awaited or not."""
    store.put(ANNA, "n", {"v": 0})
    ops = [GetOp(ANNA, "n"), PutOp(ANNA, "n", {"v": 1}), PutOp(ANNA, "n", {"v": 2}), SearchOp(ANNA), GetOp(ANNA, "n")]
    found = asyncio.run(store.abatch(ops))
    assert [found[0].value, found[3][0].value, found[4].value] == [{"v": 0}] * 3
    assert store.get(ANNA, "n").value == {"v": 2}


def test_bad_namespaces_and_lives_are_refused(store: LangGraphStore | InMemoryStore) -> None:
    """As LangGraph's own store refuses them."""
    for namespace in ((), ("a.b",), ("langgraph", "x"), ("",)):
        with pytest.raises(ValueError, match=r".+"):
            store.put(namespace, "k", {"v": 1})
    with pytest.raises(NotImplementedError):
        store.put(ANNA, "k", {"v": 1}, ttl=5)


def test_a_query_ranks_what_may_be_searched(memory: Memory) -> None:
    """Without a model by words in common; a put says which fields are searched, or that none is."""
    store = LangGraphStore(memory)
    store.put(ANNA, "food", {"text": "Anna eats no nuts", "note": "told in May"})
    store.put(ANNA, "home", {"text": "Anna lives near the lake"}, index=["text"])
    store.put(ANNA, "hidden", {"text": "nuts nuts nuts"}, index=False)
    found = store.search(ANNA, query="Which nuts may she eat?")
    assert [item.key for item in found] == ["food", "home", "hidden"]
    assert found[0].score > found[1].score
    assert found[2].score is None


def test_a_store_may_search_named_fields_alone(memory: Memory) -> None:
    """Unless a put names others."""
    store = LangGraphStore(memory, fields=["text"])
    store.put(ANNA, "food", {"text": "Anna eats no nuts", "note": "told in May"})
    store.put(ANNA, "more", {"text": "Anna lives here", "note": "told in May"}, index=["note"])
    assert [(item.key, item.score > 0) for item in store.search(ANNA, query="told in May")] == [
        ("more", True),
        ("food", False),
    ]


def test_items_outlive_the_process_and_nothing_is_learned(memory: Memory, tmp_path: Path) -> None:
    """A graph's item is no belief, and its secrets are redacted."""
    LangGraphStore(memory).put(ANNA, "key", {"text": "The key is AKIAIOSFODNN7ZXCVBNM here."})
    assert memory.list() == ()
    memory.close()
    with open_memory(tmp_path / "home") as again:
        assert "AKIAIOSFODNN7ZXCVBNM" not in str(LangGraphStore(again).get(ANNA, "key").value)
        assert LangGraphStore(again, "other").get(ANNA, "key") is None


@pytest.mark.parametrize(
    "value",
    [
        {"text": "first line\nAKIAIOSFODNN7ZXCVBNM"},
        {"text": "<private>the code is 4711", "more": "kept"},
        {"text": "<private>the code", "more": "is 4711</private>"},
        {"list": [{"deep": "AKIAIOSFODNN7ZXCVBNM"}], "n": 1.5, "none": None, "yes": True},
    ],
)
def test_each_text_of_a_value_is_redacted_by_itself(memory: Memory, value: dict[str, object]) -> None:
    """Behind a line's end, too; and a part that is never closed takes nothing of its neighbours."""
    store = LangGraphStore(memory)
    store.put(ANNA, "v", value)
    kept = store.get(ANNA, "v").value
    assert kept.keys() == value.keys()
    assert "AKIA" not in str(kept)
    assert kept.get("more") in (None, value.get("more"))


def test_what_is_no_json_is_refused_and_nothing_is_written(memory: Memory) -> None:
    """With a sentence, and the item says what it said before."""
    store = LangGraphStore(memory)
    store.put(ANNA, "v", {"n": 1})
    circle: dict[str, object] = {}
    circle["self"] = circle
    for value in ({"n": object()}, {"n": "\ud800"}, circle):
        with pytest.raises(InputError, match="JSON"):
            store.put(ANNA, "v", value)
    with pytest.raises(InputError, match="name"):
        store.put(ANNA, "AKIAIOSFODNN7ZXCVBNM", {"n": 1})
    assert store.get(ANNA, "v").value == {"n": 1}
