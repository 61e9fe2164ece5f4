"""The move of a statement on its chain: add, reinforce or supersede.

Takes: a new statement (draft, time) and the records of its chain with their evidence. Gives: a `ChainMove`. Never:
retires a record of another slot, person, project or time.

The rules of a chain (records of one namespace, scope, side and slot or key, by `valid_from`): a statement of time t
with value v is compared with p, the last record that began by t, and q, the next one. Where p says the same, p is
reinforced. Where q says the same and p was not stated again after t, q is reinforced and begins earlier. Else a new
version is placed between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from dopejar.memory.chain import chain_position, find_neighbours, value_or_hash
from dopejar.text.normalisation import content_hash, same_value
from dopejar.text.similarity import similar
from dopejar.text.words import query_terms
from dopejar.values.record import Draft, Evidence, EvidenceRole, Record, Status

WAITING = frozenset({Status.STAGED})
CURATED_AWAY = frozenset({Status.REJECTED, Status.RETRACTED})


class Step(StrEnum):
    """What a statement does to its chain."""

    ADD = "add"
    REINFORCE = "reinforce"
    SUPERSEDE = "supersede"


@dataclass(frozen=True, kw_only=True, slots=True)
class ChainMove:
    """The step, its neighbours in the chain, and what remains to be judged."""

    step: Step
    targets: tuple[Record, ...] = ()
    predecessor: Record | None = None
    resume_from: datetime | None = None
    curated_away: str = ""
    disputes: tuple[Record, ...] = ()  # records under other keys that it contradicts
    waiting: tuple[Record, ...] = ()  # records that wait for review, which it updates, ends or contradicts
    joins: tuple[Record, ...] = ()  # records under other keys that it outdates as well
    doubts: tuple[Record, ...] = ()  # records that stay, though it may end or update them
    why: str = ""
    as_read: bool = False  # a reader found both to be about the same: no slot need tell it


def says_the_same(draft: Draft, record: Record) -> bool:
    """Equal slot values, or the same meaning where there is no value to compare."""
    if draft.slot and draft.slot == record.slot:
        return same_value(draft.value, record.value)
    if set(query_terms(draft.text)) == set(query_terms(record.text)) and draft.key == record.key:
        return True  # a key without a slot is derived from these words
    return similar(draft.text, record.text).same_meaning


def is_stable_slot(slot: str) -> bool:
    """Whether a slot's value does not change by itself: another value is a correction that a person must review."""
    return slot.startswith(("alias.", "self.birth", "self.name", "self.allergy"))


def decide_move(
    draft: Draft,
    at: datetime,
    chain: Sequence[Record],
    evidence: Callable[[Record], Sequence[Evidence]],
    same: Callable[[Draft, Record], bool] = says_the_same,
) -> ChainMove:
    """The move of a statement that is valid from `at`, by the rules in the module's docstring.

    `same` tells whether the draft says what a record says.
    """
    away = next((str(record.status) for record in chain if record.status in CURATED_AWAY and same(draft, record)), "")
    waiting = [record for record in chain if record.status in WAITING and same(draft, record)]
    mine = chain_position(at, draft.value, content_hash(draft.text))
    before, after = find_neighbours(chain, at, draft.value, content_hash(draft.text))
    if before and same(draft, before):
        return ChainMove(step=Step.REINFORCE, targets=(before,), curated_away=away, why="same meaning")
    restated = _stated_after(before, mine, evidence) if before else False
    if after and same(draft, after) and not restated:
        return ChainMove(step=Step.REINFORCE, targets=(after,), curated_away=away, why="same meaning, stated earlier")
    if waiting:
        return ChainMove(
            step=Step.REINFORCE, targets=(waiting[0],), curated_away=away, why="same meaning, waiting for review"
        )
    if before is None and after is None:
        return ChainMove(step=Step.ADD, curated_away=away, why="nothing known of it")
    targets = tuple(record for record in (before, after) if record)
    return ChainMove(
        step=Step.SUPERSEDE,
        targets=targets,
        predecessor=before,
        resume_from=at if restated else None,
        curated_away=away,
        why="another value",
    )


def _stated_after(record: Record, mine: tuple[datetime, str], evidence: Callable[[Record], Sequence[Evidence]]) -> bool:
    return any(
        (item.at, value_or_hash(record)) > mine and item.role is EvidenceRole.ASSERTS for item in evidence(record)
    )
