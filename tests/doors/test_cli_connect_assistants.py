"""`dopejar connect NAME` for each assistant: its files change by DoPeJar's entries and nothing else."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from command_line import Cli
from hypothesis import given, settings
from hypothesis import strategies as st

from dopejar.doors.cli import connections
from dopejar.doors.cli.assistants import ASSISTANTS, CODEX, Assistant
from dopejar.doors.cli.connections import ServerEntry, entries_of
from dopejar.doors.cli.toml_edits import TomlDocument
from dopejar.doors.hook.hosts import HOSTS

EVERY = pytest.mark.parametrize("name", ASSISTANTS)
SERVER = {"command": "dopejar", "args": ["mcp"]}
ENTRY = ServerEntry(SERVER, "mcp_servers")
BEFORE = {
    ".json": '{\n  "theme": "dark", "hooks": {"Stop": []},\n  "mcpServers": {"other": {}},\n  "servers": {}\n}',
    ".toml": '# mine\nmodel = "o5"\n\n[mcp_servers.other]  # theirs\ncommand = "x"\n\n# mine\n[profiles.deep]\n',
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, which is the current directory; the user's own folders are elsewhere, and the server is installed."""
    path = tmp_path / "ferry"
    path.mkdir()
    monkeypatch.chdir(path)
    monkeypatch.setenv("HOME", str(tmp_path / "account"))
    for assistant in ASSISTANTS.values():
        if assistant.home_variable:
            monkeypatch.setenv(assistant.home_variable, str(tmp_path / "account" / assistant.folder))
    monkeypatch.setattr("dopejar.doors.cli.connect_commands.has_server", lambda: True)
    return path


def files_of(assistant: Assistant, directory: Path | None) -> list[Path]:
    """The files that connecting writes."""
    return [path for path, _ in entries_of(assistant, directory, "dopejar-hook", SERVER)]


def parsed(path: Path) -> dict[str, object]:
    """A settings file as its program reads it."""
    return tomllib.loads(path.read_text("utf-8")) if path.suffix == ".toml" else json.loads(path.read_text("utf-8"))


@EVERY
def test_connecting_and_disconnecting_leave_nothing(cli: Cli, place: Path, name: str):
    """A diff writes nothing; connected, its files are there; twice changes nothing; disconnected, nothing is left."""
    assert "dopejar" in cli("connect", name, "--diff").out
    assert list(place.iterdir()) == []
    ran = cli("connect", name)
    assert (ran.code, ran.err.count("Written")) == (0, 1)
    assert all(path.is_file() for path in files_of(ASSISTANTS[name], place))
    assert cli("connect", name, "--json").data["files"] == []
    rows = cli("connect", "--check", "--json").data["hooks"]
    assert {row["assistant"] for row in rows} == {name}
    assert "(MCP server)" in {row["event"] for row in rows}
    assert cli("disconnect", name).code == 0
    assert list(place.iterdir()) == []


@EVERY
def test_settings_that_were_there_come_back_byte_for_byte(cli: Cli, place: Path, name: str):
    """All that the files held stays while connected, and disconnecting restores their bytes."""
    files = files_of(ASSISTANTS[name], place)
    for path in files:
        path.parent.mkdir(exist_ok=True)
        path.write_text(BEFORE[path.suffix], "utf-8")
    before = {path: parsed(path) for path in files}
    cli("connect", name)
    for path in files:
        assert set(before[path]) <= set(parsed(path))
        assert path.read_text("utf-8") != BEFORE[path.suffix]
    cli("disconnect", name)
    assert {path.read_text("utf-8") for path in files} == {BEFORE[path.suffix] for path in files}


@EVERY
def test_what_was_added_meanwhile_stays(cli: Cli, place: Path, name: str):
    """Files that were edited after connecting lose the entries of DoPeJar and keep the rest."""
    cli("connect", name)
    files = files_of(ASSISTANTS[name], place)
    for path in files:
        text = path.read_text("utf-8")
        path.write_text(f"{text}\n[added]\nx = 1\n" if path.suffix == ".toml" else text.replace("{", '{"added": 1,', 1))
    cli("disconnect", name)
    for path in files:
        assert "dopejar" not in path.read_text("utf-8")
        assert "added" in parsed(path)


@pytest.mark.parametrize("name", [name for name in ASSISTANTS if name != "vscode"])
def test_the_users_own_settings(cli: Cli, place: Path, name: str):
    """`--user` writes below the account's folder and nothing in the project."""
    assert cli("connect", name, "--user").code == 0
    assert list(place.iterdir()) == []
    assert all(path.is_file() for path in files_of(ASSISTANTS[name], None))
    cli("disconnect", name, "--user")
    assert not any(path.exists() for path in files_of(ASSISTANTS[name], None))


def test_what_cannot_be_connected_is_said(cli: Cli, place: Path, monkeypatch: pytest.MonkeyPatch):
    """An assistant without user settings of its own, and one that needs the server where there is none."""
    ran = cli("connect", "vscode", "--user")
    assert (ran.code, "Leave out --user" in ran.err) == (2, True)
    monkeypatch.setattr("dopejar.doors.cli.connect_commands.has_server", lambda: False)
    ran = cli("connect", "vscode")
    assert (ran.code, "pip install" in ran.err) == (2, True)
    assert list(place.iterdir()) == []


def test_every_hook_that_is_written_is_answered():
    """Each event of an assistant's table is one that `dopejar-hook` answers for it."""
    from dopejar.doors.hook.events import EVENTS

    for assistant in ASSISTANTS.values():
        for entry in assistant.hooks:
            host = HOSTS[assistant.name]
            assert host.event({"hook_event_name": entry.event}) in EVENTS


BAD_JSON = ["{", "{,}", '{"a": 1,}', "[1]", "7", '"x"', '{"a": 1, "a": 2}', "[" * 9999, "{} {}", "\x00", "// x\n{}"]
BAD_HOOKS = ['{"hooks": []}', '{"hooks": {"Stop": {}}}', '{"hooks": 7}']
BAD_TOML = [
    "model = ",
    "[a\nb = 1",
    "a = 1\na = 2",
    "{}",
    "\x00",
    'mcp_servers = "x"',
    "[[mcp_servers]]\nx = 1",
    "a = [1,",
    "= 1",
    '[mcp_servers.dopejar]\ncommand = "dopejar"\nargs = ["mcp"',
]
BAD = [
    (name, text)
    for name, assistant in ASSISTANTS.items()
    for text in (*BAD_JSON, *(BAD_HOOKS if assistant.hooks_file else ()))
] + [("codex.toml", text) for text in BAD_TOML]


@pytest.mark.parametrize(("name", "text"), BAD)
def test_settings_that_cannot_be_read_are_refused(cli: Cli, place: Path, name: str, text: str):
    """A clear sentence names the file, the code is 2, and no file is written or changed."""
    files = files_of(ASSISTANTS[name.removesuffix(".toml")], place)
    file = next(path for path in files if (path.suffix == ".toml") is name.endswith(".toml"))
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, "utf-8")
    ran = cli("connect", name.removesuffix(".toml"))
    assert (ran.code, str(file) in ran.err, "Nothing was changed" in ran.err) == (2, True, True)
    assert file.read_text("utf-8") == text
    assert not any(path.exists() for path in files if path != file)


def test_a_server_in_another_form_is_not_touched(tmp_path: Path):
    """A table written inline is named, to be taken out by hand; the file stays."""
    file = tmp_path / "config.toml"
    file.write_text('mcp_servers = { dopejar = { command = "dopejar", args = ["mcp"] } }\n', "utf-8")
    with pytest.raises(connections.InputError, match="by hand"):
        connections.disconnect(file, ENTRY, tmp_path)


def test_a_header_within_a_text_is_no_table(tmp_path: Path):
    """A text of several lines that looks like the table keeps its lines."""
    file = tmp_path / "config.toml"
    text = 'note = """\n[mcp_servers.dopejar]\n"""\n'
    file.write_text(text, "utf-8")
    connections.connect(file, ENTRY, tmp_path).write(tmp_path)
    file.write_text(f"{file.read_text('utf-8')}# later\n", "utf-8")
    with pytest.raises(connections.InputError, match="without changing others"):
        connections.disconnect(file, ENTRY, tmp_path)
    assert tomllib.loads(file.read_text("utf-8"))["note"] == "[mcp_servers.dopejar]\n"


NAMES = st.text("abcXYZ-_09", min_size=1, max_size=6)
VALUES = st.one_of(st.integers(-9, 9).map(str), st.booleans().map(lambda b: str(b).lower()), NAMES.map(json.dumps))
TABLES = st.dictionaries(
    NAMES.map(lambda name: f"t{name}") | NAMES.map(lambda name: f"mcp_servers.m{name}"),
    st.dictionaries(NAMES, VALUES, max_size=3),
    max_size=4,
)


@settings(deadline=None)
@given(tables=TABLES, remark=st.text("# abc", max_size=5), crlf=st.booleans(), later=st.booleans())
def test_any_toml_keeps_what_it_holds(tmp_path_factory, tables, remark, crlf, later):
    """Connected, all tables are as they were; disconnected the bytes are the same, or the values after an edit."""
    folder = tmp_path_factory.mktemp("settings")
    file, home = folder / "config.toml", folder / "home"
    bodies = {name: "".join(f"{key} = {value}\n" for key, value in body.items()) for name, body in tables.items()}
    text = "\n".join(f"# {remark}\n[{name}]\n{body}" for name, body in bodies.items())
    data = (text.replace("\n", "\r\n") if crlf else text).encode()
    before = tomllib.loads(text)
    file.write_bytes(data)
    connections.connect(file, ENTRY, home).write(home)
    connected = tomllib.loads(file.read_bytes().decode())
    servers = connected.pop("mcp_servers")
    assert servers.pop("dopejar") == SERVER
    assert {**connected, **({"mcp_servers": servers} if servers else {})} == before
    if later:
        file.write_bytes(file.read_bytes() + b"\n# above\n[later]\nx = 1\n")
    connections.disconnect(file, ENTRY, home).write(home)
    if later:
        assert tomllib.loads(file.read_bytes().decode()) == {**before, "later": {"x": 1}}
        assert b"# above\n[later]" in file.read_bytes()
    else:
        assert file.read_bytes() == data


def test_tables_below_ours_go_with_it():
    """What somebody set for the server of DoPeJar goes with it; the remark above the next table stays."""
    document = TomlDocument(
        '[mcp_servers.dopejar]\ncommand = "dopejar"\n\n[mcp_servers.dopejar.env]\nX = "1"\n\n# next\n[other]\ny = 2\n'
    )
    document.remove((CODEX.servers_key, "dopejar"))
    assert document.text.lstrip() == "# next\n[other]\ny = 2\n"
