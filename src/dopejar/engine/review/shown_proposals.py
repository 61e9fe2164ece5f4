"""What a place was shown of the queue: the numbers of its last listing, and the versions of proposals.

Takes: a place (a terminal, or a session of commands), ids and versions. Gives: them back when something is decided
there. Never: holds words, or lets a number mean another proposal than the one that it stood beside.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from dopejar.errors import StoreError
from dopejar.memory.hold import hold
from dopejar.values.held_bodies import as_object, number_in, object_of, text_in
from dopejar.values.ids import ProposalId
from dopejar.values.versioned_rows import KeyValueRow

if TYPE_CHECKING:
    from dopejar.ports.store import ReadView, Store

SHOWN_ROW: Final = "shown_proposals"
_KEPT_FOR: Final = timedelta(hours=24)
_MOST: Final = 5000  # versions of one place, the newest; a listing of more is decided in parts


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownProposals:
    """The numbers of the last listing, and the version in which each proposal was shown last."""

    numbers: Mapping[int, ProposalId] = field(default_factory=dict)
    versions: Mapping[ProposalId, int] = field(default_factory=dict)


def shown_at(view: ReadView, place: str, now: datetime) -> ShownProposals:
    """What this place was shown within the last 24 hours."""
    return _parse(view.held(SHOWN_ROW, place), now) if place else ShownProposals()


def note_shown(
    store: Store,
    place: str,
    versions: Mapping[ProposalId, int],
    numbers: Mapping[int, ProposalId] | None,
    now: datetime,
) -> bool:
    """Note what a place is shown; `numbers` are those of a new listing, which takes the place of the last one.

    Whether it could be noted: reading neither fails nor waits because something else is written.
    """
    if not place or store.is_read_only:
        return False

    try:
        with store.write(wait=False) as tx:
            row = tx.held(SHOWN_ROW, place)
            old = _parse(row, now)
            kept = {name: version for name, version in old.versions.items() if name not in versions}
            newest = list({**kept, **versions}.items())[-_MOST:]
            body = json.dumps({"numbers": old.numbers if numbers is None else dict(numbers), "versions": dict(newest)})
            version = row.version if row else 0
            hold(tx, KeyValueRow(kind=SHOWN_ROW, key=place, body=body, version=version, expires_at=now + _KEPT_FOR))
    except StoreError:
        return False
    return True


def _parse(row: KeyValueRow | None, now: datetime) -> ShownProposals:
    if row is None or row.expires_at is None or row.expires_at <= now:
        return ShownProposals()
    return read_shown(row)


def read_shown(row: KeyValueRow) -> ShownProposals:
    """What a row says was shown. Raises as `values.held_bodies` does."""
    body = object_of(row)
    numbers, versions = as_object(body["numbers"]), as_object(body["versions"])
    return ShownProposals(
        numbers={int(number): ProposalId(text_in(numbers, number)) for number in numbers},
        versions={ProposalId(name): number_in(versions, name) for name in versions},
    )
