"""`dopejar connect` and `disconnect`: the settings of an assistant change by DoPeJar's entries and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import Cli
from hypothesis import given, settings
from hypothesis import strategies as st

from dopejar.doors.cli import assistants, connections
from dopejar.doors.cli.assistants import CLAUDE, is_own
from dopejar.doors.cli.connections import HookEntries, ServerEntry
from dopejar.doors.cli.json_edits import JsonDocument
from dopejar.engine.ingest import hook_journal

ENTRIES = HookEntries(CLAUDE, "dopejar-hook")
FOREIGN = {"type": "command", "command": "./scripts/format.sh dopejar-hook"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, which is the current directory; the user's own settings are elsewhere."""
    path = tmp_path / "ferry"
    path.mkdir()
    monkeypatch.chdir(path)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "own"))
    monkeypatch.setattr("dopejar.doors.cli.connect_commands.has_server", lambda: False)
    return path


def test_connecting_writes_the_hooks_and_disconnecting_leaves_nothing(cli: Cli, place: Path):
    """Where there were no settings there are none afterwards, not even an empty folder."""
    ran = cli("connect", "claude")
    assert ran.code == 0
    assert "+++ " in ran.out
    hooks = json.loads((place / ".claude/settings.json").read_text("utf-8"))["hooks"]
    assert set(hooks) == {entry.event for entry in CLAUDE.hooks}
    assert cli("disconnect", "claude").code == 0
    assert list(place.iterdir()) == []


def test_a_diff_writes_nothing(cli: Cli, place: Path, home: Path):
    """`--diff` shows the change; neither the settings nor the data directory are written."""
    assert '+  "hooks": {' in cli("connect", "claude", "--diff").out
    assert list(place.iterdir()) == []
    assert not home.exists()


def test_connecting_twice_changes_nothing(cli: Cli, place: Path):
    """The second time there is nothing to change, and the file stays byte for byte."""
    cli("connect", "claude")
    text = (place / ".claude/settings.json").read_bytes()
    again = cli("connect", "claude", "--json").data
    assert (again["files"], again["diff"]) == ([], [])
    assert (place / ".claude/settings.json").read_bytes() == text


def test_connecting_otherwise_replaces_the_hooks(cli: Cli, place: Path):
    """Another option takes the place of the first hooks, and disconnecting still restores the file."""
    file = place / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text('{"model": "opus"}', "utf-8")
    cli("connect", "claude")
    cli("connect", "claude", "--deny")
    own = [handler for _, handler in connections.handlers(JsonDocument(file.read_text("utf-8")))]
    assert len(own) == len(CLAUDE.hooks)
    assert all("--deny" in str(handler["command"]) for handler in own)
    cli("disconnect", "claude")
    assert file.read_text("utf-8") == '{"model": "opus"}'


def test_the_users_own_settings(cli: Cli, place: Path, tmp_path: Path):
    """`--user` writes the settings of the account, where the assistant's own variable says they are."""
    cli("connect", "claude", "--user")
    assert list(place.iterdir()) == []
    assert (tmp_path / "own" / "settings.json").is_file()
    cli("disconnect", "claude", "--user")
    assert not (tmp_path / "own").exists()


@pytest.mark.parametrize("assistant", sorted(assistants.ASSISTANTS))
def test_the_entries_name_the_data_directory_in_use(
    cli: Cli, place: Path, home: Path, monkeypatch: pytest.MonkeyPatch, assistant: str
):
    """Whatever chooses another directory than the default one, hooks and server name it, and only then."""
    monkeypatch.setattr("dopejar.doors.cli.connect_commands.has_server", lambda: True)
    assert str(home) in (chosen := cli("connect", assistant, "--diff").out)
    assert cli("connect", assistant, "--diff", "--home", str(home)).out == chosen
    monkeypatch.delenv("DOPEJAR_HOME")
    assert "--home" not in cli("connect", assistant, "--diff").out


def test_check_says_what_is_connected_and_when_it_was_called(cli: Cli, place: Path, home: Path):
    """Each hook has a line; one that was called says when, the others never."""
    assert "No assistant is connected here" in cli("connect", "--check").err
    cli("connect", "claude")
    hook_journal.note_fired(home, "claude", "Stop")
    rows = {row["event"]: row for row in cli("connect", "--check", "--json").data["hooks"]}
    assert set(rows) == {entry.event for entry in CLAUDE.hooks}
    assert rows["Stop"]["last_called"].startswith("20")
    assert {row["last_called"] for event, row in rows.items() if event != "Stop"} == {"never"}
    lines = cli("connect", "--check").out.splitlines()
    assert lines[0] == str(place / ".claude/settings.json")
    assert max(map(len, lines[1:])) < 80


def test_check_names_a_command_that_is_gone(cli: Cli, place: Path, tmp_path: Path):
    """Hooks whose program was removed are said not to be found."""
    cli("connect", "claude")
    file = place / ".claude/settings.json"
    text = file.read_text("utf-8")
    file.write_text(text.replace('"command": "', f'"command": "{tmp_path}/gone/dopejar-hook #'), "utf-8")
    rows = cli("connect", "--check", "--json").data["hooks"]
    assert {row["last_called"] for row in rows} == {"the command is not found"}


@pytest.mark.parametrize(
    "text",
    ["{", "{,}", '{"a": 1,}', "[1]", "7", '{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"a": 1, "a": 2}', "[" * 9999],
)
def test_settings_that_cannot_be_read_are_refused(cli: Cli, place: Path, text: str):
    """A clear sentence names the file, the code is 2, and the file stays as it is."""
    file = place / ".claude/settings.json"
    file.parent.mkdir()
    file.write_text(text, "utf-8")
    for word in ("connect", "disconnect"):
        ran = cli(word, "claude")
        assert ran.code == 2
        assert str(file) in ran.err
        assert "Nothing was changed" in ran.err
        assert file.read_text("utf-8") == text


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("connect", "emacs"), 2),
        (("disconnect", "emacs"), 2),
        (("disconnect",), 2),
        (("connect", "claude", "--user", "--project", "."), 2),
        (("connect", "claude", "--project", "/not/there"), 5),
    ],
)
def test_wrong_arguments_are_named(cli: Cli, place: Path, words: tuple[str, ...], code: int):
    """A clear sentence and the right exit code; nothing is written."""
    ran = cli(*words)
    assert ran.code == code
    assert ran.err
    assert list(place.iterdir()) == []


def test_a_link_and_permissions_stay(cli: Cli, place: Path, tmp_path: Path):
    """A settings file that is a link stays one, and its target keeps its permissions."""
    target = tmp_path / "dotfiles.json"
    target.write_text("{}\n", "utf-8")
    target.chmod(0o600)
    (place / ".claude").mkdir()
    (place / ".claude/settings.json").symlink_to(target)
    cli("connect", "claude")
    assert (place / ".claude/settings.json").is_symlink()
    assert oct(target.stat().st_mode & 0o777) == oct(0o600)
    cli("disconnect", "claude")
    assert target.read_text("utf-8") == "{}\n"


def test_what_is_not_ours_is_not_taken(place: Path, home: Path):
    """A handler of somebody else that names the program among its arguments stays, also where no note is left."""
    file = place / "settings.json"
    theirs = {"hooks": {"Stop": [{"hooks": [FOREIGN]}]}}
    file.write_text(json.dumps(theirs), "utf-8")
    connections.connect(file, ENTRIES, home).write(home)
    (home / "connections.json").unlink()
    connections.disconnect(file, ENTRIES, home).write(home)
    assert json.loads(file.read_text("utf-8")) == theirs


@pytest.mark.parametrize(
    ("words", "own"),
    [
        ("dopejar-hook", True),
        ("dopejar-hook learn", True),
        ("/opt/my tools/bin/dopejar-hook --deny", True),
        ("'/opt/my tools/bin/dopejar-hook' --home /x", True),
        ("/usr/bin/python3 -m dopejar.doors.hook learn", True),
        ("dopejar-hooks", False),
        ("echo dopejar-hook", False),
        ("", False),
    ],
)
def test_our_handlers_are_known_by_their_command(words: str, own: bool):
    """The program, by name or by place, and nothing that only mentions it."""
    assert is_own({"type": "command", "command": words}) is own


def test_the_server_is_connected_where_there_is_one(cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch):
    """Where this version has an MCP server it is added to the project's list, beside those of others, and taken out."""
    monkeypatch.setattr("dopejar.doors.cli.connect_commands.has_server", lambda: True)
    before = '{"mcpServers": {"other": {"command": "x"}}}'
    (place / ".mcp.json").write_text(before, "utf-8")
    cli("connect", "claude")
    assert set(json.loads((place / ".mcp.json").read_text("utf-8"))["mcpServers"]) == {"other", "dopejar"}
    cli("disconnect", "claude")
    assert (place / ".mcp.json").read_text("utf-8") == before


def test_an_empty_project_stays(cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch):
    """Disconnecting removes the files that connecting made, and never the directory of the project."""
    monkeypatch.setattr("dopejar.doors.cli.connect_commands.has_server", lambda: True)
    cli("connect", "claude")
    cli("disconnect", "claude")
    assert list(place.iterdir()) == []


SCALARS = st.none() | st.booleans() | st.integers() | st.text(max_size=8)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
HANDLERS = st.lists(st.just(FOREIGN) | VALUES, max_size=2)
GROUPS = st.lists(st.fixed_dictionaries({"hooks": HANDLERS}, optional={"matcher": st.text(max_size=4)}), max_size=2)
HOOKS = st.dictionaries(st.sampled_from(["Stop", "PreToolUse", "Other"]), GROUPS, max_size=3)
SETTINGS = st.builds(
    lambda rest, hooks: {**rest, **hooks},
    st.dictionaries(st.text(max_size=6).filter(lambda key: key not in {"hooks", "mcpServers"}), VALUES, max_size=4),
    st.fixed_dictionaries({}, optional={"hooks": HOOKS | st.none()}),
)
LAYOUTS = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t"}, {"indent": 4, "ensure_ascii": False}, {"separators": (",", ":")}]
)
ENDS = st.sampled_from(["", "\n", "\r\n", "  \n"])


@settings(deadline=None)
@given(value=SETTINGS, layout=LAYOUTS, end=ENDS, crlf=st.booleans())
def test_any_settings_come_back_byte_for_byte(tmp_path_factory, value, layout, end, crlf):
    """Settings, connected and disconnected, are the same bytes; in between they hold all that they held."""
    folder = tmp_path_factory.mktemp("settings")
    text = json.dumps(value, **layout) + end
    data = (text.replace("\n", "\r\n") if crlf else text).encode("utf-8", "surrogatepass")
    file, home = folder / "settings.json", folder / "home"
    file.write_bytes(data)
    connections.connect(file, ENTRIES, home).write(home)
    connected = json.loads(file.read_bytes())
    assert {key: connected[key] for key in value if key != "hooks"} == {k: v for k, v in value.items() if k != "hooks"}
    assert not connections.connect(file, ENTRIES, home).is_needed
    connections.disconnect(file, ENTRIES, home).write(home)
    assert file.read_bytes() == data


@settings(deadline=None)
@given(value=SETTINGS, layout=LAYOUTS, added=VALUES)
def test_what_somebody_added_meanwhile_stays(tmp_path_factory, value, layout, added):
    """Where the file was edited after connecting, all but the hooks of DoPeJar, and what holds nothing else, stays."""
    folder = tmp_path_factory.mktemp("settings")
    file, home = folder / "settings.json", folder / "home"
    file.write_text(json.dumps(value, **layout), "utf-8", errors="surrogatepass")
    connections.connect(file, ENTRIES, home).write(home)
    edited = {**json.loads(file.read_bytes()), "added by hand": added}
    file.write_text(json.dumps(edited, **layout), "utf-8", errors="surrogatepass")
    connections.disconnect(file, ENTRIES, home).write(home)
    after = json.loads(file.read_bytes())
    assert after.pop("added by hand") == added
    assert without_empty_hooks(after) == without_empty_hooks(value)


def without_empty_hooks(value: dict[str, object]) -> dict[str, object]:
    """Settings without events that have no group."""
    hooks = {event: groups for event, groups in (value.get("hooks") or {}).items() if groups}
    rest = {key: part for key, part in value.items() if key != "hooks"}
    return {**rest, "hooks": hooks} if hooks else rest


def test_an_entry_of_ours_in_another_place_is_not_the_servers(tmp_path: Path):
    """A server of our name that somebody changed is left as it is, at connecting and at disconnecting."""
    file = tmp_path / ".mcp.json"
    file.write_text('{"mcpServers": {"dopejar": {"command": "elsewhere"}}}', "utf-8")
    for change in (
        connections.connect(file, ServerEntry(), tmp_path),
        connections.disconnect(file, ServerEntry(), tmp_path),
    ):
        assert not change.is_needed
    assert assistants.SERVER_NAME in file.read_text("utf-8")
