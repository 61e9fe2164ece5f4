"""Commands that look over memory: keys, hygiene, profile, decisions, corrections, instructions, check.

Takes: a prefix, a file, a tool call. Gives: surveys and answers. Never: changes what is believed.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command
from dopejar.errors import UsageError
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dopejar.engine.queries.surveys import KeyLine
    from dopejar.pipelines.corrections.views import Line
    from dopejar.pipelines.hygiene import Hygiene

commands = typer.Typer()
BROKEN = 3  # a rule applies to the call


@command(commands, "keys")
def keys(
    context: CommandContext,
    prefix: Annotated[str, typer.Argument(metavar="PREFIX", help="Keys that begin so; all where omitted.")] = "",
    namespace: Annotated[Namespace, typer.Option("--namespace", help="prod, test or ephemeral.")] = Namespace.PROD,
) -> int:
    """List canonical keys with the version in force, its versions, how often it was said or used, and its strength.

    Strength lies between 0 and 1: it grows with each access and fades without.

    For example:

        dopejar keys Self-Pref
    """
    with context.open_memory(use_project=False) as memory:
        found = memory.keys(prefix, namespace.value)
    if not found:
        context.note("No key begins so.")
    context.answer({"keys": [json_fields(one) for one in found]}, lambda: _key_rows(found))
    return OK


def _key_rows(found: Sequence[KeyLine]) -> Iterator[str]:
    from dopejar.doors.cli.text_format import one_line, table

    rows = [
        (
            one.key,
            one.scope,
            len(one.versions),
            one.standing.access_count,
            f"{one.strength:.2f}",
            one.standing.status,
            one_line(one.standing.text),
        )
        for one in found
    ]
    return table(("key", "scope", "versions", "used", "strength", "status", "text"), rows)


@command(commands, "hygiene")
def hygiene(
    context: CommandContext,
    namespace: Annotated[Namespace, typer.Option("--namespace", help="prod, test or ephemeral.")] = Namespace.PROD,
) -> int:
    """Score how clean memory is: duplicates, junk, stale memories, secrets, recall loops, with examples.

    1 is clean. Nothing is changed.

    For example:

        dopejar hygiene
    """
    with context.open_memory(use_project=False) as memory:
        found = memory.hygiene(namespace.value)
    context.answer(json_fields(found), lambda: _hygiene_lines(found))
    return OK


def _hygiene_lines(found: Hygiene) -> Iterator[str]:
    from dopejar.doors.cli.text_format import one_line, pairs, table
    from dopejar.pipelines.hygiene import Stain

    shares = [(stain.value, f"{found.counts.get(stain, 0)} ({found.share(stain):.1%})") for stain in Stain]
    yield from pairs([("memories", found.records), ("score", f"{found.score:.3f}"), *shares])
    if found.examples:
        yield ""
        rows = [(one.stain.value, one.record_id, one_line(one.text), one_line(one.why)) for one in found.examples]
        yield from table(("what", "id", "text", "why"), rows)


@command(commands, "profile")
def profile(context: CommandContext) -> int:
    """Show how work is to be done: what holds everywhere, and what holds for a programming language.

    For example:

        dopejar profile
    """
    with context.open_memory() as memory:
        found = memory.profile()
    if not found.lines:
        context.note("Nothing yet. What corrections teach appears here once a person approves it.")
    parts = [("general", found.general), *found.languages.items()]
    context.answer(json_fields(found), lambda: _parted(parts))
    return OK


@command(commands, "decisions")
def decisions(context: CommandContext) -> int:
    """Show what was decided in the project at hand, newest first.

    For example:

        dopejar decisions --project atlas
    """
    with context.open_memory() as memory:
        found = memory.decisions()
    if not found:
        context.note("Nothing was decided in a project at hand. Go into one, or name it with --project.")
    context.answer({"decisions": [json_fields(one) for one in found]}, lambda: _rows(found))
    return OK


@command(commands, "corrections")
def corrections(
    context: CommandContext, limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 20
) -> int:
    """Show what was corrected, the most frequent first.

    For example:

        dopejar corrections
    """
    with context.open_memory() as memory:
        found = memory.corrections(limit)
    if not found:
        context.note("No approved correction yet. `dopejar review` shows what waits.")
    context.answer({"corrections": [json_fields(one) for one in found]}, lambda: _rows(found))
    return OK


def _parted(parts: Sequence[tuple[str, Sequence[Line]]]) -> Iterator[str]:
    for name, lines in parts:
        if lines:
            yield f"{name}:"
            yield from (f"  - {one.text}" for one in lines)


def _rows(lines: Sequence[Line]) -> Iterator[str]:
    from dopejar.doors.cli.text_format import day, one_line, table

    rows = [(one.record_id, one.frequency, day(one.first_seen), one_line(one.text)) for one in lines]
    return table(("id", "said", "since", "text"), rows)


@command(commands, "instructions")
def instructions(
    context: CommandContext,
    into: Annotated[
        Path | None,
        typer.Option("--into", metavar="FILE", help="Write the section into this file, between its markers."),
    ] = None,
    budget: Annotated[int, typer.Option("--budget", metavar="BYTES", min=200, help="Bytes of the section.")] = 4096,
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Take in the rules of this file instead: each waits for a person."),
    ] = None,
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="With --from: the rules hold everywhere, not in one project.")
    ] = False,
) -> int:
    """Print what holds here as a section for AGENTS.md or CLAUDE.md, under a size budget; or take such a file in.

    With --into the file gets it between two markers; everything else in the file stays as it is. With --from the lines
    of a file that tell what to do are staged, with the file as evidence; what stands between our own markers is not
    learned back, and the same file again stages nothing.

    For example:

        dopejar instructions --into AGENTS.md
        dopejar instructions --from CLAUDE.md
        dopejar instructions --from ~/.claude/CLAUDE.md --everywhere
    """
    if source is not None:
        if into is not None:
            raise UsageError("--from takes a file in and --into writes one; give one of them.")
        return _take_in(context, source, everywhere=everywhere)
    if everywhere:
        raise UsageError("--everywhere belongs to --from.")
    with context.open_memory() as memory:
        written = memory.instructions(into, budget)
    context.answer({"section": written, "into": str(into) if into else ""}, lambda: iter(written.splitlines()))
    return OK


def _take_in(context: CommandContext, source: Path, *, everywhere: bool) -> int:
    from dopejar.doors.cli.text_output import receipt_lines

    file = source.expanduser().absolute()
    is_personal = file.parent.name.startswith(".") and file.parent.parent == Path.home()
    with context.open_for_writing() as memory:
        found = memory.import_instructions(file, everywhere=everywhere or is_personal, trace_id=context.trace_id)
    if not found.rules:
        context.note("No line of this file tells what to do.")
    elif not found.receipts:
        context.note(f"Nothing is new: {found.rules} rules, all known.")
    context.answer(json_fields(found), lambda: receipt_lines(found.receipts))
    return OK


@command(commands, "check")
def check(
    context: CommandContext,
    tool: Annotated[str, typer.Option("--tool", metavar="NAME", help="The tool, for instance Bash or Edit.")],
    given: Annotated[str, typer.Option("--input", metavar="JSON", help="What the tool is given, as a JSON object.")],
    branch: Annotated[
        str, typer.Option("--branch", metavar="NAME", help="The branch that is checked out; read here where omitted.")
    ] = "",
) -> int:
    """Tell which approved rules a tool call would break. Exit code 3 where one applies, 0 where none does.

    Only rules that can be made precise are checked; the others stay advice.

    For example:

        dopejar check --tool Bash --input '{"command": "git commit -m x"}' --branch main
    """
    from dopejar.compose import branch_at
    from dopejar.doors.cli.text_output import finding_lines
    from dopejar.errors import InputError

    try:
        read = json.loads(given)
    except json.JSONDecodeError as fault:
        raise InputError(f'--input is no JSON ({fault.msg}). Give an object such as {{"command": "ls"}}.') from fault
    if not isinstance(read, dict):
        raise InputError("--input must be a JSON object.")
    with context.open_memory() as memory:
        found = memory.check(tool, read, branch or branch_at(Path.cwd()))
    if not found:
        context.note("No rule applies.")
    context.answer({"matches": [json_fields(one) for one in found]}, lambda: finding_lines(found))
    return BROKEN if found else OK
