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

_BRACKETS: Final = str.maketrans("[]", "()")


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockContext:
    """The tags of the block of a turn, and the labels of the turn itself."""

    block: str
    tags: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

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
