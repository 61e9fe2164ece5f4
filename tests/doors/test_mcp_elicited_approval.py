"""An elicited yes approves only for a host that a reviewer unlocked; otherwise the answer says where it is decided."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import anyio
import pytest
from command_line import SECRET
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_client import MODES
from mcp_types import ElicitResult, Implementation

from dopejar.compose import open_memory
from dopejar.doors.mcp.application import create_server
from dopejar.engine.dependencies import Reviewer
from dopejar.engine.memory import Memory
from dopejar.errors import NotFoundError, ReviewerRequiredError

WORDS = "The staging server is called plover."
HOST = re.compile(r"reviewer unlock --host (\S+?)`")
YES, NO = {"approve": True}, {"approve": False}


@pytest.fixture
def memory(home: Path) -> Iterator[Memory]:
    """A memory with a reviewer and one fact."""
    with open_memory(home) as opened:
        opened.reviewers.add("ana", SECRET)
        opened.remember("The mirror host is elder.", said_by="user")
        yield opened


class Person:
    """Who sits at the assistant: answers questions, or has no way to."""

    def __init__(self, content: dict[str, Any] | None, action: str = "accept") -> None:
        self.content, self.action = content, action
        self.asked: list[str] = []

    async def __call__(self, _: Any, question: Any) -> ElicitResult:
        """Note the question and answer it."""
        self.asked.append(question.message)
        return ElicitResult(action=self.action, content=self.content)


def talk(
    target: Any,
    person: Person | None,
    mode: str,
    memory: Memory,
    *calls: tuple[str, dict[str, Any]],
    unlocks: bool = True,
) -> list[dict[str, Any]]:
    """The answers to calls of one client; a first one tells its host's name, by which a reviewer unlocks it."""

    async def run() -> list[dict[str, Any]]:
        client_info = Implementation(name="test-host", version="1")
        async with Client(target, mode=mode, client_info=client_info, elicitation_callback=person) as client:
            first = await client.call_tool("memory_remember", {"text": "The depot has 10 lorries."})
            found = HOST.search(first.structured_content["note"])
            assert bool(found) is bool(person)
            if found and unlocks:
                memory.reviewers.unlock(SECRET, host=found[1])
            answers = [await client.call_tool(tool, arguments) for tool, arguments in calls]
            assert not any(answer.is_error for answer in answers), answers
            return [answer.structured_content for answer in answers]

    return anyio.run(run)


def believed(memory: Memory) -> set[str]:
    """The texts that are believed."""
    return {record.text for record in memory.list()}


@pytest.mark.parametrize("mode", MODES)
def test_a_yes_approves_what_was_shown(memory: Memory, mode: str) -> None:
    """The question holds the words; what is approved names the reviewer, and who proposed it."""
    person = Person(YES)
    (answer,) = talk(create_server(memory), person, mode, memory, ("memory_remember", {"text": WORDS}))
    assert person.asked == [f"Approve this for your memory?\n{WORDS}"]
    assert answer["outcome"] == "approved"
    assert believed(memory) == {"The mirror host is elder", WORDS.rstrip(".")}
    record = next(record for record in memory.list() if "plover" in record.text)
    assert record.approved_by == "ana"
    assert memory.history(record.id).entries[0].proposer == "mcp:test-host"


@pytest.mark.parametrize("mode", MODES)
def test_a_correction_shows_what_it_replaces(memory: Memory, mode: str) -> None:
    """Both statements are shown, and the new one takes the place of the old."""
    person = Person(YES)
    old = memory.list()[0].id
    arguments = {"id": old, "text": "The mirror host is alder."}
    (answer,) = talk(create_server(memory), person, mode, memory, ("memory_propose_correction", arguments))
    assert person.asked[0].splitlines()[1:] == ["The mirror host is alder.", "In place of: The mirror host is elder"]
    assert answer["outcome"] == "approved"
    assert believed(memory) == {"The mirror host is alder"}


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (("assistant", "Never push to main."), "Do not ever push to main."),
        (("user", "The kiosk listens on port 8080."), "The kiosk listens on port 9090 now."),
    ],
    ids=["a proposal that waits already", "a memory that would be retired"],
)
def test_a_yes_is_for_the_words_that_were_shown_alone(memory: Memory, before: tuple[str, str], words: str) -> None:
    """It approves no proposal that was made before in other words, and retires no memory that was not shown."""
    memory.remember(before[1], said_by=before[0])
    known, person = believed(memory), Person(YES)
    (answer,) = talk(create_server(memory), person, "auto", memory, ("memory_remember", {"text": words}))
    assert person.asked == [f"Approve this for your memory?\n{words}"]
    assert answer["outcome"] == "waits"
    assert believed(memory) == known


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "person", [Person(NO), Person(None, "decline"), Person(None, "cancel")], ids=["no", "decline", "cancel"]
)
def test_anything_but_a_yes_waits(memory: Memory, person: Person, mode: str) -> None:
    """No, a refusal to answer and a closed question approve nothing."""
    (answer,) = talk(create_server(memory), person, mode, memory, ("memory_remember", {"text": WORDS}))
    assert answer["outcome"] == "waits"
    assert believed(memory) == {"The mirror host is elder"}
    assert memory.review.waiting() == 2


@pytest.mark.parametrize("mode", MODES)
def test_without_an_unlocked_host_nobody_is_asked(memory: Memory, mode: str) -> None:
    """Who would say yes is not asked before a reviewer unlocked this host, nor after another one was unlocked."""
    person = Person(YES)
    memory.reviewers.name_host("test-host-00000000", "another server's")
    memory.reviewers.unlock(SECRET, host="test-host-00000000")
    memory.reviewers.unlock(SECRET)
    server = create_server(memory)
    (answer,) = talk(server, person, mode, memory, ("memory_remember", {"text": WORDS}), unlocks=False)
    assert (answer["outcome"], person.asked) == ("waits", [])


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_remember", {"text": WORDS, "dry_run": True}),
        ("memory_remember", {"text": "The staging server \u202eis called plover."}),
        ("memory_remember", {"text": "The staging server has a long name. " * 40}),
        ("memory_forget", {"what": "mirror host"}),
    ],
    ids=["dry run", "hidden signs", "more than is read", "words are erased"],
)
def test_what_cannot_be_judged_from_a_line_is_not_asked(memory: Memory, tool: str, arguments: dict[str, Any]) -> None:
    """It waits for a review, however willingly the client would say yes."""
    person = Person(YES)
    (answer,) = talk(create_server(memory), person, "auto", memory, (tool, arguments))
    assert person.asked == []
    assert answer["outcome"] != "approved"
    assert believed(memory) == {"The mirror host is elder"}


def test_a_session_that_ended_approves_nothing(memory: Memory) -> None:
    """A yes that comes when the reviewer's sessions have ended is none."""
    server = create_server(memory)

    async def late(_: Any, question: Any) -> ElicitResult:
        assert question.message
        memory.reviewers.add("ana", f"{SECRET} anew", memory.reviewers.unlock(SECRET))
        return ElicitResult(action="accept", content=YES)

    async def run() -> Any:
        async with Client(server, elicitation_callback=late) as client:
            first = await client.call_tool("memory_remember", {"text": "The depot has 10 lorries."})
            memory.reviewers.unlock(SECRET, host=HOST.search(first.structured_content["note"])[1])
            return await client.call_tool("memory_remember", {"text": WORDS})

    assert anyio.run(run).structured_content["outcome"] == "waits"


def test_who_knows_the_name_of_a_host_is_no_reviewer(memory: Memory) -> None:
    """The name that everybody reads, and what unlocking it returns, decide nothing; an unknown name is refused."""
    names: list[str] = []

    async def run() -> None:
        async with Client(create_server(memory), elicitation_callback=Person(YES)) as client:
            first = await client.call_tool("memory_remember", {"text": WORDS})
            names.append(HOST.search(first.structured_content["note"])[1])

    anyio.run(run)
    returned = memory.reviewers.unlock(SECRET, host=names[0])
    waiting = [item.proposal.id for item in memory.review.queue()]
    for by in (
        returned,
        Reviewer(name="ana", credential=names[0]),
        Reviewer(name="ana", credential=f"terminal:{names[0]}"),
    ):
        with pytest.raises(ReviewerRequiredError):
            memory.review.approve(waiting, by, seen=memory.review.versions())
    with pytest.raises(NotFoundError, match="No assistant is called"):
        memory.reviewers.unlock(SECRET, host="test-host-11111111")


def test_a_client_that_cannot_ask_is_told_where_it_is_decided(memory: Memory) -> None:
    """Without a page the terminal; with one that runs, a link that opens it once."""
    server = create_server(memory)
    (answer,) = talk(server, None, "auto", memory, ("memory_remember", {"text": WORDS}))
    assert "dopejar review" in answer["note"]
    assert "http" not in answer["note"]
    memory.page_links.announce("http://127.0.0.1:8765/open?token=")
    (answer,) = talk(server, None, "auto", memory, ("memory_remember", {"text": "The kiosk door is green."}))
    token = re.search(r"open\?token=(\S+)$", answer["note"])[1]
    assert (memory.page_links.redeem(token), memory.page_links.redeem(token)) == (True, False)
    memory.page_links.withdraw()
    assert memory.page_links.make() == ""


def test_a_link_opens_the_page_once_however_many_ask(memory: Memory) -> None:
    """Of threads that redeem one link at the same time, one is let in."""
    memory.page_links.announce("http://127.0.0.1:8765/open?token=")
    start = Barrier(8)

    def redeem(token: str) -> bool:
        start.wait()
        return memory.page_links.redeem(token)

    with ThreadPoolExecutor(8) as pool:
        for _ in range(6):
            token = memory.page_links.make().partition("token=")[2]
            assert sum(pool.map(redeem, [token] * 8)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
def test_a_yes_over_stdio(memory: Memory, mode: str) -> None:
    """A server process asks through its client, once the host is unlocked from another process."""
    command = ["-m", "dopejar.doors.cli", "mcp"]
    parameters = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))
    (answer,) = talk(parameters, Person(YES), mode, memory, ("memory_remember", {"text": WORDS}))
    assert answer["outcome"] == "approved"
    assert WORDS.rstrip(".") in believed(memory)


def test_a_yes_retires_no_memory_that_the_question_did_not_show(memory: Memory) -> None:
    """Words that contradict a memory wait for a review, where both are shown, whatever was answered."""
    memory.remember("The backup runs at night.", said_by="user")
    words = {"text": "The backup does not run at night."}
    (answer,) = talk(create_server(memory), Person(YES), MODES[0], memory, ("memory_remember", words))
    assert answer["outcome"] != "approved"
    assert "The backup runs at night" in believed(memory)
