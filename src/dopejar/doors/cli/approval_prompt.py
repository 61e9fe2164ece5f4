"""Showing proposals at a terminal, reading what a person answers, and carrying it out.

Takes: a session's summary or what waits in the queue, what a person types. Gives: which proposals they approve, reword
or reject, and what came of it. Never: asks where nobody types, takes an unclear answer for a clear one, or decides by
itself: what gets no answer waits in the queue.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from dopejar.doors.cli.text_format import one_line, safe
from dopejar.values.proposal import Add, Supersede

if TYPE_CHECKING:
    from dopejar.doors.cli.command_context import CommandContext
    from dopejar.doors.cli.text_output import Receipt
    from dopejar.engine.memory import Memory
    from dopejar.engine.results import ReviewItem
    from dopejar.pipelines.corrections.proposing.propose import MemoryProposal, SessionSummary

TRIES: Final = 3
_SEVERITY: Final = {1: "critical", 2: "high", 3: "medium"}
_HOW: Final = "numbers such as 1,3 or 2-4, all, none, edit 2, reject 2"
_NUMBERS: Final = re.compile(r"\d{1,5}(?:-\d{1,5})?(?:[,\s]+\d{1,5}(?:-\d{1,5})?)*")
_LONGEST: Final = 4000  # letters of a waiting text that are shown before it is decided
_NEAR: Final = 3  # memories shown beside it
_ORDER: Final = re.compile(r"(?P<verb>edit|e|reject|r|approve|a)\s*(?P<numbers>\d[\d,\s-]*|all)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One proposal that a person is asked about: its id, and its words; "" where it has none to edit."""

    id: str
    words: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What a person answered: ids to approve as they are, in other words, or to reject. The others wait on."""

    approved: tuple[str, ...] = ()
    edited: Mapping[str, str] = field(default_factory=dict)
    rejected: tuple[str, ...] = ()

    @property
    def decides(self) -> bool:
        """Whether anything is to be done."""
        return bool(self.approved or self.edited or self.rejected)


@dataclass(frozen=True, kw_only=True, slots=True)
class Order:
    """One line a person typed: what to do with which numbers (from 1)."""

    verb: str  # approve, edit, reject, none
    numbers: tuple[int, ...] = ()


def read_order(line: str, count: int) -> Order | None:
    """What a typed line asks for; None where it is unclear, also where it names a number that is not shown."""
    said = line.strip().casefold()
    if said in ("none", "n", "no", "q", "quit", "later", "0"):
        return Order(verb="none")
    if said in ("all", "a", "y", "yes"):
        return Order(verb="approve", numbers=tuple(range(1, count + 1)))
    told = _ORDER.fullmatch(said)
    verb = {"e": "edit", "r": "reject", "a": "approve"}[told["verb"][0]] if told else "approve"
    named = told["numbers"].strip() if told else said
    if told and named == "all" and verb != "edit":
        return Order(verb=verb, numbers=tuple(range(1, count + 1)))
    if not _NUMBERS.fullmatch(named):
        return None
    numbers = tuple(dict.fromkeys(_spelled(named)))
    if not numbers or any(not 1 <= one <= count for one in numbers) or (verb == "edit" and len(numbers) > 1):
        return None
    return Order(verb=verb, numbers=numbers)


def _spelled(named: str) -> Iterator[int]:
    for part in re.split(r"[,\s]+", named):
        first, _, last = part.partition("-")
        low, high = int(first), int(last or first)
        yield from range(low, high + 1) if low <= high else (0,)


class ApprovalInterface:
    """Shows proposals, of a session or of the queue, to a person and reads what they approve.

    `ask` gives the line that is typed after a prompt, or None where nobody types any more; `say` shows a line. Without
    `ask` a terminal is asked where there is one, and nobody where there is none.
    """

    def __init__(
        self,
        *,
        ask: Callable[[str], str | None] | None = None,
        say: Callable[[str], None] | None = None,
        tries: int = TRIES,
    ) -> None:
        self._ask = ask or _typed
        self._say = say or _shown
        self._tries = tries
        self._is_asked = ask is not None or (sys.stdin is not None and sys.stdin.isatty())

    def present_proposals(self, summary: SessionSummary) -> list[str]:
        """Show the proposals and return the ids of those that were approved as they are."""
        return list(self.answers(summary).approved)

    def answers(self, summary: SessionSummary) -> Answer:
        """Show the proposals and ask, until the answer is clear, nobody answers, or `tries` answers were not clear."""
        if not summary.proposals:
            return Answer()
        self.show(summary)
        return self._answered([Asked(id=one.id, words=one.content) for one in summary.proposals])

    def about(self, items: Sequence[ReviewItem]) -> Answer:
        """The same about what waits in the queue, of whatever kind."""
        for line in (line for place, one in enumerate(items, 1) for line in item_block(place, one)):
            self._say(line)
        return self._answered([Asked(id=one.proposal.id, words=_words(one)) for one in items])

    def show(self, summary: SessionSummary) -> None:
        """Show the summary."""
        for line in summary_lines(summary):
            self._say(line)

    def _display_proposal(self, num: int, prop: MemoryProposal) -> None:
        for line in proposal_block(num, prop):
            self._say(line)

    def _answered(self, asked: Sequence[Asked]) -> Answer:
        left = dict(enumerate(asked, 1))
        edited: dict[str, str] = {}
        rejected: list[str] = []
        unclear = 0
        while self._is_asked and left and unclear < self._tries:
            line = self._ask(f"Approve {_listed(left)}? ({_HOW}): ")
            if line is None:
                break
            order = read_order(line, len(asked))
            fault = _fault(order, left)
            if order is None or fault:
                unclear += 1
                self._say(fault if unclear < self._tries else "Nothing more is decided; it waits.")
                continue
            if order.verb == "none":
                break
            if order.verb == "approve":
                approved = tuple(left[number].id for number in order.numbers if number in left)
                return Answer(approved=approved, edited=edited, rejected=tuple(rejected))
            chosen = [left.pop(number) for number in order.numbers]
            if order.verb == "reject":
                rejected += [one.id for one in chosen]
            else:
                edited |= self._reworded(chosen[0])
        return Answer(edited=edited, rejected=tuple(rejected))

    def _reworded(self, one: Asked) -> dict[str, str]:
        """The new words of a proposal; an empty line approves the old ones."""
        words = self._ask(f"Instead of {one.words!r} (Enter keeps it): ")
        return {} if words is None else {one.id: " ".join(words.split()) or one.words}


def _fault(order: Order | None, left: Mapping[int, Asked]) -> str:
    """What is wrong with an order, and what to type instead; "" where it can be carried out."""
    if order is None or any(number not in left for number in order.numbers if order.verb != "approve"):
        return f"That is none of: {_HOW}."
    if order.verb == "edit" and not left[order.numbers[0]].words:
        return f"{order.numbers[0]} has no words to edit; approve it, reject it, or let it wait."
    return ""


def _listed(left: Iterable[int]) -> str:
    """The numbers as they would be typed: `1-3, 5`."""
    runs: list[list[int]] = []
    for number in left:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)


def decided(
    context: CommandContext, memory: Memory, items: Sequence[ReviewItem], ask: Callable[[], Answer], reason: str = ""
) -> tuple[Receipt, ...] | None:
    """Ask a person and carry out what they say; None where nobody may decide.

    What is approved is one act, what is rejected another. Raises ReviewerRequiredError; StaleProposalError where one of
    the items changed while the person thought.
    """
    from dopejar.doors.cli.authentication import reviewer

    if not memory.reviewers():
        context.note("Nobody may decide yet: `dopejar reviewer add NAME`. What is proposed waits in `dopejar review`.")
        return None
    answer = ask()
    if not answer.decides:
        return ()
    seen = {item.proposal.id: item.proposal.version for item in items}
    by = reviewer(memory)
    done: list[Receipt] = []
    if answer.approved:
        done += memory.approve(answer.approved, by, context.trace_id, seen=seen)
    done += [memory.edit(one, words, by, context.trace_id, seen=seen) for one, words in answer.edited.items()]
    if answer.rejected:
        done += memory.reject(answer.rejected, by, reason, context.trace_id, seen=seen)
    return tuple(done)


def summary_lines(summary: SessionSummary) -> Iterator[str]:
    """A session's proposals as lines."""
    where = f" in {safe(summary.project)}" if summary.project else ""
    corrections = "1 correction" if summary.total_corrections == 1 else f"{summary.total_corrections} corrections"
    yield f"session {summary.session_id}{where}: {corrections}, {summary.total_proposed} to decide about"
    for number, one in enumerate(summary.proposals, 1):
        yield from proposal_block(number, one)


def proposal_block(number: int, one: MemoryProposal) -> Iterator[str]:
    """One proposal as lines."""
    yield ""
    yield f"[{number}] {one.category} for {one.scope}, {_SEVERITY.get(one.priority, 'medium')}"
    yield f"    rule: {safe(one.content)}"
    yield f"    why:  {safe(one.rationale)}"
    more = len(one.source_variants) - 1
    yield f"    said: {one_line(one.source_variants[0], 200)}" + (f" (and {more} more)" if more > 0 else "")


def item_block(number: int, item: ReviewItem) -> Iterator[str]:
    """One entry of the queue as lines: what it wants, in full, why, who said what, and what it stands against."""
    wish = item.proposal
    draft = wish.payload.draft if isinstance(wish.payload, Add | Supersede) else None
    who = one_line(wish.proposer or wish.made_by)
    what = f"{wish.action} {draft.kind}" if draft else f"{wish.action}"
    yield ""
    yield f"[{number}] {what} for {wish.scope}, {_SEVERITY.get(wish.priority, 'medium')}, by {wish.origin} ({who})"
    yield f"    text: {one_line(item.text, _LONGEST)}"
    if wish.rationale:
        yield f"    why:  {one_line(wish.rationale, _LONGEST)}"
    said = dict.fromkeys(turn.text[span.start : span.end] for span, turn in item.evidence if turn)
    for words in list(said)[:1]:
        yield f"    said: {one_line(words, 200)}" + (f" (and {len(said) - 1} more)" if len(said) > 1 else "")
    for one in item.near[:_NEAR] if draft else ():
        yield f"    {'against' if one in item.contradicts else 'beside'}: {one_line(one.text, 200)} ({one.status})"


def _words(item: ReviewItem) -> str:
    """What an edit would put other words in the place of."""
    return item.text if isinstance(item.proposal.payload, Add | Supersede) else ""


def _typed(prompt: str) -> str | None:
    sys.stderr.write(prompt)
    sys.stderr.flush()
    line = sys.stdin.readline()
    return line if line else None


def _shown(line: str) -> None:
    sys.stderr.write(f"{line}\n")
