"""Recall: a question in, ranked memories and a cited pack out.

Takes: a query, a snapshot of the store, an embedding function where there is one. Gives: `Ranked` items, a
`ContextPack`. Never: writes, decides, or returns more tokens than the budget.
"""

from __future__ import annotations

from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.pipelines.recall.ranking import rank
from dopejar.pipelines.recall.recall import recall

__all__ = ["RankedItem", "rank", "recall"]
