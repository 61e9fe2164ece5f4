"""Typed access to fields of untrusted JSON records.

Takes: parsed JSON. Gives: the value where it has the requested type, else an empty one. Never: raises.
"""

from __future__ import annotations

import json

Record = dict[str, object]


def text_in(record: Record, *keys: str) -> str:
    """The value of the first key that holds a non-empty text; integers count as their digits."""
    for key in keys:
        value = record.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**18:
            return str(value)
    return ""


def record_in(record: Record, key: str) -> Record:
    """The object under `key`, or an empty one."""
    value = record.get(key)
    return value if isinstance(value, dict) else {}


def list_in(record: Record, key: str) -> list[object]:
    """The list under `key`, or an empty one."""
    value = record.get(key)
    return value if isinstance(value, list) else []


def records(values: list[object]) -> list[Record]:
    """The objects among `values`."""
    return [value for value in values if isinstance(value, dict)]


def is_true(record: Record, key: str) -> bool:
    """Whether `key` holds `true`, not just a truthy value."""
    return record.get(key) is True


def block_text(value: object) -> str:
    """The text of a message's content: a string, or a list of strings and text blocks, one per line.

    A block of another type, such as a tool's result in a list of messages, is not what the message says.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return text_in(value, "text") if text_in(value, "type").endswith("text") or not value.get("type") else ""
    if not isinstance(value, list):
        return ""
    texts = [item if isinstance(item, str) else block_text(item) for item in value if isinstance(item, str | dict)]
    return "\n".join(text for text in texts if text)


def compact(value: object) -> str:
    """`value` as JSON on one line, without escapes; a string as it is."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, separators=(", ", ": "))
    except (RecursionError, ValueError):
        return "JSON nested deeper than can be written"
