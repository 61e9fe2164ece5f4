"""Frozen values from JSON, by the types of their fields.

Takes: a dataclass, JSON data. Gives: the value. Never: passes on a part of another type; it raises ValueError, KeyError
or TypeError, as `values.held_bodies` does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from functools import cache, partial
from types import NoneType
from typing import Final, get_args, get_origin, get_type_hints

from dopejar.values.held_bodies import as_list, as_object, aware_time, require

_PLAIN: Final = (str, int, float, bool)


@cache
def names_of_fields(kind: type) -> tuple[str, ...]:
    """The names of a dataclass's fields, in order."""
    return tuple(one.name for one in fields(kind))


@cache
def reader_of(kind: object) -> Callable[[object], object]:
    """What makes a value of this type from JSON data; made once for each type."""
    kind = getattr(kind, "__supertype__", kind)  # that of a `NewType`
    arguments = get_args(kind)
    if get_origin(kind) is tuple:
        item = reader_of(arguments[0])
        return lambda data: tuple(map(item, as_list(data)))
    if NoneType in arguments:
        some = reader_of(arguments[0])
        return lambda data: None if data is None else some(data)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        parts = [(name, reader_of(hints[name])) for name in names_of_fields(kind)]
        return partial(_built, kind, parts)
    if kind is datetime:
        return aware_time
    if isinstance(kind, type) and kind in _PLAIN:
        return partial(require, kind=kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    raise TypeError(f"{kind} cannot be read from JSON.")


def _built(kind: type, parts: Sequence[tuple[str, Callable[[object], object]]], data: object) -> object:
    """A dataclass from a JSON object; a field that is not there has its default."""
    given = as_object(data)
    return kind(**{name: part(given[name]) for name, part in parts if name in given})
