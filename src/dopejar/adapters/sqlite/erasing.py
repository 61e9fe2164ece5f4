"""Erasing: text goes, ids and statuses stay.

Takes: erased records and spans. Gives: rows without their words. Never: touches the ledger, which holds no words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.codec import RECORD_FIELDS, dumps
from dopejar.adapters.sqlite.payloads import without_words
from dopejar.adapters.sqlite.recording import Recording, terms_of_episode
from dopejar.errors import NotFoundError
from dopejar.text.normalise import content_hash
from dopejar.values.recall import Source

if TYPE_CHECKING:
    from dopejar.values.ids import ActId, EpisodeId, ProposalId, RecordId
    from dopejar.values.proposal import Proposal
    from dopejar.values.record import Evidence, Record

_BLANK: Final = {"text": "", "key": "", "slot": "", "value": "", "tags": "[]", "content_hash": "", "attributes": "{}"}
_BLANKED_FIELDS: Final = tuple((RECORD_FIELDS.index(name), blank) for name, blank in _BLANK.items())
_LINKED: Final = "SELECT DISTINCT proposal_id FROM proposal_links WHERE ref = ?"


def _overlaps(one: "Evidence", other: "Evidence") -> bool:
    return one.episode_id == other.episode_id and one.start < other.end and other.start < one.end


class Erasing(Recording):
    """The part of `ports.store.WriteTransaction` that forgets."""

    def blank_record(self, record: "Record", act_id: "ActId", seq: int) -> None:
        """Replace an erased record's text everywhere it stands: row, states, evidence wordings, proposals, index, vectors.

        The row and its new state take what `record` says but for its words, which are left out whatever it says.
        Raises NotFoundError where there is no such record.
        """
        row = self._row("SELECT rowid FROM records WHERE id = ?", (record.id,))
        if row is None:
            raise NotFoundError(f"There is no record {record.id} to erase. List the records and give one of their ids.")
        rowid = cast("int", row[0])
        rests_on = self.evidence(record.id)
        self._blank_proposals(record.id, rests_on)
        blank = replace(record, text="", key="", slot="", value="", tags=(), content_hash="", attributes={})
        self.put_record(blank, act_id, seq)
        self._blank_states(record.id)
        self._rows("UPDATE evidence SET wording = '' WHERE record_id = ?", (record.id,))
        self._rows("DELETE FROM records_text WHERE rowid = ?", (rowid,))
        self._rows("DELETE FROM uses WHERE record_row = ?", (rowid,))
        self._rows("UPDATE records SET last_accessed_at = NULL WHERE rowid = ?", (rowid,))
        self._rows("DELETE FROM outbox WHERE owner = ? AND owner_id = ?", (Source.RECORD.value, record.id))
        self._drop_vector(Source.RECORD, rowid)
        self.drop_edges_of(record.id)

    def _blank_states(self, record_id: "RecordId") -> None:
        rows = self._rows("SELECT from_seq, image FROM record_states WHERE record_id = ?", (record_id,))
        for from_seq, image in rows:
            fields = json.loads(cast("str", image))
            for at, blank in _BLANKED_FIELDS:
                fields[at] = blank
            self._rows(
                "UPDATE record_states SET image = ? WHERE record_id = ? AND from_seq = ?",
                (dumps(fields), record_id, from_seq),
            )

    def _blank_proposals(self, record_id: "RecordId", rests_on: "Iterable[Evidence]") -> None:
        """Blank the record's own proposals and those that read the same spans; of those that aim at it, the reasons."""
        own = {*self._linked(record_id, "record")}
        spans = tuple(rests_on)
        for episode_id in {one.episode_id for one in spans}:
            for proposal in self._linked(episode_id, "episode").values():
                if any(_overlaps(mine, theirs) for mine in spans for theirs in proposal.evidence):
                    own.add(proposal.id)
        for proposal_id in own:
            self._rewrite(proposal_id, without_words)
        for proposal_id in self._linked(record_id, "target"):
            if proposal_id not in own:
                self._rewrite(proposal_id, lambda proposal: replace(proposal, rationale="", reason=""))

    def _linked(self, ref: str, kind: str) -> "dict[ProposalId, Proposal]":
        ids = cast("list[ProposalId]", self._texts(f"{_LINKED} AND kind = ?", (ref, kind)))
        found = ((one, self.proposal(one)) for one in ids)
        return {one: proposal for one, proposal in found if proposal is not None}

    def _rewrite(self, proposal_id: "ProposalId", change: "Callable[[Proposal], Proposal]") -> None:
        proposal = self.proposal(proposal_id)
        if proposal is not None:
            self.put_proposal(change(proposal))

    def blank_span(self, episode_id: "EpisodeId", start: int, end: int, mark: str) -> None:
        """Replace a span of an episode by the mark, in text, index and vectors.

        Offsets count in the text as it stands now; evidence behind the span moves with its words, and what overlaps it
        loses its wording. Raises NotFoundError where there is no such episode.
        """
        row = self._row("SELECT rowid, text FROM episodes WHERE id = ?", (episode_id,))
        if row is None:
            raise NotFoundError(f"There is no episode {episode_id} to blank. Give the id of one that is there.")
        rowid, old = cast("tuple[int, str]", row)
        start, end = max(0, start), min(end, len(old))
        text = old[:start] + mark + old[end:]
        self._rows("UPDATE episodes SET text = ?, content_hash = ? WHERE rowid = ?", (text, content_hash(text), rowid))
        self._rows("DELETE FROM episodes_text WHERE rowid = ?", (rowid,))
        if text:
            self._rows("INSERT INTO episodes_text (rowid, terms) VALUES (?, ?)", (rowid, terms_of_episode(text)))
            self._queue_vector(Source.EPISODE, rowid, episode_id, is_new=False)
        else:
            self._drop_vector(Source.EPISODE, rowid)
        self._move_evidence(episode_id, start, end, len(mark))

    def _move_evidence(self, episode_id: "EpisodeId", start: int, end: int, length: int) -> None:
        rows = self._rows(
            "SELECT record_id, at, place, span_start, span_end, wording FROM evidence WHERE episode_id = ?",
            (episode_id,),
        )
        for record_id, at, place, first, last, wording in cast("list[tuple[str, str, int, int, int, str]]", rows):
            moved = _moved(first, last, start, end, length)
            words = "" if first < end and start < last else wording
            self._rows(
                "UPDATE evidence SET span_start = ?, span_end = ?, wording = ?"
                " WHERE record_id = ? AND at = ? AND place = ?",
                (*moved, words, record_id, at, place),
            )

        def follow(proposal: "Proposal") -> "Proposal":
            return replace(
                proposal,
                evidence=tuple(
                    _follow(one, start, end, length) if one.episode_id == episode_id else one
                    for one in proposal.evidence
                ),
            )

        for proposal_id in self._linked(episode_id, "episode"):
            self._rewrite(proposal_id, follow)


def _moved(first: int, last: int, start: int, end: int, length: int) -> tuple[int, int]:
    """Where a span lies after [start, end) became `length` characters; inside the mark at most."""

    def place(offset: int, *, is_end: bool) -> int:
        if offset <= start:
            return offset
        if offset >= end:
            return offset + length - (end - start)
        return start + (length if is_end else 0)

    return place(first, is_end=False), place(last, is_end=True)


def _follow(one: "Evidence", start: int, end: int, length: int) -> "Evidence":
    first, last = _moved(one.start, one.end, start, end, length)
    wording = "" if one.start < end and start < one.end else one.wording
    return replace(one, start=first, end=last, wording=wording)


