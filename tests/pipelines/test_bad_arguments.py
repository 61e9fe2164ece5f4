"""Wrong arguments: each verb of the library answers with a clear error of ours, and nothing is half-written."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path

import pytest
from whole_store import unlocked

from dopejar import DopejarError, InputError, LiveTurn, Memory, NotFoundError, RefusedError, Reviewer, open_memory
from dopejar.engine.arguments import checked
from dopejar.engine.dependencies import Speaker
from dopejar.engine.queries.record_search import BrowseFilter
from dopejar.engine.services import Services
from dopejar.errors import ReviewerRequiredError, StoreError
from dopejar.values.episode import Origin
from dopejar.values.recall import RecordFilter
from dopejar.values.versioned_rows import WorkingSet
from store_digest import store_digest

NAIVE = datetime(2026, 3, 1)  # noqa: DTZ001 - a time without a zone is what is tested
LATER = datetime.now(UTC) + timedelta(days=9)
TURN = {"conversation": "one", "source_id": "1", "text": "I like tea."}
FORGED = Reviewer(name="ana", credential="0" * 64)

BAD: dict[str, tuple[type[DopejarError], Callable[[Memory, Reviewer], object]]] = {
    "no text": (InputError, lambda m, by: m.remember(None)),
    "bytes": (InputError, lambda m, by: m.remember(b"I like tea.")),
    "empty text": (InputError, lambda m, by: m.remember("  ")),
    "marks alone": (InputError, lambda m, by: m.remember("\u200b\u202e\0")),
    "half a character": (InputError, lambda m, by: m.remember("I like \ud800 tea.")),
    "a book": (InputError, lambda m, by: m.remember("tea " * 30_000)),
    "unknown speaker": (InputError, lambda m, by: m.remember("I like tea.", said_by="alice")),
    "speaker as text": (InputError, lambda m, by: m.remember("I like tea.", speaker="user")),
    "speaker of nobody": (
        InputError,
        lambda m, by: m.remember("I like tea.", speaker=Speaker(origin="alice", name="a")),
    ),
    "unknown namespace": (InputError, lambda m, by: m.remember("I like tea.", namespace="production")),
    "day as time": (InputError, lambda m, by: m.remember("I like tea.", at="2026-03-01")),
    "words as time": (InputError, lambda m, by: m.remember("I like tea.", at="yesterday")),
    "text without zone": (InputError, lambda m, by: m.remember("I like tea.", at="2026-03-01T09:00")),
    "time to come as text": (InputError, lambda m, by: m.remember("I like tea.", at=LATER.isoformat())),
    "time without zone": (InputError, lambda m, by: m.remember("I like tea.", at=NAIVE)),
    "time to come": (InputError, lambda m, by: m.remember("I like tea.", at=LATER)),
    "tags as text": (InputError, lambda m, by: m.remember("I like tea.", tags="tea")),
    "tags of numbers": (InputError, lambda m, by: m.remember("I like tea.", tags=[1])),
    "reviewer by name": (ReviewerRequiredError, lambda m, by: m.remember("I like tea.", by="ana")),
    "reviewer made by hand": (ReviewerRequiredError, lambda m, by: m.remember("I like tea.", by=FORGED)),
    "dry run as text": (InputError, lambda m, by: m.remember("I like tea.", dry_run="no")),
    "messages as text": (InputError, lambda m, by: m.add("I like tea.")),
    "messages of texts": (InputError, lambda m, by: m.add(["I like tea."])),
    "message without role": (InputError, lambda m, by: m.add([{"content": "I like tea."}])),
    "message at a day": (InputError, lambda m, by: m.add([{"role": "user", "content": "Hi.", "at": "2026-03-01"}])),
    "chat by number": (InputError, lambda m, by: m.add([{"role": "user", "content": "I like tea."}], conversation=7)),
    "no path": (InputError, lambda m, by: list(m.learn(None))),
    "path by number": (InputError, lambda m, by: list(m.learn([5]))),
    "missing file": (DopejarError, lambda m, by: list(m.learn("nowhere.jsonl"))),
    "unknown format": (DopejarError, lambda m, by: list(m.learn(__file__, format_name="klingon"))),
    "turn as text": (InputError, lambda m, by: m.observe("I like tea.")),
    "unknown origin": (InputError, lambda m, by: m.observe(LiveTurn(**TURN, origin="alice"))),
    "kind of a turn": (InputError, lambda m, by: m.observe(LiveTurn(**TURN, kind="speech"))),
    "turn at a day": (InputError, lambda m, by: m.observe(LiveTurn(**TURN, at="2026-03-01"))),
    "origin by number": (InputError, lambda m, by: m.observe(LiveTurn(**TURN, origin=5))),
    "turn without text": (InputError, lambda m, by: m.observe(LiveTurn(**{**TURN, "text": ""}))),
    "turn of marks": (InputError, lambda m, by: m.observe(LiveTurn(**{**TURN, "text": "\u200b\u202e"}))),
    "turn with a number": (InputError, lambda m, by: m.observe(LiveTurn(**{**TURN, "source_id": 1}))),
    "turn without zone": (InputError, lambda m, by: m.observe(LiveTurn(**TURN, at=NAIVE))),
    "conversations as text": (InputError, lambda m, by: m.relearn("c_none")),
    "unknown conversation": (NotFoundError, lambda m, by: m.relearn(["c_none"])),
    "no question": (InputError, lambda m, by: m.recall(None)),
    "empty question": (InputError, lambda m, by: m.recall(" ")),
    "empty query": (InputError, lambda m, by: m.search("")),
    "budget as text": (InputError, lambda m, by: m.recall("tea", budget="100")),
    "budget below 0": (InputError, lambda m, by: m.recall("tea", budget=-1)),
    "limit below 0": (InputError, lambda m, by: m.recall("tea", limit=-1)),
    "limit as truth": (InputError, lambda m, by: m.recall("tea", limit=True)),
    "then as text": (InputError, lambda m, by: m.recall("tea", as_of="2026-03-01")),
    "then without zone": (InputError, lambda m, by: m.recall("tea", believed_at=NAIVE)),
    "unknown kind": (InputError, lambda m, by: m.recall("tea", kinds=["banana"])),
    "kinds as text": (InputError, lambda m, by: m.recall("tea", kinds="fact")),
    "unknown project": (NotFoundError, lambda m, by: m.recall("tea", project="nowhere")),
    "no query": (InputError, lambda m, by: m.search(None)),
    "unknown scope": (InputError, lambda m, by: m.search("tea", scope="galaxy")),
    "many by text": (InputError, lambda m, by: m.search("tea", limit="many")),
    "filter as text": (InputError, lambda m, by: m.list("fact")),
    "unknown status": (InputError, lambda m, by: m.list(statuses=["dead"])),
    "status in a filter": (InputError, lambda m, by: m.list(RecordFilter(statuses=("dead",)))),
    "page after an id": (InputError, lambda m, by: m.list(after="m_none")),
    "get nothing": (InputError, lambda m, by: m.get(None)),
    "get unknown": (NotFoundError, lambda m, by: m.get("m_none")),
    "get empty": (NotFoundError, lambda m, by: m.get("")),
    "history of a number": (InputError, lambda m, by: m.history(5)),
    "log below 0": (InputError, lambda m, by: m.log(-1)),
    "call without mapping": (InputError, lambda m, by: m.check("Bash", "git push")),
    "update unknown": (NotFoundError, lambda m, by: m.update("m_none", "I like coffee.")),
    "update to nothing": (InputError, lambda m, by: m.update(m.list()[0].id, " ")),
    "update to the same": (InputError, lambda m, by: m.update(m.list()[0].id, m.list()[0].text)),
    "update by a name": (ReviewerRequiredError, lambda m, by: m.update(m.list()[0].id, "I like coffee.", "ana")),
    "update by hand": (ReviewerRequiredError, lambda m, by: m.update(m.list()[0].id, "I like coffee.", FORGED)),
    "delete unknown": (NotFoundError, lambda m, by: m.delete("m_none")),
    "delete by a name": (ReviewerRequiredError, lambda m, by: m.delete(m.list()[0].id, "ana")),
    "undo by nobody": (ReviewerRequiredError, lambda m, by: m.undo(m.log(1)[0].act_id, None)),
    "undo unknown": (NotFoundError, lambda m, by: m.undo("a_none", by)),
    "restore by text": (InputError, lambda m, by: m.bring_back("m_none", by)),
    "erase nothing": (InputError, lambda m, by: m.erase(by)),
    "erase by nobody": (ReviewerRequiredError, lambda m, by: m.erase(None, records=[m.list()[0].id])),
    "approve one text": (InputError, lambda m, by: m.review.approve("p_none", by, seen={})),
    "approve unseen": (RefusedError, lambda m, by: m.review.approve([], FORGED, seen={})),
    "approve without versions": (InputError, lambda m, by: m.review.approve(["p_none"], by, seen=None)),
    "queue below 0": (InputError, lambda m, by: m.review.queue(limit=-5)),
    "show nothing": (InputError, lambda m, by: m.review.show(None)),
    "passphrase by number": (InputError, lambda m, by: m.reviewers.unlock(1234)),
    "lifetime by number": (InputError, lambda m, by: m.reviewers.unlock("x", lifetime=60)),
    "bullet of nothing": (InputError, lambda m, by: m.bullets.add(None)),
    "unknown type": (InputError, lambda m, by: m.bullets.add("Check it.", bullet_type="poem")),
    "confidence of 7": (InputError, lambda m, by: m.bullets.add("Check it.", confidence=7)),
    "unknown side": (InputError, lambda m, by: m.bullets.add("Check it.", "up")),
    "assign by a name": (ReviewerRequiredError, lambda m, by: m.bullets.assign_staged_bullet("m_none", "left", "ana")),
    "outcome unknown": (InputError, lambda m, by: m.bullets.record_outcome("m_none", "great")),
    "session by number": (InputError, lambda m, by: m.sessions.end(5)),
    "entity of nothing": (InputError, lambda m, by: m.graph.neighbourhood(None)),
    "unknown entity": (NotFoundError, lambda m, by: m.graph.neighbourhood("nowhere")),
    "depth of 9": (InputError, lambda m, by: m.graph.neighbourhood("tea", 9)),
    "survey of nowhere": (InputError, lambda m, by: m.surveys.keys(namespace="production")),
    "browse a kind": (InputError, lambda m, by: m.inspection.browse(BrowseFilter(kind="banana"))),
    "backup to a number": (InputError, lambda m, by: m.exchange.backup(5)),
    "working set of text": (InputError, lambda m, by: m.workspace.hold_working_set("{}")),
    "working set without zone": (
        InputError,
        lambda m, by: m.workspace.hold_working_set(WorkingSet(problem_id="p", lane_id="", body="{}", expires_at=NAIVE)),
    ),
}


@pytest.fixture
def memory(tmp_path: Path):
    """A memory with one fact and a reviewer, whose host is the user."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        opened.remember("The Aldmere depot has 10 lorries.")
        unlocked(opened)
        yield opened


@pytest.mark.parametrize("name", BAD)
def test_bad_argument_is_a_clear_error_and_writes_nothing(memory: Memory, tmp_path: Path, name: str) -> None:
    """The error is of our tree and of the right kind, is a sentence, and the store holds what it held."""
    (kind, call), by = BAD[name], unlocked(memory)
    before = store_digest(tmp_path)
    with pytest.raises(kind) as raised:
        call(memory, by)
    sentence = str(raised.value)
    assert len(sentence.split()) >= 4
    assert sentence.rstrip()[-1] in ".?"
    assert store_digest(tmp_path) == before


def test_a_store_that_cannot_be_used_is_said(memory: Memory, tmp_path: Path) -> None:
    """A closed memory, and a file that is no store, raise an error of ours that names the file."""
    memory.close()
    for call in (lambda: memory.recall("lorries"), lambda: memory.remember("The door is red.")):
        with pytest.raises(StoreError, match=r"dopejar\.db is closed"):
            call()
    (tmp_path / "dopejar.db").write_bytes(b"not a database" * 1000)
    with pytest.raises(StoreError, match=r"dopejar\.db is not an intact"):
        open_memory(tmp_path)


def owners() -> list[type]:
    """The memory's classes and those of its services."""
    with open_memory(":memory:") as memory:
        names = [name for name, value in vars(Services).items() if isinstance(value, cached_property)]
        return [Memory, *(type(getattr(memory, name)) for name in names)]


@pytest.mark.parametrize("owner", owners(), ids=lambda owner: owner.__name__)
def test_every_verb_checks_its_arguments(owner: type) -> None:
    """Every public verb of the memory and of its services is checked, and can be read: it has a docstring and types."""
    for name, verb in inspect.getmembers(owner, inspect.isfunction):
        if not name.startswith("_"):
            assert hasattr(verb, "__wrapped__"), f"{owner.__name__}.{name} is not checked"
            assert verb.__doc__
            assert "return" in verb.__annotations__


class Example:
    """A class with a verb of each shape."""

    def one(self, text: str, count: int = 3, *, names: list[str] | None = None) -> tuple[str, int, object]:
        """Its arguments."""
        return text, count, names


def test_right_arguments_reach_the_verb_unchanged() -> None:
    """A checked verb gets what it was called with, by position and by name, and its defaults."""
    example = checked(Example)()
    assert example.one("a") == ("a", 3, None)
    assert example.one(count=4, text="b") == ("b", 4, None)


def test_missing_and_unknown_arguments_are_errors_of_python() -> None:
    """What no signature fits is said by the interpreter, as for every function."""
    with open_memory(":memory:", said_by="user") as memory:
        with pytest.raises(TypeError, match="text"):
            memory.remember()
        with pytest.raises(TypeError, match="txt"):
            memory.remember(txt="I like tea.")


def test_unknown_origins_are_told_which_there_are() -> None:
    """The message names every member of the enumeration that is meant."""
    with pytest.raises(InputError, match=", ".join(Origin)):
        LiveTurn(**TURN, origin="alice")
    with open_memory(":memory:") as memory, pytest.raises(InputError, match=Origin.__name__):
        memory.observe(LiveTurn(**TURN, origin=5))


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda m: m.add("tea"), "`messages` of add takes a list of dictionaries, not 'tea'."),
        (lambda m: m.add([7]), "`messages` of add takes a list of dictionaries, not [7]."),
        (lambda m: m.remember("tea", tags=7), "`tags` of remember takes a list of str, not 7."),
        (lambda m: m.review.approve(["p_none"], FORGED, seen=7), "`seen` of approve takes a mapping of int, not 7."),
    ],
)
def test_what_is_taken_is_said_in_words(call: Callable[[Memory], object], sentence: str) -> None:
    """The message names what a collection holds, also where that is a collection itself."""
    with open_memory(":memory:", said_by="user") as memory, pytest.raises(InputError) as failed:
        call(memory)
    assert str(failed.value) == sentence
