"""The hash-chained ledger.

Takes: what a commit changed. Gives: entries, and the proof that the chain holds. Never: text.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace

from dopejar.errors import LedgerBrokenError
from dopejar.ports.store import LedgerReader, ReadView
from dopejar.values.ids import RecordId
from dopejar.values.ledger import GENESIS, LedgerEntry, LedgerHead
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Record, Status

_PAGE = 2000


def record_digest(secret: bytes, record: Record | None) -> str:
    """The keyed digest of a record's content, status and version; "" for none."""
    if record is None:
        return ""
    fields = (
        record.id,
        record.status,
        record.version,
        record.kind,
        record.text,
        record.key,
        record.slot,
        record.value,
        record.namespace,
        str(record.scope),
        record.side,
        record.valid_from.isoformat(),
        record.valid_to.isoformat() if record.valid_to else "",
    )
    message = "\x1f".join(str(field) for field in fields).encode("utf-8", "surrogatepass")
    return hmac.new(secret, message, hashlib.sha256).hexdigest()


def entry_hash(entry: LedgerEntry) -> str:
    """The hash of an entry: SHA-256 over every other field, `previous` among them."""
    fields = [
        entry.seq,
        entry.act_id,
        entry.at.isoformat(),
        entry.action,
        entry.target,
        entry.from_state,
        entry.to_state,
        entry.from_digest,
        entry.to_digest,
        entry.proposal_id,
        entry.proposer,
        entry.approver,
        list(entry.rules),
        entry.policy_hash,
        entry.trace_id,
        entry.previous,
    ]
    return hashlib.sha256(json.dumps(fields, ensure_ascii=True, separators=(",", ":")).encode()).hexdigest()


def chain_entry(head: LedgerHead, entry: LedgerEntry) -> LedgerEntry:
    """The entry with number, previous hash and own hash, as the next one after the head and never before its time."""
    at = max(entry.at, head.at) if head.at else entry.at
    chained = replace(entry, seq=head.seq + 1, at=at, previous=head.hash, hash="")
    return replace(chained, hash=entry_hash(chained))


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgerVerification:
    """The result of a verification. `found_head` says whether a head that was noted elsewhere lies on the chain."""

    entries: int
    head: LedgerHead
    found_head: bool | None = None


def _all_entries(reader: LedgerReader) -> Iterable[LedgerEntry]:
    first = 1
    while page := reader.entries(first, _PAGE):
        yield from page
        first = page[-1].seq + 1


def verify(reader: LedgerReader, expected_head: str = "") -> LedgerVerification:
    """Verify the whole chain. With `expected_head`, a hash noted earlier, say whether the chain still contains it.

    Raises:
        LedgerBrokenError: an entry is missing, out of order, or was changed; the message names the first one.
    """
    head = LedgerHead()
    is_found = not expected_head or expected_head == GENESIS
    for entry in _all_entries(reader):
        if entry.seq != head.seq + 1:
            raise LedgerBrokenError(f"Ledger entry {head.seq + 1} is missing. Restore a backup taken before that.")
        if entry.previous != head.hash or entry.hash != entry_hash(entry):
            raise LedgerBrokenError(f"Ledger entry {entry.seq} was changed after it was written. Restore a backup.")
        head = LedgerHead(seq=entry.seq, hash=entry.hash)
        is_found = is_found or entry.hash == expected_head
    return LedgerVerification(entries=head.seq, head=head, found_head=is_found if expected_head else None)


def find_altered_records(view: ReadView, secret: bytes) -> tuple[RecordId, ...]:
    """Records whose digest is not the one in the ledger's last entry about them."""
    last_digest = {entry.target: entry.to_digest for entry in _all_entries(view)}
    altered: list[RecordId] = []
    after: RecordId | None = None
    everything = RecordFilter(statuses=tuple(Status), namespace=None)
    while page := view.list_records(everything, _PAGE, after):
        altered += [record.id for record in page if last_digest.get(record.id) != record_digest(secret, record)]
        after = page[-1].id
    return tuple(altered)
