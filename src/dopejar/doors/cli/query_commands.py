"""Commands that ask: recall, list, history, log, status.

Takes: questions. Gives: answers with their sources. Never: changes what is believed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dopejar.doors.cli import recall_command
from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import command
from dopejar.values.record import Kind, Status
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.values.ids import ConversationId

commands = typer.Typer()

_ID = "An id, its beginning, or a key such as Self-Pref-DarkMode."


@command(commands, "recall")
def recall(
    context: CommandContext,
    question: Annotated[list[str], typer.Argument(metavar="QUERY", help="A question in plain words.")],
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="TOKENS", min=1, help="Tokens of the whole text; it never has more."),
    ] = None,
    as_of: Annotated[str, typer.Option("--as-of", metavar="DATE", help="What was true then, as known now.")] = "",
    believed_at: Annotated[str, typer.Option("--believed-at", metavar="DATE", help="What was believed then.")] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Add why each item was taken, and its sources.")] = False,
    kind: Annotated[
        list[Kind] | None, typer.Option("--kind", help="Memories of this kind alone; may be repeated.")
    ] = None,
    records_only: Annotated[
        bool, typer.Option("--records-only", help="Leave out quotations of what was said.")
    ] = False,
    all_projects: Annotated[bool, typer.Option("--all-projects", help="Read the memories of every project.")] = False,
    language: Annotated[
        list[str] | None,
        typer.Option(
            "--language", metavar="NAME", help="A programming language whose memories count too; may be repeated."
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="Items at most.")] = 50,
    namespace: Annotated[Namespace, typer.Option("--namespace", help="prod, test or ephemeral.")] = Namespace.PROD,
) -> int:
    """Ask memory. Prints a text to read or to hand to an assistant, each item with its source.

    The text never has more tokens than the budget. Where nothing fits the question, nothing is printed, and a
    remark says so.

    For example:

        dopejar recall "which port does Postgres listen on?"
        dopejar recall "deploy day" --as-of 2026-03-15 --explain
    """
    return recall_command.recall(
        context,
        " ".join(question),
        budget=budget,
        as_of=as_of,
        believed_at=believed_at,
        explain=explain,
        kinds=[one.value for one in kind or ()],
        records_only=records_only,
        all_projects=all_projects,
        languages=language or (),
        limit=limit,
        namespace=namespace.value,
    )


@command(commands, "list")
def list_records(
    context: CommandContext,
    kind: Annotated[list[Kind] | None, typer.Option("--kind", help="Of this kind alone; may be repeated.")] = None,
    status: Annotated[
        list[Status] | None, typer.Option("--status", help="In this status; active where omitted; may be repeated.")
    ] = None,
    key: Annotated[
        str, typer.Option("--key", metavar="PREFIX", help="Whose key begins so, for instance Self-Pref.")
    ] = "",
    tag: Annotated[str, typer.Option("--tag", metavar="WORD", help="With this tag.")] = "",
    scope: Annotated[
        str, typer.Option("--scope", metavar="SCOPE", help="universal, language:NAME or project:ID; any where omitted.")
    ] = "",
    conversation: Annotated[
        str, typer.Option("--conversation", metavar="NAME", help="Resting on this conversation, by id or name.")
    ] = "",
    namespace: Annotated[Namespace, typer.Option("--namespace", help="prod, test or ephemeral.")] = Namespace.PROD,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 50,
) -> int:
    """List memories with their keys, newest first.

    For example:

        dopejar list --kind rule --kind constraint
        dopejar list --status superseded --key Server
    """
    from dopejar.doors.cli.text_output import record_rows
    from dopejar.ports.store import RecordFilter
    from dopejar.values.scope import Scope

    with context.open_memory(use_project=False) as memory:
        scopes = [Scope.parse(scope)] if scope else []
        if context.project:
            scopes.append(Scope.project(memory.find_project(context.project).id))
        where = RecordFilter(
            statuses=tuple(status or (Status.ACTIVE,)),
            kinds=tuple(kind or ()),
            scopes=tuple(scopes),
            namespace=namespace,
            key_prefix=key,
            tag=tag,
            conversation=_conversation(memory, conversation) if conversation else None,
        )
        records = memory.list_records(where, limit)
    if not records:
        context.note("No memory fits this.")
    context.answer({"records": [json_fields(one) for one in records]}, lambda: record_rows(records))
    return OK


@command(commands, "history")
def history(context: CommandContext, name: Annotated[str, typer.Argument(metavar="ID_OR_KEY", help=_ID)]) -> int:
    """Show a memory's life: its states, who did what by which rules, what it rests on, and other versions of it.

    For example:

        dopejar history Server-Config-Binding
    """
    from dopejar.doors.cli.text_output import history_lines

    with context.open_memory(use_project=False) as memory:
        found = memory.history(name)
    context.answer(json_fields(found), lambda: history_lines(found))
    return OK


@command(commands, "log")
def log(
    context: CommandContext,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 20,
    before: Annotated[
        int | None, typer.Option("--before", metavar="ENTRY", help="Only acts before this entry of the ledger.")
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Follow the ledger's hash chain instead.")] = False,
    head: Annotated[
        str,
        typer.Option(
            "--head", metavar="HASH", help="With --verify: a head noted earlier, which must lie on the chain."
        ),
    ] = "",
    conversations: Annotated[bool, typer.Option("--conversations", help="List the conversations instead.")] = False,
) -> int:
    """Show the newest acts: who wanted and who approved what, by which rules. The ledger holds no words.

    Keep the head that `--verify` prints somewhere else: with `--head` it proves later that nothing before it was
    rewritten.

    For example:

        dopejar log --limit 5
        dopejar log --verify --head 5d1f...
    """
    from dopejar.doors.cli.text_format import day, table
    from dopejar.doors.cli.text_output import act_lines

    with context.open_memory(use_project=False) as memory:
        if verify or head:
            return _verified(context, memory, head)
        if conversations:
            with memory.store.read() as view:
                rows = view.conversations(limit)
            shown = [
                (one.id, day(one.started_at), one.imported, one.project_label, one.format, one.name) for one in rows
            ]
            columns = ("id", "began", "turns", "project", "format", "name")
            context.answer({"conversations": [json_fields(one) for one in rows]}, lambda: table(columns, shown))
            return OK
        acts = memory.log(limit, before)
    context.answer({"acts": [json_fields(one) for one in acts]}, lambda: act_lines(acts))
    if not acts:
        context.note("No act yet: nothing was learned or told. `dopejar learn FILE` begins.")
    return OK


def _verified(context: CommandContext, memory: Memory, head: str) -> int:
    from dopejar.errors import LedgerBrokenError

    found = memory.verify(head)
    if found.found_head is False:
        raise LedgerBrokenError(
            f"The chain holds in itself, but the head {head} does not lie on it: it was rewritten since, or the head "
            "is of another store. Compare with a backup."
        )
    said = [f"The chain holds: {found.entries} entries, head {found.head.hash}"]
    context.answer(json_fields(found), [*said, "The head given lies on it."] if head else said)
    return OK


@command(commands, "status")
def status(context: CommandContext) -> int:
    """Show what the store holds, what waits, which embedder there is, and the project at hand."""
    from dopejar.doors.cli.bullet_output import automatic_data, automatic_line
    from dopejar.doors.cli.text_output import standing_lines
    from dopejar.engine.bullets.procedural_memory import ProceduralMemory

    with context.open_memory() as memory:
        standing, reviewers = memory.status(), memory.reviewers()
        report = ProceduralMemory.of(memory).automatic_assignments()
    data = {**json_fields(standing), "reviewers": list(reviewers), "automatic": automatic_data(report)}
    context.answer(data, lambda: standing_lines(standing, reviewers, automatic_line(report)))
    return OK


def _conversation(memory: Memory, name: str) -> ConversationId:
    from dopejar.engine.review.reviewer_actions import find_conversation

    with memory.store.read() as view:
        return find_conversation(view, name)
