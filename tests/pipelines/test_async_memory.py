"""The async face: every verb has its twin, and gives the same."""

from __future__ import annotations

import asyncio
import inspect
from functools import cached_property

import pytest

from dopejar import AsyncMemory, InputError, Memory, open_memory
from dopejar.engine.async_memory import SERVICES
from dopejar.engine.services import Services

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
OTHER_FACES = {"in_project_of"}  # gives another memory, at once
VERBS = sorted(
    name
    for name, _ in inspect.getmembers(Memory, inspect.isfunction)
    if not name.startswith("_") and name not in OTHER_FACES
)


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_has_its_twin(name: str) -> None:
    """Each verb is awaited under its name, with the same parameters and the same words about it."""
    twin, verb = getattr(AsyncMemory, name), getattr(Memory, name)
    assert inspect.iscoroutinefunction(twin)
    given, wanted = inspect.signature(twin).parameters, inspect.signature(verb).parameters
    assert [(one.name, one.kind, one.default) for one in list(given.values())[1:]] == [
        (one.name, one.kind, one.default) for one in list(wanted.values())[1:]
    ]
    assert twin.__doc__ == verb.__doc__ or name == "learn"


def test_no_twin_is_without_a_verb() -> None:
    """The async face has no verb of its own."""
    twins = {name for name, _ in inspect.getmembers(AsyncMemory, inspect.isfunction) if not name.startswith("_")}
    assert twins == set(VERBS)


def test_every_service_is_there() -> None:
    """The services of a memory are those of its async face; a name that is none is an AttributeError."""
    assert {name for name, value in vars(Services).items() if isinstance(value, cached_property)} == SERVICES
    face = AsyncMemory(open_memory(":memory:"))
    with pytest.raises(AttributeError, match="nothing"):
        _ = face.nothing
    asyncio.run(face.close())


def test_awaited_verbs_give_what_the_verbs_give(tmp_path) -> None:
    """What is remembered, found, decided and refused is the same; a property of a service is awaited as a call."""

    async def converse() -> None:
        async with AsyncMemory(open_memory(tmp_path, environment=QUIET, said_by="user")) as memory:
            assert (await memory.remember("The Aldmere depot has 10 lorries.")).took_effect
            (found,) = await memory.search("Aldmere lorries")
            assert found.text == (await memory.get(found.id)).text
            await memory.remember("Never push to main.", said_by="assistant")
            assert await memory.review.waiting() == len(await memory.review.queue()) == 1
            assert await memory.settings.differences() == memory.memory.settings.differences
            assert memory.project is None
            with pytest.raises(InputError):
                await memory.remember(" ")

    asyncio.run(converse())


def test_the_loop_goes_on_meanwhile(tmp_path) -> None:
    """While one call waits for the writer's lock, others of the same loop are answered."""

    async def converse() -> list[str]:
        order = []
        async with AsyncMemory(open_memory(tmp_path, environment=QUIET, said_by="user")) as memory:
            with memory.memory.store.write():
                pending = asyncio.create_task(memory.remember("The Aldmere depot has 10 lorries."))
                await memory.recall("lorries")
                order.append("read")
            await pending
            order.append("written")
        return order

    assert asyncio.run(converse()) == ["read", "written"]


def test_many_at_once_lose_nothing(tmp_path) -> None:
    """Calls that are awaited together are all done."""

    async def converse() -> int:
        async with AsyncMemory(open_memory(tmp_path, environment=QUIET, said_by="user")) as memory:
            towns = [f"Town{number}" for number in range(12)]
            await asyncio.gather(*(memory.remember(f"The {town} depot has 10 lorries.") for town in towns))
            return len(await memory.list(limit=100))

    assert asyncio.run(converse()) == 12
