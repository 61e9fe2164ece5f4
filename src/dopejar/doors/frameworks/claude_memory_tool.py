"""The memory tool of Claude: files under `/memories`, kept as the agent's notes.

Takes: the input of a tool call. Gives: the words that the tool's documentation asks for. Never: a file outside
`/memories`, or a belief; nothing is learned from a note.

Commands and their answers: platform.claude.com, "Memory tool" (`memory_20250818`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Final

from dopejar.errors import DopejarError, InputError

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory

ROOT: Final = "/memories"
_DEPTH: Final = 2  # levels of a listing
_MOST_LINES: Final = 999_999


class _AnswerError(InputError):
    """An error that the model is told in these words."""


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
        except _AnswerError as error:
            return str(error)
        except DopejarError as error:
            return f"Error: {error}"

    def _view(self, given: Mapping[str, object]) -> str:
        path = _path(given, "path")
        files = self._workspace.notes(self._space)
        if path not in files:
            return self._listing(path, files)
        lines = files[path].split("\n")
        if len(lines) > _MOST_LINES:
            return f"File {path} exceeds maximum line limit of 999,999 lines."
        first, last = _range(given.get("view_range"), len(lines))
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
            raise _AnswerError(f"The path {path} does not exist. Please provide a valid path.")
        rows = "\n".join(f"{_size(sizes[name])}\t{name}" for name in sorted(sizes))
        return (
            f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and"
            f" node_modules:\n{rows}"
        )

    def _create(self, given: Mapping[str, object]) -> str:
        path, text = _path(given, "path"), _text(given, "file_text")
        files = self._workspace.notes(self._space)

        def made(known: str | None) -> str:
            if known is not None or _is_taken(path, files):
                raise _AnswerError(f"Error: File {path} already exists")
            return text

        self._workspace.write_note(self._space, path, made)
        return f"File created successfully at: {path}"

    def _replace(self, given: Mapping[str, object]) -> str:
        path, old, new = _path(given, "path"), _text(given, "old_str"), _text(given, "new_str")
        place = 0

        def changed(known: str | None) -> str:
            nonlocal place
            if known is None:
                raise _AnswerError(f"Error: The path {path} does not exist. Please provide a valid path.")
            if not old or old not in known:
                raise _AnswerError(f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}.")
            if known.count(old) > 1:
                raise _AnswerError(
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
        path, text, line = _path(given, "path"), _text(given, "insert_text"), given.get("insert_line")

        def changed(known: str | None) -> str:
            if known is None:
                raise _AnswerError(f"Error: The path {path} does not exist")
            lines = known.split("\n")
            if type(line) is not int or not 0 <= line <= len(lines):
                raise _AnswerError(
                    f"Error: Invalid `insert_line` parameter: {line}. It should be within the range of lines of the"
                    f" file: [0, {len(lines)}]"
                )
            return "\n".join([*lines[:line], *text.removesuffix("\n").split("\n"), *lines[line:]])

        self._workspace.write_note(self._space, path, changed)
        return f"The file {path} has been edited."

    def _delete(self, given: Mapping[str, object]) -> str:
        path = _path(given, "path")
        names = self._below(path)
        if not names or path == ROOT:
            raise _AnswerError(f"Error: The path {path} does not exist")
        self._workspace.drop_notes(self._space, names)
        return f"Successfully deleted {path}"

    def _rename(self, given: Mapping[str, object]) -> str:
        old, new = _path(given, "old_path"), _path(given, "new_path")
        names = self._below(old)
        if not names or old == ROOT:
            raise _AnswerError(f"Error: The path {old} does not exist")
        files = self._workspace.notes(self._space)
        if new.startswith(f"{old}/"):
            raise _AnswerError(f"Error: The destination {new} is inside {old}")
        if _is_taken(new, files):
            raise _AnswerError(f"Error: The destination {new} already exists")
        for name in names:
            self._workspace.put_note(self._space, new + name[len(old) :], files[name])
        self._workspace.drop_notes(self._space, names)
        return f"Successfully renamed {old} to {new}"

    def _below(self, path: str) -> list[str]:
        """The files at a path or below it."""
        return [name for name in self._workspace.notes(self._space) if name == path or name.startswith(f"{path}/")]


def _path(given: Mapping[str, object], name: str) -> str:
    """A path under the root, without a slash at its end."""
    path = given.get(name)
    parts = path.removesuffix("/").split("/") if isinstance(path, str) else []
    if parts[:2] != ["", "memories"] or any(part in ("", ".", "..") or not part.isprintable() for part in parts[1:]):
        raise _AnswerError(f"Error: Invalid path {path}. Give a path that begins with {ROOT} and has no `..` in it.")
    if any(mark in part.lower() for part in parts for mark in ("\\", "%2e", "%2f")):
        raise _AnswerError(f"Error: Invalid path {path}. Write a plain path, without encoded characters.")
    return "/".join(parts)


def _is_taken(path: str, files: Iterable[str]) -> bool:
    """Whether a path is the root, a file, a directory, or below a file."""
    return path == ROOT or any(
        name == path or name.startswith(f"{path}/") or path.startswith(f"{name}/") for name in files
    )


def _text(given: Mapping[str, object], name: str) -> str:
    text = given.get(name, "")
    if not isinstance(text, str):
        raise _AnswerError(f"Error: `{name}` has to be a text.")
    return text


def _range(given: object, count: int) -> tuple[int, int]:
    """First and last line, counted from 1; -1 is the end."""
    if given is None:
        return 1, count
    if not isinstance(given, (list, tuple)) or len(given) != 2 or not all(isinstance(line, int) for line in given):
        raise _AnswerError("Error: Invalid `view_range` parameter: give two line numbers.")
    first, last = given
    last = count if last == -1 else last
    if not 1 <= first <= last <= count:
        raise _AnswerError(
            f"Error: Invalid `view_range` parameter: {list(given)}. It should be within the range of lines of the"
            f" file: [1, {count}]"
        )
    return first, last


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
