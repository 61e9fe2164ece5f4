"""The values of ingest: atoms, omissions, keys.

Takes: nothing. Gives: frozen values. Never: a belief; an atom becomes a record only behind the gate.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from dopejar.values.reading import Reading
from dopejar.values.record import Kind, Layer, Sublayer
from dopejar.values.statement import GUIDES, Frame

_SENTENCE_END: Final = re.compile(r"\. ")


class Reason(StrEnum):
    """Why words became no atom. They all remain readable in their episode."""

    QUESTION = "question"  # a question asserts nothing
    REQUEST = "request"  # a task for now
    CHATTER = "small talk"  # greeting, thanks, applause
    ADDRESSEE = "about the listener"  # a statement about the person addressed
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
    UNRESOLVED = "unresolved reference"  # "it", "that" without a known antecedent
    FRAGMENT = "fragment"
    TALK = "about words just said"  # "ignore that last one", "make that three"
    REDACTED = "looks like a secret code or number, which is not kept"  # nothing else is said
    COMMAND = "command line"  # what belongs into a shell


_NOTHING_SAID: Final = frozenset({Reason.QUESTION, Reason.CHATTER})
_NOT_MEANT: Final = frozenset(
    {
        Reason.REQUEST,
        Reason.HYPOTHETICAL,
        Reason.JOKE,
        Reason.TALK,
        Reason.COMMAND,
        Reason.CODE,
        Reason.PASTED,
        Reason.REDACTED,
    }
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Coordinates:
    """The classification of a clause: its coordinates, its confidence, and the cue that decided."""

    layer: Layer
    sublayer: Sublayer
    kind: Kind
    confidence: float
    cue: str
    directs_work: bool = False
    tags: tuple[str, ...] = ()
    states: bool = True  # False: a condition


@dataclass(frozen=True, kw_only=True, slots=True)
class Atom:
    """One concept in one sentence. `start` and `end` are offsets into the episode's text.

    `certainty` is how sure the speaker was, `confidence` how sure the extraction is; both from 0 to 1.
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
    past: bool = False  # was true; nothing is said about the present
    speaker_is_user: bool = True
    language: str = "en"
    tags: tuple[str, ...] = ()
    states: bool = True  # False: kept verbatim whatever it says (a question, a report); it fills no slot
    quotes: bool = False  # it holds somebody else's words, which are compared with nothing that the speaker said
    answers: bool = False  # it begins with the assistant's question, which tells nothing and directs nobody
    core: str = ""  # the main clause of `text`, where that also has reasons and asides
    frame: Frame | None = None  # what a reader found it to be about
    named: Frame | None = None  # what a language model found it to be about, which only its key shows
    reading: Reading | None = None  # its host's own, which its words bear out
    renamed: tuple[str, str] | None = None  # an older name and the one in use, as a reader found them
    only_states: bool = False  # a reader is sure that it directs nobody's work
    only_changes: bool = False  # kept where it changes or repeats what is known, and else not
    leans: bool = False  # only the words before it tell what it is about
    context: str = ""  # the words before it that it stands behind in `text`
    corrects: str = ""  # the statement of the same speaker that it takes the place of
    slot_hint: str = ""  # a model's suggestion; it can raise a conflict for review, and never retires anything
    said_at: tuple[tuple[int, int], ...] = ()  # where else the same turn says it, word for word

    @property
    def guides(self) -> bool:
        """Whether it directs the work, as it was classified or as a reader finds."""
        return self.directs_work or (self.frame is not None and self.frame.guides >= GUIDES)

    @property
    def says(self) -> str:
        """The words that determine the key: the core where there is one, else the whole text."""
        return self.core or self.text


def first_part(atom: Atom, by_text: Mapping[str, Atom]) -> Atom:
    """The statement that stands in front of another one, for that one; any other is its own first part."""
    fronts = (by_text.get(atom.text[: found.start()]) for found in _SENTENCE_END.finditer(atom.text))
    return min((one for one in fronts if one is not None), key=lambda one: one.start, default=atom)


@dataclass(frozen=True, kw_only=True, slots=True)
class Omission:
    """A span of the episode's text that became no atom, with the reason."""

    start: int
    end: int
    text: str
    reason: Reason


@dataclass(frozen=True, kw_only=True, slots=True)
class Extraction:
    """The result of reading an episode's text. Every word lies in the span of an atom or of an omission."""

    atoms: tuple[Atom, ...]
    left_out: tuple[Omission, ...]

    def with_atom(self, said: Atom) -> Extraction:
        """The extraction with this atom in place of all that lies where it does."""
        kept = [atom for atom in self.atoms if not (atom.start < said.end and said.start < atom.end)]
        left = []
        for part in self.left_out:
            if part.end <= said.start or said.end <= part.start:
                left.append(part)
                continue
            for start, end in ((part.start, min(part.end, said.start)), (max(part.start, said.end), part.end)):
                if text := part.text[start - part.start : max(start, end) - part.start].strip(" .,;:!?"):
                    left.append(replace(part, start=start, end=end, text=text))
        return Extraction(
            atoms=tuple(sorted([*kept, said], key=lambda atom: atom.start)),
            left_out=tuple(sorted(left, key=lambda part: part.start)),
        )

    def without_atom(self, atom: Atom, text: str, why: Reason) -> Extraction:
        """The extraction without this atom; its words, of the episode's `text`, are left out."""
        left = Omission(start=atom.start, end=atom.end, text=text[atom.start : atom.end], reason=why)
        return Extraction(
            atoms=tuple(one for one in self.atoms if one is not atom),
            left_out=tuple(sorted((*self.left_out, left), key=lambda part: part.start)),
        )

    @property
    def is_not_meant(self) -> bool:
        """Whether some is asked for, imagined, joked, about the talk, pasted, redacted or for a shell: it stays out."""
        return any(piece.reason in _NOT_MEANT for piece in self.left_out)

    @property
    def states_nothing(self) -> bool:
        """Whether everything that was left out is a question, chatter or a single word: there is nothing to believe."""
        return all(
            piece.reason in _NOTHING_SAID or (piece.reason is Reason.FRAGMENT and len(piece.text.split()) <= 1)
            for piece in self.left_out
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """The canonical key of a concept, and the slot behind it.

    `slot` is value-free ("" where none could be derived); a many-valued one has its member after `#`. `value` is the
    normalised value, prefixed with its polarity. `confidence` is that of the slot.
    """

    key: str
    slot: str
    value: str
    many: bool
    confidence: float


class Refiner(Protocol):
    """A language model, where one is configured, that suggests other atoms for the same words; judged like any."""

    def refine(self, text: str, read: Extraction, before: str = "") -> tuple[Atom, ...]:
        """The atoms to propose instead of those that were read; the same ones where there is no better suggestion."""
        ...
