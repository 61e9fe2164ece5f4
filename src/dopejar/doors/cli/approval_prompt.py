"""The approval prompt: shows proposals at a terminal, reads the decisions, and carries them out.

Takes: a session's summary or items of the review queue, and what a person types. Gives: the proposals to approve, edit
or reject, and the receipts. Never: asks without a terminal, guesses what an unclear answer means, or decides by itself:
a proposal without an answer stays in the queue.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import typer

from dopejar.doors.cli.authentication import authenticate
from dopejar.doors.cli.command_context import CommandContext
from dopejar.doors.cli.proposal_blocks import (
    MAX_TEXT,
    change_lines,
    contradicts_what_holds,
    item_block,
    replaced_by,
    retirement_lines,
    summary_lines,
)
from dopejar.doors.cli.review_output import beside_rivals
from dopejar.doors.cli.text_format import one_line
from dopejar.values.proposal import Add, Supersede
from dopejar.values.receipt import Receipt
from dopejar.values.scope import UNIVERSAL

if TYPE_CHECKING:
    from dopejar.engine.corrections.sessions import SessionSummary
    from dopejar.engine.memory import Memory
    from dopejar.engine.results import DraftChange, ReviewItem
    from dopejar.values.record import Record

MAX_TRIES: Final = 3
_SYNTAX: Final = "numbers such as 1,3 or 2-4, all, none, edit 2, reject 2"
_SAME: Final = ", same 2"  # offered where a rule in force may say it already
_KEEP: Final = ", keep-both 2"  # offered where approving would retire what is contradicted
_NUMBERS: Final = re.compile(r"\d{1,5}(?:-\d{1,5})?(?:[,\s]+\d{1,5}(?:-\d{1,5})?)*")
_COMMAND: Final = re.compile(
    r"(?P<verb>edit|e|reject|r|approve|a|keep-both|keep|k|same|s)\s*(?P<numbers>\d[\d,\s-]*|all)"
)
_VERBS: Final = {"e": "edit", "r": "reject", "a": "approve", "k": "keep-both", "s": "same"}


@dataclass(frozen=True, kw_only=True, slots=True)
class PendingProposal:
    """One proposal that a person is asked about: its id, and its text, which is "" where it cannot be edited.

    `contradicts` says whether approving it retires something that can be kept beside it; `repeats` is the rule in force
    that it may say again.
    """

    id: str
    text: str
    contradicts: bool = False
    repeats: Record | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptDecisions:
    """The decisions of a person: ids to approve, new texts by id, ids to reject. All others stay in the queue.

    `kept_beside` are approved as well, and what they contradict or replace stays. `said_again` are approved as evidence
    for a rule in force, by id.
    """

    approved: tuple[str, ...] = ()
    kept_beside: tuple[str, ...] = ()
    edited: Mapping[str, str] = field(default_factory=dict)
    said_again: Mapping[str, Record] = field(default_factory=dict)
    rejected: tuple[str, ...] = ()

    @property
    def decides(self) -> bool:
        """Whether there is any decision."""
        return bool(self.approved or self.kept_beside or self.edited or self.said_again or self.rejected)


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptCommand:
    """One typed line: what to do with which numbers, counted from 1."""

    verb: str  # approve, keep-both, same, edit, reject, none
    numbers: tuple[int, ...] = ()


def parse_answer(line: str, count: int) -> PromptCommand | None:
    """The command in a typed line; None where it is unclear or names a number that is not shown."""
    answer = line.strip().casefold()
    if answer in ("none", "n", "no", "q", "quit", "later", "0"):
        return PromptCommand(verb="none")
    if answer in ("all", "a"):
        return PromptCommand(verb="approve", numbers=tuple(range(1, count + 1)))
    match = _COMMAND.fullmatch(answer)
    verb = _VERBS[match["verb"][0]] if match else "approve"
    listed = match["numbers"].strip() if match else answer
    if match and listed == "all" and verb != "edit":
        return PromptCommand(verb=verb, numbers=tuple(range(1, count + 1)))
    if not _NUMBERS.fullmatch(listed):
        return None
    numbers = tuple(dict.fromkeys(_expand_ranges(listed)))
    is_in_range = all(1 <= number <= count for number in numbers)
    if not numbers or not is_in_range or (verb == "edit" and len(numbers) > 1):
        return None
    return PromptCommand(verb=verb, numbers=numbers)


def _expand_ranges(listed: str) -> Iterator[int]:
    """The numbers of `1,3 5-7`; a range that runs backwards gives 0, which no proposal has."""
    for part in re.split(r"[,\s]+", listed):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        yield from range(low, high + 1) if low <= high else (0,)


class ApprovalInterface:
    """Shows proposals of a session or of the review queue, and reads which of them a person approves.

    `ask` returns the line typed after a prompt, or None at the end of input; `say` prints a line. Without `ask` the
    terminal at stdin is asked, and nobody where stdin is not a terminal. `preview` tells what another text of a
    proposal changes; it is shown before the person confirms it. `retires` tells which memories approvals would retire;
    of several proposals these are named and confirmed together.
    """

    def __init__(
        self,
        *,
        ask: Callable[[str], str | None] | None = None,
        say: Callable[[str], None] | None = None,
        tries: int = MAX_TRIES,
        preview: Callable[[str, str], Iterable[DraftChange]] | None = None,
        retires: Callable[[Sequence[str]], Mapping[str, Sequence[Record]]] | None = None,
    ) -> None:
        self._ask = ask or _read_line
        self._say = say or _print_line
        self._tries = tries
        self._preview = preview
        self._retires = retires or _retire_nothing
        self._may_ask = ask is not None or (sys.stdin is not None and sys.stdin.isatty())

    def present_proposals(self, summary: SessionSummary) -> list[str]:
        """Show the proposals and return the ids of those that were approved without changes."""
        return list(self.ask_about_session(summary).approved)

    def ask_about_session(self, summary: SessionSummary) -> PromptDecisions:
        """Show the proposals of a session and ask, until an answer is clear, input ends, or `tries` are used up."""
        if not summary.proposals:
            return PromptDecisions()
        for line in summary_lines(summary):
            self._say(line)
        return self._ask_about([PendingProposal(id=item.id, text=item.content) for item in summary.proposals])

    def ask_about_items(self, items: Sequence[ReviewItem], projects: Mapping[str, str]) -> PromptDecisions:
        """Show items of the review queue, of any kind, and ask in the same way."""
        for number, item in enumerate(items, 1):
            for line in item_block(number, item, projects):
                self._say(line)
            for line in beside_rivals(replace(item, number=number), [replace(items[0], number=1), *items[1:]]):
                self._say(f"    {line}: where both are approved the later one holds; keep-both {number} keeps both")
        return self._ask_about(
            [
                PendingProposal(
                    id=item.proposal.id,
                    text=_editable_text(item),
                    contradicts=_may_retire(item),
                    repeats=item.repeats,
                )
                for item in items
            ]
        )

    def _ask_about(self, proposals: Sequence[PendingProposal]) -> PromptDecisions:
        open_proposals = dict(enumerate(proposals, 1))
        decisions = PromptDecisions()
        unclear = 0
        syntax = _SYNTAX + (_SAME if any(one.repeats for one in proposals) else "")
        syntax += _KEEP if any(one.contradicts for one in proposals) else ""
        while self._may_ask and open_proposals and unclear < self._tries:
            line = self._ask(f"Approve {_format_ranges(open_proposals)}? ({syntax}): ")
            if line is None:
                break
            command = parse_answer(line, len(proposals))
            problem = _problem(command, open_proposals, syntax)
            if command is None or problem:
                unclear += 1
                self._say(problem if unclear < self._tries else "No further decisions; the rest stays in the queue.")
                continue
            if command.verb == "none":
                break
            if command.verb == "approve":
                approved = tuple(open_proposals[number].id for number in command.numbers if number in open_proposals)
                if not self._confirms_retirements(approved):
                    continue
                return replace(decisions, approved=approved)
            decisions = self._decided(command, open_proposals, decisions)
        return decisions

    def _decided(
        self, command: PromptCommand, open_proposals: dict[int, PendingProposal], decisions: PromptDecisions
    ) -> PromptDecisions:
        """The decisions with those of one command, whose proposals are not open any more."""
        if command.verb == "edit":
            number = command.numbers[0]
            text = self._ask_for_text(open_proposals[number])
            if text is None:
                return decisions
            self._say(f"[{number}] will be approved as: {one_line(text, MAX_TEXT)}")
            return replace(decisions, edited={**decisions.edited, open_proposals.pop(number).id: text})
        if command.verb == "same" and not self._confirms_sameness([open_proposals[one] for one in command.numbers]):
            return decisions
        chosen = [open_proposals.pop(number) for number in command.numbers]
        if command.verb == "same":
            again = {one.id: one.repeats for one in chosen if one.repeats is not None}
            return replace(decisions, said_again={**decisions.said_again, **again})
        ids = tuple(one.id for one in chosen)
        if command.verb == "keep-both":
            return replace(decisions, kept_beside=(*decisions.kept_beside, *ids))
        return replace(decisions, rejected=(*decisions.rejected, *ids))

    def _confirms_sameness(self, chosen: Sequence[PendingProposal]) -> bool:
        """Whether the person, who sees both wordings, lets those in force stand for what was proposed."""
        for one in chosen:
            if one.repeats is not None:
                self._say(f"    said again: {one_line(one.repeats.text, MAX_TEXT)}")
                self._say(f"    not kept:   {one_line(one.text, MAX_TEXT)}")
        return self.confirms("Count it so? `dopejar undo` takes it back.")

    def _confirms_retirements(self, approved: Sequence[str]) -> bool:
        """Whether the person accepts what several approvals retire; of one alone that was shown with it."""
        lines = tuple(retirement_lines(self._retires(approved))) if len(approved) > 1 else ()
        for line in lines:
            self._say(line)
        return not lines or self.confirms("Approve these?")

    def confirms(self, question: str = "Approve this?") -> bool:
        """Whether the person says yes to what was just shown."""
        return (self._ask(f"{question} [y/N]: ") or "").strip().casefold() in ("y", "yes")

    def _ask_for_text(self, proposal: PendingProposal) -> str | None:
        """The new text of a proposal, once its changes were confirmed; an empty line is its old text."""
        line = self._ask(f"New text for {proposal.text!r} (Enter keeps it): ")
        if line is None:
            return None
        text = " ".join(line.split()) or proposal.text
        for change in change_lines(self._preview(proposal.id, text), {}) if self._preview else ():
            self._say(change)  # a text moves no scope
        return text if self.confirms() else None


def _problem(command: PromptCommand | None, open_proposals: Mapping[int, PendingProposal], syntax: str) -> str:
    """Why a command cannot be carried out, and what to type instead; "" where it can."""
    if command is None:
        return f"Not understood. Type {syntax}."
    if command.verb != "approve" and any(number not in open_proposals for number in command.numbers):
        return f"Already decided. Type {syntax}."
    if command.verb == "keep-both" and not all(open_proposals[number].contradicts for number in command.numbers):
        return f"Only what contradicts or replaces a memory can be kept beside it. Type {syntax}."
    if command.verb == "same" and not all(open_proposals[number].repeats for number in command.numbers):
        return f"Only what may repeat a rule in force counts as the same. Type {syntax}."
    if command.verb == "edit" and not open_proposals[command.numbers[0]].text:
        return f"{command.numbers[0]} has no text to edit. Approve it, reject it, or leave it in the queue."
    return ""


def _format_ranges(numbers: Iterable[int]) -> str:
    """Numbers as they would be typed: `1-3, 5`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def ask_and_decide(
    context: CommandContext,
    memory: Memory,
    items: Sequence[ReviewItem],
    ask: Callable[[ApprovalInterface], PromptDecisions],
    reason: str = "",
) -> tuple[Receipt, ...] | None:
    """Ask a person and carry out the decisions; None where there is no reviewer.

    All approvals are one act, those that keep both another, and all rejections a third.

    Raises:
        ReviewerRequiredError: the passphrase matches no reviewer. StaleProposalError: an item changed meanwhile.
    """
    if not memory.reviewers.names():
        context.note(
            "There is no reviewer yet. Add one with `dopejar reviewer add NAME`, then decide in `dopejar review`."
        )
        return None
    decisions = ask(ApprovalInterface(preview=memory.review.preview_edit, retires=memory.review.would_retire))
    if not decisions.decides:
        return ()
    seen = {item.proposal.id: item.proposal.version for item in items}
    by = authenticate(memory)
    receipts: list[Receipt] = []
    approved = confirm_erasures(context, memory, decisions.approved)
    if approved:
        receipts += memory.review.approve(approved, by, context.trace_id, seen=seen)
    kept = confirm_erasures(context, memory, decisions.kept_beside)
    if kept:  # last, so that none of these is in force yet when others are approved that cannot hold beside it
        receipts += memory.review.approve(kept, by, context.trace_id, seen=seen, keep_both=True)
    receipts += [
        memory.review.edit(name, text, by, context.trace_id, seen=seen) for name, text in decisions.edited.items()
    ]
    everywhere = {item.proposal.id for item in items if item.proposal.scope == UNIVERSAL}
    receipts += [
        memory.review.edit(name, rule.text, by, context.trace_id, seen=seen, scope=str(scope))
        for name, rule in decisions.said_again.items()
        for scope in [UNIVERSAL if name in everywhere else rule.scope]  # said again for all, it holds for all
    ]
    if decisions.rejected:
        receipts += memory.review.reject(decisions.rejected, by, reason, context.trace_id, seen=seen)
    return tuple(receipts)


def confirm_erasures(context: CommandContext, memory: Memory, names: Sequence[str]) -> Sequence[str]:
    """The names without those of erasures; one that is named alone stays if a person at this terminal confirms it."""
    permanent = memory.review.permanent(names)
    if not permanent:
        return names
    if len(names) > 1:
        context.note(f"Left waiting, since each erasure is approved alone, for good: {', '.join(permanent)}.")
        return [name for name in names if name not in permanent]
    if context.at_terminal and not context.as_json:
        text = one_line(memory.review.show(names[0], past=False).text, MAX_TEXT)
        if typer.confirm(f"This erases words permanently: {text}\nErase them?", err=True):
            return names
    context.note(f"Left waiting, since nobody confirmed that words are erased permanently: {names[0]}.")
    return []


def _may_retire(item: ReviewItem) -> bool:
    """Whether approving it may retire something: what is in force, or what is approved with it."""
    return bool(item.rivals) or contradicts_what_holds(item) or bool(replaced_by(item))


def _editable_text(item: ReviewItem) -> str:
    """The text that an edit would replace; "" for a proposal that adds no text."""
    return item.text if isinstance(item.proposal.payload, Add | Supersede) else ""


def _retire_nothing(_names: Sequence[str]) -> Mapping[str, Sequence[Record]]:
    return {}


def _read_line(prompt: str) -> str | None:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    return line if line else None


def _print_line(line: str) -> None:
    sys.stderr.write(f"{line}\n")
