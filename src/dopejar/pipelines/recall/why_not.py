"""Why something that memory holds is not in a pack.

Takes: an id, the query, its ranking and its pack. Gives: one line for people. Never: words that the query may not read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dopejar.pipelines.recall.candidates import make_filters
from dopejar.values.recall import Source

if TYPE_CHECKING:
    from dopejar.pipelines.recall.context_pack import PackedItems
    from dopejar.pipelines.recall.ranking import Ranking
    from dopejar.ports.store import ReadView
    from dopejar.values.recall import Query


def why_not(query: Query, view: ReadView, ranking: Ranking, packed: PackedItems) -> str:
    """At which step the memory or turn `query.why_not` was left out."""
    name = query.why_not
    places = {str(item.id): place for place, item in enumerate(ranking.items, start=1)}
    if any(item.id == name for item in packed.items):
        reason = "it is in the answer"
    elif name in places:
        reason = (
            f"it is number {places[name]} of {len(places)}: the budget ends before it, or an item above says the same"
        )
    elif name in ranking.told:
        reason = "it is a turn of which memories tell what it says, or which was forgotten"
    elif name in ranking.compared:
        reason = "it was found, but is too far from the question, or says less of it than another memory that it names"
    else:
        reason = _unfound(query, view)
    return f"{name}: {reason}"


def _unfound(query: Query, view: ReadView) -> str:
    """Why no index led to it: the filter hides it, or it is not like the question."""
    source = Source.EPISODE if query.why_not.startswith("e_") else Source.RECORD
    where = make_filters(query, view).get(source)
    if where is None:
        return f"{source.value}s were not asked for"
    load = view.load_episodes if source is Source.EPISODE else view.load_records
    if query.why_not not in load([query.why_not], where):
        return "it is hidden: not in use, or of another time, kind, project or conversation than asked for"
    return "no word of the question leads to it, nor is its meaning among the nearest"
