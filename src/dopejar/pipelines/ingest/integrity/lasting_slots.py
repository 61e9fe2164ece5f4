"""Slots whose value does not change by itself.

Takes: a slot. Gives: whether another value of it is a correction that a person must look at. Never: compares values;
`text.slot_values` does.
"""

from __future__ import annotations


def is_lasting(slot: str) -> bool:
    """Slots whose value does not change by itself: a new one is a correction that a person must look at."""
    return slot.startswith(("alias.", "self.birth", "self.name", "self.allergy"))
