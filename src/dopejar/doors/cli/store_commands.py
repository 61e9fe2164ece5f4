"""Commands over the whole store, under `dopejar store`: backup, restore, export, import.

Takes: files and a store. Gives: what was done. Never: overwrites a file unless told to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.authentication import authenticate
from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command
from dopejar.doors.cli.text_format import counted, one_line

if TYPE_CHECKING:
    from dopejar.engine.exchange.import_file import ImportPreview, ImportReport

commands = typer.Typer(
    help="Copy the store, put a copy back, and exchange memories as JSON Lines.",
    add_completion=False,
    rich_markup_mode="markdown",
)


def _target_file(to: Path) -> Path:
    """The file to write.

    Raises:
        InputError: `-`, which other commands use for stdout.
    """
    if str(to) == "-":
        from dopejar.errors import InputError

        raise InputError(
            "This command cannot write to stdout: the file needs the permissions of the store. Name a new file."
        )
    return to.expanduser()


@command(commands, "backup")
def backup(
    context: CommandContext,
    to: Annotated[
        Path, typer.Argument(metavar="TO", help="A new file, or a directory in which a dated file is created.")
    ],
) -> int:
    """Make a consistent copy of the store, even while other processes write.

    The store remembers its backups, so that the receipt of an erasure can name those that still hold the text.

    For example:

        dopejar store backup ~/backups
    """
    with context.open_memory(detect_project=False) as memory:
        path = memory.exchange.backup(_target_file(to))
    context.answer({"path": str(path)}, [f"Backed up to {path}"])
    return OK


@command(commands, "restore")
def restore(
    context: CommandContext,
    source: Annotated[Path, typer.Argument(metavar="FROM", help="The backup file.")],
) -> int:
    """Replace the data file with a backup. What was erased since the backup is erased again. Needs a reviewer.

    Other running processes continue with the restored memory. The previous data file is kept beside it as
    `dopejar.db.before-restore`. Reviewers, API keys, sessions, trusted terminals and accepted settings stay as they are
    today. A data file that is too damaged to open can be replaced as well; a reviewer of the backup then has to
    approve, and no API key or trust of the backup is brought back.
    """
    from dopejar.compose.stores import open_store
    from dopejar.errors import NotFoundError, StoreDamagedError

    path = source.expanduser()
    if not path.is_file():
        raise NotFoundError(f"There is no file {source}. Nothing was changed.")
    try:
        with context.open_memory(detect_project=False) as memory:
            again = memory.exchange.restore(path, open_store, authenticate(memory), context.trace_id)
    except StoreDamagedError:
        return _restore_damaged_store(context, path)
    lines = [f"Restored from {source}."] + ([f"{again} memories and turns were erased again."] if again else [])
    context.answer({"restored": str(source), "erased_again": again, "was_damaged": False}, lines)
    return OK


def _restore_damaged_store(context: CommandContext, source: Path) -> int:
    from dopejar.compose import restore_over_damage

    kept = restore_over_damage(context.home, source, authenticate)
    lines = (
        f"Restored from {source}. The damaged file is kept as {kept}.",
        "Erasures made after this backup could not be read from the damaged file: erase those memories again.",
        "No API key or trusted terminal was brought back. The settings accepted in it were: see `dopejar config list`.",
    )
    context.answer({"restored": str(source), "erased_again": 0, "was_damaged": True, "kept": str(kept)}, lines)
    return OK


@command(commands, "export")
def export(
    context: CommandContext,
    to: Annotated[Path, typer.Argument(metavar="TO", help="The new file.")],
) -> int:
    """Export everything as JSON Lines: conversations, turns, and memories with their evidence.

    For example:

        dopejar store export memory.jsonl
    """
    with context.open_memory(detect_project=False) as memory:
        summary = memory.exchange.export_to(_target_file(to))
    context.answer({**json_fields(summary), "path": str(to)}, lambda: [f"Exported to {to}: {counted(summary.counts)}"])
    return OK


@command(commands, "import")
def import_(
    context: CommandContext,
    source: Annotated[Path, typer.Argument(metavar="FROM", help="The exported file.")],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what the import would do, line by line, and change nothing.")
    ] = False,
) -> int:
    """Merge an export into the store, in one act that `undo` can revert. Needs a reviewer.

    Memories that were erased or rejected here are not imported, and no turn that is here is changed. Memories that
    exist here gain the evidence of the export. Guidance (rules, decisions, corrections, bullets and whatever else
    directs work) waits for review; at a terminal it is listed first and can be put in force at once.

    For example:

        dopejar store import memory.jsonl --dry-run
    """
    path = source.expanduser()
    with context.open_for_writing(detect_project=False) as memory:
        preview = memory.exchange.preview_import(path)
        if dry_run:
            context.answer(json_fields(preview), lambda: import_preview_lines(preview))
            return OK
        confirmed = _confirmed_guidance(context, preview)
        report = memory.exchange.import_from(path, authenticate(memory), context.trace_id, confirmed=confirmed)
    context.answer(json_fields(report), lambda: import_lines(source, report))
    return OK


def _confirmed_guidance(context: CommandContext, preview: ImportPreview) -> str:
    """The digest of the listed file where a person confirms the list at the terminal, else ""."""
    if not context.may_ask:
        return ""
    for line in import_preview_lines(preview):
        typer.echo(line, err=True)
    typer.confirm("Import this?", abort=True, err=True)
    if not preview.waits:
        return ""
    question = f"Put the {len(preview.waits)} that would wait in force now? Bullets wait in any case."
    return preview.digest if typer.confirm(question, err=True) else ""


def import_preview_lines(preview: ImportPreview) -> Iterator[str]:
    """What an import would do: what is in force at once, what waits for a person, which lines are refused."""
    yield f"{preview.turns} new turns"
    titles = ("in force at once", "in the history only", "waits for review")
    parts = (preview.in_force, preview.out_of_force, preview.waits)
    for title, memories in zip(titles, parts, strict=True):
        if memories or memories is not preview.out_of_force:
            yield f"{title}: {len(memories)}"
        for memory in memories:
            known = f" ({memory.status})" if memories is preview.out_of_force else ""
            known += " (known here: it gains evidence)" if memory.is_known else ""
            yield f"  line {memory.line} {memory.kind}: {one_line(memory.text)}{known}"
    yield from _refused_lines(preview)


def _refused_lines(preview: ImportPreview) -> Iterator[str]:
    if preview.refused:
        yield f"refused: {len(preview.refused)}"
    for refused in preview.refused:
        yield f"  line {refused.line}: {refused.why}"


def import_lines(source: Path, report: ImportReport) -> Iterator[str]:
    """What an import did."""
    yield f"Imported {source} in act {report.act_id}: {counted(report.counts)}"
    yield from import_preview_lines(report.preview)
    if report.counts.get("staged"):
        yield "What waits is decided in `dopejar review`."
