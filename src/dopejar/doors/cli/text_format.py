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

WIDEST: Final = 96  # columns of a text cell before it is cut in a listing; the whole text is one command away
# columns that get lines of their own at a narrow terminal; the others hold what a person copies or compares
LONG: Final = frozenset(
    {"text", "why", "became", "file", "about", "rules", "key", "name", "meaning", "where", "measures"}
)
# C0 and C1 controls but tab and newline, and the marks that turn the direction of writing around
_UNSAFE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def safe(text: str) -> str:
    """The text with control characters written out, so that it cannot move a cursor, colour or hide anything."""
    return _UNSAFE.sub(
        lambda found: f"\\x{ord(found[0]):02x}" if found[0] < "\x80" else f"\\u{ord(found[0]):04x}", text
    )


def one_line(text: str, most: int = WIDEST) -> str:
    """The text in one line, cut with an ellipsis where it is longer."""
    line = safe(" ".join(text.split()))
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def moment(at: datetime | None) -> str:
    """A time in the machine's time zone, to the minute."""
    return at.astimezone().strftime("%Y-%m-%d %H:%M") if at else ""


def day(at: datetime | None) -> str:
    """A day in the machine's time zone."""
    return at.astimezone().strftime("%Y-%m-%d") if at else ""


def counted(counts: Mapping[str, int]) -> str:
    """`3 added, 1 staged`, or `none`."""
    return ", ".join(f"{many} {what.replace('_', ' ')}" for what, many in sorted(counts.items()) if many) or "none"


def size(count: int) -> str:
    """Bytes in a unit that fits."""
    value = float(count)
    for unit in ("bytes", "kB", "MB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} GB"


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """A table: aligned columns, drawn by rich at a terminal; entries of several lines at one that is too narrow.

    Nothing for no rows.
    """
    if not rows:
        return
    cells = [[safe(str(cell)) for cell in row] for row in rows]
    widths = [max(_width(row[place]) for row in ([*columns], *cells)) for place in range(len(columns))]
    if sys.stdout.isatty():
        room = shutil.get_terminal_size().columns
        is_wide = sum(widths) + 4 * len(widths) <= room
        yield from _drawn(columns, cells) if is_wide else _stacked(columns, cells, widths, room)
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


def _stacked(columns: Sequence[str], cells: Sequence[Sequence[str]], widths: Sequence[int], room: int) -> Iterator[str]:
    """One line of short columns as long as they fit, then whatever is long, indented and wrapped."""
    short = [place for place, name in enumerate(columns) if name not in LONG]
    for row in cells:
        line = "  ".join(_padded(row[place], widths[place]) for place in short)
        yield from textwrap.wrap(line.rstrip(), room, subsequent_indent="    ", break_long_words=False)
        for place in range(len(columns)):
            if place not in short and row[place]:
                yield from textwrap.wrap(row[place], room, initial_indent="    ", subsequent_indent="    ")


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def pairs(rows: Sequence[tuple[str, object]]) -> Iterator[str]:
    """Names and values, the values aligned; empty ones left out."""
    shown = [(name, safe(str(value))) for name, value in rows if value not in ("", None, ())]
    width = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        yield f"{name:<{width}}  {value}"
