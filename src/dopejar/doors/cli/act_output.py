"""Acts of the ledger as text for people: a table of several, or one with every change it made.

Takes: what the engine returned. Gives: lines of text. Never: a control character (see `text_format`), or a decision.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dopejar.doors.cli.text_format import moment, pairs, table, whole_line
from dopejar.values.ids import RecordId

if TYPE_CHECKING:
    from dopejar.engine.queries.ledger_search import ActEntries
    from dopejar.engine.results import LoggedAct


def act_lines(acts: Sequence[LoggedAct]) -> Iterator[str]:
    """A table of acts, newest first."""
    rows = [
        (
            act.act_id,
            moment(act.at),
            ", ".join(act.actions),
            act.proposer,
            act.approver,
            " ".join(act.targets[:2]) + (f" and {len(act.targets) - 2} more" if len(act.targets) > 2 else ""),
            ", ".join(act.rules[:3]),
        )
        for act in acts
    ]
    yield from table(("act", "at", "action", "proposed by", "approved by", "targets", "rules"), rows)


def act_detail(act: ActEntries) -> Iterator[str]:
    """One act: who stands behind it, and each change with the words of its memory as they are now."""
    first = act.entries[0]
    yield from pairs(
        [
            ("act", act.act_id),
            ("at", moment(first.at)),
            ("proposed by", first.proposer),
            ("approved by", first.approver),
            ("rules", ", ".join(dict.fromkeys(rule for entry in act.entries for rule in entry.rules))),
        ]
    )
    rows = [
        (
            entry.seq,
            entry.action,
            f"{entry.from_state or 'new'} to {entry.to_state}",
            entry.target,
            whole_line(record.text) if (record := act.records.get(RecordId(entry.target))) else "",
        )
        for entry in act.entries
    ]
    yield from table(("entry", "action", "state", "target", "text"), rows)
    if act.total > len(rows):
        yield f"and {act.total - len(rows)} more entries"
    if act.can_undo:
        yield f"`dopejar undo {act.act_id}` takes it back."
