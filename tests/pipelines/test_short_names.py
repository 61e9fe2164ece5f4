"""What a name means: a whole id, enough of its beginning, or a key; never a thing that a few letters fit by chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from dopejar import Memory, NotFoundError, open_memory
from dopejar.compose.stores import in_memory_store
from dopejar.engine.lookup import find_record
from dopejar.errors import AmbiguousIdError
from dopejar.testing.builders import a_record, insert_record

ENOUGH = 4  # characters after the mark


@pytest.fixture(scope="module")
def memory() -> Iterator[Memory]:
    """Forty things that are believed and one that waits: three letters of an id fit one of them easily."""
    with open_memory(":memory:", environment={}, said_by="user") as opened:
        for number in range(40):
            opened.remember(f"Crate {number} holds part {number * 7}.")
        opened.remember("The harp stand is walnut.", said_by="assistant")
        yield opened


FINDERS: dict[str, tuple[Callable[[Memory], list[str]], Callable[[Memory, str], object]]] = {
    "memory": (
        lambda memory: [record.id for record in memory.list()],
        lambda memory, name: memory.get(name).id,
    ),
    "proposal": (
        lambda memory: [item.proposal.id for item in memory.review.queue()],
        lambda memory, name: memory.review.show(name).proposal.id,
    ),
    "act": (
        lambda memory: [act.act_id for act in memory.log(10)],
        lambda memory, name: memory.inspection.act(name).act_id,
    ),
}


@pytest.mark.parametrize("kind", FINDERS)
def test_the_beginning_of_an_id_is_long_enough(memory: Memory, kind: str) -> None:
    """Fewer than four characters name nothing, with or without the mark; from four on, the one thing or an error."""
    ids, find = FINDERS[kind]
    for whole in ids(memory):
        mark, body = whole[:2], whole[2:]
        for length in range(ENOUGH):
            for name in (body[:length], mark + body[:length]):
                with pytest.raises(NotFoundError):
                    find(memory, name)
        for length in range(ENOUGH, len(body) + 1):
            try:
                assert find(memory, mark + body[:length]) == whole
            except AmbiguousIdError:
                assert length < len(body)


def test_a_beginning_that_fits_several_is_told_so() -> None:
    """Of two memories whose ids begin alike neither is chosen, however long the beginning that they share."""
    with closing(in_memory_store()) as store:
        with store.write() as tx:
            for name in ("pantry1", "pantry2"):
                insert_record(tx, a_record(name))
        with store.read() as view:
            for name in ("pant", "m_pant", "m_pantry"):
                with pytest.raises(AmbiguousIdError, match="m_pantry1, m_pantry2"):
                    find_record(view, name)
            assert find_record(view, "pantry1").id == "m_pantry1"


def test_forgetting_takes_a_key_for_its_memory(memory: Memory) -> None:
    """A memory is forgotten by its id or its key alike; what is out of use is named by neither."""
    record = memory.remember("My landlady is Annelies Brand.").receipts[0].records[0]
    assert record.key
    assert memory.review.about(record.key) == memory.review.about(record.id) == (memory.get(record.id),)
    memory.review.forget(record.key, said_by="assistant")
    assert {target.record_id for item in memory.review.queue() for target in item.proposal.record_targets} == {
        record.id
    }
    assert memory.review.about("Self-Pref-Nothing") == ()
