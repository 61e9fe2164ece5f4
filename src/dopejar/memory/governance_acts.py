"""The write of governance acts: what changed about who may decide and by which settings, in the ledger.

Takes: the name of an act, its subject and digests, and the writer's transaction. Gives: the number of the ledger entry.
Never: changes what is believed, holds words, or is undone.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

from dopejar.memory.ledger import chain_entry
from dopejar.ports.store import WriteTransaction
from dopejar.values.ids import ActId, ProposalId, TraceId, new_act_id
from dopejar.values.ledger import GENESIS, LedgerEntry


class GovernanceAction(StrEnum):
    """What can happen to governance itself."""

    UNLOCK_FAILED = "unlock_failed"  # a wrong passphrase; the target is `reviewer:NAME`
    REVIEWER_ADDED = "reviewer_added"  # also a changed passphrase
    REVIEWER_REMOVED = "reviewer_removed"
    TERMINAL_TRUSTED = "terminal_trusted"  # a reviewer vouches for who types there; the target is `terminal:ID`
    TERMINAL_DISTRUSTED = "terminal_distrusted"
    SETTINGS_ACCEPTED = "settings_accepted"  # the target is `settings`, the digests are those of the accepted values
    ROW_ACCEPTED = "row_accepted"  # altered outside the program; the target is its id, or `row:TABLE` where it has none


def record_governance(
    tx: WriteTransaction,
    action: GovernanceAction,
    target: str,
    *,
    now: datetime,
    trace_id: TraceId,
    proposer: str,
    approver: str = "",
    digests: tuple[str, str] = ("", ""),
    act_id: ActId | None = None,
) -> int:
    """Append one ledger entry about governance, in an act of its own unless one is given; its number.

    `digests` are keyed digests of what was there before and after, "" where there is nothing to bind.
    """
    entry = LedgerEntry(
        seq=0,
        act_id=act_id or new_act_id(),
        at=now,
        action=action.value,
        target=target,
        from_state="",
        to_state=action.value,
        from_digest=digests[0],
        to_digest=digests[1],
        proposal_id=ProposalId(""),
        proposer=proposer,
        approver=approver,
        rules=(),
        policy_hash="",
        trace_id=trace_id,
        previous=GENESIS,
        hash="",
    )
    chained = chain_entry(tx.head(), entry)
    tx.append_ledger(chained)
    return chained.seq
