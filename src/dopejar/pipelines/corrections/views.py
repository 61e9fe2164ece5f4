"""Views over records: profile, decisions and corrections.

Takes: records. Gives: frozen views, each line with its record. Never: stored; a view is computed from the records each
time.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from dopejar.pipelines.corrections.proposals.proposal_engine import severity
from dopejar.values.ids import RecordId
from dopejar.values.record import Kind, Record, Status

_PROFILE = frozenset({Kind.PREFERENCE, Kind.RULE, Kind.CONSTRAINT})
_DECIDED = frozenset({Kind.RULE, Kind.PREFERENCE, Kind.CONSTRAINT, Kind.DECISION, Kind.CORRECTION})


@dataclass(frozen=True, kw_only=True, slots=True)
class GuidanceLine:
    """One line of a view. `frequency` counts the turns that say it; `priority` is the current severity."""

    record_id: RecordId
    text: str
    kind: Kind
    frequency: int
    first_seen: datetime
    last_seen: datetime | None
    rationale: str = ""
    priority: int = 3


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile:
    """Rules and preferences that hold everywhere: in general, and by programming language."""

    general: tuple[GuidanceLine, ...] = ()
    languages: Mapping[str, tuple[GuidanceLine, ...]] = field(default_factory=dict)

    @property
    def lines(self) -> tuple[GuidanceLine, ...]:
        """Every line."""
        return (*self.general, *(line for lines in self.languages.values() for line in lines))


def profile(records: Iterable[Record]) -> Profile:
    """Active rules and preferences that hold everywhere or for a language; the most important first."""
    general: list[GuidanceLine] = []
    languages: dict[str, list[GuidanceLine]] = defaultdict(list)
    for record in records:
        if record.status is not Status.ACTIVE or record.kind not in _PROFILE:
            continue
        if record.scope.kind == "universal":
            general.append(guidance_line(record))
        elif record.scope.kind == "language":
            languages[record.scope.name].append(guidance_line(record))
    return Profile(
        general=_ordered(general), languages={name: _ordered(lines) for name, lines in sorted(languages.items())}
    )


def decisions(records: Iterable[Record], project: str = "") -> Mapping[str, tuple[GuidanceLine, ...]]:
    """The decisions of each project (or of the one named), newest first."""
    by_project: dict[str, list[GuidanceLine]] = defaultdict(list)
    for record in records:
        is_decision = record.status is Status.ACTIVE and record.kind in _DECIDED and record.scope.kind == "project"
        if is_decision and (not project or record.scope.name == project):
            by_project[record.scope.name].append(guidance_line(record))
    return {
        name: tuple(sorted(lines, key=lambda line: (line.last_seen or line.first_seen, line.text), reverse=True))
        for name, lines in sorted(by_project.items())
    }


def corrections(records: Iterable[Record], limit: int | None = None) -> tuple[GuidanceLine, ...]:
    """The corrections of every scope: the most frequent first, then the newest."""
    lines = [
        guidance_line(record)
        for record in records
        if record.status is Status.ACTIVE and (record.kind is Kind.CORRECTION or "frequency" in record.attributes)
    ]
    return _ordered(lines)[:limit]


def guidance_line(record: Record) -> GuidanceLine:
    """The line of a record."""
    attributes = record.attributes
    priority = int(attributes["priority"]) if attributes.get("priority", "").isdigit() else 3
    return GuidanceLine(
        record_id=record.id,
        text=record.text,
        kind=record.kind,
        frequency=record.access_count,
        first_seen=record.valid_from,
        last_seen=record.last_accessed_at,
        rationale=attributes.get("rationale", ""),
        priority=min(priority, severity(record.access_count)),
    )


def _ordered(lines: Iterable[GuidanceLine]) -> tuple[GuidanceLine, ...]:
    return tuple(
        sorted(lines, key=lambda line: (-line.frequency, line.priority, -line.first_seen.timestamp(), line.text))
    )
