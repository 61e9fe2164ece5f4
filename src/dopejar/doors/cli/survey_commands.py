"""Commands that summarise memory: instructions, check; the views of `list`, and the hygiene of `doctor`.

Takes: a key prefix, a file, a tool call. Gives: overviews and findings. Never: makes a record active: `instructions
--from` only stages proposals.
"""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command
from dopejar.doors.cli.text_format import day, one_line, pairs, safe, table
from dopejar.doors.cli.text_output import finding_lines, receipt_lines, scope_text
from dopejar.errors import InputError, UsageError
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dopejar.engine.queries.surveys import GuidanceLine, Hygiene, KeyChain

commands = typer.Typer()
RULE_BROKEN = 3


class View(StrEnum):
    """What `dopejar list --view` lists instead of memories."""

    KEYS = "keys"
    PROFILE = "profile"
    DECISIONS = "decisions"
    CORRECTIONS = "corrections"
    DOSSIERS = "dossiers"


def keys(context: CommandContext, prefix: str, namespace: Namespace, *, all_projects: bool) -> int:
    """List canonical keys: the current version, the number of versions, the access count, and the strength."""
    with context.open_memory() as memory:
        rows = memory.surveys.keys(prefix, namespace.value, all_projects=all_projects)
        projects = memory.project_labels()
    if not rows:
        context.note("No active memory has a matching key.")
    context.answer({"keys": [json_fields(row) for row in rows]}, lambda: _key_rows(rows, projects))
    return OK


def _key_rows(rows: Sequence[KeyChain], projects: Mapping[str, str]) -> Iterator[str]:
    cells = [
        (
            row.key,
            scope_text(row.current.scope, projects),
            len(row.versions),
            row.current.access_count,
            f"{row.strength:.2f}",
            row.current.status,
            one_line(row.current.text),
        )
        for row in rows
    ]
    return table(("key", "scope", "versions", "accesses", "strength", "status", "text"), cells)


def hygiene(context: CommandContext, namespace: Namespace, *, all_projects: bool) -> int:
    """Score how clean memory is. Nothing is changed."""
    with context.open_memory() as memory:
        report = memory.surveys.hygiene(namespace.value, all_projects=all_projects)
    context.answer(json_fields(report), lambda: _hygiene_lines(report))
    return OK


def _hygiene_lines(report: Hygiene) -> Iterator[str]:
    shares = [(stain, f"{count} ({share:.1%})") for stain, count, share in report.shares()]
    yield from pairs([("memories", report.records), ("score", f"{report.score:.3f}"), *shares])
    if report.examples:
        yield ""
        cells = [
            (example.stain.value, example.record_id, one_line(example.text), one_line(example.why))
            for example in report.examples
        ]
        yield from table(("problem", "id", "text", "why"), cells)


def profile(context: CommandContext) -> int:
    """Show the approved working rules: those that apply everywhere, and those for a programming language."""
    with context.open_memory() as memory:
        profile_view = memory.surveys.profile()
    if not profile_view.lines:
        context.note("No rules yet. Rules learned from corrections appear here once a person approves them.")
    sections = [("general", profile_view.general), *profile_view.languages.items()]
    context.answer(json_fields(profile_view), lambda: _section_lines(sections))
    return OK


def decisions(context: CommandContext) -> int:
    """Show the decisions of the current project, newest first."""
    with context.open_memory() as memory:
        rows = memory.surveys.decisions()
    if not rows:
        context.note("No decisions in the current project. Run this inside a project, or name one with --project.")
    context.answer({"decisions": [json_fields(row) for row in rows]}, lambda: _guidance_rows(rows))
    return OK


def corrections(context: CommandContext, limit: int) -> int:
    """Show the approved corrections, the most frequent first."""
    with context.open_memory() as memory:
        rows = memory.surveys.corrections(limit)
    if not rows:
        context.note("No approved corrections yet. `dopejar review` shows what is waiting for review.")
    context.answer({"corrections": [json_fields(row) for row in rows]}, lambda: _guidance_rows(rows))
    return OK


def _section_lines(sections: Sequence[tuple[str, Sequence[GuidanceLine]]]) -> Iterator[str]:

    for name, rows in sections:
        if rows:
            yield f"{name}:"
            yield from (f"  - {safe(row.text)}" for row in rows)


def _guidance_rows(rows: Sequence[GuidanceLine]) -> Iterator[str]:

    cells = [(row.record_id, row.frequency, day(row.first_seen), one_line(row.text)) for row in rows]
    return table(("id", "times", "since", "text"), cells)


@command(commands, "instructions")
def instructions(
    context: CommandContext,
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="FILE", help="Write the section into this file, between its markers."),
    ] = None,
    budget: Annotated[
        int, typer.Option("--budget", metavar="BYTES", min=200, help="The maximum size of the section, in bytes.")
    ] = 4096,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Import the rules of this file instead; each waits for review."),
    ] = None,
    everywhere: Annotated[
        bool,
        typer.Option("--everywhere", help="With --from: the rules apply everywhere, not only in the current project."),
    ] = False,
) -> int:
    """Print the approved rules as a section for AGENTS.md or CLAUDE.md; or import the rules of such a file.

    With --into, the section is written between two markers in the file; the rest of the file is not changed. With
    --from, the instructions in the file are staged for review, with the file as evidence. The section between DoPeJar's
    own markers is skipped, and importing the same file again stages nothing.

    For example:

        dopejar instructions --into AGENTS.md
        dopejar instructions --from CLAUDE.md
        dopejar instructions --from ~/.claude/CLAUDE.md --everywhere
    """
    if source is not None:
        if into is not None:
            raise UsageError("--from reads a file and --into writes one. Give only one of them.")
        return _import_file(context, source, everywhere=everywhere)
    if everywhere:
        raise UsageError("--everywhere is only used together with --from.")
    with context.open_memory() as memory:
        section = memory.surveys.instructions(into, budget)
    is_empty = into is None and "\n- " not in section  # markers around nothing would only overwrite a file
    if is_empty:
        context.note("No rule is approved here yet, so there is nothing to print. `dopejar review` shows what waits.")
    lines = () if is_empty else section.splitlines()
    context.answer({"section": section, "into": str(into) if into else ""}, lambda: iter(lines))
    return OK


def _import_file(context: CommandContext, source: Path, *, everywhere: bool) -> int:

    file = source.expanduser().absolute()
    is_personal = file.parent.name.startswith(".") and file.parent.parent == Path.home()
    with context.open_for_writing() as memory:
        imported = memory.sessions.import_instructions(
            file, everywhere=everywhere or is_personal, trace_id=context.trace_id
        )
    if not imported.rules:
        context.note("The file contains no instructions.")
    elif not imported.receipts:
        context.note(f"Nothing new: all {imported.rules} rules are already known.")
    context.answer(json_fields(imported), lambda: receipt_lines(imported.receipts))
    return OK


@command(commands, "check")
def check(
    context: CommandContext,
    tool: Annotated[
        str, typer.Option("--tool", metavar="NAME", help="The name of the tool, for example Bash or Edit.")
    ],
    input_json: Annotated[
        str, typer.Option("--input", metavar="JSON", help="The input of the tool, as a JSON object.")
    ],
    branch: Annotated[
        str, typer.Option("--branch", metavar="NAME", help="The git branch. Default: the branch checked out here.")
    ] = "",
) -> int:
    """Check a tool call against the approved rules. The exit code is 3 if it would break one, and 0 if not.

    Only rules that could be turned into a precise test are checked. The others are advice and are not checked.

    For example:

        dopejar check --tool Bash --input '{"command": "git push origin main"}'
    """
    from dopejar.compose import branch_at

    if not tool.strip():
        raise InputError("--tool is empty. Name the tool, for example Bash or Edit.")
    try:
        tool_input = json.loads(input_json)
    except json.JSONDecodeError as error:
        message = f'--input is not valid JSON ({error.msg}). Give an object such as {{"command": "ls"}}.'
        raise InputError(message) from error
    if not isinstance(tool_input, dict):
        raise InputError('--input must be a JSON object, such as {"command": "ls"}.')
    with context.open_memory() as memory:
        findings = memory.check(tool, tool_input, branch or branch_at(Path.cwd()))
    if not findings:
        context.note("The call breaks no rule.")
    context.answer({"matches": [json_fields(finding) for finding in findings]}, lambda: finding_lines(findings))
    return RULE_BROKEN if findings else OK
