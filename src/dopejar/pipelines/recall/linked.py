"""What the graph adds to the candidates: records linked to an entity that the question names by another name.

Takes: what the indexes found, the question, a snapshot. Gives: the same, with linked records among it. Never: moves a
candidate that was found already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from dopejar.values.recall import Source

if TYPE_CHECKING:
    from dopejar.pipelines.recall.search import Found
    from dopejar.ports.store import ReadView
    from dopejar.values.recall import SearchFilter

LINKED: Final = 32
"""At most so many records come in by the graph."""

_LONGEST: Final = 300  # characters; what is longer names so much that a link says nothing
_SHARE: Final = 0.3  # of the best lexical score: a link says what a record is about, not that it answers


def with_linked(found: Found, text: str, filters: Mapping[Source, SearchFilter], view: ReadView) -> Found:
    """What was found, and records that the question's entities are linked to, under any of their names.

    A record that words or vectors found keeps its score. One query where the question names nothing known; none for a
    question as long as a page.
    """
    where = filters.get(Source.RECORD)
    if where is None or len(text) > _LONGEST or not view.has_edges():
        return found
    from dopejar.pipelines.graph.naming import ends_in

    places = [(Source.RECORD, str(record_id)) for record_id in view.linked(ends_in(text), where, LINKED)]
    fresh = [place for place in places if place not in found.words]
    if not fresh:
        return found
    worth = _SHARE * max(found.words.values(), default=1.0)
    return replace(found, words={**found.words, **dict.fromkeys(fresh, worth)}, linked=frozenset(fresh))
