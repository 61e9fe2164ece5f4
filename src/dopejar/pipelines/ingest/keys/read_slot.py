"""Slots: the value-free concept behind a statement, and the value it gives.

Takes: the words of an atom. Gives: a `Slot`, or None where no relation can be read with confidence. Never: a guess.
"""

from __future__ import annotations

from dopejar.pipelines.ingest.keys.family_slots import by_family
from dopejar.pipelines.ingest.keys.relations import by_relation
from dopejar.pipelines.ingest.keys.rewrites import canonical
from dopejar.pipelines.ingest.keys.slot import Slot


def read_slot(text: str, polarity: int) -> Slot | None:
    """The slot a statement fills, with its value: by the relation its verb names, else by the values it names."""
    text = canonical(text)
    return by_relation(text, polarity) or by_family(text, polarity)
