"""The coding assistants that can be connected: where their settings are, and what is written there.

Takes: the name of an assistant, a place. Gives: the files and the entries that belong in them. Never: reads or writes a
file.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final

PROGRAM: Final = "dopejar-hook"
_MODULE: Final = "dopejar.doors.hook"
_OWN: Final = re.compile(rf"^(?:['\"]?(?:[^'\"]*[\\/])?{PROGRAM}(?:\.exe)?['\"]?|.* -m {re.escape(_MODULE)})(?:\s|$)")
_SERVER_PACKAGE: Final = "mcp"
SERVER_NAME: Final = "dopejar"


@dataclass(frozen=True, kw_only=True, slots=True)
class HookEntry:
    """One entry of an assistant's settings: the event, what it is limited to, and options of its handler."""

    event: str
    matcher: str = ""
    arguments: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    is_grouped: bool = True  # handlers stand in groups, each with its matcher; else the list of an event holds handlers

    def rendered(self, command: str) -> dict[str, object]:
        """The entry in the form of the settings file."""
        matcher: dict[str, object] = {"matcher": self.matcher} if self.matcher else {}
        words = f"{command} {self.arguments}".strip()
        if not self.is_grouped:
            return {"command": words, **matcher, **self.options}
        return {**matcher, "hooks": [{"type": "command", "command": words, **self.options}]}


@dataclass(frozen=True, kw_only=True, slots=True)
class Assistant:
    """A coding assistant: its files below a project or a home directory, and the hooks that are written there.

    `hooks_file` and the two files of MCP servers are paths below the project or, for the user, below the assistant's
    own folder; "" where there is none. `servers_key` holds the servers in them. `remark` is what the user must know.
    """

    name: str
    title: str
    folder: str
    home_variable: str = ""  # names another place for the folder in the home directory
    hooks_file: str = ""
    project_servers: str = ""
    user_servers: str = ""
    servers_key: str = "mcpServers"
    server_options: Mapping[str, object] = field(default_factory=dict)
    hooks: tuple[HookEntry, ...] = ()
    hooks_options: Mapping[str, object] = field(default_factory=dict)  # that a new file of hooks must have
    remark: str = ""

    def own_folder(self) -> Path:
        """The folder of the user's own settings."""
        named = os.environ.get(self.home_variable, "") if self.home_variable else ""
        return Path(named).expanduser() if named else Path.home() / self.folder

    def settings_file(self, directory: Path | None) -> Path | None:
        """The file of hooks of a project, or where `directory` is None of the user; None where it has none."""
        folder = self.own_folder() if directory is None else directory / self.folder
        return folder / self.hooks_file if self.hooks_file else None

    def servers_file(self, directory: Path | None) -> Path | None:
        """The file of MCP servers of a project, or of the user; None where DoPeJar writes none."""
        if directory is None:
            return self.own_folder() / self.user_servers if self.user_servers else None
        return directory / self.project_servers if self.project_servers else None

    def command_options(self) -> list[str]:
        """What tells the hook which assistant calls it."""
        return [] if self is CLAUDE else ["--assistant", self.name]


_LEARN: Final = "--detach learn"  # for assistants that wait for every hook
CLAUDE: Final = Assistant(
    name="claude",
    title="Claude Code",
    folder=".claude",
    home_variable="CLAUDE_CONFIG_DIR",
    hooks_file="settings.json",
    project_servers=".mcp.json",
    hooks=(
        HookEntry(event="SessionStart", options={"timeout": 10}),
        HookEntry(event="SessionStart", arguments="learn", options={"timeout": 300, "async": True}),
        HookEntry(event="UserPromptSubmit", options={"timeout": 10}),
        HookEntry(
            event="PreToolUse", matcher="Bash|PowerShell|Edit|MultiEdit|Write|NotebookEdit", options={"timeout": 10}
        ),
        HookEntry(event="Stop", options={"timeout": 60, "async": True}),
        HookEntry(event="PreCompact", options={"timeout": 60, "async": True}),
        HookEntry(event="SessionEnd"),
    ),
    remark="Claude Code uses the hooks from its next session on.",
)
CODEX: Final = Assistant(
    name="codex",
    title="Codex",
    folder=".codex",
    home_variable="CODEX_HOME",
    hooks_file="hooks.json",
    project_servers=".codex/config.toml",
    user_servers="config.toml",
    servers_key="mcp_servers",
    hooks=(
        HookEntry(event="SessionStart", options={"timeout": 10}),
        HookEntry(event="SessionStart", arguments=_LEARN, options={"timeout": 10}),
        HookEntry(event="UserPromptSubmit", options={"timeout": 10}),
        HookEntry(event="PreToolUse", matcher="Bash|apply_patch", options={"timeout": 10}),
        HookEntry(event="Stop", options={"timeout": 30}),
        HookEntry(event="PreCompact", options={"timeout": 30}),
    ),
    remark="Codex runs new hooks once you trust them: type /hooks in it.",
)
_MILLISECONDS: Final = {"timeout": 10_000}
GEMINI: Final = Assistant(
    name="gemini",
    title="Gemini CLI",
    folder=".gemini",
    hooks_file="settings.json",
    project_servers=".gemini/settings.json",
    user_servers="settings.json",
    hooks=(
        HookEntry(event="SessionStart", options=_MILLISECONDS),
        HookEntry(event="BeforeAgent", options=_MILLISECONDS),
        HookEntry(event="BeforeTool", matcher="run_shell_command|write_file|replace", options=_MILLISECONDS),
    ),
    remark="Gemini CLI uses the hooks from its next session on.",
)
CURSOR: Final = Assistant(
    name="cursor",
    title="Cursor",
    folder=".cursor",
    hooks_file="hooks.json",
    project_servers=".cursor/mcp.json",
    user_servers="mcp.json",
    hooks=(
        HookEntry(event="sessionStart", options={"timeout": 10}, is_grouped=False),
        HookEntry(event="beforeShellExecution", options={"timeout": 10}, is_grouped=False),
        HookEntry(event="preToolUse", matcher="Write", options={"timeout": 10}, is_grouped=False),
    ),
    hooks_options={"version": 1},
    remark="Cursor shows the hooks and the server in its settings; turn the server on there.",
)
VSCODE: Final = Assistant(
    name="vscode",
    title="VS Code",
    folder=".vscode",
    project_servers=".vscode/mcp.json",
    servers_key="servers",
    server_options={"type": "stdio"},
    remark="VS Code asks whether you trust the server when it starts it.",
)
ASSISTANTS: Final = {assistant.name: assistant for assistant in (CLAUDE, CODEX, GEMINI, CURSOR, VSCODE)}


def hook_command(assistant: Assistant, home: Path | None, *, denies: bool, resident: bool = False) -> str:
    """The command that an assistant calls: the program by name where every shell finds it, else by its place."""
    chosen = [word for word, is_set in (("--deny", denies), ("--resident", resident)) if is_set]
    options = [*assistant.command_options(), *_home_option(home), *chosen]
    return shlex.join([*_program(PROGRAM, _MODULE), *options])


def server_entry(assistant: Assistant, home: Path | None) -> dict[str, object]:
    """The MCP server in the form of an assistant's list of servers."""
    command, *before = _program(SERVER_NAME, "dopejar.doors.cli")
    return {**assistant.server_options, "command": command, "args": [*before, "mcp", *_home_option(home)]}


def _program(name: str, module: str) -> list[str]:
    """By name where every shell finds it: what only an active virtual environment finds is called by its place."""
    beside, found = Path(sys.executable).with_name(name), shutil.which(name)
    if found and (sys.prefix == sys.base_prefix or Path(found).parent != beside.parent):
        return [name]
    return [str(beside)] if beside.exists() else [sys.executable, "-m", module]


def _home_option(home: Path | None) -> list[str]:
    return ["--home", str(home.expanduser().absolute())] if home else []


def can_run(command: str) -> bool:
    """Whether the program of a command is there."""
    try:
        return shutil.which(shlex.split(command)[0]) is not None
    except (ValueError, IndexError):  # somebody changed it to what is no command
        return False


def is_own(handler: Mapping[str, object]) -> bool:
    """Whether a handler of a settings file calls DoPeJar."""
    return bool(_OWN.match(str(handler.get("command", ""))))


def is_own_server(entry: object) -> bool:
    """Whether an entry of a list of servers starts the MCP server of DoPeJar."""
    if not isinstance(entry, dict) or not isinstance(entry.get("args"), list):
        return False
    is_program = re.search(rf"(?:^|[\\/]){SERVER_NAME}(?:\.exe)?$", str(entry.get("command")))
    words = entry["args"] if is_program else entry["args"][2:]
    return words[:1] == ["mcp"] and bool(is_program or "dopejar.doors.cli" in entry["args"])


def has_server() -> bool:
    """Whether what the MCP server needs is installed."""
    return find_spec(_SERVER_PACKAGE) is not None
