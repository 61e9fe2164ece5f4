"""Commands that maintain the store: maintain, garden, doctor.

Takes: a store. Gives: what was done, and what is wrong. Never: decides what is true.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.authentication import authenticate
from dopejar.doors.cli.command_context import FAILED, OK, REFUSED, CommandContext, json_fields
from dopejar.doors.cli.command_registry import AllProjects, command
from dopejar.doors.cli.survey_commands import hygiene
from dopejar.doors.cli.text_format import pairs, safe
from dopejar.doors.cli.text_output import scrub_line
from dopejar.errors import UsageError
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from dopejar.engine.garden.gardener import GardenReport
    from dopejar.engine.results import DoctorReport, MaintenanceReport, RekeyReport

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
    keys: Annotated[
        bool, typer.Option("--keys", help="Instead, give memories from earlier versions keys of today's form.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="With --keys: only list the old and the new keys.")
    ] = False,
) -> int:
    """Run pending housekeeping: embed new texts, expire proposals that waited too long, drop old working sets.

    Conversations that have ended are divided into blocks, as `dopejar garden` does. Memories that state the same thing
    under different keys are proposed for merging; a person decides in `dopejar review`.

    With --keys, memories whose keys an earlier version made get readable ones; nothing else about them changes. Each
    batch of them is one act, which `dopejar undo` takes back. It can be stopped at any time; the next run continues.
    The exit code is 3 if your policy or a reviewer refused new keys.
    """
    if keys:
        return _rekey(context, dry_run=dry_run)
    if dry_run:
        raise UsageError("--dry-run needs --keys: `dopejar maintain --keys --dry-run` lists the old and the new keys.")
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
            ("blocks archived", done.blocks),
            ("texts still to embed", done.left),
            ("seconds", f"{done.seconds:.1f}"),
        ]
    )
    if done.not_scrubbed:
        yield f"Erased text is still in the bytes of the data file or its log: {done.not_scrubbed}."


def _rekey(context: CommandContext, *, dry_run: bool) -> int:
    with context.open_memory(detect_project=False) as memory, context.progress_bar("re-keying") as progress:
        report = memory.maintenance.rekey(dry_run=dry_run, progress=progress, trace_id=context.trace_id)
    data = json_fields(report)
    if report.refused:
        data["error"] = {"kind": "RefusedError", "message": report.reason}
    context.answer(data, lambda: _rekeyed_lines(report, dry_run=dry_run))
    return REFUSED if report.refused else OK


def _rekeyed_lines(report: RekeyReport, *, dry_run: bool) -> Iterator[str]:
    for change in (*report.changes, *report.waiting, *report.refused):
        yield safe(f"{change.old} -> {change.new} ({change.scope}, memories: {change.memories})")
    changed = len(report.changes)
    yield f"Keys that would change: {changed}. Nothing was changed." if dry_run else f"Keys that changed: {changed}."
    if report.waiting:
        waits = "would wait" if dry_run else "wait"
        yield f"Keys that {waits} for a reviewer, by your policy: {len(report.waiting)}. See `dopejar review`."
    if report.refused:
        yield safe(f"Keys that stay, because it was refused: {len(report.refused)}. {report.reason}")
    yield from (f"Undo with: dopejar undo {act_id}" for act_id in report.acts)


@command(commands, "garden")
def garden(
    context: CommandContext,
    block: Annotated[
        str, typer.Argument(metavar="BLOCK", help="Only this block, by id or its beginning. Default: all that are due.")
    ] = "",
    end: Annotated[bool, typer.Option("--end", help="With BLOCK: end it by hand, even if it is going on.")] = False,
) -> int:
    """Divide conversations into blocks of one topic; tag and archive the blocks that have ended.

    Can be stopped at any time; the next run continues. `dopejar maintain` does the same among other things, and so does
    a connected assistant after a session. `dopejar list --blocks` shows the blocks, `--tags` their tags, `dopejar show
    BLOCK` one of them.
    """
    if end and not block:
        raise UsageError("--end needs a block: `dopejar garden BLOCK --end`. `dopejar list --blocks` lists them.")
    with (
        context.open_memory(detect_project=False) as memory,
        context.progress_bar("gardening") as progress,
    ):
        if block:
            result = memory.garden.process_bridge_block(block, ends=end)
            if result.status == "active":
                context.note("It is still going on; with --end it ends now.")
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
        typer.Option("--accept", metavar="TABLE:ROW", help="Accept an altered row as it is now; may be repeated."),
    ] = None,
    memories: Annotated[
        bool, typer.Option("--hygiene", help="Count duplicates, junk and stale memories instead, with examples.")
    ] = False,
    all_projects: AllProjects = False,
    namespace: Annotated[
        Namespace, typer.Option("--namespace", help="With --hygiene: the namespace to read.")
    ] = Namespace.PROD,
) -> int:
    """Check the data file, its indexes and the ledger for faults. The exit code is 1 if a fault remains.

    A row that was changed, added or removed by anything but DoPeJar is named until it is restored, or until a reviewer
    who has looked at it accepts it as it is now (--accept needs a reviewer, and is in the ledger).

    With --hygiene, the memories are scored instead: duplicates, junk, stale ones, secrets and recall loops; a score of
    1 means that none was found. Nothing is changed, and the exit code is 0.

    For example:

        dopejar doctor --repair
        dopejar doctor --accept records:m_9k3fw7x2q5t8v4h6
        dopejar doctor --hygiene
    """
    if memories:
        return hygiene(context, namespace, all_projects=all_projects)
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
        yield "What cannot be rebuilt can be restored from a backup: `dopejar store restore FILE`."
    if any(" outside DoPeJar: " in fault.detail and fault.detail[0].isdigit() for fault in report.faults):
        yield "A reviewer who has looked at an altered row accepts it with `dopejar doctor --accept TABLE:ROW`."
    if report.scrub_due_since:
        yield scrub_line(report.scrub_due_since)
    if not report.faults:
        yield f"No faults found. The ledger's hash chain is intact: {report.ledger_entries} entries."
