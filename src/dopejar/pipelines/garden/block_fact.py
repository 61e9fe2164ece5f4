"""Facts of a block: of which category a statement is, and the name that it gives.

Takes: records, or words with what a reader says of them. Gives: categories and facts. Never: reads the words of a
record anew; its reader said already what it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import lru_cache
from typing import Final, Protocol

from dopejar.pipelines.garden.cue_lists import cue_pattern, read_cue_lists
from dopejar.text.normalisation import fold
from dopejar.text.renamings import read_naming
from dopejar.values.episode import REDACTED
from dopejar.values.ids import EpisodeId, RecordId
from dopejar.values.record import DIRECTING, ENVIRONMENT_TAG, Kind, Layer, Record, Sublayer
from dopejar.values.statement import FactClass

_ACRONYM: Final = re.compile(r"[A-Z][A-Z0-9]{1,5}")
_BETWEEN: Final = r"\w*(?:\W+\w+){0,2}?[\W_]+"
_CUES: Final = ("operating_systems", "prohibition", "permission", "deprecation", "definition", "systems")
_CODE_NAME: Final = re.compile(r"[\"'`“]?(?P<name>[\w./-]*\w[._/]\w[\w./-]*)[\"'`”]? ")
_NAMING: Final = re.compile(  # "the team calls the export the owl", "PM refers to the project manager"
    r"\b(?:refers? to the|(?:is|are) (?:meant|understood)\b(?! (?:to|for|as))|(?:nick|code ?)name (?:of|for)"
    r"|(?:internal|short|working|full|code|pet) name of|(?:another|our|the|a) (?:word|name|term|label|shorthand) for"
    r"|calls? (?:the|our|his|her|their|my|this) [\w ]+? (?:the|a|an|our) \w+)\b",
    re.IGNORECASE,
)
_PLACED: Final = re.compile(  # "the rules are in .config/rules"
    r"\b(?:is|are|lives?|sits?|stays?|belongs?|goes|go|lies?|kept|stored|found|located|saved|written)"
    r" (?:at|in|into|under|on|to|below|inside) (?:the |our )?[\"'`“]?(?=[\w./~$-]*\w)[\w-]*(?:[./~$]\w|/\w)[\w./-]*"
)
_ON: Final = re.compile(
    r"\b(?:on|using|uses?|runs?|running|under) (?P<system>[A-Zim][\w.]*(?: [A-Z\d][\w.]*){0,3})[.!]*$"
)
_SURE: Final = 0.6  # confidence above which the grammar has seen more than the mere form of a sentence


class FactCategory(StrEnum):
    """What sort of fact a record states."""

    DEFINITION = "definition"
    ACRONYM = "acronym"
    SECRET = "secret"  # noqa: S105 - the name of a category
    ENTITY = "entity"
    TASK = "task"
    ENVIRONMENT = "environment"
    CONSTRAINT = "constraint"
    PREFERENCE = "preference"


_DEFINITION: Final = FactCategory.DEFINITION
_OF_CLASS: Final[Mapping[FactClass, FactCategory]] = {
    FactClass.ENVIRONMENT: FactCategory.ENVIRONMENT,
    FactClass.CONSTRAINT: FactCategory.CONSTRAINT,
    FactClass.ALIAS: FactCategory.DEFINITION,
    FactClass.PREFERENCE: FactCategory.PREFERENCE,
    FactClass.PLAIN: FactCategory.ENTITY,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockFact:
    """A fact that was stated in a block: its words, the 0-based index of its turn there, and what it rests on.

    `snippet` are the words of the turn. `alias` is the name and what it means, where the fact gives one; `defines` the
    name that a definition of another form is about. `stated` is the tag that a person gave the block. It
    holds for the turns up to `last_turn`, or for all; `is_held` tells whether it still does.
    """

    text: str
    category: FactCategory
    turn: int
    snippet: str = ""
    at: datetime | None = None
    confidence: float = 1.0
    record_id: RecordId | None = None
    episode_id: EpisodeId | None = None
    alias: tuple[str, str] | None = None
    defines: str = ""
    stated: str = ""
    last_turn: int | None = None
    is_held: bool = True


class Classified(Protocol):
    """A statement with the labels of its reader: a record, or an atom that is none yet."""

    @property
    def text(self) -> str:
        """Its words."""
        ...

    @property
    def kind(self) -> Kind:
        """Its kind."""
        ...

    @property
    def layer(self) -> Layer:
        """Its first coordinate."""
        ...

    @property
    def sublayer(self) -> Sublayer:
        """Its second coordinate."""
        ...

    @property
    def tags(self) -> tuple[str, ...]:
        """Its tags."""
        ...


def categorise(record: Classified) -> FactCategory:
    """What sort of fact a record states, as its reader saw it."""
    if REDACTED in record.text:
        return FactCategory.SECRET
    if record.kind is Kind.ALIAS:
        alias = read_alias(record) if isinstance(record, Record) else None
        return FactCategory.ACRONYM if alias and _ACRONYM.fullmatch(alias[0]) else FactCategory.DEFINITION
    if record.sublayer is Sublayer.PREFERENCE:
        return FactCategory.PREFERENCE
    if record.sublayer is Sublayer.GOAL:
        return FactCategory.TASK
    if record.layer is Layer.INTENT or record.kind in DIRECTING:  # a budget or an allergy of the user directs nothing
        return FactCategory.CONSTRAINT
    return FactCategory.ENVIRONMENT if ENVIRONMENT_TAG in record.tags else FactCategory.ENTITY


def read_alias(record: Record) -> tuple[str, str] | None:
    """The name that a record gives, as it is written there, and what it means; None where it gives none."""
    if record.slot.startswith("alias."):
        return _as_written(record.slot.removeprefix("alias."), record.text), _as_written(record.value[1:], record.text)
    return read_naming(record.text, of_things=False)


def _as_written(concept: str, text: str) -> str:
    """The words of a concept as they stand in a text, where up to two small words may part them."""
    words = _BETWEEN.join(map(re.escape, re.split(r"[-_ ]", concept)))
    found = re.search(rf"\b{words}\w*", text, re.IGNORECASE)
    return found[0] if found else concept


def given_fact(text: str, turn: int, marked: FactClass | None = None) -> BlockFact:
    """A fact that comes as words: the rules of ingest tell what it is where they are sure, else `marked`, a reader's.

    It is an entity where neither says more.
    """
    from dopejar.pipelines.ingest import extract  # most facts are records, and were read before

    atoms = extract(text, at=None, speaker_is_user=True, keep_all=True).atoms
    if alias := read_naming(text, of_things=False) or _given_alias(
        text, is_alias=bool(atoms) and atoms[0].kind is Kind.ALIAS
    ):
        return BlockFact(text=text, category=FactCategory.DEFINITION, turn=turn, alias=alias)
    if name := _defined(text) or (text if atoms and atoms[0].kind is Kind.ALIAS else ""):
        return BlockFact(text=text, category=FactCategory.DEFINITION, turn=turn, defines=name)
    if (_PLACED.search(text) or _names_system(text)) and not (
        atoms and categorise(atoms[0]) is FactCategory.CONSTRAINT
    ):
        return BlockFact(text=text, category=FactCategory.ENVIRONMENT, turn=turn)
    if marked is None or (atoms and atoms[0].confidence > _SURE):
        category = categorise(atoms[0]) if atoms else FactCategory.ENTITY
    else:
        category = _OF_CLASS[marked]
    return BlockFact(text=text, category=category, turn=turn, defines=text if category is _DEFINITION else "")


def _names_system(text: str) -> bool:
    """Whether a sentence ends with the system that somebody or something is on: "I am on Windows"."""
    found = _ON.search(text)
    return found is not None and tag_cues()["operating_systems"].match(fold(found["system"])) is not None


def _given_alias(text: str, *, is_alias: bool) -> tuple[str, str] | None:
    """The name and its meaning by the slot that the words fill; a lasting name of something only where `is_alias`."""
    from dopejar.pipelines.ingest.keys.read_slot import read_slot

    slot = read_slot(text, 1)
    if slot is None:
        return None
    if slot.path.startswith("alias."):
        return _as_written(slot.path.removeprefix("alias."), text), _as_written(slot.value[1:], text)
    if is_alias and slot.path.endswith(".name"):
        return _as_written(slot.value[1:], text), _as_written(slot.path.removesuffix(".name"), text)
    return None


def _defined(text: str) -> str:
    """What a sentence defines without a pair of names: itself, or the name in code spelling that it begins with."""
    if _NAMING.search(text):
        return text
    found = _CODE_NAME.match(text)
    return found["name"] if found and tag_cues()["definition"].match(fold(text[found.end() :])) else ""


@lru_cache(maxsize=1)
def tag_cues() -> Mapping[str, re.Pattern[str]]:
    """The words by which facts become tags, as patterns over folded text."""
    return {name: cue_pattern(tag_cue_words(name), end=r"(?![\w'])") for name in _CUES if name != "systems"}


@lru_cache(maxsize=len(_CUES))
def tag_cue_words(name: str) -> frozenset[str]:
    """One list of the words by which facts become tags."""
    return frozenset(read_cue_lists("tag_cues.toml", _CUES, fold)[name])
