"""Commands that take something back or away: undo, deprecate, bring-back, erase.

Takes: acts, memories, turns, conversations. Gives: receipts. Never: acts without a reviewer, or erases unasked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.command_context import FAILED, OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command
from dopejar.errors import NotFoundError, UsageError
from dopejar.values.ids import EpisodeId

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.engine.results import ErasureReceipt
    from dopejar.values.ids import ConversationId

commands = typer.Typer()

Records = Annotated[list[str], typer.Argument(metavar="ID", help="Memories: ids, their beginnings, or keys.")]
ConversationName = Annotated[str, typer.Option("--conversation", metavar="NAME", help="A conversation, by id or name.")]


@command(commands, "undo")
def undo(
    context: CommandContext,
    name: Annotated[str, typer.Argument(metavar="ACT", help="An act from `dopejar log`, or a conversation's id.")] = "",
    conversation: ConversationName = "",
) -> int:
    """Take back an act, or everything learned from a conversation. Asks for a reviewer.

    Also an act in the middle of a history. An undo is an act like any other and can be undone.

    For example:

        dopejar undo a_7x2m
        dopejar undo --conversation planning
    """
    from dopejar.doors.cli.authentication import reviewer
    from dopejar.doors.cli.text_output import receipt_lines

    if bool(name) == bool(conversation):
        raise UsageError("Name one act, or one conversation with --conversation. `dopejar log` lists both.")
    with context.open_for_writing(detect_project=False) as memory:
        meant = find_conversation(memory, conversation) if conversation else name
        receipt = memory.undo(meant, reviewer(memory), context.trace_id)
    context.answer(
        json_fields(receipt),
        lambda: [
            *receipt_lines([receipt]),
            f"{len(receipt.records)} memories changed, in {receipt.act_id}" if receipt.records else "Nothing changed.",
        ],
    )
    return OK


@command(commands, "deprecate")
def deprecate(context: CommandContext, names: Records) -> int:
    """Take memories out of use; they stay readable, and `bring-back` returns them. Asks for a reviewer."""
    from dopejar.doors.cli.authentication import reviewer
    from dopejar.doors.cli.text_output import receipt_lines

    with context.open_for_writing(detect_project=False) as memory:
        receipt = memory.deprecate(names, reviewer(memory), context.trace_id)
    context.answer(json_fields(receipt), lambda: receipt_lines([receipt]))
    return OK


@command(commands, "bring-back")
def bring_back(context: CommandContext, names: Records) -> int:
    """Bring deprecated, retracted or expired memories back, and rejected ones into the queue. Asks for a reviewer."""
    from dopejar.doors.cli.authentication import reviewer
    from dopejar.doors.cli.text_output import receipt_lines

    with context.open_for_writing(detect_project=False) as memory:
        receipt = memory.bring_back(names, reviewer(memory), context.trace_id)
    context.answer(json_fields(receipt), lambda: receipt_lines([receipt]))
    return OK


@command(commands, "erase")
def erase(
    context: CommandContext,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="ID", help="Memories: ids, their beginnings, or keys.")
    ] = None,
    conversation: ConversationName = "",
    episode: Annotated[
        list[str] | None, typer.Option("--episode", metavar="ID", help="A turn, by its whole id; may be repeated.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether that is meant.")] = False,
) -> int:
    """Erase memories, turns or a whole conversation for good, and prove it. Asks for a reviewer.

    The words are blanked where they lie, and the receipt says whether any of them was found afterwards in the bytes of
    the data file. They do not come back when the same transcript is learned again. This cannot be undone.

    For example:

        dopejar erase m_9k3f
        dopejar erase --conversation planning --yes
    """
    from dopejar.doors.cli.authentication import reviewer
    from dopejar.doors.cli.text_output import erasure_lines

    if not names and not conversation and not episode:
        raise UsageError("Say what to erase: memories by id, --episode ID, or --conversation NAME.")
    with context.open_for_writing(detect_project=False) as memory:
        chosen = find_conversation(memory, conversation) if conversation else None
        preview = list(_preview(memory, names or (), episode or (), chosen))
        _confirm(context, preview, yes=yes)
        receipt = memory.erase(
            reviewer(memory),
            records=names or (),
            episodes=[EpisodeId(one) for one in episode or ()],
            conversation=chosen or "",
            trace_id=context.trace_id,
        )
    context.answer(json_fields(receipt), lambda: erasure_lines(receipt))
    return _exit_code(receipt)


def _exit_code(receipt: ErasureReceipt) -> int:
    return OK if receipt.verified else FAILED


def _preview(
    memory: Memory, names: Sequence[str], episodes: Sequence[str], conversation: ConversationId | None
) -> Iterator[str]:
    """What would be erased, one line each. Raises NotFoundError, AmbiguousIdError."""
    from dopejar.doors.cli.text_format import one_line, safe
    from dopejar.doors.cli.text_output import texts_of

    yield from texts_of(memory, names)
    with memory.store.read() as view:
        found = view.episodes(tuple(EpisodeId(one) for one in episodes))
        for name in episodes:
            turn = found.get(EpisodeId(name))
            if turn is None:
                raise NotFoundError(f"There is no turn {name!r}. `dopejar history` names the turns a memory rests on.")
            yield f"{turn.id}  {safe(turn.speaker or turn.origin.value)}: {one_line(turn.text)}"
        row = view.conversation(conversation) if conversation else None
        if row is not None:
            yield f"{row.id}  the whole conversation {safe(row.name)}, {row.imported} turns, and what rests on it alone"


def _confirm(context: CommandContext, preview: Sequence[str], *, yes: bool) -> None:
    if yes:
        return
    if not context.at_terminal or context.as_json:
        raise UsageError("Erasing cannot be undone. Add --yes where nobody can be asked.")
    for line in preview:
        typer.echo(line, err=True)
    typer.confirm("Erase this for good?", abort=True, err=True)


def find_conversation(memory: Memory, name: str) -> ConversationId:
    """The id of a conversation. Raises NotFoundError, AmbiguousIdError."""
    from dopejar.engine.review import reviewer_actions

    with memory.store.read() as view:
        return reviewer_actions.find_conversation(view, name)
