"""What was said once and not proposed: places to look at again when it is said a second time.

Takes: clusters and what was proposed of them. Gives: places (conversation and turn), as JSON and back; clusters that a
conversation touched. Never: a word of a person; only ids are kept, so that erasing an episode erases its wish as well.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dopejar.errors import InputError
from dopejar.pipelines.corrections.cluster import CorrectionCluster
from dopejar.pipelines.corrections.propose import SessionSummary
from dopejar.values.ids import ConversationId

MOST = 400  # places that are kept for one project; the newest stay


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class Place:
    """A turn by its conversation and index."""

    conversation: ConversationId
    index: int


def unproposed(
    clusters: Iterable[CorrectionCluster], summary: SessionSummary, before: Sequence[Place] = ()
) -> tuple[Place, ...]:
    """The places to keep: those kept before and those of clusters that were not proposed now, without the proposed.

    At most `MOST`, the newest last.
    """
    proposed = {place for one in summary.proposals if one.cluster for place in places_of(one.cluster)}
    waiting = [place for one in clusters for place in places_of(one)]
    kept = dict.fromkeys(place for place in (*before, *waiting) if place not in proposed)
    return tuple(kept)[-MOST:]


def places_of(one: CorrectionCluster) -> tuple[Place, ...]:
    """Where a cluster was said."""
    return tuple(
        Place(conversation=member.exchange.conversation, index=member.exchange.index) for member in one.members
    )


def touched(clusters: Iterable[CorrectionCluster], conversation: ConversationId) -> tuple[CorrectionCluster, ...]:
    """The clusters that a conversation says something of; the others need no second proposal."""
    return tuple(one for one in clusters if conversation in one.conversations)


def dump(places: Sequence[Place]) -> str:
    """The places as a JSON object."""
    return json.dumps({"places": [[one.conversation, one.index] for one in places]})


def load(body: str) -> tuple[Place, ...]:
    """The places of a JSON object. Raises InputError where it is none of ours."""
    try:
        rows = json.loads(body)["places"]
        return tuple(Place(conversation=ConversationId(str(name)), index=int(index)) for name, index in rows)
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("The held list of unproposed corrections cannot be read. Drop it; it fills again.") from error
