"""What a sentence states, as a reader of statements reads it, and how two statements relate.

Takes: the labels of a reader. Gives: frozen values. Never: reads text itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from dopejar.values.record import Layer, Sublayer

GUIDES: Final = 0.5  # probability from which a statement says how the work is to be done
SURELY_PRIVATE: Final = 0.8  # probability from which a statement is about the speaker's own life, and no project's
MAY_BE_PRIVATE: Final = 0.2
TAKES_BACK: Final = 0.6  # probability from which a statement takes back what its speaker said before
SEVERAL: Final = 0.7  # probability of both from which two values of one kind hold side by side
LEANS: Final = 0.6  # probability from which only the words before a statement tell what it is about
CONTINUES: Final = 0.6  # the same of those before it in one text, where there are any
STANDS: Final = 0.1  # probability from which words of a session are worth keeping: most are not
MAY_GUIDE: Final = 0.1  # the same where rules find that it does


class SpeechAct(StrEnum):
    """What somebody does by saying a sentence."""

    ASSERTION = "assertion"
    RULE = "rule"
    PREFERENCE = "preference"
    WISH = "wish"
    PLAN = "plan"
    QUESTION = "question"
    REQUEST = "request"
    REPORT = "report"
    HYPOTHETICAL = "hypothetical"
    JOKE = "joke"
    FORGET = "forget"
    OFF_RECORD = "off_record"
    ACKNOWLEDGEMENT = "ack"
    ONE_OFF = "one_off"


class Tense(StrEnum):
    """When a statement holds, against the time of saying it. `changed`: a new value has replaced an older one."""

    NOW = "now"
    PAST = "past"
    FUTURE = "future"
    ENDED = "ended"
    CHANGED = "changed"


class Relation(StrEnum):
    """What a later statement does to an earlier one."""

    SAME = "same"
    UPDATE = "update"
    END = "end"
    CONTRADICTION = "contradiction"
    ADDITION = "addition"
    APART = "apart"


class FactClass(StrEnum):
    """What sort of lasting statement it is."""

    ENVIRONMENT = "environment"
    CONSTRAINT = "constraint"
    ALIAS = "definition-alias"
    PREFERENCE = "preference"
    PLAIN = "plain"


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """What a sentence is about: the words for it, its property by name, and the words for its value.

    `guides` is the probability that it says how the work is to be done from now on, `private` that it is about the
    speaker's own life and no project's, `leans` that only the words before it tell what it is about, `continues` the
    same of one that others stand before in one text, `takes_back` that it corrects or changes what its speaker said
    before, without saying of what, `several` that another value of its kind would hold beside it, `stands` that it is
    worth keeping of a session of work. A certainty stands beside the sort and the coordinates; words that were not
    found are empty.
    """

    subject: str
    attribute: str
    attribute_certainty: float
    value: str
    guides: float
    fact_class: FactClass
    class_certainty: float
    layer: Layer
    sublayer: Sublayer
    layer_certainty: float
    private: float
    leans: float
    takes_back: float
    several: float
    continues: float = 0.0
    stands: float = 1.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Statement:
    """A sentence as it was read. Each certainty is the probability of the label beside it, 0 to 1."""

    text: str
    act: SpeechAct
    act_certainty: float
    tense: Tense
    tense_certainty: float
    denied: float  # probability that the value is denied, forbidden, absent or ended
    durable: float  # probability that it is worth knowing in three months
    frame: Frame | None = None  # where the reader finds more than the act

    @property
    def believed(self) -> bool:
        """Whether the speaker means it as so: a rule, a preference, or an assertion about now."""
        return self.act in _BELIEVED


def stands(read: Statement) -> bool:
    """Whether guidance of a session is worth keeping: by the odds that its words are, and half by those that it lasts.

    The least was chosen on authors that the weights had not seen: it keeps more of their rules than the second alone
    from one half, and two thirds of the orders of the moment that this keeps.
    """
    if read.frame is None:
        return read.durable >= _LASTS
    odds_for, odds_against = read.frame.stands**2 * read.durable, (1 - read.frame.stands) ** 2 * (1 - read.durable)
    return odds_for >= _LEAST_ODDS * odds_against


def is_of_own_life(read: Statement) -> bool:
    """Whether it surely states something lasting of the speaker's own life, and not of the work at hand."""
    if read.frame is None or read.act is not SpeechAct.ASSERTION:
        return False
    return min(read.act_certainty, read.durable, read.frame.private) >= _SURELY_OWN


@dataclass(frozen=True, kw_only=True, slots=True)
class Related:
    """The relation of two statements, how likely each relation is (in the order of `Relation`), and why.

    `cosine` is how near the meanings of the two are, where the reader has vectors.
    """

    relation: Relation
    shares: tuple[float, ...]
    reason: str = ""
    cosine: float = 1.0

    def share(self, *relations: Relation) -> float:
        """How likely it is one of these."""
        return sum(self.shares[_ORDER[relation]] for relation in relations)


@dataclass(frozen=True, kw_only=True, slots=True)
class MarkedStatement:
    """A span of a text that states something lasting: its offsets, how likely it lasts, and its coordinates."""

    start: int
    end: int
    certainty: float
    fact_class: FactClass
    layer: Layer
    sublayer: Sublayer


@dataclass(frozen=True, kw_only=True, slots=True)
class SideShares:
    """How likely a piece of advice is a definite rule (left), opens options (right), or neither; they add up to 1."""

    left: float
    right: float
    neither: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Renaming:
    """What a text says to have changed: an older name and the one in use."""

    renamed: tuple[str, str] | None = None


_LASTS: Final = 0.5
_LEAST_ODDS: Final = 0.008
_SURELY_OWN: Final = 0.7
_BELIEVED = frozenset({SpeechAct.ASSERTION, SpeechAct.RULE, SpeechAct.PREFERENCE})
_ORDER = {relation: number for number, relation in enumerate(Relation)}
