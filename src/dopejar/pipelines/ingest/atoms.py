"""What ingest reads out of words: atoms, what was left out, keys.

Takes: nothing. Gives: frozen values. Never: a belief; an atom becomes a record only behind the gate.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dopejar.values.record import Kind, Layer, Sublayer


class Reason(StrEnum):
    """Why words became no atom. Every one of them stays readable in its episode."""

    QUESTION = "question"  # a question asserts nothing
    REQUEST = "request"  # a task for now
    CHATTER = "chatter"  # greeting, thanks, applause
    ADDRESSEE = "about the listener"  # says something about the one who is spoken to
    HYPOTHETICAL = "hypothetical"
    REPORT = "report of others"
    QUOTATION = "quotation"
    JOKE = "irony"
    CODE = "code"
    LOG = "log"
    TABLE = "table"
    HEADING = "heading"
    PASTED = "pasted"
    ASIDE = "stage direction"
    FLEETING = "nothing lasting"  # a statement about this moment or this step
    UNRESOLVED = "unresolved reference"  # "it", "that": what is meant cannot be told
    FRAGMENT = "fragment"


@dataclass(frozen=True, kw_only=True, slots=True)
class Coordinates:
    """What classification says of a clause: its coordinates, how sure we are, and the cue that decided."""

    layer: Layer
    sublayer: Sublayer
    kind: Kind
    confidence: float
    cue: str
    directs_work: bool = False
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Atom:
    """One concept in one sentence. `start` and `end` are offsets into the episode's text.

    `certainty` is how sure the speaker was, `confidence` how sure we are that we read it rightly; both 0 to 1.
    `directs_work` marks a rule, constraint, anti-pattern or output preference that directs the assistant's work.
    """

    text: str
    start: int
    end: int
    layer: Layer
    sublayer: Sublayer
    kind: Kind
    cue: str
    certainty: float = 1.0
    confidence: float = 0.7
    polarity: int = 1
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    temporary: bool = False
    directs_work: bool = False
    planned: bool = False  # a plan or goal: not true yet
    past: bool = False  # was true, is no longer said to be
    speaker_is_user: bool = True
    language: str = "en"
    tags: tuple[str, ...] = ()
    states: bool = True  # False: kept as it was said, whatever it says (a question, a report); it fills no slot
    core: str = ""  # of several clauses told in one, the one that says it; reasons and asides stand round it in `text`
    slot_hint: str = ""  # a model's suggestion; it can bring a doubt before a person, and never retires anything

    @property
    def says(self) -> str:
        """The words that decide its key: the core where it has one, else all of them."""
        return self.core or self.text


@dataclass(frozen=True, kw_only=True, slots=True)
class Omission:
    """Words that became no atom, with the reason. Offsets into the episode's text."""

    start: int
    end: int
    text: str
    reason: Reason


@dataclass(frozen=True, kw_only=True, slots=True)
class Extraction:
    """Everything an episode's text came to. Every word lies in an atom's span or in a part left out."""

    atoms: tuple[Atom, ...]
    left_out: tuple[Omission, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """The canonical key of a concept, and the slot behind it.

    `slot` is value-free ("" where none could be derived); a many-valued one carries its member behind `#`. `value` is
    the normalised value with its polarity in front. `confidence` says how sure the slot is.
    """

    key: str
    slot: str
    value: str
    many: bool
    confidence: float
