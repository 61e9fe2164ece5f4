"""REST: the verbs over HTTP, by key; nothing decides, everything refused is a problem document."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from httpx2 import ASGITransport, AsyncClient, Response
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from dopejar import open_memory
from dopejar.doors.web.access import Address
from dopejar.doors.web.api_application import create_api
from dopejar.doors.web.api_gate import ApiGate
from dopejar.engine.memory import Memory
from dopejar.values.episode import WITHHELD
from dopejar.values.proposal import Action
from dopejar.values.record import Status
from store_digest import store_digest

ORIGIN = "http://127.0.0.1:8765"


@dataclass
class Api:
    """A client with a key that may propose, and the keys."""

    memory: Memory
    home: Path
    client: TestClient
    reader: str
    writer: str

    def call(self, method: str, path: str, *, key: str | None = None, **more):
        """One request under `/api/v1`."""
        headers = {"Authorization": f"Bearer {key or self.writer}", **more.pop("headers", {})}
        return self.client.request(method, f"/api/v1{path}", headers=headers, **more)


async def page(scope, receive, send) -> None:
    """What answers where the API does not."""
    await send({"type": "http.response.start", "status": 418, "headers": []})
    await send({"type": "http.response.body", "body": b"the page"})


def served(memory: Memory, home: Path, reader: str, writer: str) -> Api:
    """The API over a memory."""
    gate = ApiGate(page, create_api(memory), memory=memory, address=Address(host="127.0.0.1", port=8765))
    return Api(memory, home, TestClient(gate, base_url=ORIGIN, raise_server_exceptions=False), reader, writer)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """A memory in which the user stated two things, and the API over it."""
    home = tmp_path_factory.mktemp("home")
    with open_memory(home) as memory:
        for text in ("The ledger service listens on port 7411.", "The mirror host is elder."):
            assert memory.remember(text, said_by="user").took_effect
        yield served(memory, home, memory.api_keys.make("reader"), memory.api_keys.make("bot", "write"))


def problem_of(answer) -> str:
    """The detail of a problem document."""
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["status"] == answer.status_code
    return answer.json()["detail"]


def test_memories_are_listed_found_and_told(api: Api) -> None:
    """Page by page, by search, one with its version, its history, and in a recalled text."""
    first = api.call("GET", "/memories", params={"limit": 1}).json()
    second = api.call("GET", "/memories", params={"limit": 1, "after": first["next_after"]}).json()
    names = [row["id"] for page in (first, second) for row in page["memories"]]
    assert names == [record.id for record in api.memory.list()]
    assert second["next_after"] == ""
    found = api.call("GET", "/search", params={"query": "mirror host"}).json()["items"]
    assert found[0]["text"] == "The mirror host is elder"
    answer = api.call("GET", f"/memories/{found[0]['id']}")
    tag = answer.headers["etag"]
    assert answer.json()["id"] == found[0]["id"]
    assert api.call("GET", f"/memories/{found[0]['id']}", headers={"If-None-Match": tag}).status_code == 304
    assert api.call("GET", f"/memories/{found[0]['id']}/history").json()["evidence"]
    assert "7411" in api.call("POST", "/recall", json={"question": "Which port has the ledger service?"}).json()["text"]
    assert api.call("POST", "/checks", json={"tool": "Bash", "input": {"command": "ls"}}).json()["decision"] == "none"
    assert api.call("GET", "/status").json()["records"] >= 2


def test_what_a_program_says_waits(api: Api) -> None:
    """New memories, corrections and forgettings are proposals in the name of the key; nothing is believed."""
    before = {(record.id, record.status) for record in api.memory.list()}
    answer = api.call("POST", "/memories", json={"text": "Never deploy on Fridays.", "tags": ["ops"]})
    assert (answer.status_code, answer.json()["outcome"]) == (202, "waits")
    elder = api.memory.search("mirror host")[0].id
    assert api.call("POST", f"/memories/{elder}/corrections", json={"text": "The mirror host is younger."}).json()[
        "outcome"
    ] in ("waits", "unchanged")
    for name in (elder, api.memory.get(elder).key):
        named = api.call("POST", "/forgettings", json={"what": name, "dry_run": True}).json()["proposals"]
        assert [row["memory"] for row in named] == [elder]
    assert api.call("POST", "/forgettings", json={"what": elder}).json()["outcome"] == "waits"
    assert {(record.id, record.status) for record in api.memory.list()} == before
    waiting = api.call("GET", "/review").json()
    assert waiting["waiting"] == api.memory.review.waiting()
    assert {row["proposed_by"] for row in waiting["proposals"]} == {"api:bot"}


def test_a_use_of_a_memory_counts(api: Api) -> None:
    """A memory that a program cited grows stronger, by its id or key; with an unknown one, none does."""
    elder = api.memory.search("mirror host")[0].record
    for name in (elder.id, elder.key):
        assert api.call("POST", "/uses", json={"names": [name]}).json() == {"counted": True}
    assert api.call("POST", "/uses", json={"names": [elder.id, "m_none"]}).status_code == 404
    assert api.call("POST", "/uses", json={"names": []}).status_code == 422
    assert api.memory.get(elder.id).access_count == elder.access_count + 2


def test_turns_are_observed_as_an_agents_words(api: Api) -> None:
    """Also those that are said to be a user's: a key proves no person."""
    said = {"conversation": "c1", "id": "1", "text": "I moved to Brno.", "speaker": "user"}
    first, again = (api.call("POST", "/turns", json=said).json() for _ in range(2))
    assert (first["outcome"], again["outcome"]) == ("kept", "known")
    with api.memory.store.read() as view:
        turn = view.episode(first["turn"])
    assert turn is not None
    assert (turn.origin.value, turn.speaker) == ("assistant", "api:bot:user")


def kept_turns(api: Api, conversation: str) -> list[str]:
    """The texts of a conversation that came over REST."""
    with api.memory.store.read() as view:
        rows = [row for row in view.conversations(100) if row.name == f"bot/{conversation}"]
        return [turn.text for row in rows for turn in view.turns(row.id)]


@pytest.mark.parametrize("said", ["Off the record: Zwickau has gout.", "Das bleibt unter uns: Zwickau hat Gicht."])
def test_a_users_wish_for_privacy_needs_no_proof(api: Api, said: str) -> None:
    """A turn that is said to be a user's and private is a mark, in the answer's turn and in the files; others stay."""
    talk = f"private {said[:3]}"
    for number, (speaker, text) in enumerate((("user", said), ("assistant", said), ("tool", said))):
        body = {"conversation": talk, "id": str(number), "text": text, "speaker": speaker}
        assert [api.call("POST", "/turns", json=body).json()["outcome"] for _ in range(2)] == ["kept", "known"]
    assert kept_turns(api, talk) == [WITHHELD, said, said]


def test_a_user_takes_back_what_was_said_over_rest(api: Api) -> None:
    """The user's turn before is withheld too, and not the assistant's between them."""
    turns = (("user", "My cousin Plauen has gout."), ("assistant", "I see."), ("user", "Forget I said that."))
    for number, (speaker, text) in enumerate(turns):
        body = {"conversation": "taken back", "id": str(number), "text": text, "speaker": speaker}
        assert api.call("POST", "/turns", json=body).status_code == 202
    assert kept_turns(api, "taken back") == [WITHHELD, "I see.", WITHHELD]
    assert "Plauen" not in api.call("POST", "/recall", json={"question": "Plauen cousin gout"}).json()["text"]


def test_a_users_wish_to_forget_over_rest_waits_under_the_keys_name(tmp_path: Path) -> None:
    """The removal of what is known, and the erasure of the user's turns that tell it, are proposed as the key's."""
    with open_memory(tmp_path / "home") as memory:
        api = served(memory, tmp_path / "home", memory.api_keys.make("reader"), memory.api_keys.make("bot", "write"))
        memory.remember("My doctor is Zvoltan.", said_by="user")
        said = ("My cousin Plauen has gout.", "Forget everything about my doctor.", "Forget everything about Plauen.")
        for number, text in enumerate(said):
            body = {"conversation": "c", "id": str(number), "text": text, "speaker": "user"}
            assert api.call("POST", "/turns", json=body).status_code == 202
        assert kept_turns(api, "c") == [said[0], WITHHELD, WITHHELD]
        assert [one.text for one in memory.list()] == ["My doctor is Zvoltan"]
        waiting = [item.proposal for item in memory.review.queue()]
        assert sorted(one.action for one in waiting) == [Action.DEPRECATE, Action.ERASE, Action.ERASE]
        assert {(one.origin.value, one.proposer) for one in waiting} == {("assistant", "api:bot:user")}


def test_a_known_turn_with_other_words_is_refused(api: Api) -> None:
    """The first words stay, and the program is told; the same words in other spaces are the same turn."""
    said = {"conversation": "c2", "id": "1", "text": "The kiln is at the quay."}
    kept = api.call("POST", "/turns", json=said).json()
    again = api.call("POST", "/turns", json={**said, "text": "The  kiln is\nat the quay."})
    assert (again.status_code, again.json()["outcome"]) == (202, "known")
    other = api.call("POST", "/turns", json={**said, "text": "The kiln is at the mill."})
    assert other.status_code == 409
    assert "known with other words" in problem_of(other)
    with api.memory.store.read() as view:
        assert view.episode(kept["turn"]).text == said["text"]


@pytest.mark.parametrize(
    ("method", "path", "more"),
    [
        ("GET", "/memories", {}),
        ("GET", "/status", {}),
        ("GET", "/search?query=host", {}),
        ("GET", "/review", {}),
        ("POST", "/recall", {"json": {"question": "host"}}),
        ("POST", "/memories", {"json": {"text": "The kiln is green."}}),
    ],
)
def test_unknown_parameters_are_refused(api: Api, method: str, path: str, more: dict) -> None:
    """A parameter that an address does not take is named, with those that it takes, and nothing is written."""
    before = store_digest(api.home)
    answer = api.call(method, f"{path}{'&' if '?' in path else '?'}kinds=rule", **more)
    assert answer.status_code == 422
    assert "`kinds`" in problem_of(answer)
    assert store_digest(api.home) == before


def test_recall_and_status_are_of_a_time_and_of_what_is_in_use(tmp_path: Path) -> None:
    """`as_of` gives what held then, a date that is none is refused, and `records` counts what is in use alone."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as memory:
        memory.remember("I live in Porto.", at="2026-01-10T09:00:00Z")
        memory.remember("I live in Brno.", at="2026-03-10T09:00:00Z")
        memory.remember("Never deploy on Fridays.")
        here = served(memory, tmp_path, memory.api_keys.make("reader"), memory.api_keys.make("bot", "write"))
        asked = {"question": "Where do I live?"}
        then = here.call("POST", "/recall", json={**asked, "as_of": "2026-02-01"}).json()["text"]
        now = here.call("POST", "/recall", json=asked).json()["text"]
        assert ("Porto" in then, "Brno" in then, "Brno" in now) == (True, False, True)
        assert here.call("POST", "/recall", json={**asked, "as_of": "soon"}).status_code == 422
        assert here.call("GET", "/status").json()["records"] == len(memory.list()) == 1


def test_a_repeated_request_is_answered_once(api: Api) -> None:
    """With the same Idempotency-Key: the same answer, nothing proposed anew; another request is refused."""
    waiting = api.memory.review.waiting()
    headers = {"Idempotency-Key": "k-1"}
    answers = [
        api.call("POST", "/memories", json={"text": "The cellar door is green."}, headers=headers) for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["idempotent-replayed"] == "true"
    assert api.memory.review.waiting() == waiting + 1
    assert "another request" in problem_of(api.call("POST", "/memories", json={"text": "Other."}, headers=headers))


@pytest.mark.parametrize(
    ("path", "body", "fields"),
    [
        (
            "/turns",
            {"conversation": "c", "text": "x"},
            "conversation (required), id (required), text (required), speaker",
        ),
        ("/turns", {"conversation_id": "c"}, "conversation (required), id (required), text (required), speaker"),
        ("/memories", {"text": "x", "said_by": "user"}, "text (required), tags, dry_run, reading"),
        ("/forgettings", {"subject": "x"}, "what (required), dry_run"),
    ],
)
def test_a_body_of_other_fields_is_told_which_there_are(api: Api, path: str, body: dict, fields: str) -> None:
    """A missing or unknown field is named, and after it all that the address takes."""
    assert problem_of(api.call("POST", path, json=body)).endswith(f"It has {fields}.")


def episodes_of(memory: Memory) -> int:
    """How many turns are kept."""
    with memory.store.read() as view:
        return view.sizes().episodes


async def post_once(api: Api, client: AsyncClient, name: str) -> Response:
    """A proposal under one Idempotency-Key."""
    headers = {"Authorization": f"Bearer {api.writer}", "Idempotency-Key": name}
    return await client.post("/api/v1/memories", json={"text": "The larch door is blue."}, headers=headers)


def test_concurrent_repeats_do_the_work_once(api: Api) -> None:
    """Of eight requests at once under one Idempotency-Key, one is done; the others wait and get its answer."""

    async def all_at_once() -> list[Response]:
        async with AsyncClient(transport=ASGITransport(api.client.app), base_url=ORIGIN) as client:
            return await asyncio.gather(*(post_once(api, client, "at once") for _ in range(8)))

    before = episodes_of(api.memory)
    answers = asyncio.run(all_at_once())
    assert episodes_of(api.memory) == before + 1
    assert {answer.status_code for answer in answers} == {answers[0].status_code}
    assert len({answer.content for answer in answers}) == 1
    assert sum("idempotent-replayed" not in answer.headers for answer in answers) == 1


def test_an_answer_is_kept_before_it_is_sent(api: Api) -> None:
    """Who repeats a request as soon as the first byte of its answer arrives gets the same answer."""
    repeats: list[Response] = []

    async def both() -> None:
        async with AsyncClient(transport=ASGITransport(api.client.app), base_url=ORIGIN) as client:

            async def repeating(scope, receive, send) -> None:
                async def on_answer(message) -> None:
                    if message["type"] == "http.response.start" and not repeats:
                        repeats.append(await post_once(api, client, "again"))
                    await send(message)

                await api.client.app(scope, receive, on_answer)

            async with AsyncClient(transport=ASGITransport(repeating), base_url=ORIGIN) as first:
                repeats.append(await post_once(api, first, "again"))

    before = episodes_of(api.memory)
    asyncio.run(asyncio.wait_for(both(), 60))
    assert repeats[0].headers["idempotent-replayed"] == "true"
    assert repeats[0].content == repeats[1].content
    assert episodes_of(api.memory) == before + 1


JSON = {"Content-Type": "application/json"}
BAD_REQUESTS: tuple[tuple[int, str, str, dict], ...] = (
    (404, "GET", "", {}),
    (404, "GET", "/nothing", {}),
    (404, "GET", "/memories/", {}),
    (404, "GET", "/memories/m_none", {}),
    (404, "GET", "/memories/m_none/history", {}),
    (404, "GET", "/memories/m_/history", {}),
    (404, "GET", "/memories/%00", {}),
    (404, "GET", "/memories/%ff", {}),
    (404, "GET", "/memories/%E2%80%AEm_x", {}),
    (422, "GET", f"/memories/{'x' * 300}", {}),
    (422, "GET", "/memories?limit=0", {}),
    (422, "GET", "/memories?limit=many", {}),
    (422, "GET", f"/memories?limit={10**30}", {}),
    (422, "GET", "/memories?limit=%zz", {}),
    (404, "GET", "/memories?after=m_none", {}),
    (422, "GET", "/memories?kind=wish", {}),
    (422, "GET", "/memories?status=erased", {}),
    (422, "GET", f"/memories?key={'x' * 300}", {}),
    (422, "GET", "/memories?all_projects=perhaps", {}),
    (422, "GET", "/search", {}),
    (422, "GET", "/search?query=", {}),
    (422, "GET", f"/search?query={'x' * 10_001}", {}),
    (422, "GET", "/search?query=x&limit=101", {}),
    (422, "GET", "/review?offset=1e9", {}),
    (405, "DELETE", "/memories", {}),
    (405, "PUT", "/memories/m_none", {}),
    (405, "TRACE", "/status", {}),
    (405, "POST", "/status", {}),
    (405, "GET", "/recall", {}),
    (405, "BREW", "/status", {}),
    (422, "POST", "/recall", {"content": b"", "headers": JSON}),
    (400, "POST", "/recall", {"content": b"{", "headers": JSON}),
    (400, "POST", "/recall", {"content": b"\xff\xfe", "headers": JSON}),
    (400, "POST", "/recall", {"content": b"[" * 100_000, "headers": JSON}),
    (422, "POST", "/recall", {"content": b"null", "headers": JSON}),
    (422, "POST", "/recall", {"content": b'{"question": NaN}', "headers": JSON}),
    (422, "POST", "/recall", {"content": b'{"question": "\\ud800"}', "headers": JSON}),
    (422, "POST", "/recall", {"content": b'{"question": "a", "question": ""}', "headers": JSON}),
    (422, "POST", "/recall", {"content": b'{"question": "x", "budget": 1e400}', "headers": JSON}),
    (415, "POST", "/recall", {"content": b"x=1", "headers": {"Content-Type": "text/plain"}}),
    (415, "POST", "/recall", {"content": b'{"question": "x"}', "headers": {"Content-Type": ""}}),
    (422, "POST", "/recall", {"json": []}),
    (422, "POST", "/recall", {"json": {"question": ""}}),
    (422, "POST", "/recall", {"json": {"question": "x", "budget": 15}}),
    (422, "POST", "/recall", {"json": {"question": "x", "budget": True}}),
    (422, "POST", "/recall", {"json": {"question": "x", "surplus": 1}}),
    (422, "POST", "/memories", {"json": {}}),
    (422, "POST", "/memories", {"json": {"text": 7}}),
    (422, "POST", "/memories", {"json": {"text": "   "}}),
    (422, "POST", "/memories", {"json": {"text": "\0"}}),
    (422, "POST", "/memories", {"json": {"text": "\u200b\u202e"}}),
    (422, "POST", "/memories", {"json": {"text": "x" * 100_001}}),
    (413, "POST", "/memories", {"json": {"text": "x" * 2_100_000}}),
    (413, "POST", "/memories", {"json": {"text": "x"}, "headers": {"Content-Length": "9999999999"}}),
    (422, "POST", "/memories", {"json": {"text": "A door.", "tags": "door"}}),
    (422, "POST", "/memories", {"json": {"text": "A door.", "tags": ["x" * 101]}}),
    (422, "POST", "/memories", {"json": {"text": "A door.", "dry_run": "no"}}),
    (422, "POST", "/memories", {"json": {"text": "A door.", "said_by": "user"}}),
    (422, "POST", "/memories", {"json": {"text": "A door."}, "headers": {"Idempotency-Key": "k" * 201}}),
    (404, "POST", "/memories/m_none/corrections", {"json": {"text": "B."}}),
    (404, "POST", "/memories/%00/corrections", {"json": {"text": "B."}}),
    (404, "POST", "/forgettings", {"json": {"what": "the unheard-of flamingo"}}),
    (404, "POST", "/forgettings", {"json": {"what": "\0"}}),
    (422, "POST", "/forgettings", {"json": {"what": ["m_x"]}}),
    (422, "POST", "/turns", {"json": {"conversation": "c", "id": "1", "text": " "}}),
    (422, "POST", "/turns", {"json": {"conversation": "c", "id": 1, "text": "x"}}),
    (422, "POST", "/turns", {"json": {"conversation": "c", "id": "1", "text": "x", "speaker": "system"}}),
    (422, "POST", "/checks", {"json": {"tool": "Bash", "input": "ls"}}),
    (401, "GET", "/status", {"key": "dpj_wrong"}),
    (401, "GET", "/status", {"headers": {"Authorization": "Bearer"}}),
    (401, "GET", "/status", {"headers": {"Authorization": "Basic eDp5"}}),
    (421, "GET", "/status", {"headers": {"Host": "evil.example"}}),
)  # fmt: skip


@pytest.mark.parametrize(("status", "method", "path", "more"), BAD_REQUESTS, ids=lambda value: str(value)[:40])
def test_what_is_refused_is_a_problem(api: Api, status: int, method: str, path: str, more: dict) -> None:
    """With its status and a sentence, and nothing is written."""
    before = store_digest(api.home)
    answer = api.call(method, path, **more)
    assert answer.status_code == status, answer.text
    sentence = problem_of(answer)
    assert sentence[-1] in ".`"
    assert "unexpected" not in sentence.lower()
    assert store_digest(api.home) == before


@pytest.mark.parametrize("how", ["closed", "read-only", "damaged"])
def test_a_store_that_cannot_be_used_is_a_problem(tmp_path: Path, how: str) -> None:
    """503 with what is wrong; a read-only store still answers questions."""
    with open_memory(tmp_path) as memory:
        memory.remember("The mirror host is elder.", said_by="user")
        key = memory.api_keys.make("bot", "write")
    memory = open_memory(tmp_path, read_only=how == "read-only")
    if how == "closed":
        memory.close()
    if how == "damaged":
        (tmp_path / "dopejar.db").write_bytes(b"not a database" * 1000)
    api = served(memory, tmp_path, key, key)
    for path, body in (("/recall", {"question": "mirror host"}), ("/memories", {"text": "The door is green."})):
        answer = api.call("POST", path, json=body)
        if (how, path) == ("read-only", "/recall"):
            assert "elder" in answer.json()["text"]
        else:
            assert (answer.status_code, "dopejar.db" in problem_of(answer)) == (503, True)
    memory.close()


def test_a_wrong_method_is_told_the_right_ones(api: Api) -> None:
    """All of the address, whichever route takes them."""
    assert api.call("PUT", "/memories").headers["allow"] == "GET, POST"


def test_a_key_that_may_only_read_proposes_nothing(api: Api) -> None:
    """Every POST but questions is refused; recall is a question."""
    for path in ("/memories", "/forgettings", "/turns", "/memories/m_x/corrections"):
        assert "only read" in problem_of(api.call("POST", path, key=api.reader, json={"text": "x"}))
    assert api.call("POST", "/recall", key=api.reader, json={"question": "mirror host"}).status_code == 200


def test_a_revoked_key_ends_at_once(api: Api) -> None:
    """And its name may be given again."""
    key = api.memory.api_keys.make("brief")
    assert api.call("GET", "/status", key=key).status_code == 200
    api.memory.api_keys.revoke("brief")
    assert api.call("GET", "/status", key=key).status_code == 401
    assert api.memory.api_keys.make("brief") != key


def test_the_description_is_of_the_routes(api: Api) -> None:
    """Every route with its problems; no route decides."""
    paths = api.call("GET", "/openapi.json", key=api.reader).json()["paths"]
    assert len(paths) >= 10
    assert not [path for path in paths if "approve" in path or "decide" in path or "undo" in path]
    for operations in paths.values():
        for operation in operations.values():
            assert "application/problem+json" in operation["responses"]["401"]["content"]


def test_other_addresses_are_the_pages(api: Api) -> None:
    """The page keeps its own gate."""
    assert api.client.get("/").status_code == 418
    assert api.client.get("/api/v1x").status_code == 418


@given(st.sampled_from(["/memories", "/recall", "/checks", "/forgettings", "/turns", "/memories/m_x/corrections"]),
       st.recursive(st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=9)),
                    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(
                        st.sampled_from(["text", "question", "what", "tool", "input", "tags", "id", "x"]), inner,
                        max_size=4)), max_leaves=6))  # fmt: skip
def test_any_body_has_a_clear_answer(api: Api, path: str, body: object) -> None:
    """No body is an unexpected error, and none that is refused changes what is believed."""
    before = [(record.id, record.status) for record in api.memory.list() if record.status is Status.ACTIVE]
    answer = api.call("POST", path, json=body)
    assert answer.status_code < 500
    assert answer.status_code < 400 or problem_of(answer)
    assert [(record.id, record.status) for record in api.memory.list() if record.status is Status.ACTIVE] == before
