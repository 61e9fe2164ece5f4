"""Commands that maintain the store: maintain, doctor, backup, restore, export, import.

Takes: files and a store. Gives: what was done. Never: overwrites a file unless told to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.authentication import authenticate
from dopejar.doors.cli.command_context import FAILED, OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command
from dopejar.doors.cli.import_output import import_lines, import_preview_lines
from dopejar.doors.cli.text_format import counted, pairs, safe
from dopejar.doors.cli.text_output import scrub_line

if TYPE_CHECKING:
    from dopejar.engine.exchange.import_file import ImportPreview
    from dopejar.engine.garden.gardener import GardenReport
    from dopejar.engine.results import DoctorReport, MaintenanceReport

commands = typer.Typer()


@command(commands, "maintain")
def maintain(
    context: CommandContext,
    seconds: Annotated[
        float | None,
        typer.Option(
            "--seconds", min=0.0, metavar="X", help="Stop after this many seconds. Default: when everything is done."
        ),
    ] = None,
) -> int:
    """Run pending housekeeping: embed new texts, expire proposals that waited too long, drop old working sets.

    Memories that state the same thing under different keys are proposed for merging; a person decides in `dopejar
    review`.
    """
    with (
        context.open_memory(detect_project=False) as memory,
        context.progress_bar("maintaining") as progress,
    ):
        done = memory.maintenance.maintain(budget_s=seconds, progress=progress, trace_id=context.trace_id)
    context.answer(json_fields(done), lambda: _maintained_lines(done))
    return OK


def _maintained_lines(done: MaintenanceReport) -> Iterator[str]:

    yield from pairs(
        [
            ("embedded", done.embedded),
            ("proposals expired", done.expired),
            ("expired working sets removed", done.dropped),
            ("ephemeral memories deprecated", done.swept),
            ("merges proposed", done.merges),
            ("texts still to embed", done.left),
            ("seconds", f"{done.seconds:.1f}"),
        ]
    )
    if done.not_scrubbed:
        yield f"Erased text is still in the bytes of the data file or its log: {done.not_scrubbed}."


@command(commands, "garden")
def garden(
    context: CommandContext,
    block: Annotated[
        str, typer.Argument(metavar="BLOCK", help="Only this block, by id or its beginning. Default: all that are due.")
    ] = "",
) -> int:
    """Divide conversations into blocks of one topic; tag and archive the blocks that have ended.

    Can be stopped at any time; the next run continues. `dopejar list --blocks` shows the blocks, `dopejar list --tags`
    their tags.
    """
    with (
        context.open_memory(detect_project=False) as memory,
        context.progress_bar("gardening") as progress,
    ):
        if block:
            result = memory.garden.process_bridge_block(block)
            context.answer(json_fields(result), lambda: pairs(list(json_fields(result).items())))
            return OK
        report = memory.garden.tend(progress)
    context.answer(json_fields(report), lambda: _garden_lines(report))
    return OK


def _garden_lines(report: GardenReport) -> Iterator[str]:
    yield from pairs(
        [
            ("conversations with new turns", report.conversations),
            ("blocks archived", len(report.results)),
            ("facts in them", sum(result.facts_processed for result in report.results)),
            ("tags of them", sum(result.tags_applied for result in report.results)),
            ("dossiers of them", sum(result.dossiers_created for result in report.results)),
        ]
    )


@command(commands, "doctor")
def doctor(
    context: CommandContext,
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild damaged indexes and other derived data.")] = False,
    accept: Annotated[
        list[str] | None,
        typer.Option("--accept", metavar="TABLE:ROW", help="Let an altered row stand as it is; may be repeated."),
    ] = None,
) -> int:
    """Check the data file, its indexes and the ledger for faults. The exit code is 1 if a fault remains.

    A row that was changed, added or removed by anything but DoPeJar is named until it is restored, or until a reviewer
    who has looked at it accepts it as it is now (--accept needs a reviewer, and is in the ledger).

    For example:

        dopejar doctor --repair
        dopejar doctor --accept records:m_9k3fw7x2q5t8v4h6
    """
    from dopejar.engine.results import DoctorReport
    from dopejar.errors import StoreDamagedError

    try:
        with context.open_memory(detect_project=False) as memory:
            for row in accept or ():
                memory.maintenance.accept_row(row, authenticate(memory), context.trace_id)
            report = memory.maintenance.doctor(repair=repair)
    except StoreDamagedError as error:
        report = DoctorReport.of_unreadable(str(error))
    data = {**json_fields(report), "ok": not report.faults}
    if report.faults:
        data["error"] = {"kind": "StoreDamagedError", "message": report.faults[0].detail}
    context.answer(data, lambda: _report_lines(report, repaired=repair))
    return FAILED if report.faults else OK


def _report_lines(report: DoctorReport, *, repaired: bool) -> Iterator[str]:

    for fault in report.mended:
        yield f"repaired: {fault.what}: {safe(fault.detail)}"
    for fault in report.faults:
        hint = " (`dopejar doctor --repair` rebuilds it)" if fault.repairable and not repaired else ""
        yield f"fault: {fault.what}: {safe(fault.detail)}{hint}"
    if any(not fault.repairable and fault.what != "settings" for fault in report.faults):
        yield "What cannot be rebuilt can be restored from a backup: `dopejar restore FILE`."
    if any(" outside DoPeJar: " in fault.detail and fault.detail[0].isdigit() for fault in report.faults):
        yield "A reviewer who has looked at an altered row accepts it with `dopejar doctor --accept TABLE:ROW`."
    if report.scrub_due_since:
        yield scrub_line(report.scrub_due_since)
    if not report.faults:
        yield f"No faults found. The ledger's hash chain is intact: {report.ledger_entries} entries."


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

        dopejar backup ~/backups
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
    `dopejar.db.before-restore`. A data file that is too damaged to open can be replaced as well; a reviewer of the
    backup then has to approve.
    """
    from dopejar.compose import open_store
    from dopejar.errors import StoreDamagedError

    path = source.expanduser()
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

        dopejar export memory.jsonl
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

        dopejar import memory.jsonl --dry-run
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
