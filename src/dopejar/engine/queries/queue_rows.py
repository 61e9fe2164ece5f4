"""Rows of the review queue: what a reviewer sees of each waiting proposal, and how rows are filtered and sorted.

Takes: waiting proposals, and a filter. Gives: rows in a stable order. Never: reads or writes the store, or hides a row
that matches the filter.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from dopejar.memory.derivation import CONFLICT_TAG, SUGGESTED_SIDE
from dopejar.pipelines.procedural.bullets import FLAGGED, HEMISPHERES, SOURCE_HEMISPHERE, SUGGESTED_CONFIDENCE
from dopejar.text.normalisation import fold
from dopejar.values.proposal import Action, Add, Level, Supersede
from dopejar.values.record import LASTS, EvidenceRole
from dopejar.values.scope import UNIVERSAL

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from datetime import datetime

    from dopejar.engine.results import ReviewItem
    from dopejar.values.proposal import Proposal
    from dopejar.values.record import Draft, Evidence
    from dopejar.values.scope import Scope

PAGE_SIZE: Final = 50
_SIDES: Final = tuple(side.value for side in HEMISPHERES)
_SUGGESTIONS: Final = {
    Action.ADD: "remember",
    Action.SUPERSEDE: "replace",
    Action.REINFORCE: "confirm",
    Action.MERGE: "merge",
    Action.DEPRECATE: "deprecate",
    Action.SHARE: "share",
    Action.ASSIGN: "assign",
    Action.ACTIVATE: "activate",
    Action.ERASE: "erase",
    Action.UNDO: "undo",
    Action.RESTORE: "bring back",
    Action.TAG: "tag",
    Action.LINK: "link",
    Action.REKEY: "give other keys",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueRow:
    """One waiting proposal. `flags` say why a reviewer should look twice."""

    id: str
    version: int
    text: str
    kind: str
    source: str
    source_note: str
    suggestion: str
    suggestion_confidence: float
    confidence: float
    lasts: float  # how likely it is to hold beyond its moment; where nobody estimated that, the confidence
    at: datetime
    priority: int
    scope: Scope = UNIVERSAL
    said: Evidence | None = None  # what it rests on first
    flags: tuple[str, ...] = ()
    is_bullet: bool = False
    folded: str = ""  # the text as searches compare it
    contradicts: tuple[str, ...] = ()  # the texts of the memories that it waits for

    @property
    def is_clear(self) -> bool:
        """Whether nothing about it asks for a second look."""
        return not self.flags and self.suggestion != "unclear"

    @property
    def lowest_confidence(self) -> float:
        """The lowest of the confidences: that of the reading, that of the suggestion, and that it lasts."""
        return min(self.confidence, self.suggestion_confidence, self.lasts)


def draft_of_proposal(proposal: Proposal) -> Draft | None:
    """The content that a proposal carries, if it carries any."""
    return proposal.payload.draft if isinstance(proposal.payload, Add | Supersede) else None


def make_row(item: ReviewItem, contradicted: Collection[str] = ()) -> QueueRow:
    """The row of a waiting proposal; `contradicted` are the ids of records that another record contradicts."""
    proposal = item.proposal
    draft = draft_of_proposal(proposal)
    attributes: Mapping[str, str] = draft.attributes if draft else {}
    is_bullet = draft is not None and draft.kind.value == "bullet"
    suggestion = _SUGGESTIONS[proposal.action]
    if is_bullet and proposal.action is Action.ADD:
        side = attributes.get(SUGGESTED_SIDE, "")
        suggestion = side if side in _SIDES else "unclear"
    hint = attributes.get(SOURCE_HEMISPHERE, "")
    confidence = _fraction(attributes.get(SUGGESTED_CONFIDENCE, "")) if is_bullet else None
    lasts = _fraction(attributes.get(LASTS, ""))
    return QueueRow(
        id=proposal.id,
        version=proposal.version,
        text=item.text,
        kind=draft.kind.value if draft else proposal.action.value,
        source=proposal.origin.value,
        source_note=f"{hint} side" if hint in _SIDES else proposal.made_by.partition("@")[0],
        suggestion=suggestion,
        suggestion_confidence=proposal.confidence if confidence is None else confidence,
        confidence=proposal.confidence,
        lasts=proposal.confidence if lasts is None else min(lasts, proposal.confidence),
        at=proposal.at,
        priority=proposal.priority,
        scope=proposal.scope,
        said=next((span for span in proposal.evidence if span.role is EvidenceRole.ASSERTS), None),
        flags=_flags(proposal, draft, is_contradicted=proposal.record_id in contradicted),
        is_bullet=is_bullet,
        folded=fold(item.text),
        contradicts=tuple(record.text for record in item.contradicts),
    )


def _fraction(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0.0 <= value <= 1.0 else None


def _flags(proposal: Proposal, draft: Draft | None, *, is_contradicted: bool) -> tuple[str, ...]:
    signals = proposal.signals
    attributes = draft.attributes if draft else {}
    has_conflict_tag = draft is not None and CONFLICT_TAG in draft.tags
    flags = {
        "conflict": signals.conflict is not Level.NONE or is_contradicted or has_conflict_tag,
        "reads like an instruction": signals.instruction_like,
        "came back from recall": signals.recall_loop,
        f"{signals.curated_away} before": bool(signals.curated_away),
        "unclear": bool(attributes.get(FLAGGED, "")),
        "cannot be undone": proposal.action is Action.ERASE,
    }
    return tuple(name for name, is_set in flags.items() if is_set)


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueFilter:
    """Which rows are shown, and in which order. An empty value means any."""

    q: str = ""
    kind: str = ""
    source: str = ""
    suggestion: str = ""
    priority: int = 0
    flagged: bool = False
    least: float = 0.0
    sort: str = "priority"
    down: bool = False
    page: int = 1
    per: int = PAGE_SIZE

    @property
    def is_default(self) -> bool:
        """Whether it shows the queue in the store's own order, so that one page can be read alone."""
        return replace(self, page=1, per=PAGE_SIZE) == QueueFilter()

    @property
    def may_hide_rows(self) -> bool:
        """Whether some rows may not match."""
        return replace(self, page=1, per=PAGE_SIZE, sort="priority", down=False) != QueueFilter()


SORT_KEYS: Final[Mapping[str, Callable[[QueueRow], tuple[object, ...]]]] = {
    "priority": lambda row: (row.priority, row.at, row.id),
    "age": lambda row: (row.at, row.id),
    "confidence": lambda row: (row.lasts, row.id),
    "kind": lambda row: (row.kind, row.priority, row.at, row.id),
    "scope": lambda row: (str(row.scope), row.priority, row.at, row.id),
    "text": lambda row: (row.folded, row.id),
    "source": lambda row: (row.source, row.at, row.id),
    "suggestion": lambda row: (row.suggestion, -row.suggestion_confidence, row.id),
}


def select_rows(rows: Iterable[QueueRow], filters: QueueFilter) -> list[QueueRow]:
    """The rows that match, in the order of the filter."""
    words = fold(filters.q).split()
    matches = [row for row in rows if _is_match(row, filters) and all(word in row.folded for word in words)]
    return sorted(matches, key=SORT_KEYS[filters.sort], reverse=filters.down)


def _is_match(row: QueueRow, filters: QueueFilter) -> bool:
    fields = (
        (filters.kind, row.kind),
        (filters.source, row.source),
        (filters.suggestion, row.suggestion),
        (filters.priority, row.priority),
    )
    return (
        all(not expected or expected == actual for expected, actual in fields)
        and (not filters.flagged or not row.is_clear)
        and row.lasts >= filters.least
    )


def select_confident(rows: Iterable[QueueRow], least: float, most: int) -> list[QueueRow]:
    """Rows that can be approved together: no flag, at least this confidence; at most so many, most confident first."""
    confident = [row for row in rows if row.is_clear and row.lowest_confidence >= least]
    return sorted(confident, key=lambda row: (-row.lowest_confidence, row.at, row.id))[:most]
