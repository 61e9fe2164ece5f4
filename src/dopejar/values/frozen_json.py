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

Reader = Callable[[object], object]
_KNOWN: Final[dict[object, Reader]] = {
    datetime: aware_time,
    **{kind: partial(require, kind=kind) for kind in (str, int, float, bool)},
}


@cache
def names_of_fields(kind: type) -> tuple[str, ...]:
    """The names of a dataclass's fields, in order; without those that its constructor does not take."""
    return tuple(one.name for one in fields(kind) if one.init)


@cache
def reader_of(kind: object, own: tuple[tuple[object, Reader], ...] = (), later: frozenset[str] | None = None) -> Reader:
    """What makes a value of this type from JSON data; made once for each type.

    `own` are types with another form, each with its reader. With `later`, no other field may be left out.
    """
    kind = getattr(kind, "__supertype__", kind)  # that of a `NewType`
    known = (_KNOWN | dict(own)).get(kind)
    if known is not None:
        return known
    arguments = get_args(kind)
    if get_origin(kind) is tuple:
        item = reader_of(arguments[0], own, later)
        return lambda data: tuple(map(item, as_list(data)))
    if NoneType in arguments:
        some = reader_of(arguments[0], own, later)
        return lambda data: None if data is None else some(data)
    if isinstance(kind, type) and is_dataclass(kind):
        hints = get_type_hints(kind)
        parts = [(name, reader_of(hints[name], own, later)) for name in names_of_fields(kind)]
        needed = frozenset() if later is None else frozenset(names_of_fields(kind)) - later
        return partial(_built, kind, parts, needed)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind
    raise TypeError(f"{kind} cannot be read from JSON.")


def _built(kind: type, parts: Sequence[tuple[str, Reader]], needed: frozenset[str], data: object) -> object:
    """A dataclass from a JSON object; a field that is not there, and is not needed, has its default."""
    given = as_object(data)
    if not needed <= given.keys():
        raise KeyError(*sorted(needed - given.keys()))
    return kind(**{name: part(given[name]) for name, part in parts if name in given})
