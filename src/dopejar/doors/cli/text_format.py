"""Text formatting for people: escaping, dates, counts, sizes, tables.

Takes: strings, numbers, dates and rows. Gives: lines of text. Never: passes a control character on to a terminal,
because stored text can come from anywhere.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Final

MAX_CELL: Final = 96  # characters of a text cell in a listing; `show` prints the whole text
# columns that give way at a narrow terminal; the others hold what a person copies or compares
LONG_COLUMNS: Final = frozenset(
    {"text", "why", "result", "file", "about", "rules", "key", "name", "meaning", "where", "measures"}
)
_GAP: Final = 2  # spaces between columns
_NARROWEST_TEXT: Final = 24
# C0 and C1 control characters except tab and newline, and bidirectional formatting characters
_UNSAFE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """The text with control characters escaped, so that it cannot move the cursor, set colours or hide anything."""
    return _UNSAFE.sub(
        lambda match: f"\\x{ord(match[0]):02x}" if match[0] < "\x80" else f"\\u{ord(match[0]):04x}", text
    )


def whole_line(text: str) -> str:
    """The whole text in one line."""
    return safe(" ".join(text.split()))


def one_line(text: str, max_length: int = MAX_CELL) -> str:
    """The text in one line, shortened with an ellipsis where it is longer."""
    line = whole_line(text)
    return line if len(line) <= max_length else f"{line[: max_length - 1].rstrip()}…"


def moment(at: datetime | None) -> str:
    """A time in the machine's time zone, to the minute."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else ""


def day(at: datetime | None) -> str:
    """A day in the machine's time zone."""
    return at.astimezone().strftime("%Y-%m-%d") if at else ""


def counted(counts: Mapping[str, int]) -> str:
    """Counts by name, such as `3 added, 1 staged`; `none` where all are zero."""
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items()) if count) or "none"


def size(count: int) -> str:
    """A number of bytes with a unit."""
    value = float(count)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """A table as lines: aligned columns under their names, with a rule between them at a terminal.

    At a terminal that is too narrow, long texts take several lines, or lines of their own below the row. No rows give
    no lines.
    """
    if not rows:
        return
    cells = [[safe(str(cell)) for cell in row] for row in rows]
    widths = [max(_width(row[index]) for row in ([*columns], *cells)) for index in range(len(columns))]
    if not sys.stdout.isatty():
        for row in ([*columns], *cells):
            yield from _lines(row, widths)
        return
    most = shutil.get_terminal_size().columns
    long = [index for index, name in enumerate(columns) if name in LONG_COLUMNS]
    widths = _narrowed(widths, long, most)
    below = long if sum(widths) + _GAP * (len(widths) - 1) > most and len(long) < len(columns) else []
    beside = [index for index in range(len(columns)) if index not in below]
    chosen = [widths[index] for index in beside]
    yield from _lines([columns[index] for index in beside], chosen)
    yield "─" * min(most, sum(chosen) + _GAP * (len(chosen) - 1))
    for row in cells:
        yield from _lines([row[index] for index in beside], chosen)
        for index in below:
            yield from textwrap.wrap(row[index], most, initial_indent="    ", subsequent_indent="    ")


def _narrowed(widths: Sequence[int], long: Sequence[int], most: int) -> list[int]:
    """Widths of which the widest of the long columns give way until all fit, down to the least that is legible."""
    fitted, gaps = list(widths), _GAP * (len(widths) - 1)
    while sum(fitted) + gaps > most and long:
        index = max(long, key=lambda place: fitted[place])
        if fitted[index] <= _NARROWEST_TEXT:
            break
        fitted[index] -= 1
    return fitted


def _lines(row: Sequence[str], widths: Sequence[int]) -> Iterator[str]:
    """A row, of which a cell that is wider than its column takes several lines."""
    parts = [
        [cell] if _width(cell) <= width else textwrap.wrap(cell, width) for cell, width in zip(row, widths, strict=True)
    ]
    for line in zip_longest(*parts, fillvalue=""):
        yield (" " * _GAP).join(_padded(cell, width) for cell, width in zip(line, widths, strict=True)).rstrip()


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def pairs(rows: Sequence[tuple[str, object]]) -> Iterator[str]:
    """Names and aligned values; empty values are left out."""
    shown = [(name, safe(str(value))) for name, value in rows if value not in ("", None, ())]
    width = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        yield f"{name:<{width}}  {value}"
