"""Writes a record together with what follows from it: its state, its full-text terms, the edges read from its words.

Takes: a record as it was and as it becomes, and the function that reads edges from words. Gives: rows. Never: decides
what a record becomes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from dopejar.ports.store import WriteTransaction
from dopejar.text.words import record_terms
from dopejar.values.edge import Edge
from dopejar.values.ids import ActId
from dopejar.values.recall import Source
from dopejar.values.record import Record, RecordState

ExtractEdges = Callable[[Record], Iterable[Edge]]
"""Reads the edges of a record from its words."""


def write_record(
    tx: WriteTransaction, before: Record | None, after: Record, act_id: ActId, seq: int, extract_edges: ExtractEdges
) -> None:
    """Write a record as of a ledger entry, with its state; terms and edges where their source changed."""
    tx.put_record(after)
    tx.put_state(RecordState(record=after, from_seq=seq, to_seq=None, act_id=act_id))
    if before is None or (before.text, before.key) != (after.text, after.key):
        tx.put_terms(Source.RECORD, [(after.id, record_terms(after.text, after.key))])
    if before is None or _edge_source(before) != _edge_source(after):
        tx.replace_extracted_edges(after.id, extract_edges(after))


def _edge_source(record: Record) -> tuple[object, ...]:
    """What the edges of a record are read from."""
    return record.text, record.status, dict(record.attributes)
