"""Versioned rows: working sets, shared references, and other state that is no belief.

Takes: small JSON objects. Gives: frozen rows. Never: a belief.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Final

NOTES: Final = "note:"
"""How the kinds of held rows with the notes of a host begin; the space of the notes follows."""

TURN_STATES: Final = "turn"
"""The kind of the held rows with the state of governed conversations, by the conversation's name."""

KEPT_ANSWERS: Final = "api_answer"
"""The kind of the held rows with answers of the REST door. An erasure drops them all: an answer may hold the words."""

NORTH_STARS: Final = "north_stars"
PRIORITIES: Final = "priorities"
"""The shared references with what the user works for; each is a JSON list of texts, or one text."""

SPEND_ROW: Final = "spend"
"""The kind of the rows that count the language model's use, one a day."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorkingSet:
    """The current state of one problem or lane; isolated by `problem_id`; expires. `body` is a JSON object as text."""

    problem_id: str
    lane_id: str
    body: str
    expires_at: datetime
    version: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class SharedReference:
    """One version of a citable reference: a north star, a priority, a person, the profile. `value` is JSON text."""

    key: str
    value: str
    version: int
    source: str
    updated_by: str
    updated_at: datetime

    @property
    def texts(self) -> tuple[str, ...]:
        """The items of its value as texts: of a list each, of anything else one."""
        value = json.loads(self.value)
        return tuple(map(str, value)) if isinstance(value, list) else (str(value),)


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyValueRow:
    """A versioned row of one kind ("turn", "job", "session", "import", "spend"). `body` is JSON text."""

    kind: str
    key: str
    body: str
    version: int = 0
    expires_at: datetime | None = None
