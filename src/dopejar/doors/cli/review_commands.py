"""`review`: the one queue of what waits for a person.

Takes: ids, numbers of the listing, or `all`; at a terminal, what a person answers. Gives: what was decided. Never:
decides without a reviewer, or takes silence for an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from dopejar.doors.cli.command_context import OK, CommandContext, json_fields
from dopejar.doors.cli.command_registry import AsksByDefault, command, group
from dopejar.errors import NotFoundError, UsageError
from dopejar.values.proposal import Action, ProposalState
from dopejar.values.record import Kind

if TYPE_CHECKING:
    from dopejar.doors.cli.text_output import Receipt
    from dopejar.engine.memory import Memory
    from dopejar.engine.results import ReviewItem

commands = group(
    """The queue of what waits for a person: list, show, approve, reject, edit.

    The bare word shows what waits and, at a terminal, asks what to do with it: numbers (1,3 or 2-4) or `all` approve,
    `reject 2`, `edit 2` to approve in other words, `none` to let all of it wait. An answer that is unclear or empty
    decides nothing. In a pipe, with --json, --quiet, --refused, --state or --offset it only lists, as `review list`
    does everywhere.

    Proposals are named by id, by the beginning of one, or by their number in the listing: `1`, `2-4`.
    """,
    AsksByDefault,
)

WHOLE_QUEUE: Final = 100_000
_NUMBERS: Final = re.compile(r"(\d{1,5})(?:-(\d{1,5}))?\Z")

Names = Annotated[
    list[str], typer.Argument(metavar="ID", help="Ids, numbers of the listing such as 1 or 2-4, or `all`.")
]
KindFilter = Annotated[Kind | None, typer.Option("--kind", help="With `all`: only memories of this kind.")]
Surest = Annotated[
    float,
    typer.Option(
        "--min-confidence", min=0.0, max=1.0, metavar="X", help="With `all`: only what was read at least so surely."
    ),
]


@command(commands, "list")
def list_queue(
    context: CommandContext,
    refused: Annotated[bool, typer.Option("--refused", help="What the gate refused, instead of what waits.")] = False,
    state: Annotated[
        list[ProposalState] | None, typer.Option("--state", help="Proposals in this state instead; may be repeated.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, help="How many at most.")] = 50,
    offset: Annotated[int, typer.Option("--offset", min=0, help="Leave out so many first.")] = 0,
    ask: Annotated[
        bool, typer.Option("--ask", help="At a terminal, ask what to do with it; the bare `review` does.")
    ] = False,
) -> int:
    """List what waits for a person: most severe first, then oldest.

    For example:

        dopejar review list
        dopejar review --refused
        dopejar review list --state rejected
    """
    from dopejar.doors.cli.text_output import queue_lines

    if ask and context.may_ask and not (refused or state or offset):
        return _ask(context, limit)
    states = tuple(state or ((ProposalState.REFUSED,) if refused else (ProposalState.STAGED,)))
    with context.open_memory(use_project=False) as memory:
        items = memory.queue(states, limit, offset)
        more = len(memory.queue(states, 1, offset + len(items))) if len(items) == limit else 0
    if not items:
        context.note("Nothing waits." if states == (ProposalState.STAGED,) else "There is none.")
    if more:
        context.note(f"There is more: --offset {offset + limit}.")
    context.answer(
        {"items": [{"id": one.proposal.id, **json_fields(one)} for one in items]}, lambda: queue_lines(items)
    )
    return OK


def _ask(context: CommandContext, limit: int) -> int:
    """Show what waits, in full, and ask what to do with it."""
    from dopejar.doors.cli.approval_prompt import ApprovalInterface, decided

    with context.open_for_writing() as memory:
        waits = memory.waiting()
        items = memory.queue(limit=limit)
        shown = [memory.show_proposal(one.proposal.id, past=False) for one in items]
        if shown:
            first = f", the first {len(shown)} are shown" if waits > len(shown) else ""
            context.note(f"{waits} {'waits' if waits == 1 else 'wait'} for a person{first}")
        receipts = decided(context, memory, shown, lambda: ApprovalInterface().about(shown)) if shown else ()
        left = memory.waiting()
    if not left:
        context.note("Nothing waits.")
    context.answer({}, lambda: _decided_lines(receipts, items, left))
    return OK


def _decided_lines(receipts: Sequence[Receipt] | None, items: Sequence[ReviewItem], left: int) -> Iterator[str]:
    from dopejar.doors.cli.text_output import queue_lines, receipt_lines

    if receipts is None:  # nobody was asked
        yield from queue_lines(items)
        return
    yield from receipt_lines(receipts) if receipts else ()
    if left:
        yield f"{left} {'waits' if left == 1 else 'wait'} for a person: `dopejar review`."


@command(commands, "show")
def show(
    context: CommandContext,
    name: Annotated[str, typer.Argument(metavar="ID", help="An id, or a number of the listing.")],
) -> int:
    """Show one proposal: the evidence, the turns around it, what stands near it, and what the gate says of it today.

    Of a rule also the past turns where it would have applied.
    """
    from itertools import chain

    from dopejar.doors.cli.text_output import past_lines, proposal_lines

    with context.open_memory(use_project=False) as memory:
        item = memory.show_proposal(chosen(memory, [name])[0])
    context.answer({"id": item.proposal.id, **json_fields(item)}, lambda: chain(proposal_lines(item), past_lines(item)))
    return OK


@command(commands, "approve")
def approve(
    context: CommandContext,
    names: Names,
    kind: KindFilter = None,
    min_confidence: Surest = 0.0,
) -> int:
    """Approve proposals, all in one act that `undo` takes back whole. Asks for a reviewer.

    For example:

        dopejar review approve 1 3-5
        dopejar review approve all --kind preference --min-confidence 0.8
    """
    from dopejar.doors.cli.authentication import reviewer
    from dopejar.doors.cli.text_output import receipt_lines

    with context.open_for_writing() as memory:
        picked = chosen(memory, names, kind, min_confidence)
        by = reviewer(memory)
        receipts = memory.approve(picked, by, context.trace_id) if picked else ()
    if not picked:
        context.note("Nothing waits that fits this.")
    context.answer({"receipts": [json_fields(one) for one in receipts]}, lambda: receipt_lines(receipts))
    return OK


@command(commands, "reject")
def reject(
    context: CommandContext,
    names: Names,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; kept with the proposal.")] = "",
    kind: KindFilter = None,
    min_confidence: Surest = 0.0,
) -> int:
    """Reject proposals, all in one act; they are not proposed again by themselves. Asks for a reviewer.

    For example:

        dopejar review reject 2 --reason "only true that day"
    """
    from dopejar.doors.cli.authentication import reviewer
    from dopejar.doors.cli.text_output import receipt_lines

    with context.open_for_writing() as memory:
        picked = chosen(memory, names, kind, min_confidence)
        by = reviewer(memory)
        receipts = memory.reject(picked, by, reason, context.trace_id) if picked else ()
    if not picked:
        context.note("Nothing waits that fits this.")
    context.answer({"receipts": [json_fields(one) for one in receipts]}, lambda: receipt_lines(receipts))
    return OK


@command(commands, "edit")
def edit(
    context: CommandContext,
    name: Annotated[str, typer.Argument(metavar="ID", help="An id, or a number of the listing.")],
    text: Annotated[str, typer.Option("--text", metavar="TEXT", help="The words that are to be remembered instead.")],
) -> int:
    """Approve a proposal in other words; the evidence stays. Asks for a reviewer.

    For example:

        dopejar review edit 1 --text "Deploys go out on Tuesdays."
    """
    from dopejar.doors.cli.authentication import reviewer
    from dopejar.doors.cli.text_output import receipt_lines

    with context.open_for_writing() as memory:
        picked = chosen(memory, [name])[0]
        receipt = memory.edit(picked, text, reviewer(memory), context.trace_id)
    context.answer(json_fields(receipt), lambda: receipt_lines([receipt]))
    return OK


def chosen(memory: Memory, names: Sequence[str], kind: Kind | None = None, least: float = 0.0) -> list[str]:
    """The ids that are meant by ids, numbers of the listing, or `all`; each once.

    Raises:
        NotFoundError: a number is not in the listing. UsageError: a filter without `all`.
    """
    if "all" in names:
        return [one.proposal.id for one in memory.queue(limit=WHOLE_QUEUE) if _fits(one, kind, least)]
    if kind or least:
        raise UsageError("--kind and --min-confidence pick from `all`; name no ids beside them.")
    if not any(_NUMBERS.match(name) for name in names):
        return list(dict.fromkeys(names))
    listing = [one.proposal.id for one in memory.queue(limit=WHOLE_QUEUE)]
    return list(dict.fromkeys(one for name in names for one in _meant(name, listing)))


def _meant(name: str, listing: Sequence[str]) -> Iterator[str]:
    numbers = _NUMBERS.match(name)
    if not numbers:
        yield name
        return
    first = int(numbers[1])
    last = int(numbers[2] or first)
    if not 1 <= first <= last <= len(listing):
        raise NotFoundError(
            f"The queue has {len(listing)} entries; {name} is none of them. `dopejar review` lists them."
        )
    yield from listing[first - 1 : last]


def _fits(item: ReviewItem, kind: Kind | None, least: float) -> bool:
    if item.proposal.confidence < least:
        return False
    if kind is None:
        return True
    if item.proposal.action in (Action.ADD, Action.SUPERSEDE):
        return bool(getattr(getattr(item.proposal.payload, "draft", None), "kind", None) is kind)
    return any(record.kind is kind for record in item.near)
