"""Forms and query strings: parsing them, and writing filters back into an address.

Takes: the body of a request, or values of an address. Gives: fields, numbers, filters. Never: accepts files, another
encoding, or more than a page of this door can send.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final
from urllib.parse import parse_qsl

from dopejar.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from starlette.requests import Request

MOST_BYTES: Final = 2_000_000  # ten thousand ids with their versions are 400 kB
_MOST_FIELDS: Final = 50_000
ENCODING: Final = "application/x-www-form-urlencoded"


@dataclass(frozen=True, kw_only=True, slots=True)
class Form:
    """The fields of a form, each with all its values."""

    fields: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def text(self, name: str, default: str = "") -> str:
        """The last value of a field."""
        values = self.fields.get(name)
        return values[-1] if values else default

    def texts(self, name: str) -> tuple[str, ...]:
        """All values of a field."""
        return tuple(self.fields.get(name, ()))

    def pairs(self, *, without: tuple[str, ...] = ()) -> list[tuple[str, str]]:
        """All fields and values, so that a form can be shown again with one more field."""
        return [(name, value) for name, values in self.fields.items() if name not in without for value in values]


async def read_body(request: Request) -> bytes | None:
    """The body of a request; None where it is longer than `MOST_BYTES`, by what it declares or by what comes."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdigit() or int(declared) > MOST_BYTES:
        return None
    chunks, size = [], 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > MOST_BYTES:
            return None
        chunks.append(chunk)
    return b"".join(chunks)


def read_form(content_type: str, body: bytes) -> Form:
    """Parse a body. Raises InputError where it is not an URL-encoded form."""
    if body and content_type.partition(";")[0].strip().lower() != ENCODING:
        raise InputError("This request is not a form of this page. Go back and try again.")
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS)
    except ValueError as error:  # not ASCII, or too many fields
        raise InputError("The form cannot be parsed. Go back and try again.") from error
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return Form(fields=fields)


def parse_integer(text: str, default: int, least: int, most: int) -> int:
    """An integer, clamped to the bounds; the default where the text is none."""
    try:
        return max(least, min(most, int(text)))
    except ValueError:
        return default


def parse_fraction(text: str, default: float) -> float:
    """A number from 0 to 1; the default where the text is none."""
    try:
        value = float(text)
    except ValueError:
        return default
    return value if 0.0 <= value <= 1.0 else default


def is_checked(text: str) -> bool:
    """Whether the value of a checkbox or flag means yes."""
    return text in ("1", "on", "true", "True")


def drop_defaults(values: Mapping[str, object], defaults: Mapping[str, object]) -> dict[str, object]:
    """The values of a filter that differ from its defaults, for a short address."""
    return {name: value for name, value in values.items() if value != defaults[name]}
