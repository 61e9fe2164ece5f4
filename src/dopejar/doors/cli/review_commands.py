"""The `review` commands: the one queue of proposals that wait for a person.

Takes: ids, numbers of the listing, or `all`; at a terminal, the answers of a person. Gives: what was decided. Never:
decides without a reviewer, or takes an empty answer for a decision.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dopejar.doors.cli.approval_prompt import ask_and_decide, confirm_erasures
from dopejar.doors.cli.authentication import authenticate, place_id
from dopejar.doors.cli.command_context import OK, CommandContext, json_fields, learn_ended_sessions, waiting_line
from dopejar.doors.cli.command_registry import AsksByDefault, command, each_named, group
from dopejar.doors.cli.proposal_blocks import change_lines, retirement_lines
from dopejar.doors.cli.review_output import past_lines, proposal_lines, queue_lines
from dopejar.doors.cli.text_output import receipt_lines
from dopejar.errors import NotFoundError, UsageError
from dopejar.values.proposal import Action, ProposalState
from dopejar.values.receipt import Receipt
from dopejar.values.record import Kind
from dopejar.values.scope import Namespace

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.engine.results import ReviewItem
    from dopejar.values.ids import ProposalId

commands = group(
    """List, show, approve, reject or edit the proposals that wait for review. Without a subcommand, lists and asks.

    At a terminal, `dopejar review` shows the queue and asks what to do. Type numbers (1,3 or 2-4) or `all` to approve,
    `reject 2` to reject, `edit 2` to approve with another text, `same 2` if it repeats the rule shown below it, or
    `none` to leave everything in the queue. An unclear or empty answer decides nothing. Without a terminal, or with
    --json, --quiet, --refused, --state or --offset, it only lists. `dopejar review list` never asks.

    Name proposals by id, by a unique id prefix, or by their number in the last listing at this terminal: `1,3`, `2-4`.
    You can decide only about proposals that `review`, `review list` or `review show` showed at this terminal and that
    are unchanged since. Without a terminal, all processes of one login session count as the same terminal.
    """,
    AsksByDefault,
)

MAX_QUEUE: Final = 100_000
_NO_LISTING: Final = (
    "No listing was shown here. Run `dopejar review list` first: numbers and `all` are those of a listing."
)
_NUMBERS: Final = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?\Z")

Names = Annotated[
    list[str],
    typer.Argument(metavar="ID", help="Ids, numbers of the listing such as 1,3 or 2-4, or `all`.", callback=each_named),
]
KindFilter = Annotated[
    Kind | None, typer.Option("--kind", help="With `all`: only proposals about memories of this kind.")
]
MinConfidence = Annotated[
    float,
    typer.Option(
        "--min-confidence",
        min=0.0,
        max=1.0,
        metavar="X",
        help="With `all`: only proposals with at least this confidence.",
    ),
]


@command(commands, "list")
def list_queue(
    context: CommandContext,
    refused: Annotated[bool, typer.Option("--refused", help="List refused proposals instead of waiting ones.")] = False,
    state: Annotated[
        list[ProposalState] | None,
        typer.Option("--state", help="List proposals in this state instead; may be repeated."),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="The maximum number of rows.")] = 50,
    offset: Annotated[int, typer.Option("--offset", min=0, help="Skip this many proposals.")] = 0,
    ask: Annotated[
        bool, typer.Option("--ask", help="At a terminal, ask what to do; `dopejar review` does so.")
    ] = False,
    namespace: Annotated[
        Namespace, typer.Option("--namespace", help="The part of the queue to list: prod, test or ephemeral.")
    ] = Namespace.PROD,
) -> int:
    """List the proposals of all projects that wait for review: highest priority (1) first, then oldest.

    The other `review` commands accept the numbers of the listing in place of ids.

    For example:

        dopejar review list
        dopejar review --refused
        dopejar review list --state rejected
    """
    if ask and context.may_ask and not (refused or state or offset):
        return _ask(context, limit, namespace)
    states = tuple(state or ((ProposalState.REFUSED,) if refused else (ProposalState.STAGED,)))
    with context.open_memory(use_project=False) as memory:
        learn_ended_sessions(context, memory)
        items = memory.review.queue(states, limit, offset, namespace, checks=True)
        more = len(memory.review.queue(states, 1, offset + limit, namespace)) if len(items) == limit else 0
        elsewhere = _note_elsewhere(context, memory, namespace)
        if states == (ProposalState.STAGED,):
            _note_listing(context, memory, items, items)
        projects = memory.project_labels()
    if not items:
        context.note("Nothing is waiting for review." if states == (ProposalState.STAGED,) else "No proposals.")
    if more:
        context.note(f"There are more: continue with --offset {offset + limit}.")
    data = {"items": [{"id": item.proposal.id, **json_fields(item)} for item in items], "elsewhere": elsewhere}
    context.answer(data, lambda: queue_lines(items, projects))
    return OK


def _note_elsewhere(context: CommandContext, memory: Memory, namespace: Namespace) -> dict[str, int]:
    """Say how many proposals wait in the parts of the queue that are not listed; the same as data."""
    counts = memory.review.waiting_by_namespace()
    elsewhere = {str(other): count for other, count in counts.items() if other is not namespace}
    for other, count in elsewhere.items():
        context.note(f"{count} more in the namespace {other}: `dopejar review list --namespace {other}`.")
    return elsewhere


def _ask(context: CommandContext, limit: int, namespace: Namespace) -> int:
    """Show the waiting proposals in full, and ask what to do."""
    with context.open_for_writing() as memory:
        learn_ended_sessions(context, memory)
        waiting = memory.review.waiting()
        projects = memory.project_labels()
        items = memory.review.queue(limit=limit, namespace=namespace, checks=True)
        _note_elsewhere(context, memory, namespace)
        details = [memory.review.show(item.proposal.id, past=False) for item in items]
        _note_listing(context, memory, items, details)
        if details:
            first = f"; showing the first {len(details)}" if waiting > len(details) else ""
            context.note(f"{waiting} waiting for review{first}")
        receipts: Sequence[Receipt] | None = ()
        if details:
            receipts = ask_and_decide(context, memory, details, lambda ask: ask.ask_about_items(details, projects))
        remaining = memory.review.waiting()
    if not remaining:
        context.note("Nothing is waiting for review.")
    context.answer({}, lambda: _decision_lines(receipts, items, remaining, projects))
    return OK


def _decision_lines(
    receipts: Sequence[Receipt] | None, items: Sequence[ReviewItem], remaining: int, projects: Mapping[str, str]
) -> Iterator[str]:

    if receipts is None:  # there is no reviewer to ask
        yield from queue_lines(items, projects)
        return
    yield from receipt_lines(receipts) if receipts else ()
    if remaining:
        yield waiting_line(remaining)


@command(commands, "show")
def show(
    context: CommandContext,
    name: Annotated[str, typer.Argument(metavar="ID", help="An id, or a number of the listing.")],
) -> int:
    """Show one proposal: its evidence, the surrounding turns, related memories, and the write gate's current verdict.

    For a rule, also show past turns where it would have applied.
    """
    from itertools import chain

    with context.open_memory(use_project=False) as memory:
        item = memory.review.show(select_proposals(memory, [name])[0])
        memory.review.note_shown(place_id(), {item.proposal.id: item.proposal.version})
        projects = memory.project_labels()
    context.answer(
        {"id": item.proposal.id, **json_fields(item)},
        lambda: chain(proposal_lines(item, projects), past_lines(item)),
    )
    return OK


@command(commands, "approve")
def approve(
    context: CommandContext,
    names: Names,
    kind: KindFilter = None,
    min_confidence: MinConfidence = 0.0,
    keep_both: Annotated[
        bool, typer.Option("--keep-both", help="Keep what they contradict or replace, instead of retiring it.")
    ] = False,
) -> int:
    """Approve proposals, all in one act that `undo` can revert. Needs a reviewer.

    If a proposal contradicts or replaces a memory, as the listing shows, approving it retires that memory in the same
    act, unless both are kept (--keep-both). Such memories are named first; at a terminal, several approvals that retire
    something must be confirmed. Of several proposals, one that cannot be approved stays waiting, with the reason.

    `all` selects the last listing at this terminal; --kind and --min-confidence narrow it. Erasures cannot be undone:
    among several they stay in the queue. An erasure named alone is confirmed at a terminal, where its words are shown;
    elsewhere `dopejar erase ID --yes` erases.

    For example:

        dopejar review list
        dopejar review approve 1 3-5
        dopejar review approve all --kind preference --min-confidence 0.8
    """
    with context.open_for_writing() as memory:
        selected = select_proposals(memory, names, kind, min_confidence)
        _confirm_retirements(context, memory, selected, keep_both=keep_both)
        by = authenticate(memory)
        selected = list(confirm_erasures(context, memory, selected))
        seen = _seen(memory)
        receipts = (
            memory.review.approve(selected, by, context.trace_id, seen=seen, keep_both=keep_both) if selected else ()
        )
    if not selected:
        context.note("No waiting proposal matches.")
    context.answer({"receipts": [json_fields(receipt) for receipt in receipts]}, lambda: receipt_lines(receipts))
    return OK


def _confirm_retirements(context: CommandContext, memory: Memory, selected: Sequence[str], *, keep_both: bool) -> None:
    """Name what the approvals would retire, and ask about it at a terminal where they are several."""
    lines = list(retirement_lines(memory.review.would_retire(selected, keep_both=keep_both)))
    for line in lines:
        context.note(line)
    if lines and len(selected) > 1 and context.may_ask:
        typer.confirm("Approve these? (With --keep-both nothing is retired.)", abort=True, err=True)


@command(commands, "reject")
def reject(
    context: CommandContext,
    names: Names,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="The reason; stored with the proposal.")] = "",
    kind: KindFilter = None,
    min_confidence: MinConfidence = 0.0,
) -> int:
    """Reject proposals, all in one act. They are not proposed again automatically. Needs a reviewer.

    For example:

        dopejar review reject 2 --reason "only true that day"
    """
    with context.open_for_writing() as memory:
        selected = select_proposals(memory, names, kind, min_confidence)
        by = authenticate(memory)
        receipts = memory.review.reject(selected, by, reason, context.trace_id, seen=_seen(memory)) if selected else ()
    if not selected:
        context.note("No waiting proposal matches.")
    context.answer({"receipts": [json_fields(receipt) for receipt in receipts]}, lambda: receipt_lines(receipts))
    return OK


@command(commands, "edit")
def edit(
    context: CommandContext,
    name: Annotated[str, typer.Argument(metavar="ID", help="An id, or a number of the listing.")],
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="The text to remember instead.")] = None,
    scope: Annotated[
        str, typer.Option("--scope", metavar="SCOPE", help="Where it holds: universal, language:NAME or project:NAME.")
    ] = "",
) -> int:
    """Approve a proposal with another text or for another scope; its evidence stays. Needs a reviewer.

    The new text is analysed again. What it changes, also the kind and the key, and what it still replaces or replaces
    no longer, is shown first; at a terminal you confirm it.

    For example:

        dopejar review edit 1 --text "Deploys go out on Tuesdays."
        dopejar review edit 2 --scope project:harbour
    """
    if text is None and not scope:
        raise UsageError("Give --text, --scope or both. To approve it as it stands: `dopejar review approve`.")
    with context.open_for_writing() as memory:
        selected, seen = select_proposals(memory, [name])[0], _seen(memory)
        for line in change_lines(memory.review.preview_edit(selected, text, scope), memory.project_labels()):
            context.note(line)
        if context.may_ask:
            typer.confirm("Approve this?", abort=True, err=True)
        receipt = memory.review.edit(selected, text, authenticate(memory), context.trace_id, seen=seen, scope=scope)
    context.answer(json_fields(receipt), lambda: receipt_lines([receipt]))
    return OK


def select_proposals(
    memory: Memory, names: Sequence[str], kind: Kind | None = None, min_confidence: float = 0.0
) -> list[str]:
    """The proposals named by ids, numbers of the last listing here, or `all` of it, without duplicates.

    Raises:
        NotFoundError: a number is not in the listing. UsageError: a filter without `all`.
    """
    if "all" in names:
        listed = set(memory.review.shown(place_id()).numbers.values())
        waiting = memory.review.queue(limit=MAX_QUEUE)
        if waiting and not listed:
            raise NotFoundError(_NO_LISTING)
        return [
            item.proposal.id for item in waiting if item.proposal.id in listed and _matches(item, kind, min_confidence)
        ]
    if kind or min_confidence:
        raise UsageError("--kind and --min-confidence filter `all`; they cannot be combined with ids.")
    if not any(_NUMBERS.match(name) for name in names):
        return list(dict.fromkeys(names))
    listing = memory.review.shown(place_id()).numbers
    return list(dict.fromkeys(proposal for name in names for proposal in _resolve(name, listing)))


def _resolve(name: str, listing: Mapping[int, ProposalId]) -> Iterator[str]:
    numbers = _NUMBERS.match(name)
    if not numbers:
        yield name
        return
    first = int(numbers[1])
    last = int(numbers[2] or first)
    if not listing:
        raise NotFoundError(_NO_LISTING)
    if first > last or any(number not in listing for number in range(first, last + 1)):
        shown = f"{min(listing)}-{max(listing)}" if len(listing) > 1 else str(min(listing))
        raise NotFoundError(f"The last listing here had {shown}; {name} is out of range. See `dopejar review list`.")
    yield from (listing[number] for number in range(first, last + 1))


def _note_listing(
    context: CommandContext, memory: Memory, items: Sequence[ReviewItem], shown: Sequence[ReviewItem]
) -> None:
    """Note the numbers of a listing, and the versions that were shown: later decisions here are about these."""
    versions = {item.proposal.id: item.proposal.version for item in shown}
    numbers = {item.number: item.proposal.id for item in items}
    if not memory.review.note_shown(place_id(), versions, numbers) and items:
        context.note("The store is busy or read-only, so this listing was not noted. List again before you decide.")


def _seen(memory: Memory) -> Mapping[ProposalId, int]:
    """The versions that were shown here."""
    return memory.review.shown(place_id()).versions


def _matches(item: ReviewItem, kind: Kind | None, min_confidence: float) -> bool:
    if item.proposal.confidence < min_confidence:
        return False
    if kind is None:
        return True
    if item.proposal.action in (Action.ADD, Action.SUPERSEDE):
        return bool(getattr(getattr(item.proposal.payload, "draft", None), "kind", None) is kind)
    return any(record.kind is kind for record in item.near)
