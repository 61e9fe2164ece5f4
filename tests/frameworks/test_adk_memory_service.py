"""The memory service of Google's ADK, on the real package; `make test-frameworks` installs it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from dopejar import open_memory
from dopejar.engine.memory import Memory
from dopejar.values.record import Status

pytest.importorskip("google.adk", reason="google-adk is not installed: run `make test-frameworks`")

from google.adk.events import Event
from google.adk.memory import BaseMemoryService
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai.types import Content, FunctionCall, Part

from dopejar.doors.frameworks import ADKMemoryService


@pytest.fixture
def memories(tmp_path: Path) -> Iterator[dict[str, Memory]]:
    """A memory for each of two users."""
    with open_memory(tmp_path / "anna", said_by="user") as anna, open_memory(tmp_path / "ben", said_by="user") as ben:
        yield {"anna": anna, "ben": ben}


@pytest.fixture
def service(memories: dict[str, Memory]) -> ADKMemoryService:
    """The service over them."""
    return ADKMemoryService(lambda _, user: memories[user])


def event(author: str, *parts: Part | str, **more: object) -> Event:
    """One event of a session."""
    made = [Part(text=part) if isinstance(part, str) else part for part in parts]
    return Event(author=author, content=Content(role="user", parts=made), invocation_id="i", **more)


def session(*events: Event) -> Session:
    """A session of Anna."""
    return Session(id="s1", app_name="app", user_id="anna", events=list(events))


def found(service: ADKMemoryService, user: str, query: str) -> list[str]:
    """The texts that a search returns."""
    answer = asyncio.run(service.search_memory(app_name="app", user_id=user, query=query))
    return [entry.content.parts[0].text for entry in answer.memories]


def test_a_session_is_learned_from(service: ADKMemoryService, memories: dict[str, Memory]) -> None:
    """The user's words are believed, added again nothing changes, and a later event is learned as well."""
    assert isinstance(service, BaseMemoryService)
    said = [event("user", "I live in Brno."), event("helper", "I prefer dark roast coffee.")]
    for _ in range(2):
        asyncio.run(service.add_session_to_memory(session(*said)))
    assert [record.text for record in memories["anna"].list()] == ["I live in Brno"]
    later = event("user", "I work as a nurse.")
    asyncio.run(service.add_session_to_memory(session(*said, later)))
    assert len(memories["anna"].list()) == 2
    assert any("Brno" in text for text in found(service, "anna", "Where do I live?"))


def test_users_are_apart(service: ADKMemoryService) -> None:
    """What one says is found by nobody else."""
    asyncio.run(service.add_session_to_memory(session(event("user", "I live in Brno."))))
    assert found(service, "ben", "Where do I live?") == []


def test_only_what_is_said_is_observed(service: ADKMemoryService, memories: dict[str, Memory]) -> None:
    """No thought, no call of a tool, no part of a reply that is still coming in."""
    events = [
        event("helper", Part(text="I live in Oslo.", thought=True)),
        event("helper", Part(function_call=FunctionCall(name="f", args={"q": "I live in Oslo."}))),
        event("helper", "I live in Os", partial=True),
        event("user", "I live in Brno."),
    ]
    asyncio.run(service.add_events_to_memory(app_name="app", user_id="anna", events=events, session_id="s2"))
    with memories["anna"].store.read() as view:
        (conversation,) = view.conversations(10)
        assert [turn.text for turn in view.turns(conversation.id)] == ["I live in Brno."]


def test_an_explicit_memory_waits(service: ADKMemoryService, memories: dict[str, Memory]) -> None:
    """It is an agent's word, whoever it names as its author."""
    entry = MemoryEntry(content=Content(parts=[Part(text="The user prefers tea.")]), author="user")
    asyncio.run(service.add_memory(app_name="app", user_id="anna", memories=[entry]))
    assert memories["anna"].list() == ()
    assert memories["anna"].list(statuses=(Status.STAGED,))
    with pytest.raises(NotImplementedError):
        asyncio.run(service.delete_memory(app_name="app", user_id="anna", memory_id="m_x"))
