"""Slots: the value-free concept behind a statement, and the value it gives.

Takes: the words of an atom. Gives: a `Slot`, or None where no relation can be read with confidence. Never: a guess.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.ingest.keys.family_slots import by_family
from dopejar.pipelines.ingest.keys.slot import Slot
from dopejar.pipelines.ingest.keys.slot_relations import alias_slot, by_relation
from dopejar.text.renamings import read_naming
from dopejar.values.dates import DAY_NAMES

_USER: Final = re.compile(r"^(?:the )?user(?P<own>'s)? (?P<verb>\w+)(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
_SINCE: Final = re.compile(  # before a name it would be read as a part of it: "From now on the vault means ..."
    r"(?:from (?:now|today|here|this \w+|next \w+) on(?:wards?)?|"
    rf"(?:as of|starting|from) (?:now|today|tomorrow|this \w+|next \w+|{DAY_NAMES})|going forward|henceforth),? ",
    re.IGNORECASE,
)
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
    if (named := read_naming(text)) is not None:
        return alias_slot(*named, polarity)
    return _from_now_on(text, polarity) or by_relation(text, polarity) or by_family(text, polarity)


def gives_a_name(text: str) -> bool:
    """Whether a text asks to call something by a name, or says what a name means from now on."""
    return read_naming(text) is not None or _from_now_on(text, 1) is not None


def _from_now_on(text: str, polarity: int) -> Slot | None:
    """The slot of a name that has its meaning from a time on, which is said first."""
    since = _SINCE.match(text)
    slot = by_relation(text[since.end() :], polarity) if since is not None else None
    return slot if slot is not None and slot.path.startswith("alias.") else None
