"""A correction of one memory: what is right, proposed in its place.

Takes: a memory, the words that are right, and who says so. Gives: what became of them. Never: decides for a reviewer;
where the new words are about another concept, taking the wrong memory out of use is an act or a proposal of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker
from dopejar.engine.ingest.direct_statements import remember
from dopejar.engine.ingest.privacy import propose_removal
from dopejar.engine.ingest.subject_search import IN_USE
from dopejar.engine.lookup import find_record
from dopejar.engine.results import Remembered
from dopejar.engine.review.reviewer_actions import deprecate
from dopejar.engine.review.reviewer_sessions import require_reviewer
from dopejar.errors import InputError
from dopejar.text.normalisation import content_hash
from dopejar.values.ids import ProposalId, TraceId
from dopejar.values.receipt import Receipt
from dopejar.values.record import Record
from dopejar.values.scope import Project

_STATED: Final = frozenset({"staged", "added", "superseded"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Correction:
    """What became of a correction: the memory, what the new words proposed, and its removal where that is separate."""

    record: Record
    remembered: Remembered
    removal: tuple[Receipt, ...] = ()


def correct(
    deps: Dependencies,
    name: str,
    text: str,
    speaker: Speaker,
    trace_id: TraceId,
    *,
    by: Reviewer | None = None,
    dry_run: bool = False,
) -> Correction:
    """State a text in place of a memory, in the scope and namespace of that memory.

    Raises:
        NotFoundError, AmbiguousIdError: there is no such memory. InputError: it is not in use, or says the same.
        ReviewerRequiredError: `by` has no open session; nothing was kept.
    """
    with deps.store.read() as view:
        record = find_record(view, name)
        if by is not None:
            require_reviewer(view, by, deps.system_clock.now())
    if record.status not in IN_USE:
        raise InputError(f"{record.id} is {record.status}; only a memory in use can be corrected. Remember the text.")
    if content_hash(text) == record.content_hash:
        raise InputError(f"{record.id} says that already. Give the words that are right.")
    project = Project(id=record.scope.name, label=record.scope.name) if record.scope.kind == "project" else None
    remembered = remember(
        deps, text, speaker, trace_id, project=project, namespace=record.namespace, by=by, dry_run=dry_run
    )
    stated = [receipt.proposal_id for receipt in remembered.receipts if receipt.outcome in _STATED]
    changed = {one.id for receipt in remembered.receipts for one in receipt.records}
    if dry_run or not stated or record.id in changed or _is_target(deps, record, stated):
        return Correction(record=record, remembered=remembered)
    if by is not None and remembered.took_effect:
        removal: tuple[Receipt, ...] = (deprecate(deps, (record.id,), by, trace_id),)
    else:
        reason = f"It was said to be wrong; {stated[0]} says what is right"
        removal = propose_removal(deps, record, reason, speaker, trace_id)
    return Correction(record=record, remembered=remembered, removal=removal)


def _is_target(deps: Dependencies, record: Record, names: Sequence[ProposalId]) -> bool:
    """Whether one of the proposals replaces the memory itself."""
    with deps.store.read() as view:
        proposals = [view.proposal(name) for name in names]
    return any(target.record_id == record.id for one in proposals if one for target in one.record_targets)
