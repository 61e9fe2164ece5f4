"""The bodies of held rows, read strictly: JSON text whose parts are of the types that the program writes.

Takes: a row. Gives: its JSON, and the parts of an object by name. Never: passes on a part of another type; it raises
ValueError, KeyError or TypeError, as every codec does for a value that the program did not write.
"""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dopejar.values.versioned_rows import KeyValueRow


T = TypeVar("T")


def json_of(row: KeyValueRow) -> object:
    """What a row holds."""
    try:
        return cast("object", json.loads(row.body))
    except RecursionError:
        raise ValueError(f"The {row.kind} row {row.key} is nested too deep.") from None


def object_of(row: KeyValueRow) -> Mapping[str, object]:
    """What a row holds, where that is a JSON object."""
    return as_object(json_of(row))


def list_of(row: KeyValueRow) -> Sequence[object]:
    """What a row holds, where that is a JSON list."""
    return as_list(json_of(row))


def as_object(value: object) -> Mapping[str, object]:
    """The value, where it is a JSON object."""
    return require(value, dict)


def as_list(value: object) -> Sequence[object]:
    """The value, where it is a JSON list."""
    return require(value, list)


def require(value: object, kind: type[T]) -> T:
    """The value, where it is of this type. A text is whole Unicode; a truth value is no number, a whole number one."""
    if isinstance(value, bool) is not (kind is bool) or not isinstance(value, (int, float) if kind is float else kind):
        raise TypeError(f"{type(value).__name__} in place of {kind.__name__}")
    if isinstance(value, str):
        value.encode()
    return cast("T", value)


def text_in(body: Mapping[str, object], name: str) -> str:
    """The text of this name."""
    return require(body[name], str)


def number_in(body: Mapping[str, object], name: str) -> int:
    """The whole number of this name."""
    return require(body[name], int)


def time_in(body: Mapping[str, object], name: str) -> datetime:
    """The aware time of this name."""
    return aware_time(body[name])


def aware_time(text: object) -> datetime:
    """The time of a text; ValueError where it has no zone."""
    at = datetime.fromisoformat(require(text, str))
    if at.tzinfo is None:
        raise ValueError(f"{text} has no time zone")
    return at
