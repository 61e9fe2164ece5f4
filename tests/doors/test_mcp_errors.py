"""The MCP door says what is wrong, changes nothing by a bad call, and goes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp_client import MODES, answer, call, refusal, with_client
from mcp_types import INVALID_PARAMS

from dopejar.compose import open_memory
from dopejar.doors.mcp import read_tools
from dopejar.engine.memory import Memory
from store_digest import store_digest


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    """A memory with one fact and one preference."""
    with open_memory(home) as opened:
        opened.remember("The mirror host is elder.", said_by="user")
        opened.remember("I prefer dark mode.", said_by="user")
        yield opened


# (tool, arguments, a word of the sentence)
BAD: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("memory_recall", {}, "question: field required"),
    ("memory_recall", {"question": ""}, "question"),
    ("memory_recall", {"question": 7}, "string"),
    ("memory_recall", {"question": None}, "string"),
    ("memory_recall", {"question": ["a"]}, "string"),
    ("memory_recall", {"question": {"a": 1}}, "string"),
    ("memory_recall", {"question": "\ud800"}, "unicode"),
    ("memory_recall", {"question": "x" * 20_000}, "10000"),
    ("memory_recall", {"question": "host", "budget": 15}, "16"),
    ("memory_recall", {"question": "host", "budget": 10**30}, "100000"),
    ("memory_recall", {"question": "host", "budget": 1.5}, "integer"),
    ("memory_recall", {"question": "host", "as_of": "2026-02-31"}, "2026-02-31"),
    ("memory_recall", {"question": "host", "as_of": "x" * 41}, "40"),
    ("memory_recall", {"question": "host", "as_of": 7}, "string"),
    ("memory_recall", {"question": "host", "project": "\0"}, "no project"),
    ("memory_recall", {"question": "host", "all_projects": "perhaps"}, "all_projects"),
    ("memory_recall", {"question": "host", "budget": 0}, "budget"),
    ("memory_recall", {"question": "host", "budget": "much"}, "budget"),
    ("memory_recall", {"question": "host", "as_of": "the day before"}, "2026-03-15"),
    ("memory_recall", {"question": "host", "project": "no such"}, "project"),
    ("memory_recall", {"question": "host", "limt": 3}, "no argument 'limt'"),
    ("memory_search", {"query": "host", "limit": -1}, "limit"),
    ("memory_search", {"query": "host", "limit": 101}, "100"),
    ("memory_search", {"query": "host", "kind": "wish"}, "kind"),
    ("memory_search", {"query": "host", "kind": "\u202e"}, "kind"),
    ("memory_list", {"limit": 10**9}, "200"),
    ("memory_list", {"key": "x" * 201}, "200"),
    ("memory_list", {"key": "\ud800"}, "unicode"),
    ("memory_list", {"after": "\0"}, "There is no memory"),
    ("memory_list", {"status": "erased"}, "status"),
    ("memory_list", {"after": "m_none"}, "m_none"),
    ("memory_history", {"id": "m_none"}, "There is no memory"),
    ("memory_history", {"id": "m_"}, "4 or more characters"),
    ("memory_history", {"id": ""}, "id"),
    ("memory_history", {"id": "%"}, "There is no memory"),
    ("memory_history", {"id": "\u202e\u200b"}, "There is no memory"),
    ("memory_history", {"id": ["m_x"]}, "string"),
    ("memory_history", {}, "id: field required"),
    ("memory_review_queue", {"offset": -5}, "offset"),
    ("memory_review_queue", {"limit": None}, "integer"),
    ("memory_check", {"tool": "", "input": {}}, "tool"),
    ("memory_check", {"tool": "Bash"}, "input: field required"),
    ("memory_check", {"tool": "Bash", "input": {}, "branch": "x" * 501}, "500"),
    ("memory_check", {"tool": "Bash", "input": "ls"}, "input"),
    ("memory_remember", {"text": "   "}, "empty"),
    ("memory_remember", {"text": "\0"}, "empty"),
    ("memory_remember", {"text": "\u200b\u202e"}, "empty"),
    ("memory_remember", {"text": "A \ud800 door."}, "unicode"),
    ("memory_remember", {"text": ["A door."]}, "string"),
    ("memory_remember", {"text": "A door.", "tags": ["x"] * 21}, "20"),
    ("memory_remember", {"text": "A door.", "said_by": "user"}, "no argument 'said_by'"),
    ("memory_remember", {"text": "A door.", "client": "ana"}, "no argument 'client'"),
    ("memory_remember", {"text": "A door.", "dry_run": "perhaps"}, "dry_run"),
    ("memory_remember", {"text": "word " * 30_000}, "maximum"),
    ("memory_remember", {"text": "A fact.", "tags": 3}, "tags"),
    ("memory_propose_correction", {"id": "m_none", "text": "B."}, "There is no memory"),
    ("memory_propose_correction", {"id": "m_none"}, "text: field required"),
    ("memory_propose_correction", {"id": "Self-Pref-DarkMode", "text": " "}, "empty"),
    ("memory_propose_correction", {"id": "Self-Pref-DarkMode", "text": "I prefer dark mode."}, "already"),
    ("memory_forget", {"what": "\0"}, "No memory in use"),
    ("memory_forget", {"what": "x" * 1_001}, "1000"),
    ("memory_forget", {"what": "the quiet library"}, "memory_search"),
    ("memory_feedback", {"id": "m_none", "outcome": "helpful"}, "There is no memory"),
    ("memory_feedback", {"id": "m_none", "outcome": "fine"}, "outcome"),
    ("memory_feedback", {"id": "m_none", "outcome": "helpful", "evidence": "x" * 10_001}, "10000"),
    ("fetch", {"id": "\0"}, "There is no memory"),
    ("fetch", {"id": "e_none"}, "There is no episode"),
    ("search", {}, "query: field required"),
    ("search", {"query": "x" * 10_001}, "10000"),
    ("", {}, "There is no tool"),
    ("MEMORY_RECALL", {"question": "host"}, "There is no tool"),
    ("memory_approve", {"id": "p_1"}, "There is no tool"),
    ("memory_erase", {}, "There is no tool"),
)


@pytest.mark.parametrize(("tool", "arguments", "words"), BAD, ids=lambda value: repr(value)[:60])
def test_a_bad_call_gets_a_sentence_and_changes_nothing(
    memory: Memory, home: Path, tool: str, arguments: dict[str, Any], words: str
) -> None:
    """The error names what is wrong, without the inner workings of the server, and nothing was written."""
    before = store_digest(home)
    sentence = refusal(memory, tool, arguments)
    assert words in sentence
    assert sentence.rstrip().endswith((".", "?"))
    assert not {"Traceback", "pydantic", "type=", "Error executing"} & set(sentence.split())
    assert store_digest(home) == before


def prompt_fault(memory: Memory, name: str, arguments: dict[str, str], mode: str) -> MCPError:
    """The error of a prompt that fails."""

    async def talk(client: Any) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await client.get_prompt(name, arguments)
        return caught.value

    return with_client(memory, talk, mode=mode)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("no_such", {}, "There is no prompt 'no_such'. The prompts are: with_memory."),
        ("with_memory", {}, "needs the argument 'task'"),
        ("with_memory", {"task": "host", "tone": "kind"}, "tone: unexpected"),
    ],
)
def test_a_bad_prompt_is_an_invalid_parameter(
    memory: Memory, mode: str, name: str, arguments: dict[str, str], words: str
) -> None:
    """The error of a prompt has the protocol's code for a wrong parameter, and a sentence."""
    error = prompt_fault(memory, name, arguments, mode)
    assert error.code == INVALID_PARAMS
    assert words in error.message


@pytest.mark.parametrize("mode", MODES)
def test_the_server_goes_on_after_bad_calls(memory: Memory, mode: str) -> None:
    """After a row of bad calls the same connection answers a good one."""

    async def talk(client: Any) -> str:
        for tool, arguments, _ in BAD:
            assert (await client.call_tool(tool, arguments)).is_error
        return (await client.call_tool("memory_recall", {"question": "mirror host"})).content[0].text

    assert "elder" in with_client(memory, talk, mode=mode)


def test_an_unexpected_error_is_said_without_its_text(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault of the program is named by its kind; its text stays on the server."""

    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("inner words")

    monkeypatch.setattr(read_tools, "memory_page", fail)
    sentence = refusal(memory, "memory_list", {})
    assert "ZeroDivisionError" in sentence
    assert "inner words" not in sentence


def test_a_secret_is_not_repeated(memory: Memory) -> None:
    """What is redacted before it is kept does not come back in a result."""
    secret = "".join(("AKIA", "Q3EGRZ7N", "UXMT4WPY"))
    result = call(memory, "memory_remember", {"text": f"The deploy key is {secret}."})
    assert secret not in result.content[0].text
    name = answer(memory, "memory_search", query="mirror host")["items"][0]["id"]
    call(memory, "memory_propose_correction", {"id": name, "text": f"The mirror host uses the key {secret}."})
    assert secret not in call(memory, "memory_review_queue").content[0].text


def test_a_store_that_cannot_be_written_is_read(home: Path, memory: Memory) -> None:
    """Where nothing can be written, recall answers, and what would write says why it cannot."""
    memory.close()
    with open_memory(home, read_only=True) as closed:
        assert answer(closed, "memory_recall", question="mirror host")["items"]
        assert "written" in refusal(closed, "memory_remember", {"text": "The backup host is alder."})


def test_a_store_that_cannot_be_used_is_said(memory: Memory) -> None:
    """Each tool and the prompt say what is wrong with the file, and what to do."""
    memory.close()
    for mode in MODES:
        assert "is closed. Open it again." in prompt_fault(memory, "with_memory", {"task": "host"}, mode).message
    for tool, arguments in (("memory_recall", {"question": "host"}), ("memory_remember", {"text": "The door is red."})):
        assert "dopejar.db is closed. Open it again." in refusal(memory, tool, arguments)
