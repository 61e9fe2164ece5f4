"""Replies of language models: parsing and validation of JSON against a schema.

Takes: the text of a reply, and a JSON Schema (a small subset). Gives: the object, or an error message that a model can
act on. Never: repairs a broken reply.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

KEYWORDS: Final = frozenset(
    {
        *("type", "properties", "required", "additionalProperties", "items", "enum"),
        *("maxLength", "minLength", "maxItems", "minItems", "minimum", "maximum"),
        *("title", "description"),  # for the model's eyes
    }
)
_FENCE: Final = re.compile(r"\A```[A-Za-z]*\s*\n(.*?)\n?\s*```\Z", re.DOTALL)
_MOST_FAULTS: Final = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class ParsedReply:
    """Either the object, or what is wrong with the reply (`fault`, not empty)."""

    value: dict[str, Json] | None
    fault: str = ""


def parse_reply(text: str, schema: Mapping[str, Json]) -> ParsedReply:
    """Parse one JSON object, in a code fence or bare, and hold it against the schema."""
    body = text.strip()
    fenced = _FENCE.match(body)
    try:
        value: Json = json.loads(fenced[1] if fenced else body, parse_constant=_refuse, parse_float=_number)
        json.dumps(value, ensure_ascii=False).encode()  # half a surrogate pair cannot be stored
    except RecursionError:
        return ParsedReply(value=None, fault="it is nested too deeply")
    except ValueError as error:
        return ParsedReply(value=None, fault=f"it is not valid JSON ({error})" if body else "it is empty")
    if not isinstance(value, dict):
        return ParsedReply(value=None, fault=f"it is {_name(value)}, not an object")
    faults = schema_faults(value, schema)
    return ParsedReply(value=None, fault="; ".join(faults)) if faults else ParsedReply(value=value)


def _refuse(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON number")


def _number(digits: str) -> float:
    """A whole number is an int however it is written, as it is to a schema."""
    number = float(digits)
    if not math.isfinite(number):
        _refuse(digits[:20])
    return int(number) if number.is_integer() else number


def schema_faults(value: Json, schema: Mapping[str, Json]) -> tuple[str, ...]:
    """What in the value breaks the schema, each with its place; at most five. Raises ValueError for an unknown keyword.

    Knows `type` (one, or several), `properties`, `required`, `additionalProperties` (true or false), `items`, `enum`,
    and the bounds of lengths, counts and numbers (JSON Schema 2020-12, core and validation).
    """
    faults: list[str] = []
    for fault in _faults(value, schema, "the reply"):
        faults.append(fault)
        if len(faults) == _MOST_FAULTS:
            break
    return tuple(faults)


def _faults(value: Json, schema: Mapping[str, Json], place: str) -> Iterator[str]:
    unknown = schema.keys() - KEYWORDS
    if unknown:
        raise ValueError(
            f"the schema's keyword {sorted(unknown)[0]!r} is not known here; use {', '.join(sorted(KEYWORDS))}"
        )
    wanted = schema.get("type")
    names = wanted if isinstance(wanted, list) else [wanted] if isinstance(wanted, str) else []
    if names and not any(_is(value, str(name)) for name in names):
        yield f"{place} is {_name(value)}, not {' or '.join(map(str, names))}"
        return
    allowed = schema.get("enum")
    if isinstance(allowed, list) and not any(_same(value, one) for one in allowed):
        yield f"{place} is none of {json.dumps(allowed, ensure_ascii=False)}"
    yield from _bounds(value, schema, place)
    if isinstance(value, dict):
        yield from _in_object(value, schema, place)
    elif isinstance(value, list):
        yield from _in_list(value, schema, place)


def _in_object(value: Mapping[str, Json], schema: Mapping[str, Json], place: str) -> Iterator[str]:
    properties = schema.get("properties")
    known = properties if isinstance(properties, dict) else {}
    required = schema.get("required")
    for name in required if isinstance(required, list) else []:
        if name not in value:
            yield f"{place} lacks {json.dumps(name)}"
    for name, member in value.items():
        rule = known.get(name)
        if isinstance(rule, dict):
            yield from _faults(member, rule, f"{place}.{name}")
        elif schema.get("additionalProperties") is False:
            yield f"{place} has {json.dumps(name, ensure_ascii=False)[:60]}, which it may not have"


def _in_list(value: list[Json], schema: Mapping[str, Json], place: str) -> Iterator[str]:
    rule = schema.get("items")
    if isinstance(rule, dict):
        for number, item in enumerate(value):
            yield from _faults(item, rule, f"{place}[{number}]")


def _bounds(value: Json, schema: Mapping[str, Json], place: str) -> Iterator[str]:
    """Lengths of texts and lists, and sizes of numbers."""
    if isinstance(value, str):
        measured, least, most, unit = float(len(value)), "minLength", "maxLength", "characters"
    elif isinstance(value, list):
        measured, least, most, unit = float(len(value)), "minItems", "maxItems", "items"
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        measured, least, most, unit = value, "minimum", "maximum", ""
    else:
        return
    low, high = schema.get(least), schema.get(most)
    if isinstance(low, (int, float)) and measured < low:
        yield f"{place} is below {low} {unit}".rstrip()
    if isinstance(high, (int, float)) and measured > high:
        yield f"{place} is above {high} {unit}".rstrip()


def _is(value: Json, name: str) -> bool:
    if isinstance(value, bool):  # a bool is an int to Python, not to JSON
        return name == "boolean"
    if isinstance(value, float):
        return name == "number" or (name == "integer" and value.is_integer())
    return name in _names(value)


def _names(value: Json) -> tuple[str, ...]:
    if value is None:
        return ("null",)
    if isinstance(value, int):
        return ("integer", "number")
    if isinstance(value, str):
        return ("string",)
    return ("array",) if isinstance(value, list) else ("object",)


def _name(value: Json) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, float) else _names(value)[0]


def _same(one: Json, other: Json) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)
