"""Browsing and searching records: by filter, by words in their text, key or id, and by what a question means.

Takes: the engine's dependencies and a filter. Gives: records, a page of them or the best. Never: writes, but for the
notes by which what was returned is not learned from it again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from dopejar.engine.queries import recall
from dopejar.engine.results import SearchResult
from dopejar.memory.note_use import note_use
from dopejar.text.normalisation import fold
from dopejar.text.words import query_terms
from dopejar.values.ids import RecordId
from dopejar.values.recall import RecordFilter, SearchFilter, Source
from dopejar.values.record import Kind, Status
from dopejar.values.scope import Namespace, ReadScope, Scope, Side

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from dopejar.engine.dependencies import Dependencies
    from dopejar.ports.store import ReadView
    from dopejar.values.ids import TraceId
    from dopejar.values.recall import Query
    from dopejar.values.record import Record

PAGE_SIZE: Final = 50
_MOST_SCANNED: Final = 20_000
_MOST_RANKED: Final = 200
_NO_BUDGET: Final = 1_000_000  # tokens: a search is limited by its number of results
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
        records = _matching_records(view, filters, deps.clock.now())
    return RecordPage(records=tuple(records[:PAGE_SIZE]), has_more=len(records) > PAGE_SIZE)


def search_records(
    deps: Dependencies, query: Query, trace_id: TraceId, *, key_prefix: str = "", tag: str = ""
) -> tuple[SearchResult, ...]:
    """The best records for a query, `query.limit` at most, best first; none where nothing is relevant."""
    is_filtered = bool(key_prefix or tag)
    wide = replace(query, budget=_NO_BUDGET, limit=_MOST_RANKED if is_filtered else query.limit)
    pack = recall.recall(deps, wide, trace_id, note=False)
    with deps.store.read() as view:
        records = view.records([RecordId(item.id) for item in pack.items])
    results = [
        SearchResult(record=records[RecordId(item.id)], score=item.score, citations=item.citations, marks=item.marks)
        for item in sorted(pack.items, key=lambda item: -item.score)
        if RecordId(item.id) in records
    ]
    chosen = [
        result
        for result in results
        if result.record.key.startswith(key_prefix) and (not tag or tag in result.record.tags)
    ][: query.limit]
    if deps.note_use:
        note_use(deps.store, (), recall.digests_of([result.text for result in chosen]), deps.clock.now())
    return tuple(chosen)


def record_filter(
    read_scope: ReadScope,
    *,
    kinds: Sequence[str] = (),
    statuses: Sequence[str] = (),
    scope: str = "",
    key_prefix: str = "",
    tag: str = "",
) -> RecordFilter:
    """The filter for what may be read in a scope. Raises InputError where a scope cannot be parsed."""
    readable = RecordFilter.readable(read_scope, tuple(map(Status, statuses)))
    return replace(
        readable,
        kinds=tuple(map(Kind, kinds)),
        scopes=(Scope.parse(scope),) if scope else readable.scopes,
        key_prefix=key_prefix,
        tag=tag,
    )


def _matching_records(view: ReadView, filters: BrowseFilter, now: datetime) -> list[Record]:
    where = filters.record_filter()
    if where.statuses == (Status.ACTIVE,):  # as in other listings: what holds, and not what was for a time that is over
        where = replace(where, holds_at=now)
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
