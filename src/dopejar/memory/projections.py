"""Projections that are computed from words: the full-text index, and the edges read from records.

Takes: a transaction, and the function that reads edges from words. Gives: what is missing or stale, and the projection
in step again. Never: changes what is believed.
"""

from __future__ import annotations

from collections.abc import Iterator

from dopejar.memory.record_writer import ExtractEdges
from dopejar.ports.store import ReadView, UnindexedText, WriteTransaction
from dopejar.text.words import episode_terms, record_terms
from dopejar.values.edge import EXTRACTED_KINDS, Edge
from dopejar.values.ids import RecordId
from dopejar.values.recall import RecordFilter, Source
from dopejar.values.record import Record

_PAGE = 1000


def refill_text_index(tx: WriteTransaction) -> int:
    """Give full-text terms to every record and episode that has none; how many."""
    count = 0
    while missing := tx.missing_terms(_PAGE):
        for source in Source:
            tx.put_terms(source, [(text.owner_id, _terms(text)) for text in missing if text.owner is source])
        count += len(missing)
    return count


def _terms(text: UnindexedText) -> list[str]:
    return record_terms(text.text, text.key) if text.owner is Source.RECORD else episode_terms(text.text)


def stale_edges(view: ReadView, extract_edges: ExtractEdges) -> Iterator[tuple[RecordId, frozenset[Edge]]]:
    """Records whose stored edges are not those of their words, each with the edges of its words."""
    for page in _pages(view):
        stored = view.extracted_edges([record.id for record in page])
        for record in page:
            fresh = frozenset(edge for edge in extract_edges(record) if edge.kind in EXTRACTED_KINDS)
            if fresh != {edge for edge in stored.get(record.id, ()) if edge.kind in EXTRACTED_KINDS}:
                yield record.id, fresh


def refresh_edges(tx: WriteTransaction, extract_edges: ExtractEdges) -> int:
    """Read the edges of every record anew; how many records had other ones."""
    stale = list(stale_edges(tx, extract_edges))
    for record_id, edges in stale:
        tx.replace_extracted_edges(record_id, edges)
    return len(stale)


def _pages(view: ReadView) -> Iterator[tuple[Record, ...]]:
    everything = RecordFilter(statuses=(), namespace=None)
    after: RecordId | None = None
    while page := view.list_records(everything, _PAGE, after):
        yield page
        after = page[-1].id
