"""A memory that another process serves: the verbs over REST, in process and without a network."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from datetime import UTC, datetime

import httpx2
import pytest
from starlette.testclient import TestClient

from dopejar import InputError, LiveTurn, Memory, NotFoundError, RefusedError, StoreError, open_memory
from dopejar.compose.remote_memory import RemoteMemory
from dopejar.doors.web.access import Address
from dopejar.doors.web.api_application import create_api
from dopejar.doors.web.api_gate import ApiGate
from dopejar.errors import DopejarError, SettingError, StaleProposalError, UnsupportedError

ORIGIN = "http://127.0.0.1:8765"
OFFERED = {name for name, _ in inspect.getmembers(RemoteMemory, inspect.isfunction) if not name.startswith("_")}


@pytest.fixture
def local() -> Iterator[Memory]:
    """The memory where it is, in which the user stated two things."""
    with open_memory(":memory:", environment={"DOPEJAR_EMBEDDER_KIND": "none"}) as memory:
        for text in ("The ledger service listens on port 7411.", "The mirror host is elder."):
            assert memory.remember(text, said_by="user").took_effect
        yield memory


def served(memory: Memory, scope: str = "write", key: str = "") -> RemoteMemory:
    """The same memory as a program with a key sees it."""

    async def page(_scope, _receive, _send) -> None:
        raise AssertionError("the page was asked")

    gate = ApiGate(page, create_api(memory), memory=memory, address=Address(host="127.0.0.1", port=8765))
    client = TestClient(gate, base_url=ORIGIN, raise_server_exceptions=False)
    return RemoteMemory(ORIGIN, key or memory.api_keys.make(f"bot-{scope}", scope), client=client)


def test_what_is_read_is_what_the_memory_holds(local: Memory) -> None:
    """Recall, search, lists page by page, one memory, its history, checks and status say what the memory says."""
    far = served(local, "read")
    assert "7411" in far.recall("Which port has the ledger service?", budget=200).text
    assert [(row.id, row.text) for row in far.search("mirror host")] == [
        (hit.id, hit.text) for hit in local.search("mirror host")
    ]
    first = far.list(limit=1)
    assert [row.id for row in (*first, *far.list(limit=1, after=first[0]))] == [record.id for record in local.list()]
    assert far.list(kinds=["rule"]) == ()
    known = local.list()[0]
    row = far.get(known.id)
    assert (row.id, row.kind, row.status, row.key) == (known.id, known.kind, known.status, known.key)
    assert far.history(known.key).evidence[0].said_by == "user"
    assert far.check("Bash", {"command": "ls"}) == ()
    assert far.status().records == 2
    assert far.recall("Which port has the ledger service?", as_of=datetime(2020, 1, 1, tzinfo=UTC)).items == []


def test_what_is_proposed_waits(local: Memory) -> None:
    """What a key says is an agent's word: nothing is believed or taken out of use before a person decides."""
    far, before = served(local), [(record.id, record.text) for record in local.list()]
    assert far.remember("Never deploy on Fridays.", tags=["ops"]).outcome == "waits"
    assert far.remember("The cellar door is green.", dry_run=True).outcome == "dry run"
    elder = local.search("mirror host")[0].id
    assert far.update(elder, "The mirror host is younger.").outcome in ("waits", "unchanged")
    assert [answer.outcome for answer in far.delete(elder)] == ["waits"]
    turn = LiveTurn(conversation="c", source_id="1", text="I moved to Brno.")
    assert [far.observe(turn).outcome for _ in range(2)] == ["kept", "known"]
    with pytest.raises(StaleProposalError):
        far.observe(LiveTurn(conversation="c", source_id="1", text="I moved to Ghent."))
    assert [(record.id, record.text) for record in local.list()] == before
    uses = local.get(elder).access_count
    assert far.note_used([elder])
    assert local.get(elder).access_count == uses + 1


@pytest.mark.parametrize("name", sorted(OFFERED - {"close"}))
def test_each_verb_is_one_of_memory(name: str) -> None:
    """A verb has the name, and the leading arguments, that it has in `Memory`."""
    here, there = (inspect.signature(getattr(one, name)).parameters for one in (RemoteMemory, Memory))
    assert set(here) - {"others"} <= set(there)


def test_what_rest_does_not_offer_says_so(local: Memory) -> None:
    """Every other verb and service of `Memory`, an argument and a speaker that REST does not take: one clear error."""
    far = served(local)
    others = {name for name in dir(Memory) if not name.startswith("_")} - OFFERED
    assert {"learn", "undo", "erase", "review", "sessions"} <= others
    for name in others:
        with pytest.raises(UnsupportedError, match=f"`{name}`"):
            getattr(far, name)
    with pytest.raises(AttributeError):
        far.rememberr  # noqa: B018
    for call in (
        lambda: far.recall("port", believed_at=None),
        lambda: far.search("port", kinds=["fact", "rule"]),
        lambda: far.remember("I prefer dark mode.", said_by="user"),
    ):
        with pytest.raises(UnsupportedError):
            call()


def test_errors_are_those_of_the_memory(local: Memory) -> None:
    """A name that is none, arguments that are wrong, a key that may not write or is none: the error that says it."""
    far, reader = served(local), served(local, "read")
    for call, error in (
        (lambda: far.get("m_none"), NotFoundError),
        (lambda: far.delete(["m_none"]), NotFoundError),
        (lambda: far.remember(""), InputError),
        (lambda: far.remember(7), InputError),
        (lambda: far.search("port", limit=1000), InputError),
        (lambda: reader.remember("The cellar door is green."), RefusedError),
        (lambda: served(local, key="dpj_wrong").status(), RefusedError),
    ):
        with pytest.raises(error) as raised:
            call()
        assert str(raised.value)


@pytest.mark.parametrize("body", [b"<html>", b"[1]", b"{}", b'{"detail": 7}'])
@pytest.mark.parametrize("status", [404, 502])
def test_a_server_of_another_kind_is_an_error(status: int, body: bytes) -> None:
    """What does not answer as DoPeJar does, or not at all, is an error that names the address and never the key."""
    client = httpx2.Client(transport=httpx2.MockTransport(lambda _request: httpx2.Response(status, content=body)))
    with pytest.raises(DopejarError) as raised:
        RemoteMemory("https://memory.example", "dpj_secret", client=client).status()
    assert "dpj_secret" not in str(raised.value)


def test_a_server_that_is_not_there_is_an_error() -> None:
    """A refused connection says what to look at."""

    def refuse(_request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("refused")

    client = httpx2.Client(transport=httpx2.MockTransport(refuse))
    with pytest.raises(StoreError, match="cannot be reached"):
        RemoteMemory("https://memory.example", "dpj_secret", client=client).status()


def test_open_memory_takes_an_address_with_its_key() -> None:
    """By https, or http on this machine; without a key, with other arguments or without encryption it is an error."""
    for address in ("https://memory.example:8765", "http://127.0.0.1:8765", "http://localhost"):
        with open_memory(address, api_key="dpj_x") as far:
            assert isinstance(far, RemoteMemory)
    for error, address, more in (
        (SettingError, "https://memory.example", {}),
        (SettingError, "http://memory.example", {"api_key": "dpj_x"}),
        (InputError, "https://memory.example", {"api_key": "dpj_x", "said_by": "user"}),
        (InputError, None, {"api_key": "dpj_x"}),
        (SettingError, "memories", {"api_key": "dpj_x"}),
    ):
        with pytest.raises(error):
            open_memory(address, **more)
