"""The versions of one concept, in the order in which they were true.

Takes: the records of one chain. Gives: the same records, relinked. Never: reads or writes.

A chain is every record with one slot (or one key, where there is no slot) in one namespace, scope and side. Its order
is that of `valid_from`, never that of arrival, so the final state does not depend on the order of import.

A denial ends the value that it denies and no other: "we do not use MySQL" says nothing against Postgres. Where another
value stands, it stands beside it, on a line of its own within the chain, until its value is stated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from dopejar.memory.derivation import MERGED_INTO, derive, evidence_order, merge_evidence
from dopejar.memory.lifecycle import IN_CHAIN, Event, step
from dopejar.text.similar import similar
from dopejar.text.slot_values import same_value
from dopejar.values.ids import RecordId
from dopejar.values.record import Evidence, Record, Status


def chain_position(at: datetime, value: str, hashed: str) -> tuple[datetime, str]:
    """Where a statement stands in its chain: by time, and among equal times by what it says, never by arrival."""
    return (at, value or hashed)


def value_or_hash(record: Record) -> str:
    """What a version says, for ordering: its value, or the hash of its words where it has none."""
    return record.value or record.content_hash


def chain_order(record: Record) -> tuple[datetime, str, str]:
    """The one order of a chain."""
    return (record.valid_from, value_or_hash(record), record.id)


def chain_members(records: Sequence[Record]) -> list[Record]:
    """The records that take part in the chain: neither temporary, nor merged away, nor undecided or gone."""
    return sorted(
        (one for one in records if one.status in IN_CHAIN and not one.temporary and MERGED_INTO not in one.attributes),
        key=chain_order,
    )


def states_same_value(a: Record, b: Record) -> bool:
    """Whether two versions state one value: then they are one version. The same question as at ingest."""
    if a.slot and a.slot == b.slot and a.value and b.value:
        return same_value(a.value, b.value)
    return a.content_hash == b.content_hash or (a.key == b.key and similar(a.text, b.text).same_meaning)


@dataclass(frozen=True, slots=True)
class ChainLine:
    """Versions that follow one another, by their places in the chain; `closed_by` is what ended the last."""

    places: tuple[int, ...]
    closed_by: int | None = None


def chain_lines(values: Sequence[str]) -> list[ChainLine]:
    """The lines of a chain with these values in their order: the main one first, then denials that stand beside it.

    Every place lies in exactly one line. Without a denial there is one line, whatever the values.
    """
    main: list[int] = []
    aside: dict[str, list[int]] = {}
    closed: list[ChainLine] = []
    for place, value in enumerate(values):
        body, last = value[1:], values[main[-1]] if main else ""
        if value.startswith("-") and not (last and same_value(f"+{last[1:]}", f"+{body}")):
            aside.setdefault(body, []).append(place)
            continue
        denied = aside.pop(body, None)
        if denied and main:
            closed.append(ChainLine(tuple(denied), closed_by=place))
        elif denied:
            main = denied
        main.append(place)
    return [ChainLine(tuple(main)), *closed, *(ChainLine(tuple(one)) for one in aside.values())]


def find_neighbours(records: Sequence[Record], at: datetime, value: str, hashed: str) -> tuple[Record | None, Record | None]:
    """The versions right before and after a statement of this time and value, on the line that it stands on."""
    standing = chain_members(records)
    mine = chain_position(at, value, hashed)
    spot = sum((one.valid_from, value_or_hash(one)) <= mine for one in standing)
    values = [one.value for one in standing]
    line = next(one for one in chain_lines([*values[:spot], value, *values[spot:]]) if spot in one.places)
    where = line.places.index(spot)
    before = line.places[where - 1] if where else None
    after = line.places[where + 1] if where + 1 < len(line.places) else line.closed_by
    return (None if before is None else standing[before]), (None if after is None else standing[after - 1])


def relink(records: Sequence[Record]) -> list[Record]:
    """The chain's members with status, ends and links as their order demands; others come back unchanged.

    The newest is active and open, each older one ends where the next begins. A deprecated version keeps its status and
    still ends its predecessor: what a reviewer took out of use does not bring the version before it back.
    """
    standing = chain_members(records)
    linked: dict[int, Record] = {}
    for line in chain_lines([one.value for one in standing]):
        for number, spot in enumerate(line.places):
            follows = line.places[number + 1] if number + 1 < len(line.places) else line.closed_by
            before = standing[line.places[number - 1]].id if number else None
            linked[spot] = _linked(standing[spot], before, None if follows is None else standing[follows])
    return [linked[spot] for spot in range(len(standing))]


def _linked(record: Record, before: RecordId | None, after: Record | None) -> Record:
    status = record.status
    if status is Status.ACTIVE and after is not None:
        status = step(status, Event.SUPERSEDE)
    elif status is Status.SUPERSEDED and after is None:
        status = step(status, Event.RESUME)
    return replace(
        record,
        status=status,
        supersedes=before,
        superseded_by=after.id if after else None,
        valid_to=after.valid_from if after else None,
    )


def coalesce(
    records: Sequence[Record], evidence: Mapping[RecordId, Sequence[Evidence]]
) -> tuple[list[Record], dict[RecordId, tuple[Evidence, ...]]]:
    """Neighbours on a line that say the same become one, as though nothing had ever stood between them.

    Gives the chain's records (absorbed ones marked as merged) and the evidence of those that gained some.
    """
    standing = chain_members(records)
    gained: dict[RecordId, tuple[Evidence, ...]] = {}
    result: list[Record] = []
    for line in chain_lines([one.value for one in standing]):
        result += _coalesced([standing[spot] for spot in line.places], evidence, gained)
    return result, gained


def _coalesced(
    line: Sequence[Record],
    evidence: Mapping[RecordId, Sequence[Evidence]],
    gained: dict[RecordId, tuple[Evidence, ...]],
) -> list[Record]:
    """One line of `coalesce`; what a record gains is laid into `gained`."""
    result: list[Record] = []
    kept: list[Record] = []
    for record in line:
        last = kept[-1] if kept else None
        mergeable = last is not None and Status.DEPRECATED not in (last.status, record.status)
        if last is None or not mergeable or not states_same_value(last, record):
            kept.append(record)
            continue
        both = merge_evidence(gained.get(last.id, tuple(evidence[last.id])), tuple(evidence[record.id]))
        gained[last.id] = tuple(sorted(both, key=evidence_order))
        kept[-1] = derive(last, gained[last.id])
        gone = Status.SUPERSEDED if record.status is Status.ACTIVE else record.status
        result.append(
            replace(
                record,
                status=gone,
                superseded_by=last.id,
                supersedes=None,
                valid_to=record.valid_from,
                attributes={**record.attributes, MERGED_INTO: last.id},
            )
        )
    return result + kept
