"""A memory service of Google's Agent Development Kit: sessions are observed and learned from, and recall answers.

Takes: sessions, events, explicit memories. Gives: memory entries, each with its marks. Never: decides; an explicit
memory is an agent's word and waits, and deleting is left to a person (`dopejar forget`, or `memory.delete`).
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from google.adk.memory import BaseMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.genai.types import Content, Part

from dopejar.doors.frameworks.spoken_turns import observe_turn
from dopejar.engine.dependencies import Speaker
from dopejar.values.episode import Origin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from google.adk.events import Event
    from google.adk.sessions import Session

    from dopejar.engine.memory import Memory
    from dopejar.values.recall import PackItem

FRAMEWORK: Final = "google-adk"
_SPEAKER: Final = Speaker(origin=Origin.ASSISTANT, name=FRAMEWORK)


class ADKMemoryService(BaseMemoryService):
    """`google.adk.memory.BaseMemoryService` over memories.

        runner = Runner(..., memory_service=ADKMemoryService(lambda app, user: memories[user]))

    `memory_of` gives the open memory of a user of an app; users that must not see each other's words have one each.
    """

    def __init__(self, memory_of: Callable[[str, str], Memory]) -> None:
        self._memory_of = memory_of

    async def add_session_to_memory(self, session: Session) -> None:
        """Observe the events that are new, and learn from them."""
        memory = self._memory_of(session.app_name, session.user_id)
        await asyncio.to_thread(_learn, memory, f"{session.app_name}/{session.id}", session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """The same for some events of a session."""
        memory = self._memory_of(app_name, user_id)
        await asyncio.to_thread(_learn, memory, f"{app_name}/{session_id or 'events'}", events)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Propose memories, as an agent's words; a person decides about each."""
        memory = self._memory_of(app_name, user_id)
        for entry in memories:
            if text := _text_of(entry.content):
                await asyncio.to_thread(memory.remember, text, speaker=_SPEAKER)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """What memory says about a query, best first; every mark of an entry stands in its text."""
        pack = await asyncio.to_thread(self._memory_of(app_name, user_id).recall, query)
        return SearchMemoryResponse(memories=[_entry(item) for item in pack.items])


def _learn(memory: Memory, conversation: str, events: Sequence[Event]) -> None:
    learnable = ""
    for event in events:
        observed = (
            None
            if event.partial
            else observe_turn(
                memory,
                FRAMEWORK,
                conversation,
                _text_of(event.content),
                is_user=event.author == "user",
                source_id=event.id,
                at=datetime.fromtimestamp(event.timestamp, UTC),
            )
        )
        if observed and observed.outcome == "kept":
            learnable = observed.conversation
    if learnable:
        memory.sessions.learn(learnable)


def _text_of(content: Content | None) -> str:
    """The words of a content, without thoughts and the calls and results of tools."""
    parts = (content.parts if content else None) or []
    return "\n".join(part.text for part in parts if part.text and not part.thought)


def _entry(item: PackItem) -> MemoryEntry:
    said = item.citations[0] if item.citations else None
    marks = f" ({', '.join(item.marks)})" if item.marks else ""
    at = item.at or (said.at if said else None)
    return MemoryEntry(
        id=item.id,
        content=Content(role="user", parts=[Part(text=f"{item.text}{marks}")]),
        author=said.speaker if said else None,
        timestamp=at.isoformat() if at else None,
        custom_metadata={"kind": item.kind, "status": item.status, "score": item.score},
    )
