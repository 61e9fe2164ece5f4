"""Tool calls: what kind they are, which text they write, which command they run.

Takes: a tool's name and its input. Gives: a frozen `ToolCall`. Never: runs anything.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.correction_cues import data_table

SHELL: Final = "shell"
EDIT: Final = "edit"
_COMMAND_KEYS: Final = ("command", "cmd", "script", "commands")
_PATH_KEYS: Final = ("file_path", "path", "filename", "file", "target_file", "notebook_path", "filepath")
_NEW_KEYS: Final = (
    "content", "contents", "new_string", "new_str", "new_source", "text", "insert_text", "code_edit", "patch", "diff",
    "file_text", "replace",
)  # fmt: skip
_OLD_KEYS: Final = ("old_string", "old_str", "old_source", "old_text", "search", "find")
_SPOKEN_CALL: Final = re.compile(
    r"\[tool_use (?P<tool>[\w.-]+) (?P<input>\{.*?\})\]|^(?P<name>[A-Z]\w+) (?P<body>\{.*\})$", re.M
)
_FENCED: Final = re.compile(r"```(?:bash|sh|shell|zsh|console)\n(?P<body>.*?)```", re.DOTALL)
_HASHED: Final = (".py", ".pyi", ".rb", ".sh", ".bash", ".zsh", ".yml", ".yaml", ".toml")
_PROSE: Final = r"(?P<marks>\"{3}|'{3})(?s:.*?)(?P=marks)|\"[^\"\n]*\s[^\"\n]*\"|'[^'\n]*\s[^'\n]*'"
_REMARKS: Final = re.compile(rf"{_PROSE}|(?<!\S)#[^\n]*")
_REMARKS_OF_C: Final = re.compile(
    rf"{_PROSE}|/\*(?s:.*?)\*/|<!--(?s:.*?)-->|(?<![:\w])//[^\n]*|^[ \t]*\*[ \t][^\n]*", re.MULTILINE
)
_MADE: Final = re.compile(r"^\+(?!\+\+)(?P<line>.*)$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedToolCall:
    """A tool call. `does` is `shell`, `edit` or the tool's folded name; `written` is the text it would write.

    `replaced` is the text that stands there before, where the call says so.
    """

    tool: str
    does: str
    command: str = ""
    paths: tuple[str, ...] = ()
    written: str = ""
    replaced: str = ""
    arguments: tuple[tuple[str, str], ...] = ()


def read_call(tool: str, given: Mapping[str, object]) -> ParsedToolCall:
    """Parse a call from the tool's name and its input; where the name does not tell the kind, the arguments do."""
    does = _does(tool)
    flat = dict(_flat(given))
    command = _joined(flat, _COMMAND_KEYS)
    written = _joined(flat, _NEW_KEYS)
    if does not in (SHELL, EDIT):
        does = SHELL if command else EDIT if written and _joined(flat, _PATH_KEYS) else does
    if "+++ " in written or "*** " in written:
        written = "\n".join(match["line"] for match in _MADE.finditer(written))
    return ParsedToolCall(
        tool=tool,
        does=does,
        command=command if does == SHELL else "",
        paths=tuple(value for key, value in flat.items() if key.rsplit(".", 1)[-1] in _PATH_KEYS),
        written=written if does == EDIT else "",
        replaced=_joined(flat, _OLD_KEYS) if does == EDIT else "",
        arguments=tuple(flat.items()),
    )


def added_text(call: ParsedToolCall, *, in_code: bool) -> str:
    """The lines that an edit adds; `in_code` without comments and without string literals of several words."""
    if in_code:
        remarks = _REMARKS if any(path.endswith(_HASHED) for path in call.paths) else _REMARKS_OF_C
        written, replaced = remarks.sub(" ", call.written), remarks.sub(" ", call.replaced)
    else:
        written, replaced = call.written, call.replaced
    stood = {line.strip() for line in replaced.splitlines()}
    return "\n".join(line for line in written.splitlines() if line.strip() not in stood)


def _does(tool: str) -> str:
    folded = re.sub(r"[^a-z0-9]", "", tool.rsplit("__", 1)[-1].rsplit(".", 1)[-1].casefold())
    for kind, names in _kinds().items():
        if folded in names:
            return kind
    return folded


@lru_cache(maxsize=1)
def _kinds() -> Mapping[str, frozenset[str]]:
    tools = data_table("checks").get("tools", {})
    return {str(kind): frozenset(map(str, names)) for kind, names in tools.items()} if isinstance(tools, dict) else {}


def _flat(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every string of the input by its path of keys."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        if value and all(isinstance(part, str) for part in value):
            yield path, " ".join(map(str, value))
            return
        for number, inner in enumerate(value):
            last = path.rsplit(".", 1)[-1]
            yield from _flat(inner, f"{path}.{number}.{last}" if isinstance(inner, str) else f"{path}.{number}")


def _joined(flat: Mapping[str, str], keys: tuple[str, ...]) -> str:
    return "\n".join(value for path, value in flat.items() if path.rsplit(".", 1)[-1] in keys)


def calls_in(text: str) -> tuple[ParsedToolCall, ...]:
    """The calls that an assistant's turn shows: tool calls as importers keep them, and fenced shell blocks."""
    calls = []
    for match in _SPOKEN_CALL.finditer(text):
        try:
            given = json.loads(match["input"] or match["body"])
        except json.JSONDecodeError:
            continue  # cut in the middle by the importer's limit: what is left is no call
        if isinstance(given, dict):
            calls.append(read_call(match["tool"] or match["name"], given))
    calls += [read_call("Bash", {"command": match["body"].strip()}) for match in _FENCED.finditer(text)]
    return tuple(calls)
