"""An erasure leaves no word of what was erased, in whichever store."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from dopejar.errors import NotFoundError
from dopejar.memory.erasure_writer import write_blanked_spans, write_erased_record
from dopejar.ports.store import Store, Vector
from dopejar.testing.builders import (
    a_proposal,
    a_record,
    an_episode,
    append_conversation,
    append_entry,
    insert_record,
    raising,
    some_evidence,
)
from dopejar.testing.fixed_clock import NOON
from dopejar.testing.store_contract_search import EPISODES, RECORDS, find_ids
from dopejar.testing.store_contract_vectors import COMPASS, pointing, vector_of
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.ids import ActId, ProposalId
from dopejar.values.proposal import Add, ProposalState
from dopejar.values.recall import Source
from dopejar.values.record import Draft, Kind, Record, Status
from dopejar.values.target import RecordTarget

Opened = Callable[[Path], AbstractContextManager[Store]]

SECRET = "zirconium"  # a word that must be gone, not a credential
MARK = "[erased]"


def _erased(record: Record) -> Record:
    return replace(record, status=Status.ERASED, version=record.version + 1)


def test_an_erased_record_has_no_words_left(tmp_path: Path, opened: Opened) -> None:
    """Row, states, wordings, proposals, index and vectors lose the words, even where the given record has them."""
    said = an_episode(f"The {SECRET} stands in the pantry.", 0)
    record = a_record("jar", said.text, key=f"{SECRET}-Place", attributes={"what": SECRET}, tags=(SECRET,))
    wish = a_proposal(
        "jar",
        Add(draft=Draft(kind=Kind.FACT, text=said.text, key=record.key)),
        evidence=(some_evidence(said),),
        rationale=SECRET,
    )
    aims = a_proposal("aim", targets=(RecordTarget(record_id=record.id, version=1),), rationale=SECRET)
    with opened(tmp_path) as store:
        with store.write() as tx:
            append_conversation(tx, said.text)
            insert_record(tx, record, [some_evidence(said)])
            tx.put_proposal(wish)
            tx.put_proposal(replace(wish, id=ProposalId("p_done"), state=ProposalState.COMMITTED))
            tx.put_proposal(aims)
            tx.put_vectors(COMPASS, [vector_of(record, 1, 0)])
            tx.put_edges([Edge(src=f"thing:{SECRET}", dst="x", kind=EdgeKind.ABOUT, record_id=record.id)])
            tx.note_used([record.id], NOON)
        with store.write() as tx:
            write_erased_record(tx, _erased(record), ActId("a_gone"), append_entry(tx, record.id, "a_gone"))
        with store.read() as view:
            wishes = [view.proposal(one) for one in (wish.id, ProposalId("p_done"), aims.id)]
            shown = (view.record(record.id), view.states(record.id), view.evidence(record.id), wishes)
            assert SECRET not in repr(shown)
            kept = view.record(record.id)
            assert kept is not None
            assert (kept.status, kept.text, kept.content_hash) == (Status.ERASED, "", "")
            assert [state.record.status for state in view.states(record.id)] == [Status.ACTIVE, Status.ERASED]
            assert [one.episode_id for one in view.evidence(record.id)] == [said.id]
            assert find_ids(view, SECRET) == []
            assert view.nearest(pointing(1, 0), COMPASS, RECORDS, 9) == ()
            assert view.edges([f"thing:{SECRET}"]) == ()
            assert [one.state for one in wishes if one] == [
                ProposalState.ERASED,
                ProposalState.COMMITTED,
                ProposalState.STAGED,
            ]
            assert not [line for line in view.outbox(99) if line.owner_id == record.id]


def test_other_records_keep_their_words(tmp_path: Path, opened: Opened) -> None:
    """Erasing one record leaves others, and the proposals of other spans of the same episode, as they are."""
    with opened(tmp_path) as store, store.write() as tx:
        (said,) = append_conversation(tx, "One here. Two there.")
        one, two = some_evidence(said, end=9, wording="One here."), some_evidence(said, start=10, wording="Two")
        insert_record(tx, a_record("one"), [one])
        insert_record(tx, a_record("two"), [two])
        other = a_proposal("two", evidence=(two,), rationale="two")
        tx.put_proposal(other)
        write_erased_record(tx, _erased(a_record("one")), ActId("a_gone"), append_entry(tx, "m_one", "a_gone"))
        assert tx.record(a_record("two").id) == a_record("two")
        assert tx.proposal(other.id) == other


def test_a_span_becomes_the_mark(tmp_path: Path, opened: Opened) -> None:
    """The span's words leave text, index, vectors and wordings; the words around it stay searchable."""
    text = f"Flour, {SECRET}, sugar."
    start = text.index(SECRET)
    with opened(tmp_path) as store:
        with store.write() as tx:
            (said,) = append_conversation(tx, text)
            before, after = some_evidence(said, end=5), some_evidence(said, start=start + len(SECRET) + 2)
            whole = some_evidence(said, at=NOON + timedelta(hours=1))
            insert_record(tx, a_record("spice"), [before, after, whole])
            tx.put_vectors(
                COMPASS,
                [Vector(owner=Source.EPISODE, owner_id=said.id, content_hash=said.content_hash, values=pointing(1))],
            )
        with store.write() as tx:
            tx.done(tx.outbox(99))
            write_blanked_spans(tx, said.id, [(start, start + len(SECRET))], MARK)
        with store.read() as view:
            episode = view.episode(said.id)
            assert episode is not None
            assert episode.text == f"Flour, {MARK}, sugar."
            assert episode.content_hash != said.content_hash
            assert find_ids(view, SECRET, EPISODES) == []
            assert find_ids(view, "sugar", EPISODES) == [said.id]
            assert view.nearest(pointing(1), COMPASS, EPISODES, 9) == ()
            assert [line.owner_id for line in view.outbox(9)] == [said.id]
            spans = [(episode.text[one.start : one.end], one.wording) for one in view.evidence(a_record("spice").id)]
            assert spans == [("Flour", text), ("sugar.", text), (episode.text, "")]


def test_spans_may_come_in_any_order_and_overlap(tmp_path: Path, opened: Opened) -> None:
    """Within one transaction offsets count in the text as it was: order and overlap do not matter."""
    for place, spans in enumerate(([(0, 3), (8, 11)], [(8, 11), (0, 3)], [(8, 10), (0, 3), (9, 11), (8, 9)])):
        (tmp_path / str(place)).mkdir()
        with opened(tmp_path / str(place)) as store:
            with store.write() as tx:
                (said,) = append_conversation(tx, "one two three")
                write_blanked_spans(tx, said.id, spans, "#")
            with store.read() as view:
                episode = view.episode(said.id)
                assert episode is not None
                assert episode.text == "# two #ee"


def test_a_whole_episode_can_go(tmp_path: Path, opened: Opened) -> None:
    """A span longer than the text blanks all of it; what is not there cannot be blanked."""
    with opened(tmp_path) as store:
        with store.write() as tx:
            (said,) = append_conversation(tx, SECRET)
            write_blanked_spans(tx, said.id, [(0, 999)], "")
            episode = tx.episode(said.id)
            assert episode is not None
            assert episode.text == ""
            assert find_ids(tx, SECRET, EPISODES) == []
        with raising(NotFoundError, "e_"), store.write() as tx:
            write_blanked_spans(tx, an_episode("", 77).id, [(0, 1)], MARK)
        with raising(NotFoundError, "m_none"), store.write() as tx:
            write_erased_record(tx, a_record("none"), ActId("a_x"), append_entry(tx, "m_none"))
