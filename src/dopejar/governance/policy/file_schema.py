"""The schema of a policy file: its columns, their words, and the JSON Schema made from them.

Takes: nothing. Gives: the keys and words that the reader checks, and a JSON Schema for editors. Never: a second list of
either; both come from the enums that the gate itself uses.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from dopejar.governance.policy.rules import Flag, Outcome, SaidBy
from dopejar.values.episode import Origin
from dopejar.values.proposal import Action, Level, Via
from dopejar.values.record import Kind

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]

VERSION: Final = 1
APPROVERS: Final = ("policy", "auto")
CURATED_AWAY: Final = ("rejected", "retracted", "tombstone")
RADII: Final = (Level.LOW.value, Level.MEDIUM.value, Level.HIGH.value)
ID_PATTERN: Final = "^[a-z][a-z0-9-]{0,63}$"

TOP_KEYS: Final = ("version", "trust", "blast_radius", "rules")
BLAST_KEYS: Final = ("kinds", "actions", "replacing_approved")
RULE_KEYS: Final = ("id", "when", "then", "reason", "approver", "before", "enabled", "locked")

ORIGINS: Final = tuple(origin.value for origin in Origin)
KINDS: Final = tuple(kind.value for kind in Kind)
ACTIONS: Final = tuple(action.value for action in Action)
OUTCOMES: Final = tuple(outcome.value for outcome in Outcome)

WORD_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "said_by": tuple(speaker.value for speaker in SaidBy),
        "via": tuple(via.value for via in Via),
        "action": ACTIONS,
        "kind": KINDS,
        "conflict": tuple(level.value for level in Level),
        "curated_away": CURATED_AWAY,
        "has": tuple(flag.value for flag in Flag),
        "lacks": tuple(flag.value for flag in Flag),
    }
)
NUMBER_COLUMNS: Final = ("alignment_below", "confidence_below", "confidence_from")
QUALITY_COLUMN: Final = "source_quality_below"
COLUMNS: Final = (*WORD_COLUMNS, QUALITY_COLUMN, *NUMBER_COLUMNS)


def policy_schema() -> dict[str, Json]:
    """The JSON Schema (draft 2020-12) of a policy file, shipped beside it as `policy.schema.json`."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "DoPeJar write-gate policy",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "version": {"const": VERSION},
            "trust": _numbers(ORIGINS),
            "blast_radius": _closed(
                {
                    "kinds": _mapping_to(KINDS, RADII),
                    "actions": _mapping_to(ACTIONS, RADII),
                    "replacing_approved": _enum(RADII),
                }
            ),
            "rules": {"type": "array", "items": _rule_schema()},
        },
    }


def _rule_schema() -> Json:
    columns: dict[str, Json] = {name: _list_of(words) for name, words in WORD_COLUMNS.items()}
    columns[QUALITY_COLUMN] = _numbers(RADII)
    columns.update({name: _number() for name in NUMBER_COLUMNS})
    name: Json = {"type": "string", "pattern": ID_PATTERN}
    rule = _closed(
        {
            "id": name,
            "when": _closed(columns),
            "then": _enum(OUTCOMES),
            "reason": {"type": "string", "minLength": 1},
            "approver": _enum(APPROVERS),
            "before": name,
            "enabled": {"type": "boolean"},
            "locked": {"type": "boolean"},
        }
    )
    rule["required"] = ["id"]
    return rule


def _closed(properties: dict[str, Json]) -> dict[str, Json]:
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _enum(words: tuple[str, ...]) -> Json:
    return {"enum": list(words)}


def _list_of(words: tuple[str, ...]) -> Json:
    return {"type": "array", "minItems": 1, "items": _enum(words)}


def _number() -> Json:
    return {"type": "number", "minimum": 0, "maximum": 1}


def _numbers(keys: tuple[str, ...]) -> Json:
    return _closed({key: _number() for key in keys})


def _mapping_to(keys: tuple[str, ...], words: tuple[str, ...]) -> Json:
    return _closed({key: _enum(words) for key in keys})
