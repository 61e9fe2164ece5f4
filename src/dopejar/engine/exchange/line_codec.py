"""Lines of an export: frozen values as JSON objects, and back with every value bounded.

Takes: a value, or a JSON object and the type that it is to be. Gives: the other of the two. Never: takes a value of
another type, or one outside its range.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Final, TypeVar, cast, get_args, get_origin, get_type_hints

from dopejar.values.dates import parse_utc
from dopejar.values.scope import Scope

Line = dict[str, object]
Value = TypeVar("Value")

_ID: Final = re.compile(r"[a-z]_[0-9a-z]{16}")
_EARLIEST, _LATEST = 1900, 2200  # years
_MOST: Final = 10_000_000  # the largest number: an index, a version, an offset
_MOST_PARTS: Final = 200  # tags, attributes, languages
_LONGEST_TEXT: Final = 1_000_000  # characters of a turn, as where turns come in
_LONGEST: Final = 10_000  # characters of anything else
_NOTHING: Final = object()
_EMPTY: Final[tuple[object, ...]] = ((), "", {})


def to_line(value: object) -> Line:
    """A frozen value as a JSON object: times in ISO form, empty fields left out."""
    line: Line = {}
    for item in fields(cast("type", type(value))):
        content = getattr(value, item.name)
        if content is not None and content not in _EMPTY:
            line[item.name] = _plain(content)
    return line


def _plain(content: object) -> object:
    if isinstance(content, datetime):
        return content.isoformat()
    if isinstance(content, Scope):
        return str(content)
    if isinstance(content, tuple):
        return list(content)
    return dict(content) if isinstance(content, Mapping) else content


def from_line(kind: type[Value], line: Mapping[str, object]) -> Value:
    """The value that a line describes; fields that it leaves out are empty. Raises ValueError with the field's name."""
    types = _types_of(cast("type", kind))
    values: dict[str, object] = {}
    for item in fields(cast("type", kind)):
        if item.name in line:
            try:
                values[item.name] = _decoded(types[item.name], item.name, line[item.name])
            except (ValueError, TypeError) as fault:
                raise ValueError(f"`{item.name}`: {fault}") from None
        else:
            values.update(_left_out(item, types[item.name]))
    return kind(**values)


@cache
def _types_of(kind: type) -> dict[str, object]:
    return get_type_hints(kind)


def _left_out(item: Field[object], kind: object) -> dict[str, object]:
    """The value of a field that a line leaves out since it is empty. Raises ValueError where it cannot be."""
    if item.default is not MISSING or item.default_factory is not MISSING:
        return {}
    empty = _empty(kind)
    if empty is _NOTHING:
        raise ValueError(f"it lacks the field `{item.name}`")
    return {item.name: empty}


def _empty(kind: object) -> object:
    """The empty value of a type; `_NOTHING` where it has none."""
    if _is_optional(kind):
        return None
    if kind is str:
        return ""
    if get_origin(kind) is tuple:
        return ()
    if get_origin(kind) is Mapping:
        return {}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return next((member for member in kind if not member.value), _NOTHING)
    return _NOTHING


def _is_optional(kind: object) -> bool:
    return get_origin(kind) is UnionType or (len(get_args(kind)) == 2 and type(None) in get_args(kind))


def _is_id(kind: object) -> bool:
    return hasattr(kind, "__supertype__")


def _decoded(kind: object, name: str, content: object) -> object:
    if _is_optional(kind):
        kind = next(option for option in get_args(kind) if option is not type(None))
    if _is_id(kind):
        return _id(content)
    if get_origin(kind) is tuple:
        return tuple(_text(part, _LONGEST) for part in _parts(content, list))
    if get_origin(kind) is Mapping:
        pairs = cast("dict[object, object]", _parts(content, dict))
        return {_text(key, _LONGEST): _text(part, _LONGEST) for key, part in pairs.items()}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind(_text(content, _LONGEST))
    if kind is str:
        return _text(content, _LONGEST_TEXT if name == "text" else _LONGEST)
    return _SIMPLE[cast("type", kind)](content)


def _id(content: object) -> str:
    text = _text(content, _LONGEST)
    if not _ID.fullmatch(text):
        raise ValueError(f"{text[:40]!r} is no id")
    return text


def _parts(content: object, kind: type) -> list[object]:
    if not isinstance(content, kind) or len(cast("list[object]", content)) > _MOST_PARTS:
        raise ValueError(f"it must be a {kind.__name__} of at most {_MOST_PARTS} parts")
    return cast("list[object]", content)


def _text(content: object, longest: int) -> str:
    if not isinstance(content, str):
        raise TypeError("it must be a text")
    if len(content) > longest:
        raise ValueError(f"it has {len(content)} characters; the maximum is {longest}")
    if "\0" in content or any("\ud800" <= char <= "\udfff" for char in content):
        raise ValueError("it holds a character that cannot be stored")
    return content


def _whole(content: object) -> int:
    if isinstance(content, bool) or not isinstance(content, int) or not 0 <= content <= _MOST:
        raise ValueError(f"it must be a whole number from 0 to {_MOST}")
    return content


def _share(content: object) -> float:
    if isinstance(content, bool) or not isinstance(content, int | float) or not 0 <= content <= 1:
        raise ValueError("it must be a number from 0 to 1")
    return float(content)


def _flag(content: object) -> bool:
    if not isinstance(content, bool):
        raise TypeError("it must be true or false")
    return content


def _time(content: object) -> datetime:
    moment = parse_utc(_text(content, _LONGEST))
    if not _EARLIEST <= moment.year < _LATEST or (moment.utcoffset() or timedelta()) % timedelta(minutes=1):
        raise ValueError(f"it must be a time from {_EARLIEST} to {_LATEST}")
    return moment


_SIMPLE: Final[Mapping[type, Callable[[object], object]]] = {
    int: _whole,
    float: _share,
    bool: _flag,
    datetime: _time,
    Scope: lambda content: Scope.parse(_text(content, _LONGEST)),
}
