"""`session`: the end of a conversation, and what its corrections propose.

Takes: a conversation, what a person answers. Gives: what was decided. Never: asks where no person types; then what is
proposed waits in the queue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command, group

if TYPE_CHECKING:
    from dopejar.doors.cli.text_output import Receipt
    from dopejar.engine.corrections.session_end import EndedSession, SessionLine
    from dopejar.engine.memory import Memory

commands = group(
    """Sessions: conversations with an assistant, and what is learned when one ends. The bare word lists the last ones.
    """
)


@command(commands, "list")
def list_sessions(
    context: CommandContext, limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 20
) -> int:
    """List the last conversations, and whether their corrections were read to the end."""
    with context.open_memory(use_project=False) as memory:
        found = memory.sessions(limit)
    if not found:
        context.note("No conversation is kept yet: `dopejar learn FILE`.")
    context.answer({"sessions": [json_fields(one) for one in found]}, lambda: _rows(found))
    return OK


def _rows(found: Sequence[SessionLine]) -> Iterator[str]:
    from dopejar.doors.cli.text_format import day, safe, table

    rows = [
        (
            one.conversation.id,
            day(one.conversation.started_at),
            one.turns,
            "yes" if one.is_read else "open",
            safe(one.conversation.project_label),
            safe(one.conversation.name),
        )
        for one in found
    ]
    return table(("id", "began", "turns", "read", "project", "name"), rows)


@command(commands, "end")
def end(
    context: CommandContext,
    conversation: Annotated[
        str,
        typer.Argument(
            metavar="CONVERSATION",
            help="Its id, name or transcript; the last one of the project at hand where omitted.",
        ),
    ] = "",
    queue: Annotated[bool, typer.Option("--queue", help="Ask nothing; what is proposed waits in the queue.")] = False,
) -> int:
    """End a conversation: show what its corrections propose and, at a terminal, ask what to keep.

    Answers are numbers (1,3 or 2-4), `all`, `none`, `edit 2`, `reject 2`. What is not decided waits in `dopejar
    review`. Without a terminal, with --json or --queue, nothing is asked.

    For example:

        dopejar session end
        dopejar session end ~/.claude/projects/-home-me-atlas/session.jsonl
    """
    with context.open_for_writing() as memory:
        if conversation and Path(conversation).expanduser().is_file():
            conversation = str(Path(conversation).expanduser())
            list(memory.learn([conversation], trace_id=context.trace_id))
        ended = memory.end_session(conversation, trace_id=context.trace_id)
        receipts = _decided(context, memory, ended, is_asked=context.at_terminal and not context.as_json and not queue)
        waits = memory.waiting()
    data = {
        "session": json_fields(ended.summary),
        "receipts": [json_fields(one) for one in receipts or ()],
        "waiting": waits,
    }
    context.answer(data, lambda: _ended_lines(ended, receipts, waits))
    return OK


def _decided(
    context: CommandContext, memory: Memory, ended: EndedSession, *, is_asked: bool
) -> tuple[Receipt, ...] | None:
    """Ask a person and carry out what they say; None where nobody is asked or nobody may decide."""
    from dopejar.doors.cli.approval_prompt import ApprovalInterface, decided

    if not is_asked or not ended.summary.proposals:
        return None
    reason = "rejected at the end of its session"
    return decided(context, memory, ended.items, lambda: ApprovalInterface().answers(ended.summary), reason)


def _ended_lines(ended: EndedSession, receipts: Sequence[Receipt] | None, waits: int) -> Iterator[str]:
    from dopejar.doors.cli.approval_prompt import summary_lines
    from dopejar.doors.cli.text_output import receipt_lines

    if receipts is None:  # else whoever was asked has seen it
        yield from summary_lines(ended.summary)
    yield from receipt_lines(receipts) if receipts else ()
    if waits:
        yield f"{waits} {'waits' if waits == 1 else 'wait'} for a person: `dopejar review`."
