"""Writing records, episodes, proposals and the ledger, with their index rows, states and outbox lines.

Takes: values that `memory` computed. Gives: rows. Never: decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.codec import (
    CONVERSATION_COLUMNS,
    EPISODE_COLUMNS,
    EVIDENCE_COLUMNS,
    LEDGER_COLUMNS,
    RECORD_FIELDS,
    Cell,
    conversation_row,
    dumps,
    episode_row,
    evidence_row,
    ledger_row,
    record_row,
    when,
)
from dopejar.adapters.sqlite.graph import GraphWrites
from dopejar.adapters.sqlite.session import listed, marks
from dopejar.adapters.sqlite.trace import PROPOSAL_COLUMNS, TraceReads
from dopejar.errors import LedgerBrokenError, StaleProposalError, StoreError
from dopejar.text.words import index_terms
from dopejar.values.recall import Source
from dopejar.values.record import EvidenceRole, Record, Status

if TYPE_CHECKING:
    from dopejar.ports.store import Outbox, Tombstone
    from dopejar.values.episode import Conversation, Episode
    from dopejar.values.ids import ActId, EpisodeId, RecordId
    from dopejar.values.ledger import LedgerEntry
    from dopejar.values.proposal import Proposal
    from dopejar.values.record import Evidence

_SIGNS: Final = re.compile(r"[-_.:#/]+")  # what joins the parts of a key
_STORED: Final = tuple(name for name in RECORD_FIELDS if name != "access_count")
_ATTRIBUTES: Final = _STORED.index("attributes")
_SHOWN_COUNT: Final = RECORD_FIELDS.index("access_count")
_INSERT_RECORD: Final = (
    f"INSERT INTO records ({', '.join(_STORED)}, chain, assertions) VALUES ({marks(len(_STORED) + 1)}, 0)"
)
_COUNT_ASSERTIONS: Final = (
    "UPDATE records SET assertions = (SELECT count(DISTINCT episode_id) FROM evidence"
    " WHERE record_id = ?1 AND role = 'asserts') WHERE id = ?1"
)
_UPDATE_RECORD: Final = f"UPDATE records SET {', '.join(f'{name} = ?' for name in _STORED)}, chain = ? WHERE rowid = ?"
_CLOSE_STATE: Final = "UPDATE record_states SET to_seq = ?1 WHERE record_id = ?2 AND to_seq IS NULL AND from_seq < ?1"
_OPEN_STATE: Final = (
    "INSERT INTO record_states (record_id, from_seq, act_id, status, valid_from, valid_to, image)"
    " VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (record_id, from_seq) DO UPDATE SET act_id = excluded.act_id,"
    " status = excluded.status, valid_from = excluded.valid_from, valid_to = excluded.valid_to, image = excluded.image"
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
_INDEX_EPISODE: Final = "INSERT INTO episodes_text (rowid, terms) VALUES (?, ?)"
_INDEX_RECORD: Final = "INSERT INTO records_text (rowid, terms) VALUES (?, ?)"
_OUTBOX: Final = "INSERT INTO outbox (kind, owner, owner_id) VALUES ('embed', ?, ?)"


def terms_of_record(text: str, key: str) -> str:
    """What full text holds of a record: the terms of its words and of its key's words."""
    return " ".join(index_terms(f"{text} {_SIGNS.sub(' ', key)}" if key else text))


def terms_of_episode(text: str) -> str:
    """What full text holds of an episode."""
    return " ".join(index_terms(text))


class Recording(GraphWrites, TraceReads):
    """The part of `ports.store.WriteTransaction` that keeps beliefs and the trace."""

    _has_changed_vectors = False

    def put_record(self, record: "Record", act_id: "ActId", seq: int) -> None:
        """Insert or replace a record as of a ledger entry: its row, its state, its index rows, its outbox line.

        Raises StaleProposalError where another active record already holds the present of its key.
        """
        image = record_row(record)
        stored = [*image[:_SHOWN_COUNT], *image[_SHOWN_COUNT + 1 :], record.chain]
        before = self._row(
            "SELECT rowid, text, key, content_hash, status, attributes FROM records WHERE id = ?", (record.id,)
        )
        try:
            if before is None:
                self._rows(_INSERT_RECORD, stored)
                rowid = self._connection.last_insert_rowid()
                if self._row("SELECT 1 FROM evidence WHERE record_id = ? LIMIT 1", (record.id,)):
                    self._rows(_COUNT_ASSERTIONS, (record.id,))
            else:
                rowid = cast("int", before[0])
                self._rows(_UPDATE_RECORD, (*stored, rowid))
        except StoreError as fault:
            if "UNIQUE" not in str(fault.__cause__):
                raise
            raise StaleProposalError(
                f"Another active record already holds the key {record.key!r} in {record.scope}. Read it, then"
                " supersede or reinforce it."
            ) from fault
        if before is not None:
            self._rows(_CLOSE_STATE, (seq, record.id))
        self._put_state(record, dumps(image), act_id, seq)
        if before is None or before[1:3] != (record.text, record.key):
            self._index_record(rowid, record, is_new=before is None)
        if before is None or (before[1], *before[4:]) != (record.text, record.status.value, stored[_ATTRIBUTES]):
            self._renew_edges(record, is_new=before is None)
        if before is None or before[3] != record.content_hash or before[1] != record.text:
            self._renew_vector(Source.RECORD, rowid, record.id, has_text=bool(record.text), is_new=before is None)

    def _put_state(self, record: "Record", image: str, act_id: "ActId", seq: int) -> None:
        self._rows(
            _OPEN_STATE,
            (
                record.id,
                seq,
                act_id,
                record.status.value,
                when(record.valid_from),
                None if record.valid_to is None else when(record.valid_to),
                image,
            ),
        )

    def _index_record(self, rowid: int, record: "Record", *, is_new: bool) -> None:
        if not is_new:
            self._rows("DELETE FROM records_text WHERE rowid = ?", (rowid,))
        if record.text and record.status is not Status.ERASED:
            self._rows(_INDEX_RECORD, (rowid, terms_of_record(record.text, record.key)))

    def _renew_vector(self, owner: Source, rowid: int, owner_id: str, *, has_text: bool, is_new: bool = False) -> None:
        """Drop the vectors of an older text; a new text waits for its own."""
        if not is_new:
            self._drop_where("owner = ? AND owner_row = ?", (owner.value, rowid))
        if has_text:
            self._rows(_OUTBOX, (owner.value, owner_id))

    def _drop_where(self, condition: str, values: "Sequence[Cell]") -> None:
        """Remove vectors, and tell the caches of every process."""
        if self._run(f"INSERT INTO vector_drops (number) SELECT number FROM vectors WHERE {condition}", values):
            self._rows(f"DELETE FROM vectors WHERE {condition}", values)
            self._has_changed_vectors = True

    def put_evidence(self, record_id: "RecordId", evidence: "Sequence[Evidence]") -> None:
        """Replace what the record rests on."""
        self._rows("DELETE FROM evidence WHERE record_id = ?", (record_id,))
        self._run_many(
            _INSERT_EVIDENCE,
            [(record_id, place, *evidence_row(one)) for place, one in enumerate(evidence)],
        )
        asserting = len({one.episode_id for one in evidence if one.role is EvidenceRole.ASSERTS})
        self._rows("UPDATE records SET assertions = ? WHERE id = ?", (asserting, record_id))

    def put_proposal(self, proposal: "Proposal") -> None:
        """Insert or replace a proposal."""
        from dopejar.adapters.sqlite.payloads import proposal_row  # loaded with the first one

        self._rows(
            _PUT_PROPOSAL,
            proposal_row(proposal),
        )
        links: set[tuple[str, str]] = {(one.episode_id, "episode") for one in proposal.evidence}
        links |= {(target.record_id, "target") for target in proposal.record_targets}
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

    def put_tombstones(self, stones: "Iterable[Tombstone]") -> None:
        """Bury digests; one that is buried keeps its time."""
        self._run_many(
            "INSERT OR IGNORE INTO tombstones (kind, digest, at) VALUES (?, ?, ?)",
            [(stone.kind, stone.digest, when(stone.at)) for stone in stones],
        )

    def put_conversation(self, conversation: "Conversation") -> None:
        """Insert or replace the row of a conversation."""
        self._rows(_PUT_CONVERSATION, conversation_row(conversation))

    def append_episodes(self, episodes: "Sequence[Episode]") -> int:
        """Append those that are not there yet, with their index rows and outbox lines; how many were new."""
        wanted = {episode.id: episode for episode in reversed(episodes)}  # of two with one id, the first counts
        there = self._texts("SELECT id FROM episodes WHERE id IN (SELECT value FROM json_each(?))", (listed(wanted),))
        for one in cast("list[EpisodeId]", there):
            del wanted[one]
        first = self._number("SELECT max(rowid) FROM episodes") + 1
        new = list(enumerate(reversed(wanted.values()), first))
        self._run_many(_INSERT_EPISODE, [(*episode_row(episode), rowid) for rowid, episode in new])
        self._run_many(
            _INDEX_EPISODE, [(rowid, terms_of_episode(episode.text)) for rowid, episode in new if episode.text]
        )
        self._run_many(_OUTBOX, [(Source.EPISODE.value, episode.id) for _, episode in new if episode.text])
        return len(new)

    def done(self, work: "Sequence[Outbox]") -> None:
        """Remove finished lines from the outbox."""
        self._run_many("DELETE FROM outbox WHERE seq = ?", [(line.seq,) for line in work])

    def rebuild_text_index(self) -> int:
        """Drop and rebuild the full-text rows of records and episodes; how many rows."""
        for table in ("records_text", "episodes_text"):
            # made anew rather than emptied: a damaged index cannot be trusted to empty itself
            ((made,),) = self._rows("SELECT sql FROM sqlite_master WHERE name = ?", (table,))
            self._rows(f"DROP TABLE {table}")
            self._rows(cast("str", made))
        records = self._rows("SELECT rowid, text, key FROM records WHERE text <> '' AND status <> 'erased'")
        self._run_many(
            _INDEX_RECORD, ((row[0], terms_of_record(cast("str", row[1]), cast("str", row[2]))) for row in records)
        )
        count, last = len(records), 0
        while rows := self._rows(
            "SELECT rowid, text FROM episodes WHERE rowid > ? AND text <> '' ORDER BY rowid LIMIT 5000", (last,)
        ):
            self._run_many(_INDEX_EPISODE, ((row[0], terms_of_episode(cast("str", row[1]))) for row in rows))
            count, last = count + len(rows), cast("int", rows[-1][0])
        return count
