"""Views: profile, decisions and corrections over the records at hand.

Takes: records. Gives: frozen views, each line with its record. Never: another truth than the records; a view is
made anew each time.
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
    """One line of a view. `frequency` counts the turns that say it; `priority` is severity, today's."""

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
    """How the person works everywhere: in general, and by programming language."""

    general: tuple[GuidanceLine, ...] = ()
    languages: Mapping[str, tuple[GuidanceLine, ...]] = field(default_factory=dict)

    @property
    def lines(self) -> tuple[GuidanceLine, ...]:
        """Every line."""
        return (*self.general, *(line for lines in self.languages.values() for line in lines))


def profile(records: Iterable[Record]) -> Profile:
    """Active rules and preferences that hold everywhere, or in a language; what matters most comes first."""
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
    """What was decided in each project (or in the one named), newest first."""
    found: dict[str, list[GuidanceLine]] = defaultdict(list)
    for record in records:
        held = record.status is Status.ACTIVE and record.kind in _DECIDED and record.scope.kind == "project"
        if held and (not project or record.scope.name == project):
            found[record.scope.name].append(guidance_line(record))
    return {
        name: tuple(sorted(lines, key=lambda line: (line.last_seen or line.first_seen, line.text), reverse=True))
        for name, lines in sorted(found.items())
    }


def corrections(records: Iterable[Record], limit: int | None = None) -> tuple[GuidanceLine, ...]:
    """What was corrected, in any scope: the most frequent first, then the newest."""
    held = [
        guidance_line(record)
        for record in records
        if record.status is Status.ACTIVE and (record.kind is Kind.CORRECTION or "frequency" in record.attributes)
    ]
    return _ordered(held)[:limit]


def guidance_line(record: Record) -> GuidanceLine:
    """One record as a line."""
    told = record.attributes
    return GuidanceLine(
        record_id=record.id,
        text=record.text,
        kind=record.kind,
        frequency=record.access_count,
        first_seen=record.valid_from,
        last_seen=record.last_accessed_at,
        rationale=told.get("rationale", ""),
        priority=min(int(told["priority"]) if told.get("priority", "").isdigit() else 3, severity(record.access_count)),
    )


def _ordered(lines: Iterable[GuidanceLine]) -> tuple[GuidanceLine, ...]:
    return tuple(
        sorted(lines, key=lambda line: (-line.frequency, line.priority, -line.first_seen.timestamp(), line.text))
    )
