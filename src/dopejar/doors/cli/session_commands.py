"""The `session` commands: end a conversation and decide about the proposals from its corrections.

Takes: a conversation, and the answers of a person. Gives: what was decided. Never: asks without a terminal; then the
proposals wait in the review queue.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli.approval_prompt import ask_and_decide
from dopejar.doors.cli.command_context import OK, CommandContext, json_fields, waiting_line
from dopejar.doors.cli.command_registry import command, group
from dopejar.doors.cli.proposal_blocks import summary_lines
from dopejar.doors.cli.text_format import day, safe, table
from dopejar.doors.cli.text_output import receipt_lines
from dopejar.values.receipt import Receipt

if TYPE_CHECKING:
    from dopejar.engine.corrections.sessions import EndedSession, SessionLine
    from dopejar.engine.memory import Memory

commands = group(
    """End conversations, and decide what to learn from them. Without a subcommand, lists the latest conversations."""
)


@command(commands, "list")
def list_sessions(
    context: CommandContext,
    limit: Annotated[int, typer.Option("--limit", min=1, help="The maximum number of rows.")] = 20,
) -> int:
    """List the latest conversations, and whether their corrections have been processed to the end."""
    with context.open_memory(use_project=False) as memory:
        rows = memory.sessions.list(limit)
    if not rows:
        context.note("No conversations yet. Import one with `dopejar learn FILE`.")
    context.answer({"sessions": [json_fields(row) for row in rows]}, lambda: _session_rows(rows))
    return OK


def _session_rows(rows: Sequence[SessionLine]) -> Iterator[str]:

    cells = [
        (
            row.conversation.id,
            day(row.conversation.started_at),
            row.turns,
            "yes" if row.is_read else "no",
            safe(row.conversation.project_label),
            safe(row.conversation.name),
        )
        for row in rows
    ]
    return table(("id", "started", "turns", "processed", "project", "name"), cells)


@command(commands, "end")
def end(
    context: CommandContext,
    conversation: Annotated[
        str,
        typer.Argument(
            metavar="CONVERSATION",
            help="Its id, name or transcript file. Default: the latest one of the current project.",
        ),
    ] = "",
    queue: Annotated[bool, typer.Option("--queue", help="Do not ask; the proposals wait in the review queue.")] = False,
) -> int:
    """End a conversation: show the proposals from its corrections and, at a terminal, ask which to keep.

    Answer with numbers (1,3 or 2-4), `all`, `none`, `edit 2` or `reject 2`. Proposals without a decision wait in
    `dopejar review`. Nothing is asked without a terminal, or with --json or --queue.

    For example:

        dopejar session end
        dopejar session end ~/.claude/projects/-home-me-atlas/session.jsonl
    """
    with context.open_for_writing() as memory:
        if conversation and Path(conversation).expanduser().is_file():
            conversation = str(Path(conversation).expanduser())
            list(memory.learn([conversation], trace_id=context.trace_id))
        ended = memory.sessions.end(conversation, trace_id=context.trace_id)
        may_ask = context.at_terminal and not context.as_json and not queue
        receipts = ask_about(context, memory, ended) if may_ask else None
        waiting = memory.review.waiting()
    data = {
        "session": json_fields(ended.summary),
        "receipts": [json_fields(receipt) for receipt in receipts or ()],
        "waiting": waiting,
    }
    context.answer(data, lambda: _ended_lines(ended, receipts, waiting))
    return OK


def ask_about(context: CommandContext, memory: Memory, ended: EndedSession) -> tuple[Receipt, ...] | None:
    """Ask a person about a session and carry out the decisions; None where there is nothing, or nobody may decide."""
    if not ended.summary.proposals:
        return None
    reason = "rejected at the end of its session"
    return ask_and_decide(context, memory, ended.items, lambda ask: ask.ask_about_session(ended.summary), reason)


def _ended_lines(ended: EndedSession, receipts: Sequence[Receipt] | None, waiting: int) -> Iterator[str]:

    if receipts is None:  # otherwise the person who was asked has already seen it
        yield from summary_lines(ended.summary)
    yield from receipt_lines(receipts) if receipts else ()
    if waiting:
        yield waiting_line(waiting)
