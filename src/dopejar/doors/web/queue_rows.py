"""The queue as rows: what a person sees, filters and sorts.

Takes: waiting proposals and what is asked for. Gives: rows. Never: reads or writes, or hides a row that fits.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final

from dopejar.doors.web.forms import parse_fraction, parse_integer
from dopejar.memory.derivation import CONFLICT, SUGGESTED
from dopejar.pipelines.procedural.bullets import FLAGGED, HEMISPHERES, HINT, SURENESS
from dopejar.text.normalise import fold
from dopejar.values.proposal import Action, Add, Level, Supersede

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from datetime import datetime

    from dopejar.engine.results import ReviewItem
    from dopejar.values.proposal import Proposal
    from dopejar.values.record import Draft

PAGE: Final = 50
MOST_PAGE: Final = 200

_SIDES: Final = tuple(side.value for side in HEMISPHERES)
_WISHES: Final = {
    Action.ADD: "remember",
    Action.SUPERSEDE: "replace",
    Action.REINFORCE: "confirm",
    Action.MERGE: "merge",
    Action.DEPRECATE: "deprecate",
    Action.SHARE: "parse_fraction",
    Action.ASSIGN: "assign",
    Action.ACTIVATE: "activate",
    Action.ERASE: "erase",
    Action.UNDO: "undo",
    Action.RESTORE: "bring back",
    Action.TAG: "tag",
    Action.LINK: "link",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueRow:
    """One thing that waits. `sureness` is how sure the suggestion is; `flags` say why a person should look twice."""

    id: str
    version: int
    text: str
    kind: str
    source: str
    source_note: str
    suggestion: str
    sureness: float
    confidence: float
    at: datetime
    priority: int
    flags: tuple[str, ...] = ()
    is_bullet: bool = False
    folded: str = ""  # the text as searches compare it

    @property
    def is_sure(self) -> bool:
        """Whether nothing about it asks for a second look."""
        return not self.flags and self.suggestion != "unclear"


def draft_in(proposal: Proposal) -> Draft | None:
    """The content that a proposal carries, if it carries any."""
    return proposal.payload.draft if isinstance(proposal.payload, Add | Supersede) else None


def row_of(item: ReviewItem, contradicted: Collection[str] = ()) -> QueueRow:
    """The row of a waiting proposal; `contradicted` are the records that another one contradicts."""
    proposal = item.proposal
    draft = draft_in(proposal)
    told: Mapping[str, str] = draft.attributes if draft else {}
    is_bullet = draft is not None and draft.kind.value == "bullet"
    suggestion = _WISHES[proposal.action]
    if is_bullet and proposal.action is Action.ADD:
        suggestion = told.get(SUGGESTED, "") if told.get(SUGGESTED, "") in _SIDES else "unclear"
    hint = told.get(HINT, "")
    return QueueRow(
        id=proposal.id,
        version=proposal.version,
        text=item.text,
        kind=draft.kind.value if draft else proposal.action.value,
        source=proposal.origin.value,
        source_note=f"{hint} side" if hint in _SIDES else proposal.made_by.partition("@")[0],
        suggestion=suggestion,
        sureness=parse_fraction(told.get(SURENESS, ""), proposal.confidence) if is_bullet else proposal.confidence,
        confidence=proposal.confidence,
        at=proposal.at,
        priority=proposal.priority,
        flags=_flags(proposal, draft, is_contradicted=proposal.record_id in contradicted),
        is_bullet=is_bullet,
        folded=fold(item.text),
    )


def _flags(proposal: Proposal, draft: Draft | None, *, is_contradicted: bool) -> tuple[str, ...]:
    signals = proposal.signals
    told = draft.attributes if draft else {}
    found = {
        "conflict": signals.conflict is not Level.NONE
        or is_contradicted
        or (draft is not None and CONFLICT in draft.tags),
        "reads like an instruction": signals.instruction_like,
        "came back from recall": signals.recall_loop,
        f"{signals.curated_away} before": bool(signals.curated_away),
        "unclear": bool(told.get(FLAGGED, "")),
    }
    return tuple(name for name, holds in found.items() if holds)


@dataclass(frozen=True, kw_only=True, slots=True)
class QueueFilter:
    """What the person wants to see of the queue. Empty means any."""

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
    per: int = PAGE

    @classmethod
    def of(cls, values: Mapping[str, str]) -> QueueFilter:
        """Read it from an address; what cannot be read counts as any."""
        sort = values.get("sort", "priority")
        return cls(
            q=values.get("q", "").strip()[:200],
            kind=values.get("kind", ""),
            source=values.get("source", ""),
            suggestion=values.get("suggestion", ""),
            priority=parse_integer(values.get("priority", ""), 0, 0, 9),
            flagged=values.get("flagged", "") in ("1", "on", "true", "True"),
            least=parse_fraction(values.get("least", ""), 0.0),
            sort=sort if sort in SORTS else "priority",
            down=values.get("down", "") in ("1", "on", "true", "True"),
            page=parse_integer(values.get("page", ""), 1, 1, 1_000_000),
            per=parse_integer(values.get("per", ""), PAGE, 10, MOST_PAGE),
        )

    @property
    def is_plain(self) -> bool:
        """Whether it is the queue as the store keeps it, so that one page can be read alone."""
        return replace(self, page=1, per=PAGE) == QueueFilter()

    @property
    def has_filter(self) -> bool:
        """Whether something may be hidden."""
        return replace(self, page=1, per=PAGE, sort="priority", down=False) != QueueFilter()

    def address(self) -> dict[str, object]:
        """The same as values of an address, without what is as it always is."""
        usual = asdict(QueueFilter())
        return {name: 1 if value is True else value for name, value in asdict(self).items() if value != usual[name]}


SORTS: Final[Mapping[str, Callable[[QueueRow], tuple[object, ...]]]] = {
    "priority": lambda row: (row.priority, row.at, row.id),
    "age": lambda row: (row.at, row.id),
    "confidence": lambda row: (row.confidence, row.id),
    "kind": lambda row: (row.kind, row.priority, row.at, row.id),
    "text": lambda row: (row.folded, row.id),
    "source": lambda row: (row.source, row.at, row.id),
    "suggestion": lambda row: (row.suggestion, -row.sureness, row.id),
}


def chosen(rows: Iterable[QueueRow], filters: QueueFilter) -> list[QueueRow]:
    """The rows that fit, in the order that was asked for."""
    words = fold(filters.q).split()
    found = [row for row in rows if _fits(row, filters) and all(word in row.folded for word in words)]
    return sorted(found, key=SORTS[filters.sort], reverse=filters.down)


def _fits(row: QueueRow, filters: QueueFilter) -> bool:
    wanted = (
        (filters.kind, row.kind),
        (filters.source, row.source),
        (filters.suggestion, row.suggestion),
        (filters.priority, row.priority),
    )
    return (
        all(not want or want == has for want, has in wanted)
        and (not filters.flagged or not row.is_sure)
        and row.confidence >= filters.least
    )


def surest(rows: Iterable[QueueRow], least: float, most: int) -> list[QueueRow]:
    """Rows that can be approved together: sure enough, with no flag, at most so many, surest first."""
    fit = [row for row in rows if row.is_sure and min(row.confidence, row.sureness) >= least]
    return sorted(fit, key=lambda row: (-min(row.confidence, row.sureness), row.at, row.id))[:most]
