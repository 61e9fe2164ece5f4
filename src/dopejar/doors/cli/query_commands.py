"""Commands that query memory: recall, list, log, status.

Takes: questions and filters. Gives: answers with their sources. Never: changes records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, TypedDict

import typer

from dopejar.doors.cli import recall_command, survey_commands
from dopejar.doors.cli.act_output import act_lines
from dopejar.doors.cli.block_output import block_rows, tag_rows
from dopejar.doors.cli.bullet_output import automatic_data, automatic_line
from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import AllProjects, command
from dopejar.doors.cli.show_command import list_dossiers
from dopejar.doors.cli.survey_commands import View
from dopejar.doors.cli.text_format import day, moment, table
from dopejar.doors.cli.text_output import change_rows, record_rows, standing_lines
from dopejar.errors import InputError, UsageError
from dopejar.values.dates import parse_moment
from dopejar.values.ids import RecordId
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Kind, Record, Status
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory

commands = typer.Typer()

_NOTHING_BELIEVED = (
    "Nothing is believed here yet. `dopejar remember TEXT` and `dopejar learn PATH` add memories; `dopejar review`"
    " shows what waits."
)
_EVERY = 1_000_000
_NAMESPACE = "The namespace to read: prod, test or ephemeral."


@command(commands, "recall")
def recall(
    context: CommandContext,
    question: Annotated[list[str], typer.Argument(metavar="QUERY", help="A question in natural language.")],
    budget: Annotated[
        int | None,
        typer.Option("--budget", metavar="TOKENS", min=1, help="The maximum number of tokens of the answer."),
    ] = None,
    as_of: Annotated[
        str, typer.Option("--as-of", metavar="DATE", help="Answer with what was true at that date, as known today.")
    ] = "",
    believed_at: Annotated[
        str,
        typer.Option(
            "--believed-at",
            metavar="DATE",
            help="Answer with what memory held at that date; turns of imports that taught nothing count from when they "
            "were said.",
        ),
    ] = "",
    explain: Annotated[
        bool, typer.Option("--explain", help="Add why each item was selected, and its sources.")
    ] = False,
    kind: Annotated[
        list[Kind] | None, typer.Option("--kind", help="Only memories of this kind; may be repeated.")
    ] = None,
    records_only: Annotated[
        bool, typer.Option("--records-only", help="Leave out quotations from conversations.")
    ] = False,
    all_projects: AllProjects = False,
    language: Annotated[
        list[str] | None,
        typer.Option(
            "--language", metavar="NAME", help="Include memories about this programming language; may be repeated."
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1000, help="The maximum number of items.")] = 50,
    namespace: Annotated[Namespace, typer.Option("--namespace", help=_NAMESPACE)] = Namespace.PROD,
    why_not: Annotated[
        str, typer.Option("--why-not", metavar="ID", help="Say why this memory or turn is not in the answer.")
    ] = "",
) -> int:
    """Search memory for a question. Prints a text for a person or an assistant to read; each item cites its source.

    The text never has more tokens than the budget. If nothing matches the question, nothing is printed to stdout and
    a note on stderr says so.

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
        kinds=[item.value for item in kind or ()],
        records_only=records_only,
        all_projects=all_projects,
        languages=language or (),
        limit=limit,
        namespace=namespace.value,
        why_not=why_not,
    )


@command(commands, "list")
def list_records(
    context: CommandContext,
    kind: Annotated[list[Kind] | None, typer.Option("--kind", help="Only this kind; may be repeated.")] = None,
    status: Annotated[
        list[Status] | None, typer.Option("--status", help="Only this status; may be repeated. Default: active.")
    ] = None,
    key: Annotated[
        str, typer.Option("--key", metavar="PREFIX", help="Only keys with this prefix, for example Self-Pref.")
    ] = "",
    tag: Annotated[str, typer.Option("--tag", metavar="WORD", help="Only memories with this tag.")] = "",
    scope: Annotated[
        str, typer.Option("--scope", metavar="SCOPE", help="Only universal, language:NAME or project:NAME or ID.")
    ] = "",
    all_projects: AllProjects = False,
    conversation: Annotated[
        str,
        typer.Option(
            "--conversation", metavar="NAME", help="Only memories with evidence from this conversation, by id or name."
        ),
    ] = "",
    namespace: Annotated[Namespace, typer.Option("--namespace", help=_NAMESPACE)] = Namespace.PROD,
    since: Annotated[
        str,
        typer.Option(
            "--since", metavar="DATE", help="Only what was learned or retired since then: a date, or 7d for a week."
        ),
    ] = "",
    true_since: Annotated[
        str,
        typer.Option(
            "--true-since",
            metavar="DATE",
            help="Only what began or ceased to hold since then, whenever it was learned.",
        ),
    ] = "",
    limit: Annotated[int, typer.Option("--limit", min=1, help="The maximum number of rows.")] = 50,
    view: Annotated[View | None, typer.Option("--view", help="List this instead of memories.")] = None,
    blocks: Annotated[bool, typer.Option("--blocks", help="List the blocks of conversations instead.")] = False,
    tags: Annotated[bool, typer.Option("--tags", help="List the tags of these blocks instead.")] = False,
    word: Annotated[str, typer.Argument(metavar="[WORD]", help="Only memories whose text contains this.")] = "",
) -> int:
    """List memories with their keys, newest first.

    Without filters, this lists the active memories of all kinds that apply in the current project. A temporary memory
    ("tonight", "this week") is left out once its time is over. `--since` lists instead what was learned, replaced and
    taken out of use since then, the last change first, each with who approved it (`policy`: nobody was asked) and the
    act, which `undo` takes back. `--true-since` goes by when each began or ceased to hold: after an import, what
    changed last month. `--view` lists `keys` (their versions, accesses and strength), `profile` (the approved
    working rules), `decisions`, `corrections` or `dossiers` (what memories are about). `--blocks` lists the blocks of
    one topic that conversations consist of, `--tags` their tags and rules; with `--conversation` those of that one,
    wherever it was. Most take `--limit`; `keys` also takes `--key`.

    For example:

        dopejar list invoice
        dopejar list --kind rule --kind constraint
        dopejar list --status superseded --key Server
        dopejar list --since 7d
        dopejar list --view keys --key Self-Pref
        dopejar list --blocks --conversation c_7x2m
    """
    if word and (view or blocks or tags or since or true_since):
        raise UsageError(f"{word!r} filters memories only, not what --view, --blocks, --tags and --since list.")
    if (view is not None) + blocks + tags + bool(since) + bool(true_since) > 1:
        raise UsageError("`list` shows one thing at a time: give one of --view, --blocks, --tags and --since.")
    if blocks or tags:
        return _list_blocks(context, conversation, limit, namespace, tags=tags, all_projects=all_projects)
    if view is not None:
        return _viewed(context, view, key, limit, namespace, all_projects=all_projects)
    filters: _Filters = {
        "limit": limit,
        "kinds": tuple(kind or ()),
        "key": key,
        "tag": tag,
        "scope": scope,
        "conversation": conversation,
        "all_projects": all_projects,
        "namespace": namespace,
    }
    if since or true_since:
        began = _start(since or true_since)
        return _list_changes(context, began, tuple(status or ()), filters, became_true=bool(true_since))
    with context.open_memory() as memory:
        if word:
            filters["limit"] = _EVERY
        records = memory.list(statuses=tuple(status or (Status.ACTIVE,)), **filters)
        records = tuple(record for record in records if word.casefold() in record.text.casefold())[:limit]
        successors = _successors(memory, records)
        projects = memory.project_labels()
    if not records:
        filtered = any((word, kind, status, key, tag, scope, conversation, namespace is not Namespace.PROD))
        context.note("No memory matches these filters." if filtered else _NOTHING_BELIEVED)
    context.answer(
        {"records": [json_fields(record) for record in records]},
        lambda: record_rows(records, projects, successors=successors),
    )
    return OK


def _successors(memory: Memory, records: Iterable[Record]) -> Mapping[RecordId, Record]:
    """What took the place of those of the records that were replaced, by id."""
    ids = tuple({record.superseded_by for record in records if record.superseded_by})
    found = memory.list(RecordFilter(statuses=(), namespace=None, ids=ids), len(ids)) if ids else ()
    return {record.id: record for record in found}


class _Filters(TypedDict):
    limit: int
    kinds: tuple[Kind, ...]
    key: str
    tag: str
    scope: str
    conversation: str
    all_projects: bool
    namespace: Namespace


def _list_changes(
    context: CommandContext, since: datetime, statuses: tuple[Status, ...], filters: _Filters, *, became_true: bool
) -> int:
    with context.open_memory() as memory:
        changes = memory.changes(since, statuses=statuses, became_true=became_true, **filters)
        successors = _successors(memory, (one.record for one in changes))
        projects = memory.project_labels()
    if not changes:
        context.note(f"Nothing that these filters show was learned or retired since {moment(since)}.")
    context.answer(
        {"changes": [json_fields(change) for change in changes]}, lambda: change_rows(changes, projects, successors)
    )
    return OK


def _start(text: str) -> datetime:
    """The time that `--since` means: of a date its beginning, of `7d` seven days ago. Raises InputError."""
    value = text.strip()
    if days := re.fullmatch(r"(\d{1,4})d", value):
        return datetime.now().astimezone() - timedelta(days=int(days[1]))
    try:
        named = parse_moment(value)
    except ValueError:
        raise InputError(f"--since needs a date such as 2026-03-15 or 2026-03-15T18:00, or 7d, not {text!r}.") from None
    return named if named.time() != time.max else datetime.combine(named.date(), time.min).astimezone()


def _viewed(
    context: CommandContext,
    view: View,
    key: str,
    limit: int,
    namespace: Namespace,
    *,
    all_projects: bool,
) -> int:
    match view:
        case View.KEYS:
            return survey_commands.keys(context, key, namespace, all_projects=all_projects)
        case View.PROFILE:
            return survey_commands.profile(context)
        case View.DECISIONS:
            return survey_commands.decisions(context)
        case View.CORRECTIONS:
            return survey_commands.corrections(context, limit)
        case View.DOSSIERS:
            return list_dossiers(context, limit, namespace, all_projects=all_projects)


def _list_blocks(
    context: CommandContext,
    conversation: str,
    limit: int,
    namespace: Namespace,
    *,
    tags: bool,
    all_projects: bool,
) -> int:
    with context.open_memory() as memory:
        blocks = memory.garden.blocks(conversation, namespace=namespace.value, all_projects=all_projects)[:limit]
    if not blocks:
        elsewhere = "" if all_projects or conversation else "; `--all-projects` lists those of other projects"
        context.note(f"No blocks here. `dopejar garden` divides conversations into blocks{elsewhere}.")
    rows = tag_rows if tags else block_rows
    context.answer({"blocks": [json_fields(one) for one in blocks]}, lambda: rows(blocks))
    return OK


@command(commands, "log")
def log(
    context: CommandContext,
    limit: Annotated[int, typer.Option("--limit", min=1, help="The maximum number of rows.")] = 20,
    before: Annotated[
        int | None, typer.Option("--before", metavar="ENTRY", help="Only acts before this ledger entry.")
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Verify the ledger's hash chain instead.")] = False,
    head: Annotated[
        str,
        typer.Option(
            "--head", metavar="HASH", help="With --verify: the head of an earlier run; it must be in the chain."
        ),
    ] = "",
    conversations: Annotated[bool, typer.Option("--conversations", help="List the conversations instead.")] = False,
) -> int:
    """Show the newest acts: who proposed and who approved each change, and by which rules.

    `dopejar show ACT` shows one of them with everything it changed. The ledger stores no text. Keep the head that
    `--verify` prints outside this store: given to `--head` later, it proves that nothing before it was rewritten.

    For example:

        dopejar log --limit 5
        dopejar log --verify --head 5d1f...
    """
    with context.open_memory(use_project=False) as memory:
        if verify or head:
            return _verified(context, memory, head)
        if conversations:
            with memory.store.read() as view:
                rows = view.conversations(limit)
            cells = [
                (row.id, day(row.started_at), row.imported, row.project_label, row.format, row.name) for row in rows
            ]
            columns = ("id", "started", "turns", "project", "format", "name")
            context.answer({"conversations": [json_fields(row) for row in rows]}, lambda: table(columns, cells))
            return OK
        acts = memory.log(limit, before)
    context.answer({"acts": [json_fields(act) for act in acts]}, lambda: act_lines(acts))
    if not acts:
        context.note("The ledger is empty. Start with `dopejar learn FILE` or `dopejar remember TEXT`.")
    return OK


def _verified(context: CommandContext, memory: Memory, head: str) -> int:
    from dopejar.errors import LedgerBrokenError

    verification = memory.verify(head)
    if verification.found_head is False:
        raise LedgerBrokenError(
            f"The hash chain is consistent, but the head {head} is not on it: the ledger was rewritten since, or the "
            "head belongs to another store. Compare with a backup."
        )
    lines = [f"The hash chain is intact: {verification.entries} entries, head {verification.head.hash}"]
    if head:
        lines.append("The given head is on the chain.")
    context.answer(json_fields(verification), lines)
    return OK


@command(commands, "status")
def status(context: CommandContext) -> int:
    """Show an overview: memories, turns, the review queue, the embedder, reviewers, and the current project."""
    with context.open_memory() as memory:
        standing, reviewers = memory.status(), memory.reviewers.names()
        report = memory.bullets.automatic_assignments()
    data = {**json_fields(standing), "reviewers": list(reviewers), "automatic": automatic_data(report)}
    context.answer(data, lambda: standing_lines(standing, reviewers, automatic_line(report)))
    if not standing.sizes.episodes and not standing.sizes.records:
        context.note(_NOTHING_BELIEVED)
    return OK
