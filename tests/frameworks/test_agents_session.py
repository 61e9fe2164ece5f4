"""The session of the OpenAI Agents SDK; its package is needed for the protocol alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from dopejar import open_memory
from dopejar.doors.frameworks import AgentsSession
from dopejar.engine.memory import Memory
from dopejar.errors import InputError
from dopejar.values.episode import ERASED_MARK, WITHHELD

HELLO = {"role": "user", "content": "I live in Brno."}
REPLY = {
    "id": "msg_1", "type": "message", "role": "assistant",
    "content": [{"type": "output_text", "text": "Noted: Brno.", "annotations": []}],
}  # fmt: skip
CALL = {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": "{}"}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory opened for a host whose user speaks."""
    with open_memory(tmp_path / "home", said_by="user") as opened:
        yield opened


def test_items_come_back_as_they_were(memory: Memory) -> None:
    """Oldest first, the newest on request, and the newest is popped."""
    session = AgentsSession("chat", memory)

    async def talk() -> None:
        assert await session.get_items() == []
        assert await session.pop_item() is None
        await session.add_items([HELLO, REPLY])
        await session.add_items([CALL])
        assert await session.get_items() == [HELLO, REPLY, CALL]
        assert await session.get_items(limit=2) == [REPLY, CALL]
        assert await session.get_items(limit=9) == [HELLO, REPLY, CALL]
        assert await session.pop_item() == CALL
        await session.add_items([CALL])
        assert await session.get_items() == [HELLO, REPLY, CALL]
        assert await AgentsSession("other", memory).get_items() == []
        await session.clear_session()
        assert await session.get_items() == []

    asyncio.run(talk())


def test_what_is_said_is_observed(memory: Memory) -> None:
    """As the user's and the assistant's words; calls of tools are kept as items alone."""
    asyncio.run(AgentsSession("chat", memory).add_items([HELLO, REPLY, CALL]))
    with memory.store.read() as view:
        (conversation,) = view.conversations(10)
        turns = view.turns(conversation.id)
    assert [(turn.speaker, turn.text) for turn in turns] == [("user", "I live in Brno."), ("assistant", "Noted: Brno.")]


@pytest.mark.parametrize("content", ["str", "parts"])
@pytest.mark.parametrize(
    "text",
    [
        "Off the record: my cousin Plimsoll has gout.",
        "Don't remember this: Plimsoll owes me nine pounds.",
        "Unter uns gesagt, Plimsoll zieht aus.",
        "Ne retiens pas ça : Plimsoll va partir.",
    ],
)
def test_what_is_said_off_the_record_is_no_item(memory: Memory, tmp_path: Path, text: str, content: str) -> None:
    """The mark stands in its place, in the item as in the turn; the other items stay."""
    parts = [{"type": "input_text", "text": text}, {"type": "input_image", "image_url": "https://plimsoll.example/p"}]
    item = {"role": "user", "content": text if content == "str" else parts}
    session = AgentsSession("chat", memory)
    asyncio.run(session.add_items([HELLO, item, REPLY]))
    first, withheld, reply = asyncio.run(session.get_items())
    assert (first, reply) == (HELLO, REPLY)
    assert withheld == {
        "role": "user",
        "content": WITHHELD if content == "str" else [{"type": "input_text", "text": WITHHELD}],
    }
    assert b"plimsoll" not in files_of(tmp_path / "home")


@pytest.mark.parametrize("names", [{}, {"id": "msg_7"}])
def test_an_item_that_is_taken_back_is_withheld(memory: Memory, tmp_path: Path, names: dict[str, str]) -> None:
    """The item that the wish means, and no other, whether the host gave it an id or not."""
    session = AgentsSession("chat", memory)
    asyncio.run(session.add_items([HELLO, REPLY, {"role": "user", "content": "Plimsoll has gout.", **names}]))
    asyncio.run(session.add_items([{"role": "user", "content": "Forget I said that."}]))
    items = asyncio.run(session.get_items())
    assert items[:2] == [HELLO, REPLY]
    assert [item["content"] for item in items[2:]] == [WITHHELD, WITHHELD]
    memory.maintenance.maintain()
    assert b"plimsoll" not in files_of(tmp_path / "home")


def test_an_erased_turn_does_not_come_back_as_an_item(memory: Memory) -> None:
    """A host that adds it again, under its id or another, keeps the mark of the erasure."""
    memory.reviewers.add("ana", "correct horse " + "battery")
    said = {"role": "user", "content": "My cousin Plimsoll has gout since the spring.", "id": "msg_7"}
    session = AgentsSession("chat", memory)
    asyncio.run(session.add_items([said]))
    with memory.store.read() as view:
        (turn,) = [turn.id for row in view.conversations(9) for turn in view.turns(row.id)]
    found = memory.inspection.preview_echoes(episodes=[turn])
    assert memory.erase(memory.reviewers.unlock("correct horse " + "battery"), episodes=[turn], echoes=found).verified
    asyncio.run(session.add_items([said]))
    asyncio.run(AgentsSession("other", memory).add_items([{**said, "id": "msg_8"}]))
    items = [*asyncio.run(session.get_items()), *asyncio.run(AgentsSession("other", memory).get_items())]
    assert [item["content"] for item in items] == [ERASED_MARK] * 3


def files_of(home: Path) -> bytes:
    """Every byte of the home's files."""
    return b"".join(file.read_bytes() for file in home.iterdir() if file.is_file()).lower()


def test_nobody_is_taken_for_the_user_unasked(tmp_path: Path) -> None:
    """Where nobody said who speaks, a user's message is refused whole."""
    with open_memory(tmp_path / "other") as memory:
        session = AgentsSession("chat", memory)
        with pytest.raises(InputError, match="said_by"):
            asyncio.run(session.add_items([HELLO]))
        assert asyncio.run(session.get_items()) == []


def test_items_of_two_hosts_at_once_are_all_kept(memory: Memory) -> None:
    """Neither overwrites what the other adds."""

    async def talk() -> list[object]:
        sessions = [AgentsSession("chat", memory) for _ in range(4)]
        await asyncio.gather(*(session.add_items([dict(CALL, call_id=f"c{n}")]) for n, session in enumerate(sessions)))
        return await sessions[0].get_items()

    assert {item["call_id"] for item in asyncio.run(talk())} == {"c0", "c1", "c2", "c3"}


def test_it_is_a_session_of_the_sdk(memory: Memory) -> None:
    """By the protocol of the real package."""
    agents = pytest.importorskip("agents.memory", reason="openai-agents is not installed: run `make test-frameworks`")
    assert isinstance(AgentsSession("chat", memory), agents.Session)
    session = AgentsSession("chat", memory)
    session.session_settings = agents.SessionSettings(limit=1)
    asyncio.run(session.add_items([HELLO, REPLY]))
    assert asyncio.run(session.get_items()) == [REPLY]
