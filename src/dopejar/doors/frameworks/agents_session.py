"""A session of the OpenAI Agents SDK: its items are kept, and what is said is observed.

Takes: the items that the runner adds. Gives: them back, oldest first. Never: changes an item but for secrets that are
redacted and words that are not to be kept, or learns from it at once; learning is due when the conversation ends.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final, cast

from dopejar.doors.frameworks.spoken_turns import observe_turn
from dopejar.engine.ingest.live_turns import Observation
from dopejar.values.episode import ERASED_MARK, WITHHELD
from dopejar.values.ids import episode_id, new_trace_id

if TYPE_CHECKING:
    from agents.items import TResponseInputItem
    from agents.memory import SessionSettings

    from dopejar.engine.ingest.live_turns import Observed
    from dopejar.engine.memory import Memory
    from dopejar.values.ids import ConversationId

FRAMEWORK: Final = "openai-agents"


class AgentsSession:
    """`agents.memory.Session` over one conversation.

        result = await Runner.run(agent, "Hello", session=AgentsSession("chat-17", memory))

    A user's words are those of the speaker that the memory was opened for (`said_by="user"`); where it names none, a
    user's message is refused with an InputError.
    """

    session_settings: SessionSettings | None = None

    def __init__(self, session_id: str, memory: Memory) -> None:
        self.session_id = session_id
        self._memory = memory
        self._space = f"agents:{session_id}"

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """The items, oldest first; the newest `limit` of them."""
        return await asyncio.to_thread(self._items, limit)

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items in their order. Raises InputError where the memory was opened without `said_by`."""
        await asyncio.to_thread(self._add, items)

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the newest item and return it; None where there is none."""
        return await asyncio.to_thread(self._pop)

    async def clear_session(self) -> None:
        """Remove every item. What was said stays as episodes, until it is erased."""
        await asyncio.to_thread(lambda: self._memory.workspace.drop_notes(self._space, self._names()))

    def _names(self) -> list[str]:
        return sorted(self._memory.workspace.notes(self._space))

    def _items(self, limit: int | None) -> list[TResponseInputItem]:
        limit = limit if limit is not None or self.session_settings is None else self.session_settings.limit
        notes = self._memory.workspace.notes(self._space)
        names = sorted(notes)
        kept = names if limit is None else names[len(names) - min(limit, len(names)) :]
        return [cast("TResponseInputItem", notes[name]) for name in kept]

    def _add(self, items: list[TResponseInputItem]) -> None:
        names = self._names()
        first = int(names[-1].partition(".")[0]) + 1 if names else 0
        for number, item in enumerate(cast("list[dict[str, Any]]", items), start=first):
            name = f"{number:010}.{new_trace_id()}"
            seen = self._observe(item, name)
            mark = self._mark_of(seen) if seen is not None else ""
            self._memory.workspace.put_note(self._space, name, _marked(item, mark) if mark else item)
            if seen is not None and mark == WITHHELD:
                self._withhold_taken_back(seen.conversation)

    def _observe(self, item: dict[str, Any], name: str) -> Observed | None:
        role = item.get("role")
        if role not in ("user", "assistant"):
            return None
        text, source_id = _text_of(item.get("content")), _source_id(item, name)
        return observe_turn(self._memory, FRAMEWORK, self.session_id, text, is_user=role == "user", source_id=source_id)

    def _mark_of(self, seen: Observed) -> str:
        """The mark that stands in place of the turn's words; "" where they are kept."""
        with self._memory.store.read() as view:
            turn = view.episodes((seen.episode_id,)).get(seen.episode_id)
        if turn is not None and turn.text in (WITHHELD, ERASED_MARK):
            return turn.text
        return ERASED_MARK if seen.outcome is Observation.ERASED else ""

    def _withhold_taken_back(self, conversation: ConversationId) -> None:
        """Put the mark into items whose turns were withheld after they were added: "forget I said that"."""
        notes = self._memory.workspace.notes(self._space)
        said = {episode_id(conversation, _source_id(item, name)): name for name, item in notes.items()}
        with self._memory.store.read() as view:
            withheld = [turn.id for turn in view.episodes(tuple(said)).values() if turn.text == WITHHELD]
        for name in (said[one] for one in withheld):
            if (marked := _marked(notes[name], WITHHELD)) != notes[name]:
                self._memory.workspace.put_note(self._space, name, marked)

    def _pop(self) -> TResponseInputItem | None:
        notes = self._memory.workspace.notes(self._space)
        if not notes:
            return None
        newest = max(notes)
        self._memory.workspace.drop_notes(self._space, [newest])
        return cast("TResponseInputItem", notes[newest])


def _source_id(item: dict[str, Any], name: str) -> str:
    """The id of an item's turn: the item's own, or that of its note."""
    return str(item.get("id") or name.partition(".")[2])


def _marked(item: dict[str, Any], mark: str) -> dict[str, Any]:
    """The item with a mark in place of all that it holds."""
    content = item.get("content")
    if not isinstance(content, list):
        return {**item, "content": mark}
    texts = [part for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return {**item, "content": [{**part, "text": mark} for part in texts[:1]]}


def _text_of(content: object) -> str:
    """The text of an item's content: a text, or the texts of its parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(
        str(part["text"]) for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)
    )
