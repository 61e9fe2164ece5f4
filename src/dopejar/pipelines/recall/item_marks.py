"""Warning marks of recalled items.

Takes: a record or an episode. Gives: short marks that say how far to rely on it. Never: hides the item.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dopejar.text.injection_detector import is_instruction_like
from dopejar.values.episode import Episode, Origin, trust_in
from dopejar.values.recall import Citation
from dopejar.values.record import Record, Status

LOW_TRUST: Final = "low trust"
UNPROVEN: Final = "unproven"
SUPERSEDED: Final = "superseded"
TEMPORARY: Final = "temporary"
INSTRUCTION_LIKE: Final = "instruction-like"

_NOT_USERS: Final = frozenset({Origin.TOOL, Origin.FETCHED, Origin.OTHER})


def episode_marks(turn: Episode) -> tuple[str, ...]:
    """Marks of a quoted turn."""
    marks = []
    if trust_in(turn) < 0.5:
        marks.append(LOW_TRUST)
    if turn.origin in _NOT_USERS and is_instruction_like(turn.text):
        marks.append(INSTRUCTION_LIKE)
    return tuple(marks)


def record_marks(record: Record, sources: Sequence[Citation]) -> tuple[str, ...]:
    """Marks of a record with these sources."""
    has_only_foreign_sources = bool(sources) and all(turn.origin in _NOT_USERS for turn in sources)
    is_command = INSTRUCTION_LIKE in record.tags or (has_only_foreign_sources and is_instruction_like(record.text))
    if record.status is Status.ACTIVE and record.trust >= 0.5 and not (record.temporary or is_command):
        return ()  # the common case
    marks = (
        (LOW_TRUST, record.trust < 0.5),
        (UNPROVEN, record.status is Status.QUARANTINED),
        (SUPERSEDED, record.status is Status.SUPERSEDED),
        (TEMPORARY, record.temporary),
        (INSTRUCTION_LIKE, is_command),
    )
    return tuple(mark for mark, applies in marks if applies)
