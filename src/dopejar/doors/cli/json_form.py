"""Values as JSON.

Takes: frozen values. Gives: their fields, enums by value, times in ISO form, scopes and paths as text. Never: loses a
field, or invents one; properties that doors need are added by name where they are rendered.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from enum import Enum
from math import isfinite

from dopejar.values.scope import Scope


def plain(value: object) -> object:
    """A value as what JSON knows; a number that JSON does not know is None."""
    if isinstance(value, float):
        return value if isfinite(value) else None
    if is_dataclass(value) and not isinstance(value, type | Scope):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(plain(key)): plain(one) for key, one in value.items()}
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        many = [plain(one) for one in value]
        return sorted(many, key=str) if isinstance(value, set | frozenset) else many
    return _single(value)


def _single(value: object) -> object:
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, Enum):
        return str(value.value)
    return value.isoformat() if isinstance(value, date) else str(value)


def flat(value: object) -> dict[str, object]:
    """A frozen value's fields as JSON."""
    found = plain(value)
    return found if isinstance(found, dict) else {"value": found}


def as_text(value: object, *, ascii_only: bool = False) -> str:
    """One line of JSON."""
    return json.dumps(plain(value), ensure_ascii=ascii_only, allow_nan=False)
