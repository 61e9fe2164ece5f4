"""Slots: the value-free concept behind a statement, and the value it gives.

Takes: the words of an atom. Gives: a `Slot`, or None where no relation can be read with confidence. Never: a guess.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.ingest.keys.family_slots import by_family
from dopejar.pipelines.ingest.keys.relations import by_relation
from dopejar.pipelines.ingest.keys.slot import Slot

_USER: Final = re.compile(r"^(?:the )?user(?P<own>'s)? (?P<verb>\w+)(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
_SPOKEN: Final = {"is": "am", "has": "have", "does": "do", "doesn't": "don't", "was": "was"}


def in_first_person(text: str) -> str:
    """What agents write as "the user prefers tea" is what the user calls "I prefer tea"."""
    found = _USER.match(text)
    if not found:
        return text
    verb = found.group("verb")
    if found.group("own"):
        return f"my {verb}{found.group('rest')}"
    return f"I {_SPOKEN.get(verb.casefold(), verb.removesuffix('s'))}{found.group('rest')}"


def read_slot(text: str, polarity: int) -> Slot | None:
    """The slot a statement fills, with its value: by the relation its verb names, else by the values it names."""
    text = in_first_person(text)
    return by_relation(text, polarity) or by_family(text, polarity)
