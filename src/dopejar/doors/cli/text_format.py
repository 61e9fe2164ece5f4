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
from typing import Final

MAX_CELL: Final = 96  # characters of a text cell in a listing; `show` prints the whole text
# columns that move to lines of their own at a narrow terminal; the others hold what a person copies or compares
LONG_COLUMNS: Final = frozenset(
    {"text", "why", "result", "file", "about", "rules", "key", "name", "meaning", "where", "measures"}
)
# C0 and C1 control characters except tab and newline, and bidirectional formatting characters
_UNSAFE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """The text with control characters escaped, so that it cannot move the cursor, set colours or hide anything."""
    return _UNSAFE.sub(
        lambda match: f"\\x{ord(match[0]):02x}" if match[0] < "\x80" else f"\\u{ord(match[0]):04x}", text
    )


def one_line(text: str, max_length: int = MAX_CELL) -> str:
    """The text in one line, shortened with an ellipsis where it is longer."""
    line = safe(" ".join(text.split()))
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
    """A table as lines: drawn by rich at a terminal, aligned columns elsewhere.

    At a terminal that is too narrow each row takes several lines. No rows give no lines.
    """
    if not rows:
        return
    cells = [[safe(str(cell)) for cell in row] for row in rows]
    widths = [max(_width(row[index]) for row in ([*columns], *cells)) for index in range(len(columns))]
    if sys.stdout.isatty():
        terminal_width = shutil.get_terminal_size().columns
        fits = sum(widths) + 4 * len(widths) <= terminal_width
        yield from _drawn(columns, cells) if fits else _stacked(columns, cells, widths, terminal_width)
        return
    for row in ([*columns], *cells):
        yield "  ".join(_padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _drawn(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> Iterator[str]:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    drawn = Table(*columns, box=SIMPLE_HEAD, pad_edge=False)
    for row in cells:
        drawn.add_row(*(Text(cell) for cell in row))
    console = Console(highlight=False)
    with console.capture() as captured:
        console.print(drawn)
    yield captured.get().strip("\n")


def _stacked(
    columns: Sequence[str], cells: Sequence[Sequence[str]], widths: Sequence[int], width: int
) -> Iterator[str]:
    """Per row one line with the short columns, then the long columns, indented and wrapped."""
    short = [index for index, name in enumerate(columns) if name not in LONG_COLUMNS]
    for row in cells:
        line = "  ".join(_padded(row[index], widths[index]) for index in short)
        yield from textwrap.wrap(line.rstrip(), width, subsequent_indent="    ", break_long_words=False)
        for index in range(len(columns)):
            if index not in short and row[index]:
                yield from textwrap.wrap(row[index], width, initial_indent="    ", subsequent_indent="    ")


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
