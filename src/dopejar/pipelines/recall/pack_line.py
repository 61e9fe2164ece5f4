"""One line of a context pack: an item with what stands above and in front of it, and its tokens.

Takes: an item's words. Gives: the line as it is shown, and what it costs. Never: words that read like another line.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.block_context import bracketed
from dopejar.pipelines.recall.pack_quotations import ANY_MARK, escaped, on_one_line
from dopejar.text.tokens import count_tokens

if TYPE_CHECKING:
    from dopejar.pipelines.recall.block_context import BlockContext
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.values.recall import Citation

_WIDEST_NUMBER: Final = 999  # three digits: the width that each line's number is counted with
_CACHED_LENGTH: Final = 400  # characters; texts as short as statements are counted again and again


@dataclass(kw_only=True, slots=True)
class PackLine:
    """One item as a line: its words between `lead` and `tail`. `tokens` includes the line end."""

    item: RankedItem
    section: str
    lead: str
    words: str
    tail: str
    marks: tuple[str, ...]
    citations: tuple[Citation, ...]
    context: BlockContext | None = None
    heading: str = ""  # above the line
    labels: tuple[str, ...] = ()  # in front of the line
    tokens: int = 0
    shared_terms: frozenset[str] = frozenset()

    def render(self, number: int, mark: str) -> str:
        """The line, with the pack's mark before its number; its words are on one line, and escaped where quoted."""
        return f"[{mark}{number}] {self._opening()}{self.shown_words()}{self.tail}"

    def _opening(self) -> str:
        return "".join(f"{bracketed(label)} " for label in self.labels) + self.lead if self.labels else self.lead

    def foreign_words(self) -> str:
        """All words that others wrote: above, in front of and in the line."""
        return f"{self.heading}{self._opening() if self.labels else ''}{self.shown_words()}{self.tail}"

    def count_tokens(self) -> int:
        """Tokens of the line and its end, counted with the widest number; every mark counts the same.

        The counts of the parts add up to the whole: the words stand behind a space or a mark, and the tail begins with
        one.
        """
        label, words, lead = f"[{ANY_MARK}{_WIDEST_NUMBER}]", self.shown_words(), self._opening()
        opening = (f"{label} {lead}", words) if lead else (label, f" {words}")
        return sum(map(_token_count, (*opening, self.tail))) + 1

    def shown_words(self) -> str:
        """The words as the line shows them: on one line, and escaped where they are quoted."""
        words = on_one_line(self.words)
        return escaped(words) if self.item.episode is not None else words


@lru_cache(maxsize=64)
def heading_tokens(section: str) -> int:
    """Tokens of a heading and its end."""
    return count_tokens(section) + 1


def _token_count(text: str) -> int:
    return _cached_token_count(text) if len(text) <= _CACHED_LENGTH else count_tokens(text)


_cached_token_count: Final = lru_cache(maxsize=8192)(count_tokens)
