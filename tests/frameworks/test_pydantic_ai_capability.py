"""The capability of Pydantic AI, in runs of a real agent; `make test-frameworks` installs the package."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dopejar import open_memory
from dopejar.engine.memory import Memory
from dopejar.values.record import Status

pytest.importorskip("pydantic_ai", reason="pydantic-ai-slim is not installed: run `make test-frameworks`")

from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from dopejar.doors.frameworks import PydanticAICapability


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory that knows where its user lives."""
    with open_memory(tmp_path / "home", said_by="user") as opened:
        opened.remember("I live in Brno.")
        yield opened


def run(memory: Memory, prompt: str, tool: str, **arguments: object) -> str:
    """One run of an agent that calls one tool, and says what it was answered."""

    def model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        assert "A person decides" in (info.instructions or "")
        answers = [part for message in messages for part in message.parts if isinstance(part, ToolReturnPart)]
        if answers:
            return ModelResponse(parts=[TextPart(f"It says: {answers[-1].content}")])
        return ModelResponse(parts=[ToolCallPart(tool, arguments)])

    agent = Agent(FunctionModel(model), capabilities=[PydanticAICapability(memory)])
    return agent.run_sync(prompt, conversation_id="chat").output


def test_recall_answers_with_ids(memory: Memory) -> None:
    """And says so where there is nothing."""
    (record,) = memory.list()
    answer = run(memory, "Where do I live?", "recall_memory", question="Where do I live?")
    assert "Brno" in answer
    assert record.id in answer
    assert "Nothing in memory" in run(memory, "And the cat?", "recall_memory", question="zebra xylophone")


def test_what_the_agent_proposes_waits(memory: Memory) -> None:
    """A memory, a correction, a forgetting: none changes what is believed."""
    (record,) = memory.list()
    proposals = [
        ("propose_memory", {"text": "The user prefers tea."}),
        ("propose_correction", {"memory_id": record.id, "text": "I live in Porto."}),
        ("propose_forgetting", {"memory_id": record.id}),
    ]
    for tool, arguments in proposals:
        assert "Outcome: waits." in run(memory, "Please.", tool, **arguments)
    assert [known.text for known in memory.list()] == [record.text]
    assert memory.list(statuses=(Status.STAGED,))


def test_what_is_wrong_is_an_answer(memory: Memory) -> None:
    """The model reads it, and the run goes on."""
    assert "Error: " in run(memory, "Forget it.", "propose_forgetting", memory_id="m_none")
    assert "Error: " in run(memory, "Keep it.", "propose_memory", text=" ")


def test_what_is_said_is_observed_and_tools_are_not(memory: Memory) -> None:
    """The user's words as the user's, the agent's as the agent's, once for each run."""
    run(memory, "I work as a nurse.", "recall_memory", question="work")
    with memory.store.read() as view:
        (chat,) = (row for row in view.conversations(10) if row.name == "chat")
        turns = view.turns(chat.id)
    assert [turn.origin.value for turn in turns] == ["user", "assistant"]
    assert turns[0].text == "I work as a nurse."
    assert turns[1].text.startswith("It says: ")
    memory.sessions.end("chat")
    assert any("nurse" in record.text for record in memory.list())
