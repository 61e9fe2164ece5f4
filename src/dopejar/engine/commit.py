"""The engine's commit: `memory.commit` with the edges that the graph pipeline reads from words.

Takes: a transaction, a proposal and its verdict. Gives: a receipt. Never: judges.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from dopejar.memory import commit as memory_commit
from dopejar.memory.commit import Receipt

if TYPE_CHECKING:
    from dopejar.memory.commit_plan import CommitPlan
    from dopejar.ports.store import WriteTransaction
    from dopejar.values.edge import Edge
    from dopejar.values.proposal import Proposal
    from dopejar.values.record import Record
    from dopejar.values.verdict import Verdict


def commit(
    tx: WriteTransaction, proposal: Proposal, verdict: Verdict, now: datetime, commit_plan: CommitPlan | None = None
) -> Receipt:
    """Commit a judged proposal; raises as `memory.commit.commit` does."""
    return memory_commit.commit(tx, proposal, verdict, now, commit_plan, read_edges=read_edges)


def read_edges(record: Record) -> tuple[Edge, ...]:
    """The edges of a record, read from its words."""
    from dopejar.pipelines.graph.edges import extract_edges as read  # loaded by the first commit

    return read(record)
