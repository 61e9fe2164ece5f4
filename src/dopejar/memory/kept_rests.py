"""What is left of records that go out of use, kept in records of its own.

Takes: a supersession that is being carried out. Gives: its change set with those records. Never: keeps what is left of
a record that stays in use, or what is known already.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from dopejar.memory.chain import with_digest
from dopejar.memory.change_set import BaseView, ChangeSet
from dopejar.memory.derivation import assertions, create_record
from dopejar.memory.lifecycle import Event, step
from dopejar.text.normalisation import content_hash
from dopejar.values.ids import record_id_of
from dopejar.values.proposal import Proposal, Supersede
from dopejar.values.record import KEPT_FROM, Draft, Record, Status


def keep_rests(changes: ChangeSet, base: BaseView, proposal: Proposal, payload: Supersede, now: datetime) -> None:
    """Put what is left of each record that the payload took out of use into one of its own, on the same evidence.

    That evidence stays with the acts that brought it: where they are undone or their words erased, what is left goes,
    too. It also goes where the present act is undone, which made it.
    """
    taken = {payload.draft.key}
    for rest in payload.rests:
        replaced = changes.get(rest.of or proposal.record_id or record_id_of(proposal.id))
        before = base.record(replaced.id)
        is_over_before = rest.of is not None and before is not None and not _holds(before)  # while this waited
        if replaced.status is not Status.SUPERSEDED or is_over_before or _is_believed(base, rest.draft):
            continue
        draft = _with_free_key(base, rest.draft, taken)
        taken.add(draft.key)
        rows = tuple(replace(row, wording=draft.text) for row in assertions(changes.evidence(replaced.id)))
        record = create_record(
            record_id_of(proposal.id, f"rest of {replaced.id}"),
            replace(draft, attributes={**draft.attributes, KEPT_FROM: replaced.id}),
            rows,
            status=step(None, Event.ALLOW),
            now=now,
            made_by=proposal.made_by,
        )
        changes.put(replace(record, approved_by=replaced.approved_by), rows)


def _is_believed(base: BaseView, draft: Draft) -> bool:
    same = base.with_content(draft.namespace, content_hash(draft.text))
    return any(_holds(one) and (one.scope, one.side) == (draft.scope, draft.side) for one in same)


def _with_free_key(base: BaseView, draft: Draft, taken: set[str]) -> Draft:
    of_key = base.with_key(draft.namespace, draft.scope, draft.side, draft.key)
    if draft.key not in taken and not any(map(_holds, of_key)):
        return draft
    return replace(draft, key=with_digest(draft.key, content_hash(draft.text)))


def _holds(record: Record) -> bool:
    return record.status is Status.ACTIVE
