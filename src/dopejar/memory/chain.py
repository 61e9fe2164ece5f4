"""Chains: the versions of one concept, in the order in which they were true.

Takes: the records of one chain. Gives: the same records, relinked. Never: reads or writes a store.

A chain is every record with one slot (or one key, where there is no slot) in one namespace, scope and side. Its order
is that of `valid_from`, never that of arrival, so the final state does not depend on the order of import.

A denial ends the value that it denies and no other: "we do not use MySQL" says nothing against Postgres. Where another
value is current, the denial stands beside it on a line of its own within the chain, until its value is stated.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from dopejar.memory.derivation import MERGED_INTO, derive, evidence_order, merge_evidence
from dopejar.memory.lifecycle import IN_CHAIN, Event, step
from dopejar.text.normalisation import same_value
from dopejar.values.ids import RecordId
from dopejar.values.record import Evidence, Record, Status

_LONGEST_KEY: Final = 30
_DIGEST: Final = 6
_ENDS_IN_DIGEST: Final = re.compile(r"-[0-9a-f]{6,8}$")


def chain_position(at: datetime, value: str, content_hash: str) -> tuple[datetime, str]:
    """The place of a statement in its chain: by time, and among equal times by what it says, never by arrival."""
    return (at, value or content_hash)


def value_or_hash(record: Record) -> str:
    """What orders versions of equal time: the value, or the hash of the words where there is none."""
    return record.value or record.content_hash


def chain_order(record: Record) -> tuple[datetime, str, str]:
    """The sort key of a chain."""
    return (record.valid_from, value_or_hash(record), record.id)


def chain_members(records: Sequence[Record]) -> list[Record]:
    """The records that take part in the chain: not temporary, not merged away, neither undecided nor gone."""
    return sorted(
        (
            record
            for record in records
            if record.status in IN_CHAIN and not record.temporary and MERGED_INTO not in record.attributes
        ),
        key=chain_order,
    )


def states_same_value(a: Record, b: Record) -> bool:
    """Whether two versions state one value and so are one version. Ingest asks the same question."""
    if a.slot and a.slot == b.slot and a.value and b.value:
        return same_value(a.value, b.value)
    return a.content_hash == b.content_hash


@dataclass(frozen=True, slots=True)
class ChainLine:
    """Versions that follow one another, by their places in the chain; `closed_by` is the place that ended the last."""

    places: tuple[int, ...]
    closed_by: int | None = None


def chain_lines(values: Sequence[str]) -> list[ChainLine]:
    """The lines of a chain with these values in their order: the main line first, then denials beside it.

    Every place lies in exactly one line. Without a denial there is one line, whatever the values.
    """
    main: list[int] = []
    denials: dict[str, list[int]] = {}
    closed: list[ChainLine] = []
    for place, value in enumerate(values):
        body, last = value[1:], values[main[-1]] if main else ""
        if value.startswith("-") and not (last and same_value(f"+{last[1:]}", f"+{body}")):
            denials.setdefault(body, []).append(place)
            continue
        denied = denials.pop(body, None)
        if denied and main:
            closed.append(ChainLine(tuple(denied), closed_by=place))
        elif denied:
            main = denied
        main.append(place)
    return [ChainLine(tuple(main)), *closed, *(ChainLine(tuple(places)) for places in denials.values())]


def line_up_to(records: Sequence[Record], record: Record) -> tuple[list[Record], Record | None]:
    """A member with the versions before it on its line, the oldest first, and the version that ended it, if any."""
    members = chain_members(records)
    place = next(index for index, member in enumerate(members) if member.id == record.id)
    line = next(line for line in chain_lines([member.value for member in members]) if place in line.places)
    index = line.places.index(place)
    after = line.places[index + 1] if index + 1 < len(line.places) else line.closed_by
    return [members[one] for one in line.places[: index + 1]], None if after is None else members[after]


def with_digest(key: str, digest: str) -> str:
    """A key that is told apart from those of other chains by a digest, in place of the one that it ends in."""
    readable = _ENDS_IN_DIGEST.sub("", key)[: _LONGEST_KEY - _DIGEST - 1].rstrip("-")
    return f"{readable}-{digest[:_DIGEST]}"


def without_digest(key: str) -> str:
    """The readable part of a key."""
    return _ENDS_IN_DIGEST.sub("", key)


def find_neighbours(
    records: Sequence[Record], at: datetime, value: str, content_hash: str
) -> tuple[Record | None, Record | None]:
    """The versions right before and after a statement of this time and value, on the line that it belongs to."""
    members = chain_members(records)
    position = chain_position(at, value, content_hash)
    place = sum((record.valid_from, value_or_hash(record)) <= position for record in members)
    values = [record.value for record in members]
    with_statement = chain_lines([*values[:place], value, *values[place:]])
    line = next(line for line in with_statement if place in line.places)
    index = line.places.index(place)
    before = line.places[index - 1] if index else None
    after = line.places[index + 1] if index + 1 < len(line.places) else line.closed_by
    # places after the statement are one higher than in `members`
    return (None if before is None else members[before]), (None if after is None else members[after - 1])


def relink(records: Sequence[Record]) -> list[Record]:
    """The chain's members with the status, ends and links that their order demands; others come back unchanged.

    The newest is active and open-ended, each older one ends where the next begins. A deprecated version keeps its
    status and still ends its predecessor: what a reviewer took out of use does not bring back the version before it.
    """
    members = chain_members(records)
    linked: dict[int, Record] = {}
    for line in chain_lines([record.value for record in members]):
        for index, place in enumerate(line.places):
            next_place = line.places[index + 1] if index + 1 < len(line.places) else line.closed_by
            before = members[line.places[index - 1]].id if index else None
            after = None if next_place is None else members[next_place]
            linked[place] = _link(members[place], before, after)
    return [linked[place] for place in range(len(members))]


def _link(record: Record, before: RecordId | None, after: Record | None) -> Record:
    status = record.status
    if status is Status.ACTIVE and after is not None:
        status = step(status, Event.SUPERSEDE)
    elif status is Status.SUPERSEDED and after is None:
        status = step(status, Event.RESUME)
    by, ends = (after.id, after.valid_from) if after else (None, None)
    if (status, before, by, ends) == (record.status, record.supersedes, record.superseded_by, record.valid_to):
        return record  # as most are in a long chain
    return replace(record, status=status, supersedes=before, superseded_by=by, valid_to=ends)


def coalesce(
    records: Sequence[Record], evidence: Mapping[RecordId, Sequence[Evidence]]
) -> tuple[list[Record], dict[RecordId, tuple[Evidence, ...]]]:
    """Neighbours on a line that state the same value become one, as though nothing had ever stood between them.

    Gives the chain's records (absorbed ones marked as merged) and the evidence of those that gained some.
    """
    members = chain_members(records)
    gained: dict[RecordId, tuple[Evidence, ...]] = {}
    coalesced: list[Record] = []
    for line in chain_lines([record.value for record in members]):
        coalesced += _coalesce_line([members[place] for place in line.places], evidence, gained)
    return coalesced, gained


def _coalesce_line(
    line: Sequence[Record],
    evidence: Mapping[RecordId, Sequence[Evidence]],
    gained: dict[RecordId, tuple[Evidence, ...]],
) -> list[Record]:
    """One line of `coalesce`; the evidence that a record gains is put into `gained`."""
    absorbed: list[Record] = []
    kept: list[Record] = []
    for record in line:
        last = kept[-1] if kept else None
        is_mergeable = last is not None and Status.DEPRECATED not in (last.status, record.status)
        if last is None or not is_mergeable or not states_same_value(last, record):
            kept.append(record)
            continue
        both = merge_evidence(gained.get(last.id, tuple(evidence[last.id])), tuple(evidence[record.id]))
        gained[last.id] = tuple(sorted(both, key=evidence_order))
        kept[-1] = derive(last, gained[last.id])
        absorbed.append(
            replace(
                record,
                status=Status.SUPERSEDED if record.status is Status.ACTIVE else record.status,
                superseded_by=last.id,
                supersedes=None,
                valid_to=record.valid_from,
                attributes={**record.attributes, MERGED_INTO: last.id},
            )
        )
    return absorbed + kept
