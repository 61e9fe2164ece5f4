"""The generated parts of the documents: commands from the terminal door, settings from their table.

Takes: the pages, with marks around what is generated. Gives: the same pages, up to date. Never: touches other text.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
NOT_ITS_OWN = {"--help", "--json", "--home", "--project", "--quiet"}  # what every command has is said once


def replaced(page: str, part: str, text: str) -> str:
    """The page with the text between the marks of the part. Raises ValueError where a mark is missing."""
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    head, found, rest = page.partition(begin)
    _, found_end, tail = rest.partition(end)
    if not found or not found_end:
        raise ValueError(f"The page lacks {begin} ... {end}. Put the marks where the {part} belong.")
    return f"{head}{begin}\n\n{text.strip()}\n\n{end}{tail}"


def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - typer declares no public type for it
    """(words after `dopejar`, command) of every visible command, groups before their members."""
    if name:
        yield name, command
    for child, what in sorted(getattr(command, "commands", {}).items()):
        if not what.hidden:
            yield from walk(f"{name} {child}".strip(), what)


def cell(text: object) -> str:
    """Text for a table's cell."""
    return " ".join(str(text).split()).replace("|", "\\|")


def default_of(value: object) -> str:
    """A default as it would be typed, or '' where there is none to speak of."""
    if value is None or isinstance(value, bool) or value in ((), [], ""):
        return ""
    if callable(value):
        return ""
    return f" (default `{getattr(value, 'value', value)}`)"


def shared_options() -> str:
    """The table of the options that every command has, as its first command has them."""
    _, command = next((name, one) for name, one in commands() if getattr(one, "commands", None) is None)
    rows = [param for param in command.params if NOT_ITS_OWN & set(param.opts)]
    lines = ["Every command has these options:", "", "| | |", "| --- | --- |"]
    lines += [f"| {' '.join(f'`{opt}`' for opt in param.opts)} | {cell(param.help)} |" for param in rows]
    return "\n".join(lines)


def described(name: str, command: Any) -> str:  # noqa: ANN401 - typer declares no public type for it
    """The section of one command: its help, its arguments and its options."""
    params = [param for param in command.params if not getattr(param, "hidden", False)]
    arguments = [param for param in params if not param.opts[0].startswith("-")]
    options = [param for param in params if param.opts[0].startswith("-") and not NOT_ITS_OWN & set(param.opts)]
    words = [(param.metavar or param.name).upper() for param in arguments]
    usage = " ".join(f"{word}..." if param.nargs == -1 else word for word, param in zip(words, arguments, strict=True))
    lines = [f"### `dopejar {name}`", "", inspect.cleandoc(command.help or "").strip(), ""]
    if getattr(command, "commands", None) is None:
        lines += ["```", f"dopejar {name} {usage}".strip() + (" [OPTIONS]" if options else ""), "```", ""]
    rows = [(f"`{word}`", param) for word, param in zip(words, arguments, strict=True)]
    rows += [(" ".join(f"`{opt}`" for opt in (*param.opts, *param.secondary_opts)), param) for param in options]
    if rows:
        lines += ["| | |", "| --- | --- |"]
        lines += [f"| {shown} | {cell(param.help or '')}{default_of(param.default)} |" for shown, param in rows]
    return "\n".join(lines).strip()


def commands() -> list[tuple[str, Any]]:
    """Every visible command of the terminal door."""
    if importlib.util.find_spec("dopejar.doors") is None:
        return []
    app = importlib.import_module("dopejar.doors.cli.app").app
    return list(walk("", importlib.import_module("typer.main").get_command(app)))


def command_pages() -> str:
    """The sections of all commands."""
    sections = [described(name, command) for name, command in commands()]
    return "\n\n".join([shared_options(), *sections]) if sections else ""


def settings_table() -> str:
    """The table of all settings."""
    lines = ["| setting | default | what it does |", "| --- | --- | --- |"]
    for one in importlib.import_module("dopejar.settings").SETTINGS:
        default = ", ".join(one.default) if isinstance(one.default, tuple) else one.default
        default = str(default).lower() if isinstance(default, bool) else default
        takes = f" ({', '.join(one.choices)})" if one.choices else ""
        takes = f" ({one.least:g} to {one.most:g})" if one.least is not None and one.most is not None else takes
        shown = f"`{default}`" if default != "" else ""
        lines.append(f"| `{one.key}`<br>`{one.variable}` | {shown} | {cell(one.meaning + takes)} |")
    return "\n".join(lines)


def pages() -> dict[Path, str]:
    """Each page with generated parts, as it should be."""
    wanted = {}
    for name, part, text in (("cli.md", "commands", command_pages()), ("settings.md", "settings", settings_table())):
        path = DOCS / name
        wanted[path] = replaced(path.read_text("utf-8"), part, text)
    return wanted


def main() -> int:
    """Write the pages; tell which changed."""
    for path, text in pages().items():
        if path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            sys.stdout.write(f"{path.name} is up to date again\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
