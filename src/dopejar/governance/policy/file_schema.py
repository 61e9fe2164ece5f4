"""The schema of a policy file: its columns and their words.

Takes: nothing. Gives: the keys and words that the reader checks; `docs/generate.py` makes the JSON Schema for editors,
`policy.schema.json`, from them. Never: a second list of either; both come from the enums that the gate itself uses.
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
