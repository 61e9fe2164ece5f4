"""Browsing records: by filter, and by words in their text, key or id.

Takes: the engine's dependencies and a filter. Gives: one page of records. Never: writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from dopejar.text.normalisation import fold
from dopejar.text.words import query_terms
from dopejar.values.ids import RecordId
from dopejar.values.recall import RecordFilter, SearchFilter, Source
from dopejar.values.record import Kind, Status
from dopejar.values.scope import Namespace, ReadScope, Scope, Side

if TYPE_CHECKING:
    from dopejar.engine.dependencies import Dependencies
    from dopejar.ports.store import ReadView
    from dopejar.values.record import Record

PAGE_SIZE: Final = 50
_MOST_SCANNED: Final = 20_000
_MOST_RANKED: Final = 200
_PRESENT: Final = tuple(status for status in Status if status is not Status.ERASED)


@dataclass(frozen=True, kw_only=True, slots=True)
class BrowseFilter:
    """Which records are shown. An empty value means any, but for the status and the namespace."""

    q: str = ""
    kind: str = ""
    status: str = "active"
    scope: str = ""
    key: str = ""
    side: str = ""
    tag: str = ""
    namespace: str = "prod"
    after: str = ""

    def record_filter(self) -> RecordFilter:
        """The filter of the store port. Raises InputError where the scope cannot be parsed."""
        return RecordFilter(
            statuses=(Status(self.status),) if self.status else _PRESENT,
            kinds=(Kind(self.kind),) if self.kind else (),
            scopes=(Scope.parse(self.scope),) if self.scope else (),
            namespace=Namespace(self.namespace),
            side=Side(self.side) if self.side else None,
            key_prefix=self.key,
            tag=self.tag,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordPage:
    """One page of records, and whether more of them match."""

    records: tuple[Record, ...] = ()
    has_more: bool = False


def browse_records(deps: Dependencies, filters: BrowseFilter) -> RecordPage:
    """One page. Raises InputError where the scope cannot be parsed, NotFoundError where `after` is unknown."""
    with deps.store.read() as view:
        records = _matching_records(view, filters)
    return RecordPage(records=tuple(records[:PAGE_SIZE]), has_more=len(records) > PAGE_SIZE)


def _matching_records(view: ReadView, filters: BrowseFilter) -> list[Record]:
    where = filters.record_filter()
    if not filters.q:
        return list(view.list_records(where, PAGE_SIZE + 1, RecordId(filters.after) if filters.after else None))
    ranked = _ranked_records(view, filters) if filters.status == "active" else []
    ranked_ids = {record.id for record in ranked}
    words = fold(filters.q).split()
    scanned = {record.id: record for record in view.list_records(where, _MOST_SCANNED)}
    others = [record for record in scanned.values() if record.id not in ranked_ids and _has_words(record, words)]
    return [*(scanned[record.id] for record in ranked if record.id in scanned), *others][: PAGE_SIZE + 1]


def _ranked_records(view: ReadView, filters: BrowseFilter) -> list[Record]:
    scope = ReadScope(namespace=Namespace(filters.namespace), all_projects=True)
    where = SearchFilter(read_scope=scope, source=Source.RECORD, kinds=(Kind(filters.kind),) if filters.kind else ())
    hits = view.lexical(query_terms(filters.q), where, _MOST_RANKED)
    loaded = view.load_records([hit.id for hit in hits], where)
    return [loaded[hit.id] for hit in hits if hit.id in loaded]


def _has_words(record: Record, words: list[str]) -> bool:
    text = fold(f"{record.text} {record.key} {record.id}")
    return all(word in text for word in words)
