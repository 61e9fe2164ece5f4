"""Cases that a sample per format does not show."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.transcripts.registry import format_named
from dopejar.values.episode import Origin
from dopejar.values.transcript import SourceFile

SESSION = {"sessionId": "s", "timestamp": "2031-01-01T00:00:00Z"}


def read(format_name: str, *records: object, name: str = "file.jsonl") -> SourceFile:
    """Reads records as lines in the format with this name."""
    data = "\n".join(record if isinstance(record, str) else json.dumps(record) for record in records) + "\n"
    return format_named(format_name).read(Path(name), data.encode())


def said(file: SourceFile) -> list[str]:
    """The texts that are the user's own."""
    return [turn.text for found in file.conversations for turn in found.turns if turn.origin is Origin.USER]


def user(text: object, **more: object) -> dict[str, object]:
    """A user record of Claude Code."""
    return {"type": "user", "uuid": f"u{abs(hash(str(text)))}", "message": {"content": text}, **SESSION, **more}


def call(tool: str) -> dict[str, object]:
    """The assistant's call of a tool."""
    block = {"type": "tool_use", "id": "t", "name": tool, "input": {}}
    return {"type": "assistant", "uuid": "c", "message": {"content": [block]}, **SESSION}


def test_a_message_typed_ahead_is_said_once() -> None:
    """What was queued and then delivered counts once; what was taken back to be edited does not count."""
    queued = {"type": "queue-operation", "operation": "enqueue", "content": "add a lid", **SESSION}
    back = {"type": "queue-operation", "operation": "popAll", **SESSION}
    assert said(read("claude-code", user("go"), queued, user("add a lid"))) == ["go", "add a lid"]
    assert said(read("claude-code", user("go"), queued)) == ["go", "add a lid"]
    assert said(read("claude-code", user("go"), queued, back, user("add two lids"))) == ["go", "add two lids"]


@pytest.mark.parametrize(
    "flag",
    [
        {"isMeta": True},
        {"isSidechain": True},
        {"isCompactSummary": True},
        {"planContent": "x"},
        {"origin": {"kind": "task-notification"}},
    ],
    ids=str,
)
def test_a_flag_makes_a_record_the_harness_s(flag: dict[str, object]) -> None:
    """A user record with the flag is the harness's, whatever its words; the same record without it is the user's."""
    assert said(read("claude-code", user("never use tabs", **flag))) == []
    assert said(read("claude-code", user("never use tabs"))) == ["never use tabs"]
    assert said(read("claude-code", user("never use tabs", origin={"kind": "human"}))) == ["never use tabs"]


def test_two_sessions_in_one_file_are_two_conversations() -> None:
    """Each session has its own turns, places and start."""
    other = {"sessionId": "s2", "cwd": "/b", "timestamp": "2031-01-02T00:00:00Z"}
    file = read("claude-code", user("one", cwd="/a"), user("two", **other), user("three"))
    assert [(found.name, found.cwd, len(found.turns)) for found in file.conversations] == [
        ("s", "/a", 2),
        ("s2", "/b", 1),
    ]


def test_a_choice_is_not_typed_but_an_own_answer_is() -> None:
    """Of the answers to a question only those that were not offered are the user's words."""
    answers = {"a": "Red", "b": "Red, Blue", "c": "neither, use green"}
    result = {"questions": [{"options": [{"label": "Red"}, {"label": "Blue"}]}], "answers": answers}
    block = [{"type": "tool_result", "tool_use_id": "t", "content": "answered"}]
    told = user(block, toolUseResult=result)
    assert said(read("claude-code", call("AskUserQuestion"), told)) == ["neither, use green"]
    assert said(read("claude-code", call("mcp__mail__read"), told)) == []


def test_an_index_is_given_anew_and_ids_are_kept() -> None:
    """The neutral format's ids come back as they were; indexes count what is there."""
    turns = [
        {"store": "a", "session": "s", "turn_id": f"D{number}", "index": 7, "role": "user", "text": f"say {number}"}
        for number in range(3)
    ]
    (found,) = read("neutral", *turns).conversations
    assert [(turn.source_id, turn.index) for turn in found.turns] == [("D0", 0), ("D1", 1), ("D2", 2)]


def test_sessions_of_different_stores_stay_apart() -> None:
    """The same session name in two stores is two conversations."""
    turns = [{"store": store, "session": "s", "turn_id": "1", "role": "user", "text": "x"} for store in "ab"]
    assert [(found.store, found.name) for found in read("neutral", *turns).conversations] == [("a", "s"), ("b", "s")]


def test_a_list_of_messages_is_read_like_lines() -> None:
    """A JSON list of turns, or the messages of an object, is the neutral format too."""
    turns = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "two"}]
    assert said(read("neutral", json.dumps(turns))) == ["one"]
    assert said(read("neutral", json.dumps({"messages": turns}, indent=1))) == ["one"]


def test_a_tree_that_runs_in_a_circle_ends() -> None:
    """A damaged export whose parents form a ring is read once around."""
    message = {"author": {"role": "user"}, "content": {"parts": ["words"]}}
    nodes = {key: {"parent": parent, "message": {**message, "id": key}} for key, parent in (("a", "b"), ("b", "a"))}
    tree = {"id": "ring", "mapping": nodes, "current_node": "a"}
    assert said(read("chatgpt-export", json.dumps(tree))) == ["words", "words"]


def test_what_an_item_and_an_event_tell_is_said_once_in_either_order() -> None:
    """A message recorded as an item and as an event is one turn, whichever comes first; twice said is two."""
    item = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"text": "go"}]}}
    event = {"type": "event_msg", "payload": {"type": "user_message", "message": "go"}}
    assert said(read("codex", item, event)) == ["go"]
    assert said(read("codex", event, item)) == ["go"]
    assert said(read("codex", item, event, item, event)) == ["go", "go"]
    assert said(read("codex", item, event, event)) == ["go", "go"]


def test_a_dialogue_whose_person_comes_second_is_told_apart() -> None:
    """The assistant is known by its name, also when it speaks first or the person is called `You`."""
    first = "**ChatGPT:**\nHello.\n\n**Ilse:**\nHi.\n"
    other = "You said:\nhow?\n\nChatGPT said:\nso.\n\nYou said:\nthanks\n"
    assert said(format_named("chatgpt-markdown").read(Path("a.md"), first.encode())) == ["Hi."]
    assert said(format_named("chatgpt-markdown").read(Path("a.md"), other.encode())) == ["how?", "thanks"]


def test_a_history_in_a_project_tells_its_directory() -> None:
    """Aider and SpecStory keep their files in the project, whose directory the conversation names."""
    aider = b"# aider chat started at 2031-01-02 03:04:05\n\n#### go  \n"
    story = b"_**User**_\n\ngo\n\n---\n\n_**Assistant**_\n\nwent\n"
    found = format_named("aider").read(Path("/srv/kettle/.aider.chat.history.md"), aider)
    assert found.conversations[0].cwd == "/srv/kettle"
    found = format_named("specstory").read(Path("/srv/kettle/.specstory/history/a.md"), story)
    assert found.conversations[0].cwd == "/srv/kettle"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        *("type", "uuid", "sessionId", "message", "content", "role", "text", "timestamp", "payload", "toolUseResult"),
        *("attachment", "operation", "subtype", "turn_id", "session", "store", "speaker", "parentUuid", "isMeta"),
    ]
)
VALUES = st.sampled_from(["user", "assistant", "system", "attachment", "queue-operation", "response_item", "event_msg"])
RECORDS = st.dictionaries(KEYS, VALUES | JSON | st.dictionaries(KEYS, VALUES | JSON, max_size=4), max_size=7)


@pytest.mark.parametrize("format_name", ["neutral", "claude-code", "codex"])
@given(records=st.lists(RECORDS, max_size=5))
def test_any_records_beside_a_sound_one_are_read(format_name: str, records: list[dict[str, object]]) -> None:
    """Records with any fields of any types never keep the sound one beside them from being read."""
    sound: dict[str, dict[str, object]] = {
        "neutral": {"role": "user", "content": "the sound one", "id": "sound"},
        "claude-code": user("the sound one", uuid="sound"),
        "codex": {
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [{"text": "the sound one"}]},
        },
    }
    assert "the sound one" in said(read(format_name, *records, sound[format_name]))
