"""The memory tool of Claude, in the words of its documentation."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dopejar import open_memory
from dopejar.doors.frameworks import ClaudeMemoryTool
from dopejar.engine.memory import Memory


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory."""
    with open_memory(tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def tool(memory: Memory) -> ClaudeMemoryTool:
    """The tool over it."""
    return ClaudeMemoryTool(memory)


def create(tool: ClaudeMemoryTool, path: str, text: str) -> str:
    """Run one `create`."""
    return tool.run({"command": "create", "path": path, "file_text": text})


def view(tool: ClaudeMemoryTool, path: str, **more: object) -> str:
    """Run one `view`."""
    return tool.run({"command": "view", "path": path, **more})


def test_a_file_from_its_making_to_its_end(tool: ClaudeMemoryTool) -> None:
    """Every command once, with the words of its success."""
    assert create(tool, "/memories/plan.txt", "dig\nplant\nwater") == "File created successfully at: /memories/plan.txt"
    head = "Here's the content of /memories/plan.txt with line numbers:\n"
    assert view(tool, "/memories/plan.txt") == head + "     1\tdig\n     2\tplant\n     3\twater"
    assert view(tool, "/memories/plan.txt", view_range=[2, -1]) == head + "     2\tplant\n     3\twater"
    edited = tool.run(
        {"command": "str_replace", "path": "/memories/plan.txt", "old_str": "plant", "new_str": "plant leeks"}
    )
    assert edited == "The memory file has been edited.\n     1\tdig\n     2\tplant leeks\n     3\twater"
    inserted = {"command": "insert", "path": "/memories/plan.txt", "insert_line": 1, "insert_text": "rake\n"}
    assert tool.run(inserted) == "The file /memories/plan.txt has been edited."
    moved = {"command": "rename", "old_path": "/memories/plan.txt", "new_path": "/memories/beds/leeks.txt"}
    assert tool.run(moved) == "Successfully renamed /memories/plan.txt to /memories/beds/leeks.txt"
    assert "     2\trake\n     3\tplant leeks" in view(tool, "/memories/beds/leeks.txt")
    assert tool.run({"command": "delete", "path": "/memories/beds"}) == "Successfully deleted /memories/beds"
    assert view(tool, "/memories") == (
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and"
        " node_modules:\n0B\t/memories"
    )


def test_a_listing_has_two_levels_and_sizes(tool: ClaudeMemoryTool) -> None:
    """Hidden files and what lies deeper are counted in no line of their own."""
    create(tool, "/memories/a.txt", "x" * 2048)
    create(tool, "/memories/d/e/f.txt", "yy")
    create(tool, "/memories/.secret/g.txt", "z")
    assert view(tool, "/memories/").split("\n")[1:] == [
        "2.0K\t/memories",
        "2.0K\t/memories/a.txt",
        "2B\t/memories/d",
        "2B\t/memories/d/e",
    ]


A = "/memories/a.txt"
B = "/memories/b"
D = "/memories/d"
OUT_OF_RANGE = "It should be within the range of lines of the file:"
UNKNOWN = "does not exist. Please provide a valid path."
TWICE = "No replacement was performed. Multiple occurrences of old_str `one` in lines: 1, 3. Please ensure it is unique"
REFUSED = [
    ("view", {"path": B}, f"The path {B} {UNKNOWN}"),
    (
        "view",
        {"path": A, "view_range": [2, 9]},
        f"Error: Invalid `view_range` parameter: [2, 9]. {OUT_OF_RANGE} [1, 3]",
    ),
    ("create", {"path": A, "file_text": ""}, f"Error: File {A} already exists"),
    ("create", {"path": f"{A}/b", "file_text": ""}, f"Error: File {A}/b already exists"),
    ("str_replace", {"path": B, "old_str": "a"}, f"Error: The path {B} {UNKNOWN}"),
    (
        "str_replace",
        {"path": A, "old_str": "q"},
        f"No replacement was performed, old_str `q` did not appear verbatim in {A}.",
    ),
    ("str_replace", {"path": A, "old_str": "one", "new_str": "b"}, TWICE),
    ("insert", {"path": B, "insert_line": 0, "insert_text": "b"}, f"Error: The path {B} does not exist"),
    (
        "insert",
        {"path": A, "insert_line": 4, "insert_text": "b"},
        f"Error: Invalid `insert_line` parameter: 4. {OUT_OF_RANGE} [0, 3]",
    ),
    ("delete", {"path": B}, f"Error: The path {B} does not exist"),
    ("delete", {"path": "/memories"}, "Error: The path /memories does not exist"),
    ("rename", {"old_path": B, "new_path": "/memories/c"}, f"Error: The path {B} does not exist"),
    ("rename", {"old_path": A, "new_path": A}, f"Error: The destination {A} already exists"),
    (
        "rename",
        {"old_path": D, "new_path": f"{A}/e"},
        f"Error: The destination {A}/e already exists",
    ),
    ("rename", {"old_path": D, "new_path": f"{D}/e"}, f"Error: The destination {D}/e is inside {D}"),
    (
        "insert",
        {"path": A, "insert_line": True, "insert_text": "b"},
        f"Error: Invalid `insert_line` parameter: True. {OUT_OF_RANGE} [0, 3]",
    ),
    ("burn", {}, "Error: Unknown command burn. Use one of view, create, str_replace, insert, delete, rename."),
]


@pytest.mark.parametrize(("command", "more", "answer"), REFUSED)
def test_what_cannot_be_done_is_an_answer(
    tool: ClaudeMemoryTool, command: str, more: dict[str, object], answer: str
) -> None:
    """In the words of the documentation, where it has some; and nothing is changed."""
    create(tool, A, "one\ntwo\none")
    create(tool, f"{D}/c.txt", "three")
    before = view(tool, A), view(tool, "/memories")
    assert tool.run({"command": command, **more}) == answer
    assert (view(tool, A), view(tool, "/memories")) == before


@pytest.mark.parametrize(
    "path",
    ["/etc/passwd", "memories/a", "/memories/../a", "/memories/./a", "/memories//a", "/memories/%2e%2e/a", "/memoriesa",
     "/memories/..\\a", "/memories/a\nb", "", None, 7],
)  # fmt: skip
def test_nothing_outside_the_directory_is_reached(tool: ClaudeMemoryTool, path: object) -> None:
    """Whatever the command, a path that leads elsewhere is refused."""
    for command in ("view", "create", "str_replace", "insert", "delete"):
        answer = tool.run({"command": command, "path": path, "file_text": "x", "old_str": "x", "insert_line": 0})
        assert answer.startswith("Error: Invalid path")


def test_secrets_are_redacted_and_nothing_is_learned(memory: Memory, tool: ClaudeMemoryTool) -> None:
    """A note is neither a record nor a proposal, and recall does not quote it."""
    create(tool, "/memories/key.txt", "The deploy key is AKIAIOSFODNN7ZXCVBNM for us-east-1.")
    assert "AKIAIOSFODNN7ZXCVBNM" not in view(tool, "/memories/key.txt")
    named = create(tool, "/memories/AKIAIOSFODNN7ZXCVBNM.txt", "x")
    assert named == "Error: The name of a note holds a secret or a private part. Give it another name."
    assert create(tool, "/memories/odd.txt", "\ud800").startswith("Error: ")
    assert memory.list() == ()
    assert memory.recall("What is the deploy key?").items == ()


def test_spaces_are_apart_and_files_outlive_the_process(memory: Memory, tmp_path: Path) -> None:
    """Another space has its own files; the same space has them after a restart."""
    create(ClaudeMemoryTool(memory, "anna"), "/memories/a", "anna's")
    assert "does not exist" in view(ClaudeMemoryTool(memory, "ben"), "/memories/a")
    memory.close()
    with open_memory(tmp_path / "home") as again:
        assert "anna's" in view(ClaudeMemoryTool(again, "anna"), "/memories/a")


def test_edits_side_by_side_are_all_kept(tool: ClaudeMemoryTool) -> None:
    """Each insertion reads what stands and writes it in one transaction."""
    create(tool, "/memories/log", "start")
    commands = [
        {"command": "insert", "path": "/memories/log", "insert_line": 1, "insert_text": f"line {n}"} for n in range(12)
    ]
    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(tool.run, commands)) == {"The file /memories/log has been edited."}
    assert view(tool, "/memories/log").count("line ") == 12 + 1  # and "line numbers" above them


@settings(max_examples=40)
@given(st.dictionaries(st.text(max_size=12), st.one_of(st.none(), st.integers(), st.text(max_size=20)), max_size=5))
def test_any_input_has_an_answer(tmp_path_factory: pytest.TempPathFactory, given_input: dict[str, object]) -> None:
    """Nothing that a model writes raises."""
    with open_memory(tmp_path_factory.mktemp("home")) as memory:
        tool = ClaudeMemoryTool(memory)
        for command in ("view", "create", "str_replace", "insert", "delete", "rename"):
            assert isinstance(tool.run({**given_input, "command": command, "path": "/memories/x"}), str)
