"""The memory tool of Claude: files under `/memories`, kept as the agent's notes.

Takes: the input of a tool call. Gives: the words that the tool's documentation asks for. Never: a file outside
`/memories`, or a belief; nothing is learned from a note.

Commands and their answers: platform.claude.com, "Memory tool" (`memory_20250818`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from dopejar.doors.frameworks.claude_tool_input import ROOT, AnswerError, checked_path, checked_range, checked_text
from dopejar.errors import DopejarError

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory

_DEPTH: Final = 2  # levels of a listing
_MOST_LINES: Final = 999_999


class ClaudeMemoryTool:
    """Runs the commands of the memory tool. Safe to use from several threads and processes.

        tool = ClaudeMemoryTool(memory)
        answer = tool.run(block.input)      # for each `tool_use` block named "memory"

    `space` keeps the files of several agents or users apart.
    """

    def __init__(self, memory: Memory, space: str = "claude") -> None:
        self._workspace = memory.workspace
        self._space = f"files:{space}"

    def run(self, command: Mapping[str, object]) -> str:
        """The answer to one tool call; an error is an answer, too."""
        commands: Mapping[str, Callable[[Mapping[str, object]], str]] = {
            "view": self._view,
            "create": self._create,
            "str_replace": self._replace,
            "insert": self._insert,
            "delete": self._delete,
            "rename": self._rename,
        }
        act = commands.get(str(command.get("command", "")))
        if act is None:
            return f"Error: Unknown command {command.get('command')}. Use one of {', '.join(commands)}."
        try:
            return act(command)
        except AnswerError as error:
            return str(error)
        except DopejarError as error:
            return f"Error: {error}"

    def _view(self, given: Mapping[str, object]) -> str:
        path = checked_path(given, "path")
        files = self._workspace.notes(self._space)
        if path not in files:
            return self._listing(path, files)
        lines = files[path].split("\n")
        if len(lines) > _MOST_LINES:
            return f"File {path} exceeds maximum line limit of 999,999 lines."
        first, last = checked_range(given.get("view_range"), len(lines))
        shown = "\n".join(f"{number:>6}\t{lines[number - 1]}" for number in range(first, last + 1))
        return f"Here's the content of {path} with line numbers:\n{shown}"

    def _listing(self, path: str, files: Mapping[str, str]) -> str:
        sizes = {path: 0}
        for name, text in files.items():
            if not name.startswith(f"{path}/"):
                continue
            parts = name[len(path) + 1 :].split("/")
            if any(part.startswith(".") or part == "node_modules" for part in parts):
                continue
            size = len(text.encode())
            for depth in range(min(_DEPTH, len(parts)) + 1):
                shown = "/".join([path, *parts[:depth]])
                sizes[shown] = sizes.get(shown, 0) + size
        if len(sizes) == 1 and path != ROOT:
            raise AnswerError(f"The path {path} does not exist. Please provide a valid path.")
        rows = "\n".join(f"{_size(sizes[name])}\t{name}" for name in sorted(sizes))
        return (
            f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and"
            f" node_modules:\n{rows}"
        )

    def _create(self, given: Mapping[str, object]) -> str:
        path, text = checked_path(given, "path"), checked_text(given, "file_text")
        files = self._workspace.notes(self._space)

        def made(known: str | None) -> str:
            if known is not None or _is_taken(path, files):
                raise AnswerError(f"Error: File {path} already exists")
            return text

        self._workspace.write_note(self._space, path, made)
        return f"File created successfully at: {path}"

    def _replace(self, given: Mapping[str, object]) -> str:
        path, old, new = checked_path(given, "path"), checked_text(given, "old_str"), checked_text(given, "new_str")
        place = 0

        def changed(known: str | None) -> str:
            nonlocal place
            if known is None:
                raise AnswerError(f"Error: The path {path} does not exist. Please provide a valid path.")
            if not old or old not in known:
                raise AnswerError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
            if known.count(old) > 1:
                raise AnswerError(
                    f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines:"
                    f" {', '.join(map(str, _lines_with(known, old)))}. Please ensure it is unique"
                )
            place = known[: known.index(old)].count("\n")
            return known.replace(old, new)

        lines = self._workspace.write_note(self._space, path, changed).split("\n")
        around = range(max(0, place - 4), min(len(lines), place + new.count("\n") + 5))
        snippet = "\n".join(f"{number + 1:>6}\t{lines[number]}" for number in around)
        return f"The memory file has been edited.\n{snippet}"

    def _insert(self, given: Mapping[str, object]) -> str:
        path, text, line = checked_path(given, "path"), checked_text(given, "insert_text"), given.get("insert_line")

        def changed(known: str | None) -> str:
            if known is None:
                raise AnswerError(f"Error: The path {path} does not exist")
            lines = known.split("\n")
            if type(line) is not int or not 0 <= line <= len(lines):
                raise AnswerError(
                    f"Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the"
                    f" file: [0, {len(lines)}]"
                )
            return "\n".join([*lines[:line], *text.removesuffix("\n").split("\n"), *lines[line:]])

        self._workspace.write_note(self._space, path, changed)
        return f"The file {path} has been edited."

    def _delete(self, given: Mapping[str, object]) -> str:
        path = checked_path(given, "path")
        names = self._below(path)
        if not names or path == ROOT:
            raise AnswerError(f"Error: The path {path} does not exist")
        self._workspace.drop_notes(self._space, names)
        return f"Successfully deleted {path}"

    def _rename(self, given: Mapping[str, object]) -> str:
        old, new = checked_path(given, "old_path"), checked_path(given, "new_path")
        names = self._below(old)
        if not names or old == ROOT:
            raise AnswerError(f"Error: The path {old} does not exist")
        files = self._workspace.notes(self._space)
        if new.startswith(f"{old}/"):
            raise AnswerError(f"Error: The destination {new} is inside {old}")
        if _is_taken(new, files):
            raise AnswerError(f"Error: The destination {new} already exists")
        for name in names:
            self._workspace.put_note(self._space, new + name[len(old) :], files[name])
        self._workspace.drop_notes(self._space, names)
        return f"Successfully renamed {old} to {new}"

    def _below(self, path: str) -> list[str]:
        """The files at a path or below it."""
        return [name for name in self._workspace.notes(self._space) if name == path or name.startswith(f"{path}/")]


def _is_taken(path: str, files: Iterable[str]) -> bool:
    """Whether a path is the root, a file, a directory, or below a file."""
    return path == ROOT or any(
        name == path or name.startswith(f"{path}/") or path.startswith(f"{name}/") for name in files
    )


def _lines_with(text: str, part: str) -> list[int]:
    """The lines, counted from 1, in which the part begins."""
    found, at = [], text.find(part)
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(part, at + 1)
    return found


def _size(count: int) -> str:
    """A number of bytes as `du -h` writes it."""
    value = float(count)
    for unit in ("B", "K", "M"):
        if value < 1024 or unit == "M":
            break
        value /= 1024
    return f"{count}B" if unit == "B" else f"{value:.1f}{unit}"
