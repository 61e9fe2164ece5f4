"""Ledger entries: ids, states and digests, never text.

Takes: what a commit changed. Gives: frozen, hash-chained entries. Never: the words of a memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from dopejar.values.ids import ActId, ProposalId, TraceId

GENESIS = "0" * 64


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgerEntry:
    """One committed change of one target. `hash` covers every other field and `previous`."""

    seq: int
    act_id: ActId
    at: datetime
    action: str
    target: str  # a record id, the digest of an edge, an episode id, a proposal id, or the subject of another target
    from_state: str
    to_state: str
    from_digest: str  # HMAC of the record before, "" where there was none
    to_digest: str  # HMAC of the record after
    proposal_id: ProposalId
    proposer: str
    approver: str
    rules: tuple[str, ...]
    policy_hash: str
    trace_id: TraceId
    previous: str
    hash: str


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgerHead:
    """The newest entry's number, hash and time; 0, the genesis hash and no time for an empty ledger."""

    seq: int = 0
    hash: str = GENESIS
    at: datetime | None = field(default=None, compare=False)
