"""Writes records, states, evidence, episodes, proposals, the ledger, full-text terms and the outbox.

Takes: values that `memory` computed. Gives: rows. Never: decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.codec import (
    CONVERSATION_COLUMNS,
    EPISODE_COLUMNS,
    EVIDENCE_COLUMNS,
    RECORD_FIELDS,
    Cell,
    conversation_row,
    episode_row,
    evidence_row,
    image_of,
    record_row,
    when,
    when_or_none,
)
from dopejar.adapters.sqlite.episodes import PROPOSAL_COLUMNS, EpisodeReads
from dopejar.adapters.sqlite.graph import GraphWrites
from dopejar.adapters.sqlite.ledger_codec import LEDGER_COLUMNS, ledger_row
from dopejar.adapters.sqlite.row_digests import (
    CONVERSATIONS,
    EPISODES,
    EVIDENCE,
    PROPOSALS,
    RECORDS,
    STATES,
    TOMBSTONES,
    RowDigestWrites,
)
from dopejar.adapters.sqlite.transaction import listed, marks
from dopejar.errors import LedgerBrokenError, NotFoundError, StaleProposalError, StoreError
from dopejar.values.recall import Source
from dopejar.values.record import EvidenceRole

if TYPE_CHECKING:
    from dopejar.ports.store import Outbox, Tombstone
    from dopejar.values.episode import Conversation, Episode
    from dopejar.values.ids import EpisodeId, RecordId
    from dopejar.values.ledger import LedgerEntry
    from dopejar.values.proposal import Proposal
    from dopejar.values.record import Evidence, Record, RecordState

_STORED: Final = tuple(name for name in RECORD_FIELDS if name != "access_count")
_SHOWN_COUNT: Final = RECORD_FIELDS.index("access_count")
_INSERT_RECORD: Final = (
    f"INSERT INTO records ({', '.join(_STORED)}, chain, assertions) VALUES ({marks(len(_STORED) + 1)}, 0)"
)
_COUNT_ASSERTIONS: Final = (
    "UPDATE records SET assertions = (SELECT count(DISTINCT episode_id) FROM evidence"
    " WHERE record_id = ?1 AND role = 'asserts') WHERE id = ?1"
)
_UPDATE_RECORD: Final = f"UPDATE records SET {', '.join(f'{name} = ?' for name in _STORED)}, chain = ? WHERE rowid = ?"
_FIND_STATE: Final = "SELECT rowid FROM record_states WHERE record_id = ? AND from_seq = ?"
_CLOSE_STATE: Final = "UPDATE record_states SET to_seq = ?1 WHERE record_id = ?2 AND to_seq IS NULL AND from_seq < ?1"
_PUT_STATE: Final = (
    "INSERT INTO record_states (record_id, from_seq, to_seq, act_id, status, valid_from, valid_to, image)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (record_id, from_seq) DO UPDATE SET to_seq = excluded.to_seq,"
    " act_id = excluded.act_id, status = excluded.status, valid_from = excluded.valid_from,"
    " valid_to = excluded.valid_to, image = excluded.image"
)
_INSERT_EVIDENCE: Final = f"INSERT INTO evidence (record_id, place, {EVIDENCE_COLUMNS}) VALUES ({marks(12)})"
_PUT_PROPOSAL: Final = f"INSERT OR REPLACE INTO proposals ({PROPOSAL_COLUMNS}) VALUES ({marks(22)})"
_INSERT_ENTRY: Final = f"INSERT INTO ledger ({LEDGER_COLUMNS}) VALUES ({marks(17)})"
_CONVERSATION: Final = CONVERSATION_COLUMNS.split(", ")
_PUT_CONVERSATION: Final = (
    f"INSERT INTO conversations ({CONVERSATION_COLUMNS}) VALUES ({marks(len(_CONVERSATION))})"
    f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _CONVERSATION[1:])}"
)
_INSERT_EPISODE: Final = f"INSERT INTO episodes ({EPISODE_COLUMNS}, rowid) VALUES ({marks(17)})"
_HAS_TEXT: Final = {Source.RECORD: "text <> '' AND status <> 'erased'", Source.EPISODE: "text <> ''"}
_OUTBOX: Final = "INSERT INTO outbox (kind, owner, owner_id) VALUES ('embed', ?, ?)"


class RowWriter(RowDigestWrites, GraphWrites, EpisodeReads):
    """The part of `ports.store.WriteTransaction` for records, trace, proposals, ledger, full text and outbox."""

    _has_changed_vectors = False

    def put_record(self, record: "Record") -> None:
        """Insert or replace the row of a record; vectors and outbox follow its text.

        Raises StaleProposalError where another active record already holds the present of its key.
        """
        row = record_row(record)
        stored = [*row[:_SHOWN_COUNT], *row[_SHOWN_COUNT + 1 :], record.chain]
        before = self._row("SELECT rowid, text, content_hash FROM records WHERE id = ?", (record.id,))
        try:
            if before is None:
                self._rows(_INSERT_RECORD, stored)
                rowid = self._connection.last_insert_rowid()
                self.touch_new(RECORDS, rowid)
                self._new_records.add(record.id)
                if self._row("SELECT 1 FROM evidence WHERE record_id = ? LIMIT 1", (record.id,)):
                    self._rows(_COUNT_ASSERTIONS, (record.id,))
            else:
                rowid = cast("int", before[0])
                self.touch(RECORDS, rowid)
                self._rows(_UPDATE_RECORD, (*stored, rowid))
        except StoreError as fault:
            if "UNIQUE" not in str(fault.__cause__):
                raise
            raise StaleProposalError(
                f"Another active record already holds the key {record.key!r} in {record.scope}. Read it, then"
                " supersede or reinforce it."
            ) from fault
        if before is None or before[1:] != (record.text, record.content_hash):
            self._renew_vector(Source.RECORD, rowid, record.id, has_text=bool(record.text), is_new=before is None)

    def put_state(self, state: "RecordState") -> None:
        """Insert or replace the state that begins at `from_seq`; an earlier state that is still open ends there."""
        record = state.record
        there = self._row(_FIND_STATE, (record.id, state.from_seq))
        if there is not None:
            self.touch(STATES, there[0])
        self._rows(_CLOSE_STATE, (state.from_seq, record.id))
        self._rows(
            _PUT_STATE,
            (
                record.id,
                state.from_seq,
                state.to_seq,
                state.act_id,
                record.status.value,
                when(record.valid_from),
                when_or_none(record.valid_to),
                image_of(record),
            ),
        )
        if there is None:
            self.touch_new(STATES, self._connection.last_insert_rowid())

    def _renew_vector(self, owner: Source, rowid: int, owner_id: str, *, has_text: bool, is_new: bool = False) -> None:
        """Drop the vectors of an older text; a new text waits for its own, an empty one for none."""
        if not is_new:
            self._drop_where("owner = ? AND owner_row = ?", (owner.value, rowid))
            if not has_text or owner is Source.EPISODE:
                self._rows("DELETE FROM outbox WHERE owner = ? AND owner_id = ?", (owner.value, owner_id))
        if has_text:
            self._rows(_OUTBOX, (owner.value, owner_id))

    def _drop_where(self, condition: str, values: "Sequence[Cell]") -> None:
        """Remove vectors, and list them for the caches of every process."""
        if self._run(f"INSERT INTO vector_drops (number) SELECT number FROM vectors WHERE {condition}", values):
            self._rows(f"DELETE FROM vectors WHERE {condition}", values)
            self._has_changed_vectors = True

    def put_evidence(self, record_id: "RecordId", evidence: "Sequence[Evidence]") -> None:
        """Replace what the record rests on."""
        if record_id in self._new_records:
            self.touch_new(EVIDENCE, record_id)
        else:
            self.touch(EVIDENCE, record_id)
        self._rows("DELETE FROM evidence WHERE record_id = ?", (record_id,))
        self._run_many(
            _INSERT_EVIDENCE,
            [(record_id, place, *evidence_row(row)) for place, row in enumerate(evidence)],
        )
        asserting = len({row.episode_id for row in evidence if row.role is EvidenceRole.ASSERTS})
        self._rows("UPDATE records SET assertions = ? WHERE id = ?", (asserting, record_id))

    def put_proposal(self, proposal: "Proposal") -> None:
        """Insert or replace a proposal."""
        from dopejar.adapters.sqlite.proposal_codec import proposal_row  # loaded with the first proposal

        self.touch(PROPOSALS, proposal.id)
        self._rows(
            _PUT_PROPOSAL,
            proposal_row(proposal),
        )
        links: set[tuple[str, str]] = {(row.episode_id, "episode") for row in proposal.evidence}
        links |= {(target.record_id, "target") for target in proposal.record_targets}
        links |= {(record_id, "conflict") for record_id in proposal.signals.conflicts_with}
        if proposal.record_id:
            links.add((proposal.record_id, "record"))
        self._run_many(
            "INSERT OR IGNORE INTO proposal_links (ref, proposal_id, kind) VALUES (?, ?, ?)",
            [(ref, proposal.id, kind) for ref, kind in sorted(links)],
        )

    def append_ledger(self, entry: "LedgerEntry") -> None:
        """Append one entry. Raises LedgerBrokenError where its number or `previous` does not follow the head."""
        head = self.head()
        if entry.seq != head.seq + 1 or entry.previous != head.hash:
            raise LedgerBrokenError(
                f"Entry {entry.seq} does not follow the ledger's head {head.seq}; nothing was written. Read the head"
                " inside the transaction that appends."
            )
        self._rows(_INSERT_ENTRY, ledger_row(entry))
        self._new_head = entry.seq, entry.hash

    def put_tombstones(self, stones: "Iterable[Tombstone]") -> None:
        """Add tombstones; one that exists keeps its time."""
        added = list(stones)
        for stone in added:
            self.touch(TOMBSTONES, stone.kind, stone.digest)
        self._run_many(
            "INSERT OR IGNORE INTO tombstones (kind, digest, at) VALUES (?, ?, ?)",
            [(stone.kind, stone.digest, when(stone.at)) for stone in added],
        )

    def put_conversation(self, conversation: "Conversation") -> None:
        """Insert or replace the row of a conversation."""
        self.touch(CONVERSATIONS, conversation.id)
        self._rows(_PUT_CONVERSATION, conversation_row(conversation))

    def append_episodes(self, episodes: "Sequence[Episode]") -> "tuple[EpisodeId, ...]":
        """Append those that do not exist yet, each with an outbox line; the ids of the new ones."""
        wanted = {episode.id: episode for episode in reversed(episodes)}  # of two with one id, the first counts
        there = self._texts("SELECT id FROM episodes WHERE id IN (SELECT value FROM json_each(?))", (listed(wanted),))
        for episode_id in cast("list[EpisodeId]", there):
            del wanted[episode_id]
        first = self._number("SELECT max(rowid) FROM episodes") + 1
        new = list(enumerate(reversed(wanted.values()), first))
        rows = [(*episode_row(episode), rowid) for rowid, episode in new]
        self._run_many(_INSERT_EPISODE, rows)
        for row in rows:
            self.touch_new(EPISODES, row[-1], (row[-1], *row[:-1]))
        self._run_many(_OUTBOX, [(Source.EPISODE.value, episode.id) for _, episode in new if episode.text])
        return tuple(episode.id for _, episode in new)

    def rewrite_episode(
        self, episode_id: "EpisodeId", text: str, content_hash: str, *, is_nameless: bool = False
    ) -> None:
        """Replace the text of an episode after an erasure; its vectors go, and a text that is left waits for new ones.

        `is_nameless` takes away its speaker's name, its id in its source, and its note. Raises NotFoundError where
        there is no such episode.
        """
        row = self._row("SELECT rowid FROM episodes WHERE id = ?", (episode_id,))
        if row is None:
            raise NotFoundError(f"There is no episode {episode_id} to rewrite. Give the id of one that exists.")
        rowid = cast("int", row[0])
        self.touch(EPISODES, rowid)
        names = ", speaker = '', source_id = '', note = ''" if is_nameless else ""
        self._rows(
            f"UPDATE episodes SET text = ?, content_hash = ?{names} WHERE rowid = ?", (text, content_hash, rowid)
        )
        self._renew_vector(Source.EPISODE, rowid, episode_id, has_text=bool(text))

    def done(self, work: "Sequence[Outbox]") -> None:
        """Remove finished lines from the outbox."""
        self._run_many("DELETE FROM outbox WHERE seq = ?", [(line.seq,) for line in work])

    def put_terms(self, source: Source, terms: "Sequence[tuple[str, Sequence[str]]]") -> None:
        """Replace the full-text terms of records or episodes; one without a text has none."""
        table, words = f"{source.value}s_text", dict(terms)
        rows = cast(
            "list[tuple[str, int, int, int]]",
            self._rows(
                f"SELECT id, rowid, {_HAS_TEXT[source]}, rowid IN (SELECT id FROM {table}_docsize)"
                f" FROM {source.value}s WHERE id IN (SELECT value FROM json_each(?)) ORDER BY rowid",
                (listed(words),),
            ),
        )
        # ascending rows and plain VALUES: a DELETE, a SELECT or a step back makes FTS5 write a segment for each row
        self._run_many(f"DELETE FROM {table} WHERE rowid = ?", [(row[1],) for row in rows if row[3]])
        self._run_many(
            f"INSERT INTO {table} (rowid, terms) VALUES (?, ?)",
            [(rowid, " ".join(words[owner_id])) for owner_id, rowid, has_text, _ in rows if has_text],
        )

    def drop_terms(self) -> None:
        """Empty the full-text index."""
        for table in ("records_text", "episodes_text"):
            # recreated, not emptied: a damaged index may fail to empty itself
            ((statement,),) = self._rows("SELECT sql FROM sqlite_master WHERE name = ?", (table,))
            self._rows(f"DROP TABLE {table}")
            self._rows(cast("str", statement))
