"""The words that tell entities from other words, and how a name is written as an id.

Takes: the data files and names. Gives: lists, slugs, canonical names of tools. Never: reads a text.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Final

from dopejar.text.normalisation import fold

LONGEST: Final = 80
"""Characters of a name."""

_SEPARATORS: Final = re.compile(r"[\s_-]+")
DETERMINERS: Final = frozenset({"the", "our", "my", "your", "this", "that", "its", "their"})


@dataclass(frozen=True, slots=True)
class EntityLexicon:
    """The word lists of this step, read once."""

    tools_by_name: dict[str, str]  # folded words to canonical value
    tools_as_written: dict[str, str]
    tool_beginnings: frozenset[str]  # first words of names of several words
    watched: frozenset[str]  # plain words at which something may begin
    people: frozenset[str]
    deeds: frozenset[str]
    nouns: dict[str, str]  # the noun beside a name, to its kind
    plain: frozenset[str]
    no_names: frozenset[str]
    follows: frozenset[str]
    openers: frozenset[str]
    place_cues: frozenset[str]
    alias_words: frozenset[str]
    tie_words: frozenset[str]


@lru_cache(maxsize=1)
def entity_lexicon() -> EntityLexicon:
    """The lists of `data/entities.toml` and the tools that the value families name."""
    rooms = files("dopejar.pipelines")  # not through the rooms themselves: recall asks, and ingest need not be loaded
    raw = tomllib.loads(rooms.joinpath("graph", "data", "entities.toml").read_text("utf-8"))
    families = rooms.joinpath("ingest", "data", "families.toml").read_text("utf-8")
    sets = {name: frozenset(text.split()) for name, text in raw.items()}
    folded: dict[str, str] = {}
    written: dict[str, str] = {}
    for family, table in tomllib.loads(families).items():
        if family in sets["no_tools"]:
            continue
        for value, spellings in table.get("values", {}).items():
            for word in spellings:
                if word.startswith("~"):
                    continue  # it means other things too
                (folded if word == word.casefold() else written)[word] = value
    nouns = {noun: kind[:-1] for kind in ("services", "projects", "tools", "things", "places") for noun in sets[kind]}
    beginnings = frozenset(name.split()[0].casefold() for name in (*folded, *written) if " " in name)
    return EntityLexicon(
        folded,
        written,
        beginnings,
        beginnings.union(DETERMINERS, folded, written),
        nouns=nouns,
        people=sets["people"],
        deeds=sets["deeds"],
        plain=sets["plain"],
        no_names=sets["no_names"],
        follows=sets["follows"],
        openers=sets["openers"],
        place_cues=sets["place_cues"],
        alias_words=sets["alias_words"],
        tie_words=sets["tie_words"],
    )


def slug(name: str) -> str:
    """The folded name of an entity: spaces and underscores are hyphens, a possessive ending goes."""
    folded = fold(name).strip(" .,;:!?\"'()[]")
    folded = folded.removesuffix("'s")
    return _SEPARATORS.sub("-", folded).strip("-")[:LONGEST]


def canonical_tool(word: str) -> str:
    """The canonical name of the tool that a word stands for, or "" where it is none."""
    known = entity_lexicon()
    return known.tools_as_written.get(word) or known.tools_by_name.get(fold(word), "")
