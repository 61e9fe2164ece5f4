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

    def group(self, command: str) -> dict[str, object]:
        """The entry in the form of the settings file."""
        handler = {"type": "command", "command": f"{command} {self.arguments}".strip(), **self.options}
        return {**({"matcher": self.matcher} if self.matcher else {}), "hooks": [handler]}


@dataclass(frozen=True, kw_only=True, slots=True)
class Assistant:
    """A coding assistant: its files below a project or a home directory, and the hooks that are written there."""

    name: str
    title: str
    folder: str
    home_variable: str  # names another place for the folder in the home directory
    settings: str
    servers: str  # the file of a project's MCP servers
    hooks: tuple[HookEntry, ...]

    def settings_file(self, directory: Path | None) -> Path:
        """The settings file of a project, or where `directory` is None the user's own."""
        if directory is not None:
            return directory / self.folder / self.settings
        named = os.environ.get(self.home_variable, "")
        return (Path(named).expanduser() if named else Path.home() / self.folder) / self.settings


CLAUDE: Final = Assistant(
    name="claude",
    title="Claude Code",
    folder=".claude",
    home_variable="CLAUDE_CONFIG_DIR",
    settings="settings.json",
    servers=".mcp.json",
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
)
ASSISTANTS: Final = {assistant.name: assistant for assistant in (CLAUDE,)}


def hook_command(home: Path | None, *, denies: bool) -> str:
    """The command that an assistant calls: the program by name where it is on the PATH, else by its place."""
    words = [*_program(PROGRAM, _MODULE), *_home_option(home), *(["--deny"] if denies else [])]
    return shlex.join(words)


def server_entry(home: Path | None) -> dict[str, object]:
    """The MCP server in the form of a list of servers."""
    command, *before = _program(SERVER_NAME, "dopejar.doors.cli")
    return {"command": command, "args": [*before, "mcp", *_home_option(home)]}


def _program(name: str, module: str) -> list[str]:
    beside = Path(sys.executable).with_name(name)
    if shutil.which(name):
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
