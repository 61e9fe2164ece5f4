"""A reviewer's word that a row which was altered outside the program stands as it is.

Takes: a row as the doctor names it, and a reviewer. Gives: its digest, and what follows from its words, made anew; an
entry in the ledger. Never: changes a value of the row but its version.
"""

from __future__ import annotations

from dataclasses import replace

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.review.reviewer_sessions import require_reviewer
from dopejar.engine.unit_of_work import extract_edges
from dopejar.errors import NotFoundError
from dopejar.memory.commit import secret_of
from dopejar.memory.governance_acts import GovernanceAction, record_governance
from dopejar.memory.ledger import record_digest
from dopejar.memory.record_writer import write_record
from dopejar.ports.store import WriteTransaction
from dopejar.text.normalisation import content_hash
from dopejar.text.words import episode_terms
from dopejar.values.ids import EpisodeId, RecordId, TraceId, new_act_id
from dopejar.values.recall import Source
from dopejar.values.record import Record

_OF_IDS = frozenset({"conversations", "episodes", "proposals"})  # whose rows are named by ids, not by words


def accept_row(deps: Dependencies, name: str, by: Reviewer, trace_id: TraceId) -> None:
    """Accept an altered row, named `TABLE:ROW`; an altered memory gets a new version, which history shows.

    Raises:
        NotFoundError: the doctor names no such row. ReviewerRequiredError. StoreDamagedError: it cannot be read.
    """
    table, _, row = name.partition(":")
    with deps.store.write() as tx:
        require_reviewer(tx, by, deps.system_clock.now())
        if not tx.accept_altered_row(table, row):
            raise NotFoundError(f"The doctor names no altered row {name!r}. Give TABLE:ROW as `dopejar doctor` does.")
        record = _accepted_record(tx, RecordId(row)) if table == "records" else None
        last = tx.entries_about(row)[-1].to_digest if record and tx.entries_about(row) else ""
        act_id = new_act_id()
        seq = record_governance(
            tx,
            GovernanceAction.ROW_ACCEPTED,
            row if record or table in _OF_IDS else f"row:{table}",
            now=deps.clock.now(),
            trace_id=trace_id,
            proposer=by.name,
            approver=by.name,
            digests=(last, record_digest(secret_of(tx), record)),
            act_id=act_id,
        )
        if record is not None:
            write_record(tx, None, record, act_id, seq, extract_edges)
        if table == "episodes":
            _rewrite_turn(tx, EpisodeId(row))


def _accepted_record(tx: WriteTransaction, record_id: RecordId) -> Record | None:
    record = tx.record(record_id)
    if record is None:  # it was removed
        return None
    digest = content_hash(record.text) if record.text else record.content_hash
    return replace(record, version=record.version + 1, content_hash=digest)


def _rewrite_turn(tx: WriteTransaction, episode_id: EpisodeId) -> None:
    turn = tx.episode(episode_id)
    if turn is not None:
        tx.rewrite_episode(turn.id, turn.text, content_hash(turn.text), is_nameless=False)
        tx.put_terms(Source.EPISODE, [(turn.id, episode_terms(turn.text))])
