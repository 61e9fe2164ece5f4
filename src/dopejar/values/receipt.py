"""Receipts: what a commit did.

Takes: what was committed. Gives: its ids, outcome and records. Never: says that more was written than was.
"""

from __future__ import annotations

from dataclasses import dataclass

from dopejar.values.ids import ActId, ProposalId
from dopejar.values.record import KEPT_FROM, Record, Status


@dataclass(frozen=True, kw_only=True, slots=True)
class Receipt:
    """What a commit did. `outcome` is added, reinforced, ..., staged, refused, or unchanged.

    `text` is the statement it is about: one that waits to replace another, or was refused, has no record yet; where
    `action`, what was proposed, states nothing, the words of the records that it is to be done to.
    """

    act_id: ActId
    proposal_id: ProposalId
    outcome: str
    records: tuple[Record, ...] = ()
    seq: int = 0
    rules: tuple[str, ...] = ()
    reason: str = ""
    notes: tuple[str, ...] = ()
    episodes_blanked: int = 0
    text: str = ""
    action: str = ""

    @property
    def kept(self) -> tuple[Record, ...]:
        """The records that hold what is left of those that were replaced here."""
        replaced = {record.id for record in self.records if record.status is Status.SUPERSEDED}
        return tuple(record for record in self.records if record.attributes.get(KEPT_FROM) in replaced)
