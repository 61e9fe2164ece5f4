"""The rule table: its rules, its columns, and how a rule matches.

Takes: a situation (what is known about one proposal and one kind). Gives: the first rule that matches it.
Never: a default that allows; where no rule matches, `DEFAULT_DENY` does.

Order is meaning: rules are tried from first to last and the first match wins. The shipped table begins with refusals,
which nothing lifts, continues with what the signals hold back, and ends with the cells of the matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from dopejar.values.episode import Origin
from dopejar.values.proposal import Action, Level, Via
from dopejar.values.record import Kind


class SaidBy(StrEnum):
    """Whose words a proposal rests on: an origin, or `quoted` for an agent that repeats a user turn word for word."""

    USER = "user"
    QUOTED = "quoted"
    TOOL = "tool"
    OTHER = "other"
    ASSISTANT = "assistant"
    FETCHED = "fetched"
    SYSTEM = "system"


class Outcome(StrEnum):
    """The answer of a rule."""

    ALLOW = "allow"
    STAGE = "stage"
    REFUSE = "refuse"


class Flag(StrEnum):
    """The boolean columns: signals, facts of the context, and what the proposal and its targets show."""

    INSTRUCTION_LIKE = "instruction_like"
    RECALL_LOOP = "recall_loop"
    BOOT_FILE = "boot_file"
    OWN_UPDATE = "own_update"
    DIRECTS_WORK = "directs_work"  # by its signal; a rule, decision or correction by its kind
    CONFIRMED = "confirmed"  # the user said it where a reviewer vouches for who types
    FROM_OUTCOMES = "from_outcomes"  # every assertion is a recorded outcome
    CLASSIFIED = "classified"  # the side was chosen by the classifier, at or above the threshold of the settings
    PROVEN = "proven"  # every target is a bullet that outcomes proved, one a reviewer's
    SAME_SLOT = "same_slot"  # every target shares the draft's slot, or its key where there is no slot
    APPROVED_TARGET = "approved_target"  # a person approved at least one target
    REMOVES = "removes"  # the change removes something: a record, a tag, a pin
    UNKNOWN_TARGET = "unknown_target"  # a target whose record is unknown
    NO_TARGET = "no_target"
    WARNS = "warns"  # a tag that only warns of a contradiction, on staged bullets
    OVER = "over"  # every target is ephemeral, and its time has ended


@dataclass(frozen=True, kw_only=True, slots=True)
class Situation:
    """One proposal in the columns of the table, for one kind of memory (None where no kind is touched)."""

    said_by: SaidBy
    via: Via
    action: Action
    kind: Kind | None
    conflict: Level
    curated_away: str
    blast_radius: Level
    source_quality: float
    confidence: float
    alignment: float
    flags: frozenset[Flag]


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """One row. A column left at None or empty matches anything; the columns given must all match.

    `*_below` columns match where the number is smaller, or is NaN: an unknown number never passes for a large one.
    `approver` is the approver that an Allow of this row is recorded with.
    """

    id: str
    outcome: Outcome
    reason: str
    said_by: frozenset[SaidBy] | None = None
    via: frozenset[Via] | None = None
    action: frozenset[Action] | None = None
    kind: frozenset[Kind] | None = None
    conflict: frozenset[Level] | None = None
    curated_away: frozenset[str] | None = None
    has: frozenset[Flag] = frozenset()
    lacks: frozenset[Flag] = frozenset()
    source_quality_below: Mapping[Level, float] | None = None
    alignment_below: float | None = None
    confidence_below: float | None = None
    confidence_from: float | None = None
    approver: str = "policy"
    is_locked: bool = False

    def fits(self, said_by: SaidBy, via: Via, action: Action, kind: Kind | None) -> bool:
        """Whether the four columns that every proposal has match."""
        return (
            (self.said_by is None or said_by in self.said_by)
            and (self.via is None or via in self.via)
            and (self.action is None or action in self.action)
            and (self.kind is None or kind in self.kind)
        )

    def holds(self, situation: Situation) -> bool:
        """Whether the remaining columns match."""
        return (
            self.has <= situation.flags
            and (not self.lacks or not self.lacks & situation.flags)
            and (self.conflict is None or situation.conflict in self.conflict)
            and (self.curated_away is None or situation.curated_away in self.curated_away)
            and self._numbers_hold(situation)
        )

    def _numbers_hold(self, situation: Situation) -> bool:
        # `not x >= limit` rather than `x < limit`: a NaN must count as too low
        if self.confidence_from is not None and not situation.confidence >= self.confidence_from:
            return False
        if self.confidence_below is not None and situation.confidence >= self.confidence_below:
            return False
        if self.alignment_below is not None and situation.alignment >= self.alignment_below:
            return False
        if self.source_quality_below is None:
            return True
        return not situation.source_quality >= self.source_quality_below.get(situation.blast_radius, 0.0)

    def matches(self, situation: Situation) -> bool:
        """Whether every column matches."""
        return self.fits(situation.said_by, situation.via, situation.action, situation.kind) and self.holds(situation)


DEFAULT_DENY = Rule(
    id="default-deny",
    outcome=Outcome.REFUSE,
    reason="no rule of the policy allows this",
    is_locked=True,
)

_FitKey = tuple[SaidBy, Via, Action, Kind | None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Policy:
    """The whole rule table with its numbers. `hash` covers everything that can change a verdict."""

    rules: tuple[Rule, ...]
    trust: Mapping[Origin, float]
    blast_of_kind: Mapping[Kind, Level]
    blast_of_action: Mapping[Action, Level]
    blast_of_replacing_approved: Level
    hash: str
    # a cache of the rules that fit a key; it saves time and never changes an answer
    _fitting: dict[_FitKey, tuple[Rule, ...]] = field(default_factory=dict, init=False, repr=False, compare=False)

    def first_match(self, situation: Situation) -> Rule:
        """The first rule that matches, `DEFAULT_DENY` where none does."""
        key = (situation.said_by, situation.via, situation.action, situation.kind)
        fitting = self._fitting.get(key)
        if fitting is None:
            fitting = self._fitting[key] = tuple(rule for rule in self.rules if rule.fits(*key))
        for rule in fitting:
            if rule.holds(situation):
                return rule
        return DEFAULT_DENY

    def rule(self, rule_id: str) -> Rule | None:
        """The rule with this id."""
        return next((rule for rule in (*self.rules, DEFAULT_DENY) if rule.id == rule_id), None)


_STRICTNESS: Mapping[Outcome, int] = {Outcome.ALLOW: 0, Outcome.STAGE: 1, Outcome.REFUSE: 2}


def strictest(rules: Iterable[Rule]) -> Rule:
    """The first of the strictest rules. Raises ValueError where there is none."""
    return max(rules, key=lambda rule: _STRICTNESS[rule.outcome])
