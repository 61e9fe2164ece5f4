"""Erasure on request: records, episodes or a conversation, verified afterwards in the bytes of the data files.

Takes: names and a reviewer. Gives: a receipt that says what was erased, what still speaks of it, and which backups and
exports hold the words. Never: claims to have erased what it did not verify.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from dopejar.engine.corrections.checkpoint import forget_one_offs
from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.erased_bytes import note_scrub, scrub
from dopejar.engine.exchange.backups import known_backups, known_exports
from dopejar.engine.held_words import blank_lines, conversation_names, forget_derived, note_rows, texts_in
from dopejar.engine.lookup import find_conversation, find_record
from dopejar.engine.results import ErasureReceipt
from dopejar.engine.review.erasure_echoes import Echo, ErasureSubject, Place, find_echoes, subject_of
from dopejar.engine.review.reviewer_actions import commit_action
from dopejar.engine.unit_of_work import commit
from dopejar.errors import InputError, StoreError
from dopejar.memory.erased_turn_copies import is_known_by_words
from dopejar.memory.tombstones import KEY, SOURCE, TEXT, TURN, key_digest, keyed_digest, text_digest
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.text.normalisation import content_hash, fold
from dopejar.values.episode import ERASED_MARK, Episode
from dopejar.values.ids import EpisodeId, ProposalId, TraceId
from dopejar.values.proposal import Erase, Proposal
from dopejar.values.recall import RecordFilter
from dopejar.values.receipt import Receipt
from dopejar.values.record import Status
from dopejar.values.verdict import Allow
from dopejar.values.versioned_rows import NOTES, TURN_STATES

_NOT_ERASED = frozenset(Status) - {Status.ERASED}
_EVERY = 1_000_000
_SCAN_FILES = """
import json, pathlib, sys
request = json.load(sys.stdin)
needles = [text.encode("utf-8", "surrogatepass") for text in request["needles"]]
matches = []
for name in request["files"]:
    data = pathlib.Path(name).read_bytes()
    if any(needle in data for needle in needles):
        matches.append(name)
json.dump(matches, sys.stdout)
"""


def preview_echoes(
    deps: Dependencies,
    *,
    records: Sequence[str] = (),
    episodes: Sequence[EpisodeId] = (),
    conversation: str = "",
) -> tuple[Echo, ...]:
    """What would still speak of these after their erasure. Raises NotFoundError where a name fits nothing."""
    with deps.store.read() as view:
        targets = [find_record(view, name) for name in records]
        subject = subject_of(view, targets, episodes, find_conversation(view, conversation) if conversation else None)
        return find_echoes(view, subject)


def erase(
    deps: Dependencies,
    by: Reviewer,
    trace_id: TraceId,
    *,
    records: Sequence[str] = (),
    episodes: Sequence[EpisodeId] = (),
    conversation: str = "",
    echoes: Sequence[Echo] = (),
) -> ErasureReceipt:
    """Erase records with the spans they rest on, episodes, or a conversation; then search the files for the words.

    `echoes` are places of `preview_echoes` that are erased with them.

    Raises:
        NotFoundError: a name fits nothing. InputError: nothing is named.
    """
    if not records and not episodes and not conversation:
        raise InputError("Say what to erase: memories, episodes, or a conversation.")
    of = {place: [echo.id for echo in echoes if echo.place is place] for place in Place}
    with deps.store.write() as tx:
        targets = [find_record(tx, name) for name in dict.fromkeys((*records, *of[Place.MEMORY]))]
        turns = tuple(dict.fromkeys((*episodes, *(EpisodeId(name) for name in of[Place.TURN]))))
        conversation_id = find_conversation(tx, conversation) if conversation else None
        subject = subject_of(tx, targets, turns, conversation_id)
        proposals = tuple(ProposalId(name) for name in of[Place.PROPOSAL])
        payload = Erase(episodes=turns, proposals=proposals, conversation=conversation_id)
        with _noted(deps, tx, subject):
            receipt = commit_action(deps, tx, payload, targets, by, trace_id)
        _drop_held_echoes(tx, echoes)
        head = tx.head()
    not_scrubbed = scrub(deps)
    with deps.store.read() as view:
        left = find_echoes(view, subject)
    found_in = _files_containing(deps, _texts_nowhere(subject, left))
    return ErasureReceipt(
        act_id=receipt.act_id,
        records=tuple(record.id for record in receipt.records),
        episodes_blanked=receipt.episodes_blanked,
        at=deps.clock.now(),
        verified=not found_in and not not_scrubbed and not any(echo.is_verbatim for echo in left),
        not_scrubbed=not_scrubbed,
        still_found_in=found_in,
        echoes=left,
        backups=known_backups(deps),
        exports=known_exports(deps),
        ledger=head,
    )


def commit_erasure(deps: Dependencies, tx: WriteTransaction, proposal: Proposal, verdict: Allow) -> Receipt:
    """Commit an approved erasure; whoever approves it scrubs the file afterwards."""
    records = tx.records(tuple(target.record_id for target in proposal.record_targets))
    episodes = proposal.payload.episodes if isinstance(proposal.payload, Erase) else ()
    with _noted(deps, tx, subject_of(tx, tuple(records.values()), episodes, None)):
        return commit(tx, proposal, verdict, deps.clock.now())


@contextmanager
def _noted(deps: Dependencies, tx: WriteTransaction, subject: ErasureSubject) -> Iterator[None]:
    """After the erasure in the block, drop what was made of its words, and note that bytes are to be taken out."""
    conversations = {episode.conversation for episode in tx.episodes(tuple(subject.touched)).values()}
    names = conversation_names(tx, subject.touched)  # which an erasure of a whole conversation blanks
    yield
    forget_one_offs(tx, sorted(conversations))
    forget_derived(tx, sorted(names), subject.texts)
    if deps.store.file is not None:
        note_scrub(tx, deps.clock.now())


def _drop_held_echoes(tx: WriteTransaction, echoes: Sequence[Echo]) -> None:
    for echo in echoes:
        if echo.place is Place.WORKING_SET:
            tx.drop_working_set(echo.id, echo.lane_id)
        if echo.place is Place.REFERENCE:
            tx.drop_reference(echo.id)
        if echo.place is Place.NOTE:
            blank_lines(tx, f"{NOTES}{echo.space}", echo.id, echo.text.split("\n"))
        if echo.place is Place.GOAL:
            blank_lines(tx, TURN_STATES, echo.id, echo.text.split("\n"))


def _texts_nowhere(subject: ErasureSubject, echoes: Sequence[Echo]) -> set[str]:
    """The erased texts that no echo holds: their bytes must be gone."""
    kept = [fold(echo.text) for echo in echoes if echo.is_verbatim]
    return {text for text in subject.texts if not any(fold(text) in other for other in kept)}


def _files_containing(deps: Dependencies, texts: set[str]) -> tuple[str, ...]:
    """Names of the store's files that still hold one of the texts in their raw bytes."""
    if deps.store.file is None:
        return ()
    path = deps.store.file.path
    needles = sorted({needle for text in texts for needle in (text, fold(text))})
    siblings = sorted(path.parent.glob(f"{path.name}*"))
    files = [str(file) for file in siblings if file.is_file() and file.suffix != ".lock"]
    # a process of its own reads them: closing a file that a connection has open would drop the connection's locks
    scan = subprocess.run(  # noqa: S603 - our own interpreter runs our own few lines
        [sys.executable, "-I", "-c", _SCAN_FILES],
        input=json.dumps({"files": files, "needles": needles}),
        capture_output=True,
        text=True,
        check=False,
    )
    if scan.returncode:
        raise StoreError("The files could not be searched after the erasure. Run `dopejar doctor`, then erase again.")
    return tuple(Path(name).name for name in json.loads(scan.stdout))


def erase_buried(deps: Dependencies, secret: bytes, by: Reviewer, trace_id: TraceId) -> int:
    """Erase everything that the store's own tombstones name, in notes too; how many records and turns were erased."""
    with deps.store.write() as tx:
        where = RecordFilter(statuses=tuple(_NOT_ERASED), namespace=None)
        records = [
            record
            for record in tx.list_records(where, _EVERY)
            if tx.has_tombstone(TEXT, (text_digest(secret, record.text),))
            or (record.value and tx.has_tombstone(KEY, (key_digest(secret, record.key, record.value),)))
        ]
        episodes = [
            turn.id
            for conversation in tx.conversations(_EVERY)
            for turn in tx.turns(conversation.id)
            if turn.text != ERASED_MARK and _is_buried(tx, secret, turn)
        ]
        subject = subject_of(tx, records, episodes, None)
        names = conversation_names(tx, subject.touched)
        if records or episodes:
            commit_action(deps, tx, Erase(episodes=tuple(episodes)), records, by, trace_id)
        _blank_buried_notes(tx, secret)
        forget_derived(tx, sorted(names), subject.texts)
    return len(records) + len(episodes)


def _blank_buried_notes(tx: WriteTransaction, secret: bytes) -> None:
    """Blank what is an erased text as a whole: a text of a note, or a line of one."""
    for row in tuple(note_rows(tx)):
        gone: set[str] = set()
        for text in texts_in(row):
            for part in (text, *text.split("\n")):
                marks = ((TEXT, text_digest(secret, part)), (TURN, keyed_digest(secret, TURN, content_hash(part))))
                if part.strip() and any(tx.has_tombstone(kind, (digest,)) for kind, digest in marks):
                    gone.update(line for line in part.split("\n") if line.strip())
        blank_lines(tx, row.kind, row.key, gone)


def _is_buried(view: ReadView, secret: bytes, turn: Episode) -> bool:
    """Whether the whole turn was erased, under its id or in a copy."""
    if view.has_tombstone(SOURCE, (keyed_digest(secret, SOURCE, turn.id),)):
        return True
    return is_known_by_words(turn) and bool(view.has_tombstone(TEXT, (text_digest(secret, turn.text),)))
