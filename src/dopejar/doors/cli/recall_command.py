"""What `recall` does, apart from how its options were read.

Takes: a question and its options as plain values. Gives: the packed text, or the same as data. Never: loads the command
tree; agents call this often, and pay for every import.
"""

from __future__ import annotations

from collections.abc import Sequence

from dopejar.doors.cli.command_context import OK, CommandContext, json_fields, parse_date


def recall(
    context: CommandContext,
    question: str,
    *,
    budget: int | None = None,
    as_of: str = "",
    believed_at: str = "",
    explain: bool = False,
    kinds: Sequence[str] = (),
    records_only: bool = False,
    all_projects: bool = False,
    languages: Sequence[str] = (),
    limit: int = 50,
    namespace: str = "prod",
) -> int:
    """Ask and print. Raises what the engine raises, and InputError for a date that is none."""

    with context.open_memory(use_project=False) as memory:
        pack = memory.recall(
            question,
            budget=budget,
            limit=limit,
            as_of=parse_date(as_of, "--as-of"),
            believed_at=parse_date(believed_at, "--believed-at"),
            project=context.project,
            all_projects=all_projects,
            languages=languages,
            namespace=namespace,
            kinds=kinds,
            records_only=records_only,
            explain=explain,
            trace_id=context.trace_id,
        )
    if not pack.items:
        context.note("The budget is too small for what was found." if pack.left_out else "Memory has nothing about this.")
    if context.as_json:

        context.answer(json_fields(pack), ())
    else:
        from dopejar.doors.cli.text_output import pack_lines

        context.answer({}, pack_lines(pack, explain=explain))
    return OK
