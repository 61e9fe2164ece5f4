"""Near records for what is told to the memory itself: by meaning where a model is at hand and slots do not decide.

Takes: dependencies, and what slots alone came to. Gives: whether vectors are to be asked, and who knows meaning.
Never: loads a model where slots decide, or embeds within a commit.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.unit_of_work import Judged
from dopejar.ports.store import RecordFilter
from dopejar.values.proposal import Add, Supersede

if TYPE_CHECKING:
    from dopejar.ports.embedder import Embedder

CATCH_UP_S = 0.5  # seconds that vectors still missing may take beforehand; the rest stays with the housekeeping


def is_undecided(judged: Sequence[Judged]) -> bool:
    """Whether anything would become a lasting record of its own, so that a second look by meaning is worth its cost."""
    return any(
        isinstance(one.proposal.payload, Add | Supersede) and not one.proposal.payload.draft.temporary for one in judged
    )


def knowing_meaning(deps: Dependencies) -> tuple[Embedder, Embedder] | None:
    """The embedders of what texts are about and of what they say, if there are both and anything to compare with."""
    embedder = deps.embedder()
    if embedder is None or embedder.identity.lexical:
        return None  # then nothing need be loaded to look for the other
    sayings = deps.sayings()
    if sayings is None:
        return None
    with deps.store.read() as view:
        return (embedder, sayings) if view.list_records(RecordFilter(namespace=None), 1) else None


def catch_up(deps: Dependencies, embedder: Embedder) -> None:
    """Give vectors to what was remembered lately, for half a second at most."""
    from dopejar.engine.maintenance.housekeeping import embed_missing  # few remember with a model at hand

    if not deps.store.is_read_only:
        embed_missing(deps, embedder, deadline=time.monotonic() + CATCH_UP_S)
