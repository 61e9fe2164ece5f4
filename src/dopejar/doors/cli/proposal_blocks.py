"""Proposals as they are shown before a person decides: the whole text, why, what was said, what it would change.

Takes: review items, or the summary of a session. Gives: lines of text. Never: asks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from dopejar.doors.cli.review_output import rule_clause
from dopejar.doors.cli.text_format import one_line, safe
from dopejar.doors.cli.text_output import scope_text
from dopejar.values.proposal import Add, Supersede
from dopejar.values.scope import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dopejar.engine.corrections.sessions import MemoryProposal, SessionSummary
    from dopejar.engine.results import DraftChange, ReviewItem
    from dopejar.values.record import Record

MAX_TEXT: Final = 4000  # characters of a proposal's text that are shown before it is decided
_SEVERITY: Final = {1: "critical", 2: "high", 3: "medium"}
_MAX_QUOTE: Final = 200  # characters of a quotation or a related record
_MAX_RELATED: Final = 3  # related records shown per proposal


def retirement_lines(retired: Mapping[str, Sequence[Record]]) -> Iterator[str]:
    """The memories that approvals would take out of force, a line each; none where there are none."""
    records = {record.id: record for found in retired.values() for record in found}
    if records:
        yield "Approving retires " + ("this memory:" if len(records) == 1 else f"these {len(records)} memories:")
    for record in records.values():
        yield f"    {record.id}: {one_line(record.text, _MAX_QUOTE)}"


def change_lines(changes: Iterable[DraftChange], projects: Mapping[str, str]) -> Iterator[str]:
    """What another text or scope changes, a line each, as far as people read it."""
    for change in changes:
        if change.is_internal:
            continue
        if change.name == "replaces":
            yield from _replacement_change(change)
            continue
        before, after = (
            scope_text(Scope.parse(side), projects) if change.name == "scope" else one_line(side, MAX_TEXT) or "none"
            for side in (change.before, change.after)
        )
        yield f"    {change.name}: {before} -> {after}"


def _replacement_change(change: DraftChange) -> Iterator[str]:
    before, after = one_line(change.before, MAX_TEXT), one_line(change.after, MAX_TEXT)
    if before and before != after:
        yield f"    no longer replaces: {before}; it stays in force"
    if after:
        yield f"    {'still ' if before == after else ''}replaces: {after}"


def summary_lines(summary: SessionSummary) -> Iterator[str]:
    """The proposals of a session as text."""
    project = f" in {safe(summary.project)}" if summary.project else ""
    corrections = "1 correction" if summary.total_corrections == 1 else f"{summary.total_corrections} corrections"
    proposals = "1 proposal" if summary.total_proposed == 1 else f"{summary.total_proposed} proposals"
    yield f"session {summary.session_id}{project}: {corrections}, {proposals}"
    for number, proposal in enumerate(summary.proposals, 1):
        yield from proposal_block(number, proposal)


def proposal_block(number: int, proposal: MemoryProposal) -> Iterator[str]:
    """One proposal of a session as text."""
    yield ""
    yield f"[{number}] {proposal.category} for {proposal.scope}, {_SEVERITY.get(proposal.priority, 'medium')}"
    yield f"    rule: {safe(proposal.content)}"
    yield f"    why:  {safe(proposal.rationale)}"
    yield f"    said: {_first_quote(proposal.source_variants)}"


def item_block(number: int, item: ReviewItem, projects: Mapping[str, str]) -> Iterator[str]:
    """One queue item as text: the whole proposal, its rationale, a quotation, and contradicting or related records."""
    proposal = item.proposal
    draft = proposal.payload.draft if isinstance(proposal.payload, Add | Supersede) else None
    proposer = one_line(proposal.proposer or proposal.made_by)
    action = f"{proposal.action} {draft.kind}" if draft else f"{proposal.action}"
    severity = _SEVERITY.get(proposal.priority, "medium")
    yield ""
    scope = scope_text(proposal.scope, projects)
    yield f"[{number}] {action} for {scope}, {severity}, by {proposal.origin} ({proposer})"
    yield f"    text: {one_line(item.text, MAX_TEXT)}"
    if clause := rule_clause(item):
        yield f"    rule: {clause}"
    if proposal.rationale:
        yield f"    why:  {one_line(proposal.rationale, MAX_TEXT)}"
    if item.obstacle:
        yield f"    cannot be approved: {one_line(item.obstacle, MAX_TEXT)}"
    quotes = list(dict.fromkeys(_in_its_turn(turn.text, span.start, span.end) for span, turn in item.evidence if turn))
    if quotes:
        yield f"    said: {_first_quote(quotes)}"
    replaced = replaced_by(item)
    for record in replaced:
        yield f"    replaces: {one_line(record.text, _MAX_QUOTE)}"
    for record in item.contradicts:
        yield f"    contradicts: {one_line(record.text, _MAX_QUOTE)} ({record.status})"
    if contradicts_what_holds(item) or replaced:
        yield f"    approving retires what is active of it; keep-both {number} keeps both"
    if item.repeats is not None:
        yield f"    like:  {one_line(item.repeats.text, _MAX_QUOTE)}; same {number} counts it as said again"
    told = (*item.contradicts, *replaced)
    related = [record for record in item.near if record not in told] if draft else []
    for record in related[:_MAX_RELATED]:
        yield f"    related: {one_line(record.text, _MAX_QUOTE)} ({record.status})"


def replaced_by(item: ReviewItem) -> tuple[Record, ...]:
    """What is in force and would be replaced."""
    if not isinstance(item.proposal.payload, Supersede):
        return ()
    targets = {target.record_id for target in item.proposal.record_targets}
    return tuple(record for record in item.near if record.id in targets and record.status == "active")


def contradicts_what_holds(item: ReviewItem) -> bool:
    """Whether it contradicts something in force."""
    return any(record.status == "active" for record in item.contradicts)


def _in_its_turn(turn: str, start: int, end: int) -> str:
    """Words with those around them in their turn, as far as a quotation has room: a clause alone may mean little."""
    room = max(_MAX_QUOTE - (end - start) - 4, 0) // 2
    first, last = max(start - room, 0), min(end + room, len(turn))
    before, after = turn[first:start], turn[end:last]
    if first:
        before = "… " + before.partition(" ")[2]
    if last < len(turn):
        after = after.rpartition(" ")[0] + " …"
    return before + turn[start:end] + after


def _first_quote(quotes: Sequence[str]) -> str:
    more = len(quotes) - 1
    return one_line(quotes[0], _MAX_QUOTE) + (f" (and {more} more)" if more > 0 else "")
