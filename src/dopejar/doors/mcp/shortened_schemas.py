"""What an assistant is told of each tool's arguments and results: it pays for every word of it in its context.

Takes: the schemas that are made from the functions. Gives: shorter ones that allow the same. Never: the schema by which
the server itself checks a call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


def short_arguments(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments without made-up titles; one that may be left out is not said to be null as well."""
    return {**_untitled(schema), "properties": {name: _argument(one) for name, one in schema["properties"].items()}}


def short_result(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a result; of the rows in it only the names of theirs."""
    rows = schema.get("$defs", {})
    fields = {name: _field(one, rows) for name, one in schema["properties"].items()}
    return {"type": "object", "properties": fields, "required": schema["required"]}


def _argument(schema: Mapping[str, Any]) -> dict[str, Any]:
    plain = _untitled(schema)
    kinds = [kind for kind in plain.get("anyOf", ()) if kind != {"type": "null"}]
    if len(kinds) == 1 and plain.get("default", "") is None:
        del plain["anyOf"], plain["default"]
        return {**kinds[0], **plain}
    return plain


def _field(schema: Mapping[str, Any], rows: Mapping[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        return {"type": "object", "required": rows[schema["$ref"].rpartition("/")[2]]["required"]}
    plain = _untitled(schema)
    return {**plain, "items": _field(plain["items"], rows)} if "items" in plain else plain


def _untitled(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in schema.items() if name != "title"}
