"""The commands of playbooks, which are part of `bullets`: export and import.

Takes: files. Gives: playbooks, and the bullets that came of one. Never: overwrites a file, or takes over its counters.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.authentication import authenticate, known_reviewer
from dopejar.doors.cli.bullet_output import bullet_data, bullet_lines, dropped_insights
from dopejar.doors.cli.command_context import OK, CommandContext
from dopejar.doors.cli.command_registry import AllProjects, command
from dopejar.errors import InputError

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Speaker
    from dopejar.engine.memory import Memory

commands = typer.Typer()


@command(commands, "export")
def export(
    context: CommandContext,
    path: Annotated[str, typer.Argument(metavar="FILE", help="The new file. Default: stdout.")] = "",
    staged: Annotated[bool, typer.Option("--staged", help="Include staged bullets.")] = False,
    all_projects: AllProjects = False,
) -> int:
    """Export the bullets as a text playbook with sections and counters; as JSON with --json or to a .json file."""
    with context.open_memory() as memory:
        text = memory.bullets.export_playbook(
            as_json=context.as_json or path.endswith(".json"), with_staged=staged, all_projects=all_projects
        )
    if not path:
        sys.stdout.write(text)
        return OK
    target = Path(path)
    if target.exists():
        raise InputError(f"{target} already exists. Name a new file.")
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{target} cannot be written: {error.strerror}.") from error
    context.answer({"path": path}, [f"Written to {target}."])
    return OK


@command(commands, "import")
def import_(
    context: CommandContext,
    path: Annotated[Path, typer.Argument(metavar="FILE", help="A playbook, as text or JSON.")],
    place: Annotated[
        bool, typer.Option("--place", help="Put the bullets on the sides of the playbook, on trial. Needs a reviewer.")
    ] = False,
) -> int:
    """Import a playbook. Its bullets wait in the staging area; its counters are ignored."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read: {error}.") from error
    with context.open_for_writing() as memory:
        by = authenticate(memory) if place else None
        speaker = None if by else bullet_speaker(context, memory)
        imported = memory.bullets.import_playbook(text, reviewer=by, speaker=speaker, trace_id=context.trace_id)
    bullets, left_out = imported.bullets, dropped_insights([imported])
    context.answer(
        {"bullets": [bullet_data(bullet) for bullet in bullets], "dropped": left_out}, lambda: bullet_lines(bullets)
    )
    if left_out:
        context.note(f"{len(left_out)} bullets were left out; the first because: {left_out[0]['reason']}.")
    return OK


def bullet_speaker(context: CommandContext, memory: Memory) -> Speaker:
    """The user at a terminal or with a reviewer's passphrase; otherwise an assistant."""
    from dopejar.engine.dependencies import Speaker
    from dopejar.values.episode import Origin

    if context.at_terminal or known_reviewer(memory) is not None:
        return Speaker(origin=Origin.USER, name="user")
    return Speaker(origin=Origin.ASSISTANT, name="cli")
