"""Replaces spans of a text by a mark and maps offsets into the new text.

Takes: a text, spans and a mark. Gives: the text without them, and where other spans lie now. Never: reads a store.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, kw_only=True, slots=True)
class TextRedaction:
    """A text and the spans of it that are replaced: ascending, apart from each other."""

    text: str
    spans: tuple[tuple[int, int], ...] = ()
    mark: str = ""

    def with_span(self, start: int, end: int) -> TextRedaction:
        """With one more span, cut to the text; spans that touch become one. An empty span changes nothing."""
        start, end = max(0, start), min(end, len(self.text))
        if start >= end:
            return self
        merged: list[tuple[int, int]] = []
        for first, last in sorted((*self.spans, (start, end))):
            if merged and first <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
            else:
                merged.append((first, last))
        return replace(self, spans=tuple(merged))

    def redacted(self) -> str:
        """The text with the mark in place of every span."""
        parts, at = [], 0
        for start, end in self.spans:
            parts += [self.text[at:start], self.mark]
            at = end
        return "".join([*parts, self.text[at:]])

    def touches(self, start: int, end: int) -> bool:
        """Whether a span loses some of its words."""
        return any(start < last and first < end for first, last in self.spans)

    def moved(self, start: int, end: int) -> tuple[int, int]:
        """Where a span lies in the redacted text; an end inside a replaced span lies at the mark's own end."""
        return self._place(start, is_end=False), self._place(end, is_end=True)

    def _place(self, offset: int, *, is_end: bool) -> int:
        shift = 0
        for first, last in self.spans:
            if offset >= last:
                shift += len(self.mark) - (last - first)
            elif offset > first:
                return first + shift + (len(self.mark) if is_end else 0)
        return offset + shift
