"""Memories that say the same under different keys: the merge sweep proposes to merge them, and a person decides."""

import pytest
from whole_store import chain_faults, seen, write_conversation

from dopejar import open_memory
from dopejar.engine.maintenance import merge_sweep
from dopejar.values.proposal import Merge

SECRET = "correct horse " + "battery"
BOAT = ["I bought a little boat in Porto.", "I purchased a small boat in Porto."]
PAPER = [
    "Our invoices are printed on green paper every Monday.",
    "Our invoices usually get printed on green paper on Mondays.",
]
LONGER = "Our invoices on green paper are printed every Monday in the back office beside a window with stamps."
OTHER = "Our invoices are printed on white paper every Monday."


@pytest.fixture
def memory(tmp_path):
    """A memory that learned six conversations of one sentence each, with one reviewer."""
    said = [*BOAT, *PAPER, OTHER]
    paths = [write_conversation(tmp_path, f"s{place}", [(place, words)]) for place, words in enumerate(said)]
    with open_memory(tmp_path / "home", environment={}) as opened:
        opened.reviewers.add("ana", SECRET)
        list(opened.learn(paths))
        yield opened


def waiting_merges(memory):
    """The texts of the waiting merges."""
    return sorted(item.text for item in memory.review.queue() if isinstance(item.proposal.payload, Merge))


def active_records(memory):
    """Texts and access counts of the active records."""
    return sorted((record.text, record.access_count) for record in memory.list())


def test_maintenance_proposes_and_a_person_merges(memory):
    """Two wordings become one record with the evidence of both once a person approves; undone, they stand apart."""
    before = active_records(memory)
    assert memory.maintenance.maintain().merges == 2
    assert active_records(memory) == before, "a proposal changes nothing"
    assert len(waiting_merges(memory)) == 2
    ana = memory.reviewers.unlock(SECRET)
    receipts = memory.review.approve([item.proposal.id for item in memory.review.queue()], ana, seen=seen(memory))
    assert {receipt.outcome for receipt in receipts} == {"merged"}
    assert len(active_records(memory)) == len(before) - 2
    assert sorted(count for _, count in active_records(memory)) == [1, 2, 2]
    assert chain_faults(memory) == []
    memory.undo(receipts[0].act_id, ana)
    assert active_records(memory) == before


def test_undoing_what_taught_a_merged_memory_takes_its_words_from_it(memory):
    """The act that learned one of two wordings is undone after they were merged: the one record rests on the other."""
    with memory.store.read() as view:
        (talk,) = view.conversations(10, "s1")
        (learning,) = view.acts_of(talk.id)
    memory.maintenance.maintain()
    ana = memory.reviewers.unlock(SECRET)
    memory.review.approve([item.proposal.id for item in memory.review.queue()], ana, seen=seen(memory))
    memory.undo(learning, ana)
    assert sorted(count for _, count in active_records(memory)) == [1, 1, 2]
    assert "I purchased a small boat in Porto" not in memory.recall("what did I purchase in Porto?").items[0].text
    assert chain_faults(memory) == []


def test_a_second_run_finds_nothing_new(memory):
    """What was proposed, and what was rejected, is not proposed again; a sweep over what it knows looks at nothing."""
    memory.maintenance.maintain()
    assert memory.maintenance.maintain().merges == 0
    assert merge_sweep.propose_merges(memory._deps, "t_x") == merge_sweep.MergeSweepReport()
    memory.review.reject(
        [item.proposal.id for item in memory.review.queue()],
        memory.reviewers.unlock(SECRET),
        "two boats",
        seen=seen(memory),
    )
    with memory.store.write() as tx:
        tx.drop_held("job", "merges")
    assert memory.maintenance.maintain().merges == 0
    assert waiting_merges(memory) == []


def test_a_run_is_bounded_and_the_next_goes_on(memory, monkeypatch):
    """No run proposes more than it may, and in batches of one memory the sweep ends in the same proposals."""
    monkeypatch.setattr(merge_sweep, "_BATCH", 1)
    monkeypatch.setattr(merge_sweep, "MOST_PER_RUN", 1)
    assert [memory.maintenance.maintain().merges for _ in range(3)] == [1, 1, 0]
    assert len(waiting_merges(memory)) == 2


def test_a_full_queue_gets_no_more(memory, monkeypatch):
    """Where enough merges wait, none is added until a person has decided."""
    monkeypatch.setattr(merge_sweep, "MOST_WAITING", 1)
    assert [memory.maintenance.maintain().merges for _ in range(2)] == [1, 0]
    memory.review.approve(
        [item.proposal.id for item in memory.review.queue()], memory.reviewers.unlock(SECRET), seen=seen(memory)
    )
    assert memory.maintenance.maintain().merges == 1


def test_what_was_merged_is_recognised_when_it_is_said_again(memory, tmp_path):
    """The wording of a memory that was merged away reinforces the one it was merged into."""
    memory.maintenance.maintain()
    memory.review.approve(
        [item.proposal.id for item in memory.review.queue()], memory.reviewers.unlock(SECRET), seen=seen(memory)
    )
    again = [
        write_conversation(tmp_path, f"again{place}", [(900, words)]) for place, words in enumerate([*BOAT, *PAPER])
    ]
    list(memory.learn(again))
    assert sorted(count for _, count in active_records(memory)) == [1, 4, 4]
    assert chain_faults(memory) == []
