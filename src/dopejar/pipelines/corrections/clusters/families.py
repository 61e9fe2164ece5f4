"""Families: wishes that mean the same whatever the words.

Takes: folded sentences. Gives: the family they belong to, with its wording. Never: a family that only shares a word.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from dopejar.pipelines.corrections.cues import Cue, sieved, spelled, table
from dopejar.pipelines.corrections.exchange import CorrectionType, Polarity


@dataclass(frozen=True, kw_only=True, slots=True)
class Family:
    """One wish that many words say. `scope` is `universal` or "" where the words decide."""

    name: str
    text: str
    type: CorrectionType
    polarity: Polarity
    scope: str
    said: Cue


@lru_cache(maxsize=1)
def families() -> Mapping[str, Family]:
    """Every family of the data file, in its order."""
    tables = table("wishes")
    rows = tables.get("family", {})
    rows = rows if isinstance(rows, dict) else {}
    said = sieved({name: spelled(row["said"], tables.get("macros")) for name, row in rows.items()})
    found = {}
    for name, row in rows.items():
        found[name] = Family(
            name=name,
            text=row["text"],
            type=CorrectionType(row["type"]),
            polarity=Polarity(row["polarity"]),
            scope=row["scope"],
            said=said[name],
        )
    return MappingProxyType(found)


def family_of(spoken: str) -> Family | None:
    """The first family whose words stand in the text (folded, a sentence a line)."""
    return next((one for one in families().values() if one.said.is_in(spoken)), None)
