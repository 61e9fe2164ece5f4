"""Codec between ledger entries and rows of the file.

Takes: entries, or rows in the order of the column list here. Gives: rows, or entries. Never: reads or writes the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.codec import Cell, Row, dumps, names, time_of, when
from dopejar.values.ids import ActId, ProposalId, TraceId

if TYPE_CHECKING:
    from dopejar.values.ledger import LedgerEntry

    LedgerRow = tuple[int, ActId, str, str, str, str, str, str, str, ProposalId, str, str, str, str, TraceId, str, str]

LEDGER_COLUMNS: Final = (
    "seq, act_id, at, action, target, from_state, to_state, from_digest, to_digest, proposal_id, proposer, approver,"
    " rules, policy_hash, trace_id, previous, hash"
)


def ledger_row(entry: LedgerEntry) -> tuple[Cell, ...]:
    """A ledger entry in the order of `LEDGER_COLUMNS`."""
    return (
        entry.seq,
        entry.act_id,
        when(entry.at),
        entry.action,
        entry.target,
        entry.from_state,
        entry.to_state,
        entry.from_digest,
        entry.to_digest,
        entry.proposal_id,
        entry.proposer,
        entry.approver,
        dumps(entry.rules),
        entry.policy_hash,
        entry.trace_id,
        entry.previous,
        entry.hash,
    )


def ledger_of(row: Row) -> LedgerEntry:
    """The ledger entry of a row in the order of `LEDGER_COLUMNS`."""
    from dopejar.values.ledger import LedgerEntry  # recall loads no ledger entry

    (
        seq, act_id, at, action, target, from_state, to_state, from_digest, to_digest, proposal_id, proposer, approver,
        rules, policy_hash, trace_id, previous, digest,
    ) = cast("LedgerRow", row)  # fmt: skip
    return LedgerEntry(
        seq=seq,
        act_id=act_id,
        at=time_of(at),
        action=action,
        target=target,
        from_state=from_state,
        to_state=to_state,
        from_digest=from_digest,
        to_digest=to_digest,
        proposal_id=proposal_id,
        proposer=proposer,
        approver=approver,
        rules=names(rules),
        policy_hash=policy_hash,
        trace_id=trace_id,
        previous=previous,
        hash=digest,
    )
