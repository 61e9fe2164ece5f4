"""What guidance contradicts: shown before it is approved, and taken out of use by its approval where it is older.

Takes: a proposal of the corrections. Gives: the records that cannot be followed beside it. Never: decides which of two
waiting rules is meant, or lets what was said earlier replace what was said later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dopejar.values.proposal import Add, Proposal, Supersede
from dopejar.values.record import Record, Status

if TYPE_CHECKING:
    from dopejar.ports.store import ReadView

_PIPELINE = "corrections@"


def contradicted_by(view: ReadView, proposal: Proposal) -> tuple[Record, ...]:
    """Guidance in force or waiting that cannot be followed beside what a proposal of the corrections says."""
    payload = proposal.payload
    if not proposal.made_by.startswith(_PIPELINE) or not isinstance(payload, Add | Supersede):
        return ()
    # most decisions are about something else and do without the reading of wishes
    from dopejar.engine.corrections.extraction import directing
    from dopejar.pipelines.corrections.proposing.staging import contradicted

    stored = [one for one in directing(view, payload.draft.namespace) if one.id != proposal.record_id]
    return (*contradicted(payload.draft, stored), *contradicted(payload.draft, stored, waits=True))


def replaced_by(view: ReadView, proposal: Proposal) -> tuple[Record, ...]:
    """What an approved proposal contradicts, is in force still, and was said before it."""
    made = view.record(proposal.record_id) if proposal.record_id else None
    if made is None or made.status is not Status.ACTIVE:
        return ()
    found = contradicted_by(view, proposal)
    return tuple(one for one in found if one.status is Status.ACTIVE and one.valid_from < made.valid_from)
