"""What a quotation inherits from the block that its turn is in: tags of the whole block, and labels of the turn.

Takes: tags and section rules, as texts. Gives: the header of a block and the labels in front of a line. Never: a text
that ends its brackets, or its line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.pack_quotations import on_one_line

if TYPE_CHECKING:
    from dopejar.values.episode import Episode

DEPRECATED: Final = "DEPRECATED"
"""The label of a line about what is out of use: it says something of that line alone."""

_BRACKETS: Final = str.maketrans("[]", "()")


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockContext:
    """The tags of the block of a turn, and the labels of the turn itself; `title` tells readers what it is about.

    `far` are those of the labels that the turn does not name: rules that hold, and say nothing of it.
    """

    block: str
    tags: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    far: tuple[str, ...] = ()
    title: str = ""

    @property
    def near(self) -> tuple[str, ...]:
        """The labels that say something of the turn itself."""
        return tuple(label for label in self.labels if label not in self.far)

    @property
    def header(self) -> str:
        """The header above the block's lines; "" where the block has no tags."""
        if not self.tags:
            return ""
        return f"### Context Block: {self.block}\nActive Rules: {', '.join(map(bracketed, self.tags))}"


ContextOf = Callable[["Episode"], BlockContext | None]
"""The context of a turn; None where its block says nothing."""


def bracketed(text: str) -> str:
    """The text in brackets, on one line and without brackets of its own."""
    return f"[{on_one_line(text).translate(_BRACKETS)}]"
