"""The gate's signals that come from what is already remembered: conflict and alignment.

Takes: a draft and the records near it. Gives: a level, ids, a number. Never: reads the store; the caller brings the
neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dopejar.governance.reviewer import is_person
from dopejar.text.similar import Similarity, similar
from dopejar.values.ids import RecordId
from dopejar.values.proposal import Level
from dopejar.values.record import Draft, Kind, Record, Status

ALIGNED: Final = 1.0
MISALIGNED: Final = 0.0

_LIVE: Final = frozenset({Status.ACTIVE, Status.QUARANTINED})
_DIRECTING: Final = frozenset({Kind.RULE, Kind.CONSTRAINT, Kind.DECISION, Kind.CORRECTION})
_OPPOSED: Final = 0.6  # words that two statements share before one can deny the other
_OTHER_VALUE: Final = 0.8  # words that a rule and a statement share before another value breaks the rule
_ORDER: Final = (Level.NONE, Level.LOW, Level.MEDIUM, Level.HIGH)


def conflict(
    new: Draft, neighbours: Sequence[Record], *, speaker_is_same: bool
) -> tuple[Level, tuple[RecordId, ...]]:
    """How badly a draft contradicts live records, and which.

    In one slot, another value or polarity is low from the same speaker (an update), else medium, and high where a
    person approved or pinned what stands there. Where one of the two has no slot, near-same words that deny each
    other are medium, whoever speaks: where nothing tells that it is the same thing, nothing is retired silently.
    """
    worst, found = Level.NONE, []
    for record in neighbours:
        level = _conflict_with(new, record, speaker_is_same=speaker_is_same)
        if level is not Level.NONE:
            found.append(record.id)
            worst = max(worst, level, key=_ORDER.index)
    return worst, tuple(found)


def is_own_update(new: Draft, neighbours: Sequence[Record], *, speaker_is_same: bool) -> bool:
    """Whether every conflict is the speaker's own change of mind about one slot: the signal `own_update`."""
    at_odds = [one for one in neighbours if _conflict_with(new, one, speaker_is_same=speaker_is_same) is not Level.NONE]
    return speaker_is_same and bool(at_odds) and all(_shares_chain(new, one) for one in at_odds)


def alignment(draft: Draft, active_rules: Sequence[Record], north_stars: Sequence[str] = ()) -> float:
    """0 where a draft contradicts an active rule that applies to it, or a north star; else 1.

    A contradiction is the opposite polarity in near-same words, or another value in all but the same words. A new
    version of a rule's own slot contradicts nothing; that is a conflict, and weighed as one.
    """
    for rule in active_rules:
        if _governs(rule, draft) and _contradicts(similar(draft.text, rule.text)):
            return MISALIGNED
    if any(_contradicts(similar(draft.text, star)) for star in north_stars):
        return MISALIGNED
    return ALIGNED


def _conflict_with(new: Draft, record: Record, *, speaker_is_same: bool) -> Level:
    is_elsewhere = (record.namespace, record.side) != (new.namespace, new.side)
    if record.status not in _LIVE or is_elsewhere or record.scope != new.scope:
        return Level.NONE
    if _shares_chain(new, record):
        return _conflict_in_slot(new, record, speaker_is_same=speaker_is_same)
    if (new.slot or new.key) and record.chain:
        return Level.NONE  # each has a slot of its own: two different things
    likeness = similar(new.text, record.text)
    is_denied = not likeness.same_polarity and likeness.score >= _OPPOSED
    return Level.MEDIUM if is_denied and likeness.same_values else Level.NONE


def _conflict_in_slot(new: Draft, record: Record, *, speaker_is_same: bool) -> Level:
    if new.temporary != record.temporary:
        return Level.NONE  # what holds for a while stands beside what lasts
    if new.value and record.value:
        is_same = new.value == record.value
    else:
        likeness = similar(new.text, record.text)
        is_same = likeness.same_meaning or (likeness.same_polarity and likeness.same_values)
    if is_same:
        return Level.NONE
    if speaker_is_same:
        return Level.LOW
    return Level.HIGH if is_person(record.approved_by) or record.pinned else Level.MEDIUM


def _shares_chain(new: Draft, record: Record) -> bool:
    chain = new.slot or new.key
    return bool(chain) and chain == record.chain


def _governs(rule: Record, draft: Draft) -> bool:
    """Whether a rule is in force where the draft would hold; a project's rule does not bind another project."""
    if rule.status is not Status.ACTIVE or rule.kind not in _DIRECTING or rule.namespace != draft.namespace:
        return False
    is_in_scope = rule.scope.kind == "universal" or draft.scope in (rule.scope,) or draft.scope.kind == "universal"
    return is_in_scope and not _shares_chain(draft, rule)


def _contradicts(likeness: Similarity) -> bool:
    if not likeness.same_polarity:
        return likeness.score >= _OPPOSED and likeness.same_values
    return not likeness.same_values and likeness.score >= _OTHER_VALUE
