"""Marks that warn of an item.

Takes: a record or an episode. Gives: short marks. Never: hides the item; a mark says how to take it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dopejar.values.episode import Episode, Origin, trust_of
from dopejar.values.recall import Citation
from dopejar.values.record import Record, Status

LOW_TRUST: Final = "low trust"
UNPROVEN: Final = "unproven"
SUPERSEDED: Final = "superseded"
TEMPORARY: Final = "temporary"
INSTRUCTION_LIKE: Final = "instruction-like"

_FOREIGN: Final = frozenset({Origin.TOOL, Origin.FETCHED, Origin.OTHER})
# Text that speaks to the reader's program instead of about the world.
_COMMANDS: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override) (?:all |any |the |your |every )*(?:previous|prior|above|earlier|system)"
    r"|\byou (?:must|are now|should now|will now)\b|\b(?:system prompt|new instructions?)\b"
    r"|\bdo not (?:tell|inform|mention (?:this|it) to) the user\b"
    r"|^\s*(?:run|execute|delete|send|upload|install|remember|always|never)\b",
    re.IGNORECASE | re.MULTILINE,
)


def marks_of_episode(turn: Episode) -> tuple[str, ...]:
    """Marks of a quoted turn."""
    marks = []
    if trust_of(turn.origin) < 0.5:
        marks.append(LOW_TRUST)
    if turn.origin in _FOREIGN and _COMMANDS.search(turn.text):
        marks.append(INSTRUCTION_LIKE)
    return tuple(marks)


def marks_of_record(record: Record, sources: Sequence[Citation]) -> tuple[str, ...]:
    """Marks of a record that rests on these turns."""
    is_foreign = bool(sources) and all(turn.origin in _FOREIGN for turn in sources)
    is_command = INSTRUCTION_LIKE in record.tags or (is_foreign and bool(_COMMANDS.search(record.text)))
    if record.status is Status.ACTIVE and record.trust >= 0.5 and not (record.temporary or is_command):
        return ()  # as most are
    marks = (
        (LOW_TRUST, record.trust < 0.5),
        (UNPROVEN, record.status is Status.QUARANTINED),
        (SUPERSEDED, record.status is Status.SUPERSEDED),
        (TEMPORARY, record.temporary),
        (INSTRUCTION_LIKE, is_command),
    )
    return tuple(mark for mark, holds in marks if holds)
