"""Former fields: status, words, concept, tags, side and pin of records as they were before an act.

Takes: the states that an act made. Gives: the records with what they had before, in a change set. Never: takes back
what a later act changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dopejar.memory.change_set import ChangeSet
from dopejar.memory.derivation import EDITED_BY, JOINED_BY, KEPT_BESIDE, MERGED_INTO, assertions, derive, merge_evidence
from dopejar.memory.key_changes import under_key_of_now
from dopejar.memory.undo_history import state_before
from dopejar.ports.store import ReadView
from dopejar.values.ids import RecordId
from dopejar.values.record import Evidence, Record, RecordState, Status

LIVE = frozenset({Status.STAGED, Status.QUARANTINED, Status.ACTIVE, Status.SUPERSEDED, Status.DEPRECATED})
_REPLACED_SINCE = (Status.SUPERSEDED, Status.STAGED)  # it was approved, and its chain has gone on: it waits again
_CONCEPT = ("kind", "scope", "key", "slot", "value")


def return_fields(view: ReadView, changes: ChangeSet, states: Sequence[RecordState]) -> tuple[str, ...]:
    """Return status, tags, side and pin to what they were before the act, where no later act changed them.

    Gives a sentence for each status that stays because of a later act.
    """
    left, moved = [], []
    first = {state.record.id: state for state in reversed(states)}
    last = {state.record.id: state for state in states}
    for record_id, state in first.items():
        former, made = state_before(view, state), last[record_id].record
        if former is None:
            continue  # the act made the record: withdrawing its evidence decides what becomes of it
        former = under_key_of_now(view, former, first)
        record = changes.get(record_id)
        if (record.tags, record.pinned, record.side) == (made.tags, made.pinned, made.side):
            record = replace(record, tags=former.tags, pinned=former.pinned, side=former.side)
        is_as_made = record.status == made.status or (record.status, former.status) == _REPLACED_SINCE
        if is_as_made and former.status != made.status:
            record = _with_former_status(record, former, changes.evidence(record_id))
        elif made.status != former.status and record.status not in (made.status, former.status):
            left.append(f"{record_id} is {record.status} by a later act and stays so.")
        changes.put(_with_former_words(record, made, former))
        if made.chain != former.chain:
            moved.append(made)
        into = changes.get(record_id).attributes.get(MERGED_INTO, "")
        if into in first and MERGED_INTO not in made.attributes:
            # it rests again on what the one merged into it rests on, which the act had parted from it
            rows = merge_evidence(changes.evidence(RecordId(into)), changes.evidence(record_id))
            changes.put(derive(changes.get(RecordId(into)), rows), rows)
    for made in moved:  # once all are back in their chains
        changes.relink(made, merge=True)
        changes.relink(changes.get(made.id), merge=True)
    return tuple(left)


def _with_former_status(record: Record, former: Record, rows: Sequence[Evidence]) -> Record:
    """The record with its former status: retracted where nothing supports that, out of its chain if it waits."""
    status = Status.RETRACTED if former.status in LIVE and not assertions(rows) else former.status
    record = replace(record, status=status, approved_by=former.approved_by)
    if status is not Status.STAGED:
        return record
    attributes = {name: value for name, value in record.attributes.items() if name != MERGED_INTO}
    return replace(record, supersedes=None, superseded_by=None, valid_to=former.valid_to, attributes=attributes)


def _with_former_words(record: Record, made: Record, former: Record) -> Record:
    """The record unmerged, and with its former words and concept, where the act merged, reworded or edited it."""
    beside = made.attributes.get(KEPT_BESIDE)
    if beside != former.attributes.get(KEPT_BESIDE) and beside == record.attributes.get(KEPT_BESIDE):
        ends = former.superseded_by, former.valid_to
        record = replace(record, attributes=former.attributes, superseded_by=ends[0], valid_to=ends[1])
    if MERGED_INTO in made.attributes and MERGED_INTO not in former.attributes:
        record = replace(record, attributes=former.attributes, superseded_by=former.superseded_by)
    if record.text == made.text and former.text != made.text and former.content_hash == record.content_hash:
        record = replace(record, text=former.text, attributes=former.attributes)
    if (EDITED_BY in made.attributes) is not (EDITED_BY in former.attributes) and record.text == made.text:
        record = replace(record, text=former.text, content_hash=former.content_hash, attributes=former.attributes)
    if all(getattr(record, name) == getattr(made, name) for name in _CONCEPT):
        record = replace(record, **{name: getattr(former, name) for name in _CONCEPT})
        record = replace(record, attributes=with_joined_by(record, former))
    return record


def joined_by(record: Record) -> list[str]:
    """The statements that brought the record into its chain."""
    return record.attributes.get(JOINED_BY, "").split()


def with_joined_by(record: Record, former: Record) -> dict[str, str]:
    """The record's attributes, but how it came into its chain as that was before."""
    attributes = {name: value for name, value in record.attributes.items() if name != JOINED_BY}
    brought_by = former.attributes.get(JOINED_BY)
    return attributes if brought_by is None else {**attributes, JOINED_BY: brought_by}
