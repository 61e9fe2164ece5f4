"""How values become a page.

Takes: values. Gives: escaped HTML. Never: an inline script or style, or a text that was not escaped.
"""

from __future__ import annotations

import difflib
import re
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from fastapi.responses import HTMLResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dopejar.doors.web.assets import assets
from dopejar.values.record import format_tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dopejar.values.episode import Episode
    from dopejar.values.record import Evidence

_TEMPLATES: Final = Path(__file__).parent / "templates"
_WORDS: Final = re.compile(r"\s+|[^\s]+")
_STEPS: Final = ((86400 * 365, "y"), (86400 * 30, "mo"), (86400, "d"), (3600, "h"), (60, "min"))
PRIORITIES: Final = {1: "critical", 2: "high", 3: "medium"}


@cache
def environment() -> Environment:
    """The templates; read when the first page is asked for."""
    found = Environment(
        loader=FileSystemLoader(_TEMPLATES, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.filters |= {
        "tags": format_tags,
        "ago": ago,
        "day": day,
        "moment": moment,
        "iso": iso,
        "share": percent,
        "short": short,
        "priority": priority,
        "plain": plain,
        "query": query,
    }
    found.globals |= {"asset": asset_address, "marked": marked, "difference": difference}
    return found


def page(name: str, values: Mapping[str, object], status: int = 200) -> HTMLResponse:
    """A template as a response."""
    return HTMLResponse(environment().get_template(name).render(values), status_code=status)


def refusal(status: int, message: str, *, is_partial: bool = False) -> HTMLResponse:
    """The page, or the part of one, for a request that goes no further."""
    name = "refused_part.html" if is_partial else "refused.html"
    return page(name, {"message": message, "status": status}, status)


def asset_address(name: str) -> str:
    """The address of a file of the package; it changes with the file, so it may be kept for ever."""
    return f"/static/{name}?{assets()[name].tag}"


def ago(at: datetime, now: datetime) -> str:
    """How long ago, in one unit: `3 d`."""
    seconds = max(0, int((now - at).total_seconds()))
    for size, unit in _STEPS:
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "now"


def day(at: datetime) -> str:
    """The day, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d}"


def moment(at: datetime) -> str:
    """The minute, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def iso(at: datetime) -> str:
    """The time for machines."""
    return at.astimezone(UTC).isoformat(timespec="seconds")


def percent(value: float) -> str:
    """A number from 0 to 1 with two places and no leading nought: `.85`."""
    return f"{value:.2f}".removeprefix("0") if value < 1 else "1.0"


def short(name: str) -> str:
    """The beginning of an id, as much as people read out."""
    return name[:8]


def priority(severity: int) -> str:
    """The word for a severity."""
    return PRIORITIES.get(severity, "low")


def plain(name: str) -> str:
    """An identifier as words."""
    return name.replace("_", " ").replace("-", " ")


def query(values: Mapping[str, object], **changes: object) -> str:
    """The query string of a filter with some values changed; empty ones are left out."""
    merged = {**values, **changes}
    return "?" + urlencode({name: value for name, value in merged.items() if value not in ("", None, 0, False)})


def marked(episode: Episode, spans: Sequence[Evidence]) -> list[tuple[str, bool]]:
    """The text of a turn in pieces, each with whether evidence rests on it."""
    pieces, place = [], 0
    for one in sorted(spans, key=lambda span: span.start):
        first, last = max(place, one.start), min(len(episode.text), one.end)
        if last <= first:
            continue
        pieces += [(episode.text[place:first], False), (episode.text[first:last], True)]
        place = last
    pieces.append((episode.text[place:], False))
    return [piece for piece in pieces if piece[0]]


def difference(old: str, new: str) -> list[tuple[str, str]]:
    """What changes from one text to the other, word by word: (same, gone or new; words)."""
    before, after = _WORDS.findall(old), _WORDS.findall(new)
    result = []
    for change, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if change == "equal":
            result.append(("same", "".join(before[a:b])))
            continue
        result += [("gone", "".join(before[a:b]))] if b > a else []
        result += [("new", "".join(after[c:d]))] if d > c else []
    return result
