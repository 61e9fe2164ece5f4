"""One record in full: its evidence in context, its states with who brought them about, its strength over time.

Takes: the engine's dependencies and a record's history. Gives: its details, and a preview of its erasure. Never:
writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dopejar.engine.exchange.backups import known_backups
from dopejar.engine.queries.evidence_passages import EvidencePassage, evidence_passages
from dopejar.errors import DopejarError, InputError
from dopejar.memory.derivation import PROVEN_HELPFUL
from dopejar.memory.lifecycle import MOVES, Event
from dopejar.pipelines.procedural.bullets import HEMISPHERES, lacks_for_sharing
from dopejar.pipelines.procedural.tone import soften
from dopejar.values.record import EvidenceRole, Kind, Status
from dopejar.values.strength import strength_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from pathlib import Path

    from dopejar.engine.dependencies import Dependencies
    from dopejar.engine.results import History
    from dopejar.values.edge import Edge
    from dopejar.values.ledger import LedgerEntry
    from dopejar.values.proposal import Proposal
    from dopejar.values.record import Record, RecordState


@dataclass(frozen=True, kw_only=True, slots=True)
class BlameRow:
    """One state of a record, with the ledger entry that brought it about."""

    state: RecordState
    entry: LedgerEntry | None
    at: datetime | None


@dataclass(frozen=True, kw_only=True, slots=True)
class StrengthPoint:
    """How strong a record was at one moment; the last point is now."""

    at: datetime
    record: Record
    strength: float
    is_now: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialProgress:
    """How far a bullet on a hemisphere has come: helpful outcomes so far, and what it lacks to be shared."""

    is_unproven: bool
    helpful: int
    needed: int
    lacks: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordDetails:
    """What the history of a record does not hold by itself."""

    passages: tuple[EvidencePassage, ...]
    waiting_proposal: Proposal | None
    edges: tuple[Edge, ...]
    blame: tuple[BlameRow, ...]
    strengths: tuple[StrengthPoint, ...]
    asserting_spans: int
    trial: TrialProgress | None
    softened_text: str
    can_deprecate: bool
    can_restore: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class ErasurePreview:
    """What erasing a record would blank, what else rests on the same turns, and which backups keep the words."""

    record: Record
    spans: int
    passages: tuple[EvidencePassage, ...]
    other_records: tuple[Record, ...]
    backups: tuple[Path, ...]


def record_details(deps: Dependencies, history: History) -> RecordDetails:
    """The details of one record."""
    record = history.record
    with deps.store.read() as view:
        passages = evidence_passages(view, history.evidence)
        waiting_proposal = view.proposal_of(record.id)
        edges = tuple(view.edges([record.id]))
    blame = blame_rows(history)
    return RecordDetails(
        passages=passages,
        waiting_proposal=waiting_proposal,
        edges=edges,
        blame=blame,
        strengths=strength_points(blame, deps.clock.now()),
        asserting_spans=sum(span.role is EvidenceRole.ASSERTS for span, _ in history.evidence),
        trial=trial_progress(record),
        softened_text=soften(record.text),
        can_deprecate=record.status in (Status.ACTIVE, Status.QUARANTINED),
        can_restore=(record.status, Event.RESTORE) in MOVES,
    )


def blame_rows(history: History) -> tuple[BlameRow, ...]:
    """Each state with its ledger entry, oldest first."""
    entries = {entry.seq: entry for entry in history.entries}
    rows = []
    for state in history.states:
        entry = entries.get(state.from_seq)
        rows.append(BlameRow(state=state, entry=entry, at=entry.at if entry else None))
    return tuple(rows)


def strength_points(blame: Sequence[BlameRow], now: datetime) -> tuple[StrengthPoint, ...]:
    """A point for each dated state, and one for now unless the record is erased."""
    dated = [(row.at, row.state.record) for row in blame if row.at is not None]
    points = [StrengthPoint(at=at, record=record, strength=strength_of(record, at)) for at, record in dated]
    if points and points[-1].record.status is not Status.ERASED:
        record = points[-1].record
        points.append(StrengthPoint(at=now, record=record, strength=strength_of(record, now), is_now=True))
    return tuple(points)


def trial_progress(record: Record) -> TrialProgress | None:
    """How far a bullet in use on a hemisphere has come; None for anything else."""
    is_in_use = record.status in (Status.ACTIVE, Status.QUARANTINED) and record.side in HEMISPHERES
    if record.kind is not Kind.BULLET or not is_in_use:
        return None
    return TrialProgress(
        is_unproven=record.status is Status.QUARANTINED,
        helpful=record.helpful_count,
        needed=PROVEN_HELPFUL,
        lacks=lacks_for_sharing(record, is_cross_confirmed=True),
    )


def preview_erasure(deps: Dependencies, history: History) -> ErasurePreview:
    """What erasing a record would take away. Raises InputError where it is erased already."""
    record = history.record
    if record.status is Status.ERASED:
        raise InputError("This memory is erased already; nothing of it is left.")
    episodes = tuple({span.episode_id for span, _ in history.evidence})
    with deps.store.read() as view:
        passages = evidence_passages(view, history.evidence)
        other_ids = [record_id for record_id in view.resting_on(episodes) if record_id != record.id]
        other_records = tuple(view.records(other_ids).values())
    try:
        backups = known_backups(deps)
    except DopejarError:  # the preview is worth showing without them; the receipt names them again
        backups = ()
    return ErasurePreview(
        record=record,
        spans=len(history.evidence),
        passages=passages,
        other_records=other_records,
        backups=backups,
    )
