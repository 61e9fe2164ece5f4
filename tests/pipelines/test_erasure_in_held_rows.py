"""An erasure knows the notes of hosts, the goals of governed conversations, kept answers, and every other held row."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar import open_memory
from dopejar.compose.stores import open_store
from dopejar.doors.frameworks import AgentsSession, ClaudeMemoryTool
from dopejar.engine.held_words import texts_in
from dopejar.engine.memory import Memory
from dopejar.engine.results import ErasureReceipt
from dopejar.engine.review.erasure_echoes import Echo, Place
from dopejar.turn.partner import Partner
from dopejar.values.episode import ERASED_MARK
from dopejar.values.ids import EpisodeId
from dopejar.values.transcript import LiveTurn
from dopejar.values.versioned_rows import NOTES, KeyValueRow

SECRET = "correct horse " + "battery"
WORDS = "My allergist is called Quartzmeyer."
NOTE_SHAPES = {
    "an agent's item": {"role": "user", "content": WORDS},
    "an item in parts": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": WORDS}]},
    "a call's arguments": {
        "type": "function_call",
        "call_id": "c1",
        "name": "book",
        "arguments": '{"who":"Quartzmeyer"}',
    },
    "a memory file": f"# Health\n{WORDS}\nThe pharmacy closes at six.",
    "an item of a graph's store": {
        "value": {"doctor": "Quartzmeyer"},
        "index": None,
        "created": "2026-11-27T10:00:00+00:00",
    },
    "a name of a part": {"value": {"Quartzmeyer": {"is": "an allergist"}}, "index": False},
    "a list": ["Bring the card.", WORDS],
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory with a reviewer, opened for a host whose user speaks."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        opened.reviewers.add("ana", SECRET)
        yield opened


def told(memory: Memory, text: str = WORDS) -> EpisodeId:
    """The turn that tells the memory something."""
    return memory.remember(text).episode_id


def erased(memory: Memory, episode: EpisodeId, echoes: tuple[Echo, ...] = ()) -> ErasureReceipt:
    """The receipt of erasing a turn."""
    return memory.erase(memory.reviewers.unlock(SECRET), episodes=[episode], echoes=echoes)


def found_in(home: Path, word: bytes = b"quartzmeyer") -> bool:
    """Whether any file of the home holds the word."""
    return word in b"".join(file.read_bytes() for file in home.iterdir() if file.is_file()).lower()


def bodies(memory: Memory) -> dict[tuple[str, str], KeyValueRow]:
    """Every held note."""
    with memory.store.read() as view:
        return {
            (row.kind, row.key): row
            for kind in view.held_kinds()
            if kind.startswith(NOTES)
            for row in view.held_of(kind)
        }


@pytest.mark.parametrize("shape", NOTE_SHAPES)
def test_a_note_is_named_and_goes_with_the_echoes(memory: Memory, tmp_path: Path, shape: str) -> None:
    """Named with space and name, and no erasure beside it is verified; erased as an echo, no file holds the word."""
    memory.workspace.put_note("host:a", "first", NOTE_SHAPES[shape])
    memory.workspace.put_note("host:a", "second", {"role": "user", "content": "The bus leaves at nine."})
    turn = told(memory)
    before = memory.inspection.preview_echoes(episodes=[turn])
    assert [(echo.place, echo.space, echo.id) for echo in before] == [(Place.NOTE, "host:a", "first")]
    receipt = erased(memory, turn, before)
    assert (receipt.verified, receipt.echoes) == (True, ())
    assert not found_in(tmp_path / "home")
    assert memory.workspace.notes("host:a")["second"] == {"role": "user", "content": "The bus leaves at nine."}
    assert memory.maintenance.doctor().faults == ()


@pytest.mark.parametrize("shape", [name for name, note in NOTE_SHAPES.items() if WORDS in json.dumps(note)])
def test_nothing_is_verified_while_a_note_holds_the_words(memory: Memory, shape: str) -> None:
    """The receipt of an erasure without echoes names the note and is not verified."""
    memory.workspace.put_note("host:a", "first", NOTE_SHAPES[shape])
    receipt = erased(memory, told(memory))
    assert not receipt.verified
    (echo,) = receipt.echoes
    assert (echo.place, echo.space, echo.id, echo.is_verbatim) == (Place.NOTE, "host:a", "first", True)


def test_nothing_is_verified_while_another_turn_holds_the_words(memory: Memory) -> None:
    """Another turn that says the same words is a live row like any other."""
    first = told(memory)
    memory.add([{"role": "assistant", "content": f"You said: {WORDS}"}], conversation="later")
    receipt = erased(memory, first)
    assert not receipt.verified
    assert [echo.place for echo in receipt.echoes if echo.is_verbatim] == [Place.TURN]


def test_the_shape_of_a_note_stays(memory: Memory) -> None:
    """Of an item its role and ids stay, of a memory file its other lines."""
    session, files = AgentsSession("chat", memory), ClaudeMemoryTool(memory)
    call = {"type": "function_call", "call_id": "c1", "name": "book", "arguments": '{"who":"Quartzmeyer"}'}
    output = {"type": "function_call_output", "call_id": "c1", "output": "booked"}
    asyncio.run(session.add_items([call, output]))
    files.run({"command": "create", "path": "/memories/health.md", "file_text": NOTE_SHAPES["a memory file"]})
    turn = told(memory)
    assert erased(memory, turn, memory.inspection.preview_echoes(episodes=[turn])).verified
    assert asyncio.run(session.get_items()) == [{**call, "arguments": ERASED_MARK}, output]
    kept = memory.workspace.notes("files:claude")["/memories/health.md"]
    assert kept == f"# Health\n{ERASED_MARK}\nThe pharmacy closes at six."


def test_a_note_whose_name_speaks_of_it_goes_as_a_whole(memory: Memory, tmp_path: Path) -> None:
    """A file or an item that is named by it is dropped."""
    memory.workspace.put_note("files:claude", "/memories/quartzmeyer.md", "Open on Mondays.")
    memory.workspace.put_note("items:langgraph", '["doctors", "Quartzmeyer"]', {"value": {"open": "Mondays"}})
    turn = told(memory)
    assert erased(memory, turn, memory.inspection.preview_echoes(episodes=[turn])).verified
    assert (memory.workspace.notes("files:claude"), memory.workspace.notes("items:langgraph")) == ({}, {})
    assert not found_in(tmp_path / "home")


@pytest.mark.parametrize(
    "text",
    [
        "Please greet the User at the door by name.",
        "The Message on the Tool bench is from the System keeper.",
        "Since 2026 my walk has 11 stations.",
        "Mein Assistant heißt Korbinian und hat den Status eines Lehrlings.",
        "Je préfère le Type de café de Lyon.",
    ],
)
def test_what_a_host_calls_its_parts_is_no_echo(memory: Memory, text: str) -> None:
    """Roles, sorts and times of unrelated notes are nobody's words, and their rows stay as they are."""
    asyncio.run(AgentsSession("chat", memory).add_items([{"role": "user", "type": "message", "content": "I hum."}]))
    item = {"value": {"open": "at nine"}, "index": None, "created": "2026-11-27T10:00:00+00:00"}
    memory.workspace.put_note("items:langgraph", '["shops", "baker"]', item)
    before = bodies(memory)
    turn = told(memory, text)
    found = memory.inspection.preview_echoes(episodes=[turn])
    assert [echo for echo in found if echo.place is Place.NOTE] == []
    erased(memory, turn, found)
    assert bodies(memory) == before


PLAIN = st.sampled_from(
    ["The bus is late.", "soup", "a\nb\nc", "2026-11-27T10:00:00+00:00", "", "Öl und Brot", 7, True, None]
)
NESTED = st.recursive(
    PLAIN | st.sampled_from([WORDS, "Call Quartzmeyer.", f"one\n{WORDS}\ntwo"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["text", "Quartzmeyer", "A b"]), inner),
    max_leaves=8,
)


@given(note=NESTED)
def test_wherever_a_note_holds_it_it_goes(tmp_path_factory: pytest.TempPathFactory, note: object) -> None:
    """Of any value of JSON, what speaks of it goes, and every other text stays."""
    with open_memory(tmp_path_factory.mktemp("nested") / "home", environment={}, said_by="user") as memory:
        memory.reviewers.add("ana", SECRET)
        memory.workspace.put_note("host:a", "first", note)
        lines_before = {line for row in bodies(memory).values() for text in texts_in(row) for line in text.split("\n")}
        turn = told(memory)
        receipt = erased(memory, turn, memory.inspection.preview_echoes(episodes=[turn]))
        assert (receipt.verified, receipt.echoes) == (True, ())
        lines = {line for row in bodies(memory).values() for text in texts_in(row) for line in text.split("\n")}
        assert lines - {ERASED_MARK} == {line for line in lines_before if "Quartzmeyer" not in line} - {ERASED_MARK}


def test_an_erased_text_of_several_lines_leaves_none_of_them(memory: Memory, tmp_path: Path) -> None:
    """Where a note holds the whole of it, lines go too that would not be known alone."""
    text = "My allergist is called Quartzmeyer.\nParking is behind.\nKnock twice."
    memory.workspace.put_note("host:a", "first", {"role": "user", "content": text})
    turn = memory.observe(LiveTurn(conversation="c", source_id="1", text=text)).episode_id  # nothing is learned of it
    assert erased(memory, turn, memory.inspection.preview_echoes(episodes=[turn])).verified
    assert not found_in(tmp_path / "home", b"knock twice")


def test_another_held_row_is_named(memory: Memory) -> None:
    """A row of a kind that nobody knows is named, and keeps the erasure from being verified."""
    body = json.dumps({"greeting": WORDS})
    with memory.store.write() as tx:
        tx.put_held(KeyValueRow(kind="host_state", key="desk", body=body))
    receipt = erased(memory, told(memory))
    assert not receipt.verified
    assert [(echo.place, echo.space, echo.id) for echo in receipt.echoes] == [(Place.ROW, "host_state", "desk")]


def test_a_goal_goes_with_the_turn_that_it_was_taken_from(memory: Memory, tmp_path: Path) -> None:
    """Unasked: it is the same words. The lane stays, and so does what was said of other work."""
    partner = Partner(memory, "desk")
    partner.commit("Sort the garage.")
    partner.turn("Help me plan my wedding with Quartzmeyer.", turn_id="w")
    partner.answer("work_declaration")
    assert "Quartzmeyer" in partner.where_we_were()
    with memory.store.read() as view:
        turn = next(one.id for row in view.conversations(9) for one in view.turns(row.id) if one.source_id == "w")
    assert memory.inspection.preview_echoes(episodes=[turn]) == ()
    assert erased(memory, turn).verified
    assert "garage" in partner.where_we_were()
    assert "Quartzmeyer" not in json.dumps(partner.where_we_were())
    assert not found_in(tmp_path / "home")
    assert partner.turn("Let's go on.").conversation == "desk"


def test_a_goal_of_another_conversation_is_an_echo(memory: Memory, tmp_path: Path) -> None:
    """It is named with its conversation, and blanked where the echoes go."""
    Partner(memory, "desk").commit("Plan the surprise for Quartzmeyer.")
    turn = told(memory)
    found = memory.inspection.preview_echoes(episodes=[turn])
    assert (Place.GOAL, "desk") in {(echo.place, echo.id) for echo in found}
    assert erased(memory, turn, found).verified
    assert Partner(memory, "desk").state.lanes.active.lease_goal == ERASED_MARK
    assert not found_in(tmp_path / "home")


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("Help me plan my wedding with Quartzmeyer.", "Forget I said that."),
        ("Let's work on the gift for Quartzmeyer.", "Please forget what I just said."),
        ("Hilf mir, das Fest für Quartzmeyer zu planen.", "Vergiss, was ich gerade gesagt habe."),
    ],
)
def test_a_goal_that_is_taken_back_goes(memory: Memory, tmp_path: Path, said: str, wish: str) -> None:
    """The words of a turn that its speaker takes back are no goal any more."""
    partner = Partner(memory, "desk")
    partner.turn(said)
    if partner.state.proposals:
        partner.answer("work_declaration")
        assert "Quartzmeyer" in partner.where_we_were()
    partner.turn(wish)
    assert "Quartzmeyer" not in partner.where_we_were()
    memory.maintenance.maintain()
    assert not found_in(tmp_path / "home")


def test_kept_answers_go_with_every_erasure(memory: Memory, tmp_path: Path) -> None:
    """No answer that was kept for a repetition outlives an erasure."""
    memory.kept_answers.keep("bot", "POST /memories", 202, json.dumps({"text": WORDS}))
    kept = memory.kept_answers.find("bot", "POST /memories")
    assert kept is not None
    assert kept.is_of_request
    assert erased(memory, told(memory)).verified
    assert memory.kept_answers.find("bot", "POST /memories") is None
    assert not found_in(tmp_path / "home")


def test_no_digest_of_a_request_tells_its_words(tmp_path: Path) -> None:
    """The same request has other digests in another store: they are made with the store's secret."""
    rows = []
    for name in ("one", "two"):
        with open_memory(tmp_path / name, environment={}) as memory:
            memory.kept_answers.keep("bot", WORDS, 202, "{}")
            with memory.store.read() as view:
                rows += view.held_of("api_answer")
    assert rows[0].key != rows[1].key
    assert json.loads(rows[0].body)["asked"] != json.loads(rows[1].body)["asked"]


def test_a_restored_backup_brings_no_note_of_it_back(memory: Memory, tmp_path: Path) -> None:
    """The words are blanked again in notes, and no kept answer or goal with them comes back."""
    partner = Partner(memory, "desk")
    partner.turn("Help me plan my wedding with Quartzmeyer.", turn_id="w")
    partner.answer("work_declaration")
    memory.workspace.put_note("host:a", "first", {"role": "user", "content": WORDS})
    memory.workspace.put_note("host:a", "second", f"# Health\n{WORDS}\nThe pharmacy closes at six.")
    memory.kept_answers.keep("bot", "x", 202, json.dumps({"text": WORDS}))
    turn, by = told(memory), memory.reviewers.unlock(SECRET)
    with memory.store.read() as view:
        goal = next(one.id for row in view.conversations(9) for one in view.turns(row.id) if one.source_id == "w")
    copy = memory.exchange.backup(tmp_path / "copy.db")
    erased(memory, goal)
    erased(memory, turn, memory.inspection.preview_echoes(episodes=[turn]))
    memory.exchange.restore(copy, open_store, by)
    with open_memory(tmp_path / "home", environment={}, said_by="user") as again:
        assert "Quartzmeyer" not in Partner(again, "desk").where_we_were()
        notes = again.workspace.notes("host:a")
        assert notes["first"] == {"role": "user", "content": ERASED_MARK}
        assert notes["second"] == f"# Health\n{ERASED_MARK}\nThe pharmacy closes at six."
        assert again.kept_answers.find("bot", "x") is None
