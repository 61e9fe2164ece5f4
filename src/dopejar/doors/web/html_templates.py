"""HTML templates: the Jinja environment and its filters.

Takes: values. Gives: escaped HTML. Never: an inline script or style, or unescaped text.
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
from dopejar.doors.web.excerpts import excerpts
from dopejar.values.record import format_tags

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dopejar.values.episode import Episode
    from dopejar.values.record import Evidence, Record
    from dopejar.values.scope import Scope

_TEMPLATE_FOLDER: Final = Path(__file__).parent / "templates"
_WORD: Final = re.compile(r"\s+|[^\s]+")
_UNITS: Final = ((86400 * 365, "y"), (86400 * 30, "mo"), (86400, "d"), (3600, "h"), (60, "min"))
_PRIORITIES: Final = {1: "critical", 2: "high", 3: "medium"}


@cache
def environment() -> Environment:
    """The Jinja environment; made when the first page is rendered."""
    jinja = Environment(
        loader=FileSystemLoader(_TEMPLATE_FOLDER, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    jinja.filters |= {
        "tags": format_tags,
        "ago": ago,
        "day": utc_day,
        "moment": utc_minute,
        "iso": iso_time,
        "share": fraction,
        "short": short_id,
        "priority": priority_label,
        "plain": spaced,
        "query": query_string,
        "place": place_name,
        "status": status_word,
        "percent": percentage,
    }
    jinja.globals |= {
        "asset": asset_address,
        "excerpts": excerpts,
        "mark_evidence": mark_evidence,
        "same_words": is_same_wording,
        "word_diff": word_diff,
    }
    return jinja


def render_page(name: str, values: Mapping[str, object], status: int = 200) -> HTMLResponse:
    """A rendered template as a response."""
    return HTMLResponse(environment().get_template(name).render(values), status_code=status)


def render_refusal(status: int, message: str, *, is_partial: bool = False) -> HTMLResponse:
    """The page, or the fragment for htmx, of a request that is not answered."""
    name = "refused_part.html" if is_partial else "refused.html"
    return render_page(name, {"message": message, "status": status}, status)


def asset_address(name: str) -> str:
    """The address of a static file; it changes with the content, so browsers may cache it for ever."""
    return f"/static/{name}?{assets()[name].tag}"


def ago(at: datetime, now: datetime) -> str:
    """How long ago, in one unit: `3 d`."""
    seconds = max(0, int((now - at).total_seconds()))
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return "now"


def utc_day(at: datetime) -> str:
    """The day, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d}"


def utc_minute(at: datetime) -> str:
    """The minute, in UTC."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def iso_time(at: datetime) -> str:
    """The time in ISO 8601, UTC."""
    return at.astimezone(UTC).isoformat(timespec="seconds")


def fraction(value: float) -> str:
    """A number from 0 to 1 with two decimals and no leading zero: `.85`."""
    return f"{value:.2f}".removeprefix("0") if value < 1 else "1.0"


def percentage(value: float) -> str:
    """A number from 0 to 1 as a percentage: `85 %`."""
    return f"{100 * value:.0f} %"


def is_same_wording(one: str, other: str) -> bool:
    """Whether two texts differ in nothing but case, layout and what stands at their end."""
    return _bare(one) == _bare(other)


def _bare(text: str) -> str:
    return " ".join(text.split()).rstrip(".!;, ").casefold()


def place_name(scope: Scope | str, projects: Mapping[str, str]) -> str:
    """A scope for people: a project by its name, where one is known."""
    kind, _, name = str(scope).partition(":")
    return projects.get(name, name) if kind == "project" else name or kind


def status_word(record: Record, now: datetime | None = None) -> str:
    """The status of a record for people; what is superseded from a later day on holds until that day."""
    is_held = record.holds_until_later(now or datetime.now(UTC))
    return f"until {utc_day(record.valid_to)}" if is_held and record.valid_to else record.status.value


def short_id(name: str) -> str:
    """The first eight characters of an id."""
    return name[:8]


def priority_label(severity: int) -> str:
    """The label of a priority number."""
    return _PRIORITIES.get(severity, "low")


def spaced(name: str) -> str:
    """An identifier with spaces instead of hyphens and underscores."""
    return name.replace("_", " ").replace("-", " ")


def query_string(values: Mapping[str, object], **changes: object) -> str:
    """The query string of a filter with some values changed; empty values are left out."""
    merged = {**values, **changes}
    return "?" + urlencode({name: value for name, value in merged.items() if value not in ("", None, 0, False)})


def mark_evidence(episode: Episode, spans: Sequence[Evidence]) -> list[tuple[str, bool]]:
    """The text of a turn in pieces, each with whether it is evidence."""
    pieces, place = [], 0
    for span in sorted(spans, key=lambda span: span.start):
        first, last = max(place, span.start), min(len(episode.text), span.end)
        if last <= first:
            continue
        pieces += [(episode.text[place:first], False), (episode.text[first:last], True)]
        place = last
    pieces.append((episode.text[place:], False))
    return [piece for piece in pieces if piece[0]]


def word_diff(old: str, new: str) -> list[tuple[str, str]]:
    """A word diff of two texts: pairs of `same`, `gone` or `new` with the words."""
    before, after = _WORD.findall(old), _WORD.findall(new)
    result = []
    for change, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if change == "equal":
            result.append(("same", "".join(before[a:b])))
            continue
        result += [("gone", "".join(before[a:b]))] if b > a else []
        result += [("new", "".join(after[c:d]))] if d > c else []
    return result
