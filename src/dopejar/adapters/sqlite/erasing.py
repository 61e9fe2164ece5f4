"""Erasing: text goes, ids and statuses stay.

Takes: erased records and spans. Gives: rows without their words. Never: touches the ledger, which holds no words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.blanking import Blanking
from dopejar.adapters.sqlite.codec import RECORD_FIELDS, dumps
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

    @cached_property
    def _before_blanking(self) -> "dict[EpisodeId, _Before]":
        return {}

    def blank_record(self, record: "Record", act_id: "ActId", seq: int) -> None:
        """Blank an erased record wherever it stands: row, states, evidence wordings, proposals, index, vectors.

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
        self.drop_edges_of(record.id)

    def reword_states(self, record: "Record") -> None:
        """Let every older state of the record show its present words, key and value: the old ones are erased."""
        said = {
            "text": record.text,
            "key": record.key,
            "slot": record.slot,
            "value": record.value,
            "content_hash": record.content_hash,
        }
        self._fill_states(record.id, tuple((RECORD_FIELDS.index(name), words) for name, words in said.items()))

    def _blank_states(self, record_id: "RecordId") -> None:
        self._fill_states(record_id, _BLANKED_FIELDS)

    def _fill_states(self, record_id: "RecordId", filling: "tuple[tuple[int, str], ...]") -> None:
        rows = self._rows("SELECT from_seq, image FROM record_states WHERE record_id = ?", (record_id,))
        for from_seq, image in rows:
            fields = json.loads(cast("str", image))
            for at, words in filling:
                fields[at] = words
            self._rows(
                "UPDATE record_states SET image = ? WHERE record_id = ? AND from_seq = ?",
                (dumps(fields), record_id, from_seq),
            )

    def _blank_proposals(self, record_id: "RecordId", rests_on: "Iterable[Evidence]") -> None:
        """Blank the record's own proposals and those that read the same spans; of those that aim at it, the reasons."""
        from dopejar.adapters.sqlite.payloads import without_words  # few processes erase

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

        Offsets count in the text as it stood before this transaction blanked any of it, so that several spans may come
        in any order and overlap; overlapping ones become one mark. Evidence behind a span moves with its words, and
        what overlaps it loses its wording. Raises NotFoundError where there is no such episode.
        """
        row = self._row("SELECT rowid, text FROM episodes WHERE id = ?", (episode_id,))
        if row is None:
            raise NotFoundError(f"There is no episode {episode_id} to blank. Give the id of one that is there.")
        rowid, old = cast("tuple[int, str]", row)
        before = self._before_blanking.get(episode_id) or self._before(episode_id, old)
        blanking = before.blanking.with_span(start, end, mark)
        self._before_blanking[episode_id] = replace(before, blanking=blanking)
        text = blanking.blanked()
        self._rows("UPDATE episodes SET text = ?, content_hash = ? WHERE rowid = ?", (text, content_hash(text), rowid))
        self._rows("DELETE FROM episodes_text WHERE rowid = ?", (rowid,))
        self._rows("DELETE FROM outbox WHERE owner = ? AND owner_id = ?", (Source.EPISODE.value, episode_id))
        self._renew_vector(Source.EPISODE, rowid, episode_id, has_text=bool(text))
        if text:
            self._rows("INSERT INTO episodes_text (rowid, terms) VALUES (?, ?)", (rowid, terms_of_episode(text)))
        self._move_evidence(before, blanking)

    def _before(self, episode_id: "EpisodeId", text: str) -> "_Before":
        rows = self._rows(
            "SELECT record_id, at, place, span_start, span_end FROM evidence WHERE episode_id = ?", (episode_id,)
        )
        return _Before(
            episode_id=episode_id,
            blanking=Blanking(text=text),
            evidence=tuple(cast("list[tuple[str, str, int, int, int]]", rows)),
            proposals=tuple(self._linked(episode_id, "episode").values()),
        )

    def _move_evidence(self, before: "_Before", blanking: Blanking) -> None:
        for record_id, at, place, first, last in before.evidence:
            self._rows(
                "UPDATE evidence SET span_start = ?, span_end = ?, wording = CASE WHEN ? THEN '' ELSE wording END"
                " WHERE record_id = ? AND at = ? AND place = ? AND episode_id = ?",
                (*blanking.moved(first, last), blanking.touches(first, last), record_id, at, place, before.episode_id),
            )
        for proposal in before.proposals:
            now = self.proposal(proposal.id)
            if now is not None and len(now.evidence) == len(proposal.evidence):
                evidence = tuple(
                    _follow(one, then, blanking) if then.episode_id == before.episode_id else one
                    for one, then in zip(now.evidence, proposal.evidence, strict=True)
                )
                self.put_proposal(replace(now, evidence=evidence))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Before:
    """An episode as it stood before this transaction blanked any of it."""

    episode_id: "EpisodeId"
    blanking: Blanking
    evidence: tuple[tuple[str, str, int, int, int], ...]
    proposals: "tuple[Proposal, ...]"


def _follow(now: "Evidence", then: "Evidence", blanking: Blanking) -> "Evidence":
    first, last = blanking.moved(then.start, then.end)
    return replace(now, start=first, end=last, wording="" if blanking.touches(then.start, then.end) else now.wording)
