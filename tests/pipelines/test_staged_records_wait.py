"""What is staged waits, and what waits is staged, whatever a person, an agent and the clock do one after the other."""

import tempfile
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from whole_store import chain_faults, unlocked

from dopejar import Status, open_memory
from dopejar.errors import DopejarError
from dopejar.values.proposal import ProposalState
from dopejar.values.recall import RecordFilter

RULES = ("Always run the tests before a release.", "Never push to main.")
CLAIMS = ("Postgres listens on port 5001.", "Postgres listens on port 5002.")
STEPS = st.tuples(
    st.sampled_from(("propose", "state", "approve", "reject", "edit", "undo", "retire", "restore", "erase")),
    st.integers(0, 7),
)
EDIT_UNDONE_THEN_REJECTED = [("state", 0), ("propose", 0), ("edit", 2), ("undo", 0), ("reject", 0)]
REJECTED_THEN_UNDONE_FROM_THE_BEGINNING = [("propose", 0), ("reject", 0), ("undo", 1)]
RETIRED_THEN_APPROVAL_UNDONE = [("propose", 0), ("approve", 0), ("retire", 0), ("undo", 1)]
WITHDRAWN_THEN_REJECTION_UNDONE = [("propose", 0), ("reject", 0), ("undo", 1), ("undo", 1), ("approve", 0)]


@pytest.fixture
def memory(tmp_path):
    """A fresh memory that searches by words."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        yield opened


def disagreements(memory):
    """Staged records that nothing waits for, and waiting adds whose record is not staged or has other words."""
    with memory.store.read() as view:
        records = view.list_records(RecordFilter(statuses=(Status.STAGED,), namespace=None), 1000)
        waiting = [one for one in view.proposals((ProposalState.STAGED,), 1000) if one.record_id is not None]
    said = {record.id: (record.text, record.key, record.scope) for record in records}
    wished = {
        one.record_id: (one.payload.draft.text, one.payload.draft.key, one.payload.draft.scope) for one in waiting
    }
    return set(said.items()) ^ set(wished.items())


def do(memory, by, step, number):
    """Carry out one step; what it is about depends on the number."""
    waiting, records = memory.review.queue(), memory.list(limit=100)
    if step == "propose":
        memory.remember((*RULES, *CLAIMS)[number % 4], said_by="assistant")
    elif step == "state":
        memory.remember(CLAIMS[number % 2], said_by="user")
    elif step == "undo":
        acts = memory.log(20)
        memory.undo(acts[number % len(acts)].act_id, by)
    elif step == "restore":
        gone = (Status.DEPRECATED, Status.REJECTED, Status.RETRACTED)
        if found := memory.list(RecordFilter(statuses=gone), 100):
            memory.bring_back([found[number % len(found)].id], by)
    elif step in ("retire", "erase") and records:
        one = records[number % len(records)].id
        _ = memory.delete([one], by) if step == "retire" else memory.erase(by, records=[one])
    elif waiting and step in ("approve", "reject", "edit"):
        one = waiting[number % len(waiting)].proposal.id
        seen = memory.review.versions()
        if step == "approve":
            memory.review.approve([one], by, seen=seen)
        elif step == "reject":
            memory.review.reject([one], by, "no", seen=seen)
        else:
            memory.review.edit(one, (*RULES, *CLAIMS)[number % 4], by, seen=seen)


@example(EDIT_UNDONE_THEN_REJECTED)
@example(REJECTED_THEN_UNDONE_FROM_THE_BEGINNING)
@example(RETIRED_THEN_APPROVAL_UNDONE)
@example(WITHDRAWN_THEN_REJECTION_UNDONE)
@settings(max_examples=30)
@given(st.lists(STEPS, min_size=4, max_size=16))
def test_a_record_is_staged_exactly_while_its_proposal_waits(steps):
    """After each step, staged records and waiting adds are the same ones, with the same words; the chains hold."""
    with tempfile.TemporaryDirectory() as home, open_memory(home, environment={}, said_by="user") as memory:
        by = unlocked(memory)
        for step, number in steps:
            try:
                do(memory, by, step, number)
            except DopejarError:
                continue
            assert disagreements(memory) == set(), step
        assert [fault for fault in chain_faults(memory) if "superseded twice" not in fault] == []
        assert memory.maintenance.doctor().faults == ()


def test_an_agent_that_repeats_its_words_takes_no_approved_memory_out_of_use(memory):
    """A rule approved in other words stays in use when its first words are proposed again, and those wait beside it."""
    by = unlocked(memory)
    memory.remember(RULES[0], said_by="assistant")
    (item,) = memory.review.queue()
    memory.review.edit(item.proposal.id, RULES[1], by, seen=memory.review.versions())
    approved = memory.list()
    memory.remember(RULES[0], said_by="assistant")
    memory.remember(RULES[0], said_by="assistant")
    assert memory.list() == approved
    assert [item.text for item in memory.review.queue()] == [RULES[0].rstrip(".")]


def test_undoing_the_approval_of_a_new_version_brings_the_one_before_back(memory):
    """The version that was approved is taken back with the approval and waits again; redone, it holds again."""
    by = unlocked(memory)
    memory.remember(CLAIMS[0], said_by="user")
    memory.remember(CLAIMS[1], said_by="assistant")
    (item,) = memory.review.queue()
    (receipt,) = memory.review.approve([item.proposal.id], by, seen=memory.review.versions())
    undone = memory.undo(receipt.act_id, by)
    assert [record.text for record in memory.list()] == [CLAIMS[0].rstrip(".")]
    assert [waiting.proposal.id for waiting in memory.review.queue()] == [item.proposal.id]
    memory.undo(undone.act_id, by)
    assert [record.text for record in memory.list()] == [CLAIMS[1].rstrip(".")]


def test_undoing_an_edit_lets_the_first_words_wait_again(memory):
    """An edited approval that is undone leaves nothing of the edit: words and concept are those proposed."""
    by = unlocked(memory)
    memory.remember(RULES[0], said_by="assistant")
    (before,) = memory.review.queue()
    memory.review.edit(before.proposal.id, CLAIMS[0], by, seen=memory.review.versions())
    memory.undo(memory.log(1)[0].act_id, by)
    (after,) = memory.review.queue()
    assert after.proposal.payload == before.proposal.payload
    assert disagreements(memory) == set()


def test_erasing_one_of_two_witnesses_leaves_the_proposal_waiting(memory):
    """A staged memory that was said twice waits on, with its words, where one of the two turns is erased."""
    by = unlocked(memory)
    for _ in range(2):
        memory.remember(RULES[0], said_by="assistant")
    (item,) = memory.review.queue()
    episode = item.proposal.evidence[0].episode_id
    memory.erase(by, episodes=[episode])
    (left,) = memory.review.queue()
    assert (left.text, len(left.proposal.evidence)) == (item.text, 1)
    assert disagreements(memory) == set()


def test_doctor_names_a_staged_record_that_nothing_waits_for(memory):
    """A staged record whose proposal was decided, or is gone, is a fault with its name."""
    memory.remember(RULES[0], said_by="assistant")
    (item,) = memory.review.queue()
    with memory.store.write() as tx:
        tx.put_proposal(replace(item.proposal, state=ProposalState.REJECTED))
    (fault,) = memory.maintenance.doctor().faults
    assert item.proposal.record_id in fault.detail
