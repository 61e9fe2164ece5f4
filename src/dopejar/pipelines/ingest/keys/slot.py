"""The slot of a statement: the value-free concept behind it, and the value it gives.

Takes: nothing. Gives: a frozen value. Never: a value inside the path.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Slot:
    """`path` is dotted and value-free; `member` is what a many-valued slot carries behind `#`.

    `title` are the parts of the key (subject, aspect, qualifier).
    """

    path: str
    value: str
    title: tuple[str, str, str]
    member: str = ""
    many: bool = False
    confidence: float = 0.8

    @property
    def name(self) -> str:
        """The whole slot, with the member behind `#`."""
        return f"{self.path}#{self.member}" if self.member else self.path


def sign(polarity: int) -> str:
    """The mark in front of a value: `+` stated, `-` denied."""
    return "-" if polarity < 0 else "+"


def at(extra: str) -> str:
    """A qualifier as the end of a path."""
    return f"@{extra}" if extra else ""
