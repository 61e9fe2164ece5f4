"""The doctor: faults in the data file, its projections and the ledger.

Takes: a store. Gives: a report, and repaired projections where asked. Never: repairs what cannot be rebuilt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.erased_bytes import scrub, scrub_due_since
from dopejar.engine.results import DoctorReport
from dopejar.engine.review.settings_acceptance import settings_faults
from dopejar.engine.unit_of_work import extract_edges
from dopejar.errors import DopejarError, LedgerBrokenError
from dopejar.memory.ledger import find_altered_records, verify
from dopejar.memory.projections import refill_text_index, refresh_edges, stale_edges
from dopejar.ports.store import Fault, ReadView
from dopejar.text.normalisation import content_hash
from dopejar.values.digests import sha256_hex
from dopejar.values.proposal import ProposalState
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status

_EVERYTHING = 1_000_000
_SHOWN = 5  # ids named in a message


def run_doctor(deps: Dependencies, *, repair: bool) -> DoctorReport:
    """Check the file, its projections and the ledger; with `repair`, rebuild what can be rebuilt."""
    file = deps.store.file
    faults = list(file.check()) if file is not None else []
    entries, scrub_due = 0, None
    if repair:
        scrub(deps)
    try:
        with deps.store.read() as view:
            scrub_due = scrub_due_since(view)
            entries = verify(view).entries
            faults += _altered_texts(view)
            faults += _stale_edges(view)
            faults += _waiting_out_of_step(view)
            faults += settings_faults(deps, view)
    except LedgerBrokenError as broken:
        faults.append(Fault(what="ledger", detail=str(broken), repairable=False))
    except DopejarError as error:
        faults.append(Fault(what="store", detail=str(error), repairable=False))
    mended: tuple[Fault, ...] = ()
    if repair and any(fault.repairable for fault in faults):
        mended = tuple(fault for fault in faults if fault.repairable)
        faults = [fault for fault in faults if not fault.repairable] + _repair(deps)
    return DoctorReport(
        faults=tuple(dict.fromkeys(faults)), mended=mended, ledger_entries=entries, scrub_due_since=scrub_due
    )


def _repair(deps: Dependencies) -> list[Fault]:
    """Rebuild what can be rebuilt; the faults that the file still has."""
    file = deps.store.file
    if file is not None:
        file.repair()
    with deps.store.write() as tx:
        refill_text_index(tx)
        refresh_edges(tx, extract_edges)
    return list(file.check()) if file is not None else []


def _stale_edges(view: ReadView) -> Iterator[Fault]:
    """Records whose stored edges are not those that their words say."""
    records = [record_id for record_id, _ in stale_edges(view, extract_edges)]
    if records:
        yield Fault(
            what="edges",
            detail=f"{len(records)} records have edges that do not match their text: {_some(records)}",
            repairable=True,
        )


def _waiting_out_of_step(view: ReadView) -> Iterator[Fault]:
    """Staged records that nobody would be asked about, and waiting proposals whose record is decided."""
    staged = {one.id for one in view.list_records(RecordFilter(statuses=(Status.STAGED,), namespace=None), _EVERYTHING)}
    waiting = {one.record_id for one in view.proposals((ProposalState.STAGED,), _EVERYTHING) if one.record_id}
    for ids, words in (
        (staged - waiting, "records are staged while no proposal of theirs waits"),
        (waiting - staged, "proposals wait although their record is no longer staged"),
    ):
        if ids:
            detail = f"{len(ids)} {words}: {_some(sorted(ids))}"
            yield Fault(what="proposals", detail=detail, repairable=False)


def _altered_texts(view: ReadView) -> Iterator[Fault]:
    """Memories and turns whose text is not the one that was committed: somebody wrote into the file."""
    secret = view.meta("secret") or ""
    records = find_altered_records(view, bytes.fromhex(secret))
    if records:
        yield Fault(
            what="records",
            detail=f"{len(records)} memories do not match the ledger: {_some(records)}",
            repairable=False,
        )
    turns = [
        turn.id
        for conversation in view.conversations(_EVERYTHING)
        for turn in view.turns(conversation.id)
        if turn.content_hash not in (sha256_hex(turn.text), content_hash(turn.text))
    ]
    if turns:
        yield Fault(
            what="episodes",
            detail=f"{len(turns)} turns do not match their stored hash: {_some(turns)}",
            repairable=False,
        )


def _some(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_SHOWN]) + (", ..." if len(ids) > _SHOWN else "")
