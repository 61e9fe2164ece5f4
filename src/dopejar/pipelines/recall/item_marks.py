"""Warning marks of recalled items.

Takes: a record or an episode. Gives: short marks that say how far to rely on it. Never: hides the item.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.pack_quotations import escaped, on_one_line
from dopejar.pipelines.recall.turn_statements import FORGOTTEN, TurnStatement, stated_share
from dopejar.values.episode import Episode, Origin, trust_in
from dopejar.values.recall import Citation
from dopejar.values.record import Record, Status

if TYPE_CHECKING:
    from dopejar.pipelines.recall.ranked_item import LaterStatement

LOW_TRUST: Final = "low trust"
UNPROVEN: Final = "unproven"
SUPERSEDED: Final = "superseded"
TEMPORARY: Final = "temporary"
INSTRUCTION_LIKE: Final = "instruction-like"

_WHOLE: Final = 0.6  # share of a turn's letters from which its statements are all that it says
_LONGEST_NOW: Final = 120  # characters of what holds now
_NOT_USERS: Final = frozenset({Origin.TOOL, Origin.FETCHED, Origin.OTHER})


def episode_marks(turn: Episode) -> tuple[str, ...]:
    """Marks of a quoted turn."""
    marks = []
    if trust_in(turn) < 0.5:
        marks.append(LOW_TRUST)
    if turn.origin in _NOT_USERS and _is_instruction_like(turn.text):
        marks.append(INSTRUCTION_LIKE)
    return tuple(marks)


def _is_instruction_like(text: str) -> bool:
    from dopejar.text.injection_detector import is_instruction_like  # most recalls quote the user alone

    return is_instruction_like(text)


def statement_marks(text: str, statements: Sequence[TurnStatement]) -> tuple[str, ...]:
    """Marks of a quoted turn whose statements no longer hold: what became of them, and what holds now."""
    over = [one for one in statements if one.fate and one.fate not in FORGOTTEN]
    if not over:
        return ()
    fates = ", ".join(dict.fromkeys(one.fate for one in over))
    is_left = any(not one.fate and one.start < old.end and old.start < one.end for one in statements for old in over)
    is_whole = stated_share(text, over) >= _WHOLE and not is_left
    now = dict.fromkeys(one.current.text for one in over if one.current is not None)
    return (fates if is_whole else f"partly {fates}", *(f'now: "{_shortened(known)}"' for known in now))


def _shortened(text: str) -> str:
    line = on_one_line(text)
    return escaped(line if len(line) <= _LONGEST_NOW else f"{line[:_LONGEST_NOW].rstrip()}...")


def later_marks(later_statement: LaterStatement | None, replaced: str = "") -> tuple[str, ...]:
    """Marks of a record that later words may end or replace, and of one that took the place of what it `replaced`."""
    instead = (f'instead of: "{_shortened(replaced)}"',) if replaced else ()
    if later_statement is None:
        return instead
    at, words, waits, is_dated = later_statement
    said = "but said since" if is_dated else "but also said"
    undecided, day = ", not decided yet" if waits else "", f", {at.date().isoformat()}" if is_dated else ""
    return (f'{said}{undecided}: "{_shortened(words)}"{day}', *instead)


def record_marks(record: Record, sources: Sequence[Citation], now: datetime | None = None) -> tuple[str, ...]:
    """Marks of a record with these sources; with `now`, the announced day until which or from which it holds."""
    has_only_foreign_sources = bool(sources) and all(turn.origin in _NOT_USERS for turn in sources)
    is_command = INSTRUCTION_LIKE in record.tags or (has_only_foreign_sources and _is_instruction_like(record.text))
    is_to_come = now is not None and record.begins_later(now)
    is_plain = not (record.temporary or is_command or is_to_come)
    if record.status is Status.ACTIVE and record.trust >= 0.5 and is_plain:
        return ()  # the common case
    holds_until = record.valid_to if now is not None and record.holds_until_later(now) else None
    marks = (
        (LOW_TRUST, record.trust < 0.5),
        (UNPROVEN, record.status is Status.QUARANTINED),
        (SUPERSEDED, record.status is Status.SUPERSEDED and holds_until is None),
        (f"until {holds_until:%Y-%m-%d}" if holds_until else "", holds_until is not None),
        (f"from {record.valid_from:%Y-%m-%d}", is_to_come),
        (TEMPORARY, record.temporary),
        (INSTRUCTION_LIKE, is_command),
    )
    return tuple(mark for mark, applies in marks if applies)
