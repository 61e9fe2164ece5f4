"""Commands that keep the store in order: maintain, doctor, backup, restore, export, import.

Takes: files and a store. Gives: what was done. Never: overwrites a file that it was not told to.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.command_context import FAILED, OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command

if TYPE_CHECKING:
    from dopejar.engine.results import Checked, Maintained

commands = typer.Typer()


@command(commands, "maintain")
def maintain(
    context: CommandContext,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", min=0.0, metavar="X", help="Stop after so many seconds; when done where omitted."),
    ] = None,
) -> int:
    """Do the housekeeping that is due: vectors for new texts, expiry of what waited too long, old working sets.

    Memories that say one thing under different keys are proposed for merging; a person decides in `dopejar review`.
    """
    with (
        context.open_memory(detect_project=False) as memory,
        context.progress_bar("maintaining") as progress,
    ):
        done = memory.maintain(budget_s=seconds, progress=progress, trace_id=context.trace_id)
    context.answer(json_fields(done), lambda: _maintained_lines(done))
    return OK


def _maintained_lines(done: Maintained) -> Iterator[str]:
    from dopejar.doors.cli.text_format import pairs

    yield from pairs(
        [
            ("embedded", done.embedded),
            ("proposals expired", done.expired),
            ("held rows dropped", done.dropped),
            ("ephemeral memories swept", done.swept),
            ("merges proposed", done.merges),
            ("left to embed", done.left),
            ("seconds", f"{done.seconds:.1f}"),
        ]
    )


@command(commands, "doctor")
def doctor(
    context: CommandContext,
    repair: Annotated[bool, typer.Option("--repair", help="Rebuild the projections that can be rebuilt.")] = False,
) -> int:
    """Look for faults in the data file, its indexes and the ledger. Exit code 1 where a fault remains.

    For example:

        dopejar doctor --repair
    """
    from dopejar.engine.results import Checked
    from dopejar.errors import StoreDamagedError
    from dopejar.ports.store import Fault

    try:
        with context.open_memory(detect_project=False) as memory:
            found = memory.doctor(repair=repair)
    except StoreDamagedError:
        detail = f"{context.directory / 'dopejar.db'} cannot be opened: it is no intact database"
        found = Checked(faults=(Fault(what="file", detail=detail, repairable=False),), mended=(), ledger_entries=0)
    data = {**json_fields(found), "ok": not found.faults}
    if found.faults:
        data["error"] = {"kind": "StoreDamagedError", "message": found.faults[0].detail}
    context.answer(data, lambda: _checked_lines(found, repaired=repair))
    return FAILED if found.faults else OK


def _checked_lines(found: Checked, *, repaired: bool) -> Iterator[str]:
    from dopejar.doors.cli.text_format import safe

    for one in found.mended:
        yield f"mended: {one.what}: {safe(one.detail)}"
    for one in found.faults:
        hint = " (`dopejar doctor --repair` rebuilds it)" if one.repairable and not repaired else ""
        yield f"fault: {one.what}: {safe(one.detail)}{hint}"
    if any(not one.repairable for one in found.faults):
        yield "What cannot be rebuilt is in a backup: `dopejar restore FILE`."
    if not found.faults:
        yield f"All is well. The ledger's chain holds: {found.ledger_entries} entries."


def _named(to: Path) -> Path:
    """The file that is meant. Raises InputError for `-`, which elsewhere means the output."""
    if str(to) == "-":
        from dopejar.errors import InputError

        raise InputError("It is written to a file with the rights of the store, not to the output: name a new file.")
    return to.expanduser()


@command(commands, "backup")
def backup(
    context: CommandContext,
    to: Annotated[Path, typer.Argument(metavar="TO", help="A new file, or a directory that gets a dated one.")],
) -> int:
    """Copy the store consistently while others write. The copy is remembered, so that an erasure can name it.

    For example:

        dopejar backup ~/backups
    """
    with context.open_memory(detect_project=False) as memory:
        path = memory.backup(_named(to))
    context.answer({"path": str(path)}, [f"Backed up to {path}"])
    return OK


@command(commands, "restore")
def restore(
    context: CommandContext,
    source: Annotated[Path, typer.Argument(metavar="FROM", help="A backup.")],
) -> int:
    """Put a backup in the place of the data file; what was erased since is erased in it, too. Asks for a reviewer.

    Other processes go on with the restored memory. What stood before is kept beside it as `dopejar.db.before-restore`.
    A data file that is damaged beyond opening can be replaced as well; the backup's own reviewers decide then.
    """
    from dopejar.compose import open_store
    from dopejar.doors.cli.authentication import reviewer
    from dopejar.errors import StoreDamagedError

    path = source.expanduser()
    try:
        with context.open_memory(detect_project=False) as memory:
            again = memory.restore(path, open_store, reviewer(memory), context.trace_id)
    except StoreDamagedError:
        return _restored_over_damage(context, path)
    said = [f"Restored from {source}."] + ([f"{again} memories and turns were erased again."] if again else [])
    context.answer({"restored": str(source), "erased_again": again, "was_damaged": False}, said)
    return OK


def _restored_over_damage(context: CommandContext, source: Path) -> int:
    from dopejar.compose import restore_over_damage
    from dopejar.doors.cli.authentication import reviewer

    kept = restore_over_damage(context.home, source, reviewer)
    said = (
        f"Restored from {source}. The damaged file is kept as {kept}.",
        "What was erased after the backup was taken could not be read from it: erase that again.",
    )
    context.answer({"restored": str(source), "erased_again": 0, "was_damaged": True, "kept": str(kept)}, said)
    return OK


@command(commands, "export")
def export(
    context: CommandContext,
    to: Annotated[Path, typer.Argument(metavar="TO", help="A new file.")],
) -> int:
    """Write everything as JSON lines: conversations, turns, memories with their evidence.

    For example:

        dopejar export memory.jsonl
    """
    from dopejar.doors.cli.text_format import counted

    with context.open_memory(detect_project=False) as memory:
        done = memory.export_to(_named(to))
    context.answer({**json_fields(done), "path": str(to)}, lambda: [f"Exported to {to}: {counted(done.counts)}"])
    return OK


@command(commands, "import")
def import_(
    context: CommandContext,
    source: Annotated[Path, typer.Argument(metavar="FROM", help="An export.")],
) -> int:
    """Merge an export in one act that `undo` takes back. Asks for a reviewer.

    What was erased or rejected here stays away; what is here already gains the evidence of the other side.
    """
    from dopejar.doors.cli.authentication import reviewer
    from dopejar.doors.cli.text_format import counted

    with context.open_for_writing(detect_project=False) as memory:
        done = memory.import_from(source.expanduser(), reviewer(memory), context.trace_id)
    context.answer(json_fields(done), lambda: [f"Imported {source} in {done.act_id}: {counted(done.counts)}"])
    return OK
