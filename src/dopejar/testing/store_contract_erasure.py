"""What a store promises to an erasure: text that is replaced is nowhere any more.

Takes: an opened store. Gives: one test per promise. Never: knows an adapter. Which words an erasure removes, `memory`
computes; the store has to leave none behind.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from dopejar.errors import NotFoundError
from dopejar.ports.store import ProposalLink, Vector
from dopejar.testing.builders import (
    a_proposal,
    a_record,
    an_episode,
    append_conversation,
    insert_record,
    raising,
    some_evidence,
    update_record,
)
from dopejar.testing.fixed_clock import NOON
from dopejar.testing.store_contract_base import StoreContractBase
from dopejar.testing.store_contract_search import EPISODES, RECORDS, find_ids
from dopejar.testing.store_contract_vectors import COMPASS, pointing, vector_of
from dopejar.values.ids import RecordId
from dopejar.values.proposal import ProposalState, Signals
from dopejar.values.recall import Source
from dopejar.values.record import Status
from dopejar.values.target import RecordTarget

SECRET = "zirconium"  # noqa: S105 - a word that must be gone, not a credential


class ErasurePromises(StoreContractBase):
    """Words go; ids and statuses stay."""

    def test_a_record_without_text_is_in_no_index(self, tmp_path: Path) -> None:
        """An emptied record has neither terms nor vectors nor outbox lines, and no use once its uses are dropped."""
        record = a_record("jar", f"The {SECRET} stands in the pantry.")
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, record)
                tx.put_vectors(COMPASS, [vector_of(record, 1, 0)])
                tx.note_used([record.id], NOON + timedelta(hours=1))
            with store.write() as tx:
                erased = replace(record, status=Status.ERASED, text="", key="", slot="", content_hash="", version=2)
                update_record(tx, erased)
                tx.drop_uses(record.id)
            with store.read() as view:
                kept = view.record(record.id)
                assert kept is not None
                assert (kept.status, kept.text, kept.last_accessed_at) == (Status.ERASED, "", None)
                assert kept.access_count == 1
                assert find_ids(view, SECRET) == []
                assert view.nearest(pointing(1, 0), COMPASS, RECORDS, 9) == ()
                assert view.vectors_of(COMPASS, Source.RECORD, [record.id]) == {}
                assert not [line for line in view.outbox(99) if line.owner_id == record.id]

    def test_states_can_be_written_anew(self, tmp_path: Path) -> None:
        """A state that is put again at its entry holds the new words alone, and stands as long as it stood."""
        first = a_record("jar", f"The {SECRET} stands in the pantry.")
        second = replace(first, text="The jar stands in the pantry.", version=2)
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                insert_record(tx, first, act_id="a_one")
                update_record(tx, second, act_id="a_two")
            with store.write() as tx:
                before = tx.states(first.id)
                for state in before:
                    tx.put_state(replace(state, record=replace(state.record, text="")))
            with store.read() as view:
                after = view.states(first.id)
                assert SECRET not in repr(after)
                assert [(state.from_seq, state.to_seq, state.act_id) for state in after] == [
                    (state.from_seq, state.to_seq, state.act_id) for state in before
                ]
                assert [state.record.version for state in after] == [1, 2]

    def test_a_rewritten_episode_is_found_by_its_new_words_alone(self, tmp_path: Path) -> None:
        """Text, hash and terms are the new ones; vectors go, and a text that is left waits once for new ones."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                (said,) = append_conversation(tx, f"Flour, {SECRET}, sugar.")
                vector = Vector(
                    owner=Source.EPISODE, owner_id=said.id, content_hash=said.content_hash, values=pointing(1)
                )
                tx.put_vectors(COMPASS, [vector])
            with store.write() as tx:
                tx.rewrite_episode(said.id, "Flour, sugar.", "h")
                tx.put_terms(Source.EPISODE, [(said.id, ["flour", "sugar"])])
            with store.read() as view:
                episode = view.episode(said.id)
                assert episode is not None
                assert episode == replace(said, text="Flour, sugar.", content_hash="h")
                assert find_ids(view, SECRET, EPISODES) == []
                assert find_ids(view, "sugar", EPISODES) == [said.id]
                assert view.nearest(pointing(1), COMPASS, EPISODES, 9) == ()
                assert [line.owner_id for line in view.outbox(9)] == [said.id]
            with store.write() as tx:
                tx.rewrite_episode(said.id, "", "", is_nameless=True)
                assert tx.episode(said.id) == replace(said, text="", content_hash="", speaker="", source_id="", note="")
                tx.put_terms(Source.EPISODE, [(said.id, [])])
                assert tx.outbox(9) == ()
                assert find_ids(tx, "sugar", EPISODES) == []
            with raising(NotFoundError, "e_"), store.write() as tx:
                tx.rewrite_episode(an_episode("", 77).id, "", "")

    def test_proposals_are_found_by_what_they_are_tied_to(self, tmp_path: Path) -> None:
        """By the episodes of their evidence, by their own record, by their targets and rivals, in any state."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                (said,) = append_conversation(tx, "The jar is here.")
                insert_record(tx, a_record("jar"))
                own = a_proposal("own", record_id=RecordId("m_jar"), evidence=(some_evidence(said),))
                aims = a_proposal(
                    "aims",
                    targets=(RecordTarget(record_id=RecordId("m_jar"), version=1),),
                    state=ProposalState.COMMITTED,
                )
                doubts = a_proposal("doubts", signals=Signals(conflicts_with=(RecordId("m_jar"),)))
                for proposal in (own, aims, doubts):
                    tx.put_proposal(proposal)
            with store.read() as view:
                assert view.linked_proposals(said.id, ProposalLink.EPISODE) == (own,)
                assert view.linked_proposals(RecordId("m_jar"), ProposalLink.RECORD) == (own,)
                assert view.linked_proposals(RecordId("m_jar"), ProposalLink.TARGET) == (aims,)
                assert view.linked_proposals(RecordId("m_jar"), ProposalLink.CONFLICT) == (doubts,)
                assert view.linked_proposals(RecordId("m_none"), ProposalLink.TARGET) == ()
            with store.write() as tx:
                tx.put_proposal(replace(own, evidence=(), version=2))
                assert tx.linked_proposals(said.id, ProposalLink.EPISODE) == ()
