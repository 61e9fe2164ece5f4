"""A conversation and its copies are one witness, under whatever id and in whatever format they come."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from whole_store import START, write_roles

from dopejar import Memory, open_memory
from dopejar.engine.ingest.repeated_turns import repeated_turns
from dopejar.testing.builders import an_episode
from dopejar.values.episode import Episode, EpisodeKind, Origin, is_repeated
from dopejar.values.ids import ConversationId, EpisodeId
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status

TALK = [
    ("user", "Please look at the harbour timetable and tell me which ferry leaves first."),
    ("assistant", "The first ferry leaves the northern pier at six in the morning."),
    ("user", "My editor is Vim."),
    ("assistant", "Noted."),
    ("user", "The ledger service uses Postgres and listens on port 8080 in the cellar."),
    ("assistant", "Good: Postgres behind the ledger service, on port 8080."),
]
SAID = ("My editor is Vim", "The ledger service uses Postgres")


@pytest.fixture
def memory(tmp_path):
    """An empty store."""
    with open_memory(tmp_path / "home", environment={}) as opened:
        yield opened


def believed(memory: Memory) -> list[tuple[str, int, float, int]]:
    """What is active, with the count of what speaks for it."""
    with memory.store.read() as view:
        return sorted(
            (record.text, record.access_count, record.trust, len(view.evidence(record.id)))
            for record in memory.list(RecordFilter(statuses=(Status.ACTIVE, Status.STAGED)), 50)
        )


def claude_code(folder: Path, name: str, talk: list[tuple[str, str]]) -> Path:
    """The talk as a session of Claude Code."""
    path = folder / f"{name}.jsonl"
    rows = [
        {
            "type": role,
            "uuid": f"{name}-{place}",
            "sessionId": name,
            "timestamp": START.replace(minute=place).isoformat(),
            "message": {"role": role, "content": [{"type": "text", "text": text}]},
        }
        for place, (role, text) in enumerate(talk)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def dialogue(folder: Path, name: str, talk: list[tuple[str, str]]) -> Path:
    """The talk as a dialogue in Markdown."""
    path = folder / f"{name}.md"
    names = {"user": "You", "assistant": "ChatGPT"}
    path.write_text("".join(f"**{names[role]}:** {text}\n\n" for role, text in talk), encoding="utf-8")
    return path


@pytest.mark.parametrize("copy", [write_roles, claude_code, dialogue])
@pytest.mark.parametrize("first", [write_roles, claude_code])
def test_a_copy_adds_nothing(memory, tmp_path, first, copy):
    """The same conversation under another id or in another format: its turns are kept, and nothing counts twice."""
    list(memory.learn([first(tmp_path, "one", TALK)]))
    before = believed(memory)
    assert any(text.startswith(SAID[0]) for text, *_ in before)
    (learned,) = memory.learn([copy(tmp_path, "two", TALK)])
    assert learned.episodes == len(TALK)
    assert learned.guarded == {"repeated_turn": 3}
    assert believed(memory) == before


def test_a_resumed_session_goes_on(memory, tmp_path):
    """A resumed session repeats earlier turns under a new id: only what was said since is learned."""
    list(memory.learn([claude_code(tmp_path, "one", TALK)]))
    before = believed(memory)
    resumed = [*TALK, ("user", "I live in Porto."), ("assistant", "Noted.")]
    (learned,) = memory.learn([claude_code(tmp_path, "two", resumed)])
    assert learned.guarded == {"repeated_turn": 3}
    assert set(before) < set(believed(memory))
    assert [text for text, *_ in set(believed(memory)) - set(before)] == ["I live in Porto"]


def test_two_copies_in_one_file_are_one_witness(memory, tmp_path):
    """Of two sessions of one file the second is the copy, also in one transaction."""
    path = tmp_path / "both.jsonl"
    path.write_text(
        claude_code(tmp_path, "one", TALK).read_text("utf-8") + claude_code(tmp_path, "two", TALK).read_text("utf-8"),
        encoding="utf-8",
    )
    (learned,) = memory.learn([path])
    assert learned.guarded == {"repeated_turn": 3}
    assert {count for _, count, *_ in believed(memory)} == {1}


def test_what_is_said_twice_counts_twice(memory, tmp_path):
    """The same statement in two conversations that are otherwise different is said twice."""
    list(memory.learn([write_roles(tmp_path, "one", TALK)]))
    other = [("user", "Hello, let us go on with the lamps of the pier."), TALK[3], TALK[2], TALK[3]]
    (learned,) = memory.learn([write_roles(tmp_path, "two", other, day=2)])
    assert learned.guarded == {}
    assert (SAID[0], 2) in {(text, count) for text, count, *_ in believed(memory)}


def test_the_same_talk_on_another_day_is_no_copy(memory, tmp_path):
    """Where both files know their times, the same turns on two days were said twice."""
    list(memory.learn([write_roles(tmp_path, "one", TALK)]))
    (learned,) = memory.learn([write_roles(tmp_path, "two", TALK, day=2)])
    assert learned.guarded == {}
    assert (SAID[0], 2) in {(text, count) for text, count, *_ in believed(memory)}


def test_learning_anew_reads_no_copy(memory, tmp_path):
    """A copy stays a copy when everything is read again."""
    list(memory.learn([write_roles(tmp_path, "one", TALK)]))
    list(memory.learn([claude_code(tmp_path, "two", TALK)]))
    before = believed(memory)
    list(memory.relearn())
    assert believed(memory) == before


LONG = [f"Sentence number {word} about lanterns, harbours and timetables." for word in ("one", "two", "three", "four")]
talks = st.lists(st.tuples(st.booleans(), st.sampled_from([*LONG, "ok", "yes", "go on"])), max_size=9)


def turns_of(name: str, talk: list[tuple[bool, str]]) -> list[Episode]:
    """Turns of a conversation."""
    return [
        an_episode(
            text,
            id=EpisodeId(f"e_{name}{place}"),
            conversation=ConversationId(f"c_{name}"),
            index=place,
            at=START,
            origin=Origin.USER if is_user else Origin.ASSISTANT,
        )
        for place, (is_user, text) in enumerate(talk)
    ]


@given(talks, talks, talks)
def test_a_stretch_of_another_conversation_is_found_wherever_it_stands(before, stretch, after) -> None:
    """A stretch with two turns of some words is a copy, whatever stands around it; short turns alone are none."""
    turns = turns_of("a", [*before, *stretch, *after])
    copied = repeated_turns(turns, [turns_of("b", stretch)])
    inside = {turn.id for turn in turns[len(before) : len(before) + len(stretch)]}
    known = sum(text in LONG for _, text in stretch)
    if known >= 2:
        assert inside <= copied
    if known < 2:
        assert not copied


def test_results_between_copies_are_copies() -> None:
    """What a tool reported within a copied stretch, or right behind it, is a copy; what it reported later is new."""
    talk = [(True, LONG[0]), (False, LONG[1]), (True, LONG[2])]
    turns = turns_of("a", [talk[0], (False, "1 passed"), talk[1], (False, "2 passed"), talk[2], (False, "3 passed")])
    tool = {"kind": EpisodeKind.TOOL_RESULT, "origin": Origin.TOOL}
    turns = [an_episode(t.text, id=t.id, index=t.index, **tool) if "passed" in t.text else t for t in turns]
    copied = repeated_turns(turns, [turns_of("b", talk[:2])])
    assert [turn.text for turn in turns if turn.id in copied] == [LONG[0], "1 passed", LONG[1], "2 passed"]
    assert not any(is_repeated(turn) for turn in turns)
