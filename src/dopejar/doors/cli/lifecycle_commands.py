"""Commands that change the state of what is stored: undo, forget, bring-back, erase.

Takes: acts, memories, turns, conversations. Gives: receipts. Never: acts without a reviewer, or erases without a
confirmation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Final, TypedDict

import typer

from dopejar.doors.cli.authentication import authenticate
from dopejar.doors.cli.command_context import FAILED, OK, CommandContext, find_conversation, json_fields, json_value
from dopejar.doors.cli.command_registry import command, each_named
from dopejar.doors.cli.text_format import one_line, safe, whole_line
from dopejar.doors.cli.text_output import echo_lines, erasure_lines, receipt_lines, record_lines
from dopejar.errors import AmbiguousIdError, NotFoundError, UsageError
from dopejar.values.ids import ConversationId, EpisodeId, RecordId

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.engine.results import ErasureReceipt
    from dopejar.engine.review.erasure_echoes import Echo

commands = typer.Typer()

Records = Annotated[
    list[str],
    typer.Argument(metavar="ID", help="Memories, by id, unique id prefix or key.", callback=each_named),
]
_SHOWN: Final = 5  # memories named in a message
ConversationName = Annotated[str, typer.Option("--conversation", metavar="NAME", help="A conversation, by id or name.")]


@command(commands, "undo")
def undo(
    context: CommandContext,
    name: Annotated[
        str, typer.Argument(metavar="ACT", help="An act from `dopejar log`, or the id of a conversation.")
    ] = "",
    conversation: ConversationName = "",
) -> int:
    """Undo an act, or everything learned from a conversation. Needs a reviewer.

    The act does not have to be the newest one. An undo is an act itself and can be undone.

    For example:

        dopejar undo a_7x2m
        dopejar undo --conversation planning
    """
    if bool(name) == bool(conversation):
        raise UsageError(
            "Give either one act or one --conversation. `dopejar log` lists acts; with --conversations, conversations."
        )
    with context.open_for_writing(detect_project=False) as memory:
        target = find_conversation(memory, conversation) if conversation else memory.inspection.undo_target(name)
        receipt = memory.undo(target, authenticate(memory), context.trace_id)
    context.answer(
        json_fields(receipt),
        lambda: [
            *receipt_lines([receipt]),
            f"{len(receipt.records)} memories changed in act {receipt.act_id}"
            if receipt.records
            else "Nothing changed.",
        ],
    )
    return OK


@command(commands, "forget")
def forget(context: CommandContext, names: Records) -> int:
    """Take memories out of use. They stay readable; `bring-back` makes them active again. Needs a reviewer.

    Instead of an id, give words: at a terminal you are asked about the one memory that they fit; where they fit
    several, those are named. `dopejar erase` removes the words themselves, for good.

    For example:

        dopejar forget Server-Config-Binding
    """
    with context.open_for_writing(detect_project=False) as memory:
        known = [_in_use(context, memory, name) for name in names]
        (receipt,) = memory.delete(known, authenticate(memory), context.trace_id)
    context.answer(json_fields(receipt), lambda: receipt_lines([receipt]))
    return OK


def _in_use(context: CommandContext, memory: Memory, name: str) -> RecordId:
    """The id of the memory with this name; of words that one memory alone holds, once a person has said yes.

    Raises NotFoundError; of words, it names the memories that hold them.
    """
    try:
        return memory.get(name).id
    except AmbiguousIdError:
        raise
    except NotFoundError:
        found = memory.review.about(name)
        if not found:
            raise
        if len(found) == 1 and context.may_ask:
            typer.confirm(f"Take {found[0].id} out of use: {whole_line(found[0].text)}?", abort=True, err=True)
            return found[0].id
        shown = "; ".join(f"{record.id} ({one_line(record.text)})" for record in found[:_SHOWN])
        more = f"; and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise NotFoundError(
            f"{name!r} is no id or key. Name one of the memories with these words: {shown}{more}."
        ) from None


@command(commands, "bring-back")
def bring_back(context: CommandContext, names: Records) -> int:
    """Make memories active again that were forgotten, undone or superseded. Needs a reviewer.

    A superseded memory is then active beside its successor, and a later statement changes only one of the two. Expired
    and rejected memories wait for review again.

    For example:

        dopejar bring-back m_9k3f
    """
    with context.open_for_writing(detect_project=False) as memory:
        known = [memory.get(name).id for name in names]
        receipt = memory.bring_back(known, authenticate(memory), context.trace_id)
    context.answer(json_fields(receipt), lambda: receipt_lines([receipt]))
    return OK


@command(commands, "erase")
def erase(
    context: CommandContext,
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="ID", help="Memories, by id, unique id prefix or key.", callback=each_named),
    ] = None,
    conversation: ConversationName = "",
    episode: Annotated[
        list[str] | None, typer.Option("--episode", metavar="ID", help="A turn, by its full id; may be repeated.")
    ] = None,
    echoes: Annotated[
        bool, typer.Option("--echoes", help="Also erase the other places that mention it; --dry-run lists them.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would be erased, and the other places that mention it.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
) -> int:
    """Erase memories, turns or a whole conversation permanently, and verify it. Needs a reviewer.

    The text is blanked in every turn it came from, and the receipt says whether any of it was still found in the bytes
    of the data file. No copy of the conversation brings it back. Echoes are other places that speak of it: what the
    assistant answered, other turns and memories, proposals, working sets, references, notes of frameworks and goals.
    While one of them still holds the same text, the exit code is 1. This cannot be undone.

    For example:

        dopejar erase m_9k3f
        dopejar erase --conversation planning --yes
    """
    if not names and not conversation and not episode:
        raise UsageError("Name what to erase: memories by id, --episode ID, or --conversation NAME.")
    with context.open_for_writing(detect_project=False) as memory:
        chosen = find_conversation(memory, conversation) if conversation else None
        named = _Named(
            records=names or (), episodes=[EpisodeId(name) for name in episode or ()], conversation=chosen or ""
        )
        preview = list(_preview(memory, named))
        found = memory.inspection.preview_echoes(**named)
        if dry_run:
            context.answer({"erases": preview, "echoes": json_value(found)}, lambda: _dry_lines(preview, found))
            return OK
        _confirm(context, _dry_lines(preview, found), yes=yes)
        if found and not echoes and not yes:
            echoes = typer.confirm(f"Erase the {len(found)} echoes as well?", err=True)
        receipt = memory.erase(authenticate(memory), **named, echoes=found if echoes else (), trace_id=context.trace_id)
    context.answer(json_fields(receipt), lambda: erasure_lines(receipt))
    return _exit_code(receipt)


def _exit_code(receipt: ErasureReceipt) -> int:
    return OK if receipt.verified else FAILED


class _Named(TypedDict):
    records: Sequence[str]
    episodes: Sequence[EpisodeId]
    conversation: str


def _preview(memory: Memory, named: _Named) -> Iterator[str]:
    """What would be erased, one line each.

    Raises:
        NotFoundError, AmbiguousIdError: a name matches nothing, or more than one thing.
    """
    yield from record_lines(memory, named["records"])
    with memory.store.read() as view:
        turns = view.episodes(tuple(named["episodes"]))
        for name in named["episodes"]:
            turn = turns.get(name)
            if turn is None:
                raise NotFoundError(f"No turn has the id {name!r}. `dopejar show ID` lists the turns of a memory.")
            yield f"{turn.id}  {safe(turn.speaker or turn.origin.value)}: {one_line(turn.text)}"
        row = view.conversation(ConversationId(named["conversation"])) if named["conversation"] else None
        if row is not None:
            extent = f"all {row.imported} turns, and memories without other evidence"
            yield f"{row.id}  conversation {safe(row.name)}: {extent}"


def _dry_lines(preview: Sequence[str], found: Sequence[Echo]) -> list[str]:
    """What would be erased, and what else speaks of it."""
    echoes = [f"{len(found)} echoes, which --echoes erases as well:", *echo_lines(found)] if found else []
    return [*preview, *echoes]


def _confirm(context: CommandContext, preview: Sequence[str], *, yes: bool) -> None:
    if yes:
        return
    if not context.at_terminal or context.as_json:
        raise UsageError("Erasing cannot be undone and needs a confirmation. Without a terminal, confirm with --yes.")
    for line in preview:
        typer.echo(line, err=True)
    typer.confirm("Erase this permanently?", abort=True, err=True)
