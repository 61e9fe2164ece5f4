"""The generated parts of the documents: commands, settings, figures; and the schema of policy files for editors.

Takes: the pages, with marks around what is generated. Gives: the same pages, up to date. Never: touches other text.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dopejar.governance.policy import file_schema

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
POLICY_SCHEMA = ROOT / "src" / "dopejar" / "governance" / "policy" / "policy.schema.json"
FIGURES = ROOT / "benchmarks" / "figures.toml"
QUOTED = re.compile(r"(<!-- figure: (?P<id>[\w-]+) -->)[^<]*(<!-- end -->)")
SHARED_OPTIONS = {"--help", "--json", "--home", "--project", "--quiet"}  # described once for all commands


def replaced(page: str, part: str, text: str) -> str:
    """Replace the text between the marks of the part. Raises ValueError where a mark is missing."""
    begin, end = f"<!-- {part}: begin -->", f"<!-- {part}: end -->"
    head, begin_mark, rest = page.partition(begin)
    _, end_mark, tail = rest.partition(end)
    if not begin_mark or not end_mark:
        raise ValueError(f"The page lacks {begin} ... {end}. Add the marks where the {part} belong.")
    return f"{head}{begin}\n\n{text.strip()}\n\n{end}{tail}"


def walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - typer declares no public type for it
    """(words after `dopejar`, command) of every visible command, groups before their members."""
    if name:
        yield name, command
    for child_name, child in sorted(getattr(command, "commands", {}).items()):
        if not child.hidden:
            yield from walk(f"{name} {child_name}".strip(), child)


def cell(text: object) -> str:
    """Text for a table cell."""
    return " ".join(str(text).split()).replace("|", "\\|")


def default_of(value: object) -> str:
    """The default as it would be typed, or '' where there is none worth showing."""
    if value is None or isinstance(value, bool) or value in ((), [], ""):
        return ""
    if callable(value):
        return ""
    return f" (default `{getattr(value, 'value', value)}`)"


def shared_options() -> str:
    """The table of the options that every command has, read from the first command."""
    command = next(command for _, command in commands() if getattr(command, "commands", None) is None)
    rows = [param for param in command.params if SHARED_OPTIONS & set(param.opts)]
    lines = ["Every command has these options:", "", "| | |", "| --- | --- |"]
    lines += [f"| {' '.join(f'`{opt}`' for opt in param.opts)} | {cell(param.help)} |" for param in rows]
    return "\n".join(lines)


def usage_word(word: str, param: Any) -> str:  # noqa: ANN401 - typer declares no public type for it
    """An argument in the usage line: `...` where it may be repeated, brackets where it may be left out."""
    shown = word.strip("[]")
    if param.nargs == -1 and "..." not in shown:
        shown += "..."
    return shown if param.required else f"[{shown}]"


def described(name: str, command: Any) -> str:  # noqa: ANN401 - typer declares no public type for it
    """The section of one command: its help, its arguments and its options."""
    params = [param for param in command.params if not getattr(param, "hidden", False)]
    arguments = [param for param in params if not param.opts[0].startswith("-")]
    options = [param for param in params if param.opts[0].startswith("-") and not SHARED_OPTIONS & set(param.opts)]
    words = [(param.metavar or param.name).upper() for param in arguments]
    usage = " ".join(usage_word(word, param) for word, param in zip(words, arguments, strict=True))
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
    for setting in importlib.import_module("dopejar.settings").SETTINGS:
        default = ", ".join(setting.default) if isinstance(setting.default, tuple) else setting.default
        default = str(default).lower() if isinstance(default, bool) else default
        values = f" ({', '.join(setting.choices)})" if setting.choices else ""
        if setting.least is not None and setting.most is not None:
            values = f" ({setting.least:g} to {setting.most:g})"
        if setting.tightening is not None:
            values += f"; governed: {setting.tightening.words}"
        shown = f"`{default}`" if default != "" else ""
        lines.append(f"| `{setting.key}`<br>`{setting.variable}` | {shown} | {cell(setting.meaning + values)} |")
    return "\n".join(lines)


Bar = Mapping[str, Any]


def figures() -> tuple[Sequence[Bar], Sequence[Bar]]:
    """The tables and the bars of the figures file."""
    content = tomllib.loads(FIGURES.read_text("utf-8"))
    return content["table"], content["bar"]


def code(command: str) -> str:
    """A command as code; text that already has code in it, or names a page, as it is."""
    return command if "`" in command or command.startswith("see ") else f"`{command}`"


def figure_tables() -> str:
    """The tables of BENCHMARKS.md: one line per bar, bold where the bar is missed."""
    tables, bars = figures()
    sections = []
    for table in tables:
        lines = [f"### {table['title']}", "", "| measurement | target | measured | date | command |"]
        lines.append("| --- | --- | --- | --- | --- |")
        for bar in bars:
            if bar["table"] == table["name"]:
                shown = f"**{bar['figure']}**" if bar.get("missed") else bar["figure"]
                columns = (bar["what"], bar["bar"] or "–", shown, bar["date"].isoformat(), code(bar["command"]))
                lines.append(f"| {' | '.join(map(cell, columns))} |")
        sections.append("\n".join(lines))
    return "\n\n".join(sections)


def headline_table() -> str:
    """The table of README.md: the bars with a headline."""
    _, bars = figures()
    lines = ["| what | measured | reproduce |", "| --- | --- | --- |"]
    for bar in bars:
        if "headline" in bar:
            shown = bar["figure"] + (f" (target: {bar['bar']})" if bar.get("missed") else "")
            columns = (bar["headline"], shown, code(bar["command"]))
            lines.append(f"| {' | '.join(map(cell, columns))} |")
    return "\n".join(lines)


def quoted(page: str) -> str:
    """The page with each `<!-- figure: ID -->...<!-- end -->` filled in. Raises KeyError for an unknown id."""
    by_id = {bar["id"]: bar["figure"] for bar in figures()[1]}
    return QUOTED.sub(lambda match: f"{match[1]}{by_id[match['id']]}{match[3]}", page)


def policy_schema() -> dict[str, object]:
    """The JSON Schema (draft 2020-12) of a policy file, shipped as `policy.schema.json`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "DoPeJar write-gate policy",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "version": {"const": file_schema.VERSION},
            "trust": _numbers(file_schema.ORIGINS),
            "blast_radius": _closed(
                {
                    "kinds": _mapping_to(file_schema.KINDS, file_schema.RADII),
                    "actions": _mapping_to(file_schema.ACTIONS, file_schema.RADII),
                    "replacing_approved": _enum(file_schema.RADII),
                }
            ),
            "rules": {"type": "array", "items": _rule_schema()},
        },
    }


def _rule_schema() -> object:
    columns: dict[str, object] = {name: _list_of(words) for name, words in file_schema.WORD_COLUMNS.items()}
    columns[file_schema.QUALITY_COLUMN] = _numbers(file_schema.RADII)
    columns.update({name: _number() for name in file_schema.NUMBER_COLUMNS})
    name: object = {"type": "string", "pattern": file_schema.ID_PATTERN}
    rule = _closed(
        {
            "id": name,
            "when": _closed(columns),
            "then": _enum(file_schema.OUTCOMES),
            "reason": {"type": "string", "minLength": 1},
            "approver": _enum(file_schema.APPROVERS),
            "before": name,
            "enabled": {"type": "boolean"},
            "locked": {"type": "boolean"},
        }
    )
    rule["required"] = ["id"]
    return rule


def _closed(properties: dict[str, object]) -> dict[str, object]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _enum(words: tuple[str, ...]) -> object:
    return {"enum": list(words)}


def _list_of(words: tuple[str, ...]) -> object:
    return {"type": "array", "minItems": 1, "items": _enum(words)}


def _number() -> object:
    return {"type": "number", "minimum": 0, "maximum": 1}


def _numbers(keys: tuple[str, ...]) -> object:
    return _closed({key: _number() for key in keys})


def _mapping_to(keys: tuple[str, ...], words: tuple[str, ...]) -> object:
    return _closed({key: _enum(words) for key in keys})


def pages() -> dict[Path, str]:
    """Each page with generated parts, as it should be."""
    parts = (
        (DOCS / "cli.md", "commands", command_pages()),
        (DOCS / "settings.md", "settings", settings_table()),
        (ROOT / "BENCHMARKS.md", "figures", figure_tables()),
        (ROOT / "README.md", "figures", headline_table()),
    )
    wanted = {path: replaced(path.read_text("utf-8"), part, text) for path, part, text in parts}
    critiques = DOCS / "critiques.md"
    wanted[critiques] = quoted(critiques.read_text("utf-8"))
    return wanted | {POLICY_SCHEMA: f"{json.dumps(policy_schema(), indent=2)}\n"}


def main() -> int:
    """Write the pages that changed, and print their names."""
    for path, text in pages().items():
        if path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            sys.stdout.write(f"{path.name} updated\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
