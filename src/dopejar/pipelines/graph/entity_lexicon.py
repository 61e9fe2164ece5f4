"""The lexicon of entity extraction: word lists, canonical tool names, and slugs.

Takes: data files, and names. Gives: word lists, folded names for ids, canonical names of tools. Never: parses a text.
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
    """The word lists, read once."""

    tools_by_name: dict[str, str]  # folded spelling to canonical name
    tools_as_written: dict[str, str]
    tool_beginnings: frozenset[str]  # first words of multi-word names
    watched: frozenset[str]  # words at which an entity may begin
    people: frozenset[str]
    deeds: frozenset[str]
    nouns: dict[str, str]  # noun beside a name to its kind
    plain: frozenset[str]
    no_names: frozenset[str]
    follows: frozenset[str]
    openers: frozenset[str]
    place_cues: frozenset[str]
    alias_words: frozenset[str]
    tie_words: frozenset[str]
    no_tools: frozenset[str]  # value families that name none


@lru_cache(maxsize=1)
def entity_lexicon() -> EntityLexicon:
    """The lists of `data/entities.toml`, and the tools in the value families of ingest."""
    rooms = files("dopejar.pipelines")  # not by importing ingest: recall uses this, and need not load it
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
                    continue  # an ambiguous word
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
        no_tools=sets["no_tools"],
    )


def slug(name: str) -> str:
    """The folded name of an entity: hyphens for spaces and underscores, no possessive ending."""
    folded = fold(name).strip(" .,;:!?\"'()[]")
    folded = folded.removesuffix("'s")
    return _SEPARATORS.sub("-", folded).strip("-")[:LONGEST]


def canonical_tool(word: str) -> str:
    """The canonical name of the tool that a word names, or ""."""
    lexicon = entity_lexicon()
    return lexicon.tools_as_written.get(word) or lexicon.tools_by_name.get(fold(word), "")
