"""Corrections as lines: where a proposal would have applied, and which rules a tool call would break.

Takes: results of the engine. Gives: lines of text. Never: decides what is shown to whom.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from dopejar.doors.cli.text_output import day, moment, one_line, safe

if TYPE_CHECKING:
    from dopejar.engine.checking import CheckFinding
    from dopejar.engine.results import ReviewItem

_MOST: Final = 8  # past turns that are shown


def past_lines(item: ReviewItem) -> Iterator[str]:
    """What a proposal contradicts, past turns where it would have applied, and whether it would be checked."""
    for one in item.contradicts:
        in_force = "in force, and goes out of use where it was said earlier" if one.status == "active" else "waits, too"
        yield f"\ncontradicts {one.id} ({in_force}): {one_line(one.text)}"
    if item.is_checkable:
        yield "\nonce approved, `dopejar check` holds tool calls against it and asks before one breaks it"
    if item.past:
        many = f"{len(item.past)} past turns" if len(item.past) > 1 else "one past turn"
        yield f"\nit would have applied in {many}"
    for turn in sorted(item.past, key=lambda turn: turn.at, reverse=True)[:_MOST]:
        yield f"  {moment(turn.at)} {turn.conversation} {turn.index}: {turn.why}: {one_line(turn.found, 160)}"
    if len(item.past) > _MOST:
        yield f"  and {len(item.past) - _MOST} more, see --json"


def finding_lines(found: Sequence[CheckFinding]) -> Iterator[str]:
    """Rules that a call would break, each with where it is from."""
    for one in found:
        yield f"{one.effect}: {safe(one.message)} (found {one.found!r})"
        approved = f", approved by {safe(one.approved_by)}" if one.approved_by else ""
        yield f"  {one.record_id}{approved}"
        for turn in one.said_in:
            yield f"  said on {day(turn.at)} in {turn.conversation}, turn {turn.index}: {one_line(turn.text, 160)}"
