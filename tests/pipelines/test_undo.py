"""Taking acts back: the state afterwards is as though the act had never been."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_order_of_import import WORDS, learned
from whole_store import believed, chain_faults, seen, unlocked, write_conversation

from dopejar import NotFoundError, Status, open_memory

SECRET = "correct horse " + "battery"


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with one reviewer."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        opened.reviewers.add("ana", SECRET)
        yield opened


@pytest.fixture
def ana(memory):
    """The reviewer."""
    return memory.reviewers.unlock(SECRET)


def texts(memory, *statuses):
    """The texts of the records with these statuses, oldest statement first."""
    from dopejar.values.recall import RecordFilter

    found = memory.list(RecordFilter(statuses=statuses or (Status.ACTIVE,)), 1000)
    return [record.text for record in sorted(found, key=lambda record: record.valid_from)]


def learn_each(memory, paths):
    """The results of learning the files one after the other, whatever their times."""
    return [result for path in paths for result in memory.learn([path])]


turns = st.lists(st.tuples(st.integers(0, 500), st.sampled_from(WORDS)), min_size=1, max_size=4)


@settings(max_examples=20)
@given(st.lists(turns, min_size=2, max_size=4), st.data())
def test_undoing_a_conversation_is_as_never_having_learned_it(sessions, data):
    """Learn all, undo one conversation: the same state as learning the others alone, and redo brings it back."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        paths = [
            write_conversation(Path(folder), f"s{number}", sorted(said, key=lambda turn: turn[0]))
            for number, said in enumerate(sessions)
        ]
        gone = data.draw(st.integers(0, len(paths) - 1))
        with open_memory(home, environment={}, said_by="user") as memory:
            by = unlocked(memory)
            results = learn_each(memory, paths)
            before = believed(memory)
            receipt = memory.undo(results[gone].conversations[0], by)
            assert chain_faults(memory) == []
            assert believed(memory) == learned([path for place, path in enumerate(paths) if place != gone])
            if receipt.outcome == "undone":
                memory.undo(receipt.act_id, by)
                assert chain_faults(memory) == []
                records, _ = believed(memory)
                assert records == before[0]
            memory.verify()


CLOSE = [
    "I prefer dark mode.",
    "I prefer light mode.",
    "I live in Lisbon.",
    "I moved to Porto.",
    "From now on always use the staging database.",
    "no, use the staging database",
    "Never push to main.",
    "No, stop. Never push to main.",
]
close_turns = st.lists(st.tuples(st.integers(0, 500), st.sampled_from(CLOSE)), min_size=1, max_size=3)
WISHED = st.sampled_from(("conversation", "act", "undo"))  # what to undo: all of a talk, its act, or an earlier undo
wishes = st.lists(st.tuples(WISHED, st.integers(0, 4)), min_size=1, max_size=5)


def written(folder, sessions):
    """The sessions as files, their turns in order."""
    return [
        write_conversation(Path(folder), f"s{number}", sorted(said, key=lambda turn: turn[0]))
        for number, said in enumerate(sessions)
    ]


def undone_one_after_the_other(memory, results, rows):
    """Carry out the wishes; the places of the conversations that are taken back in the end."""
    by, done = unlocked(memory), []
    for kind, place in rows:
        if kind == "undo" and done:
            what, name = ("undo", place % len(done)), done[place % len(done)][0]
        else:
            here = place % len(results)
            what = ("talk", here)
            name = results[here].act_id if kind == "act" else results[here].conversations[0]
        try:
            receipt = memory.undo(name, by)
        except NotFoundError:
            continue  # nothing was learned by that act
        if receipt.outcome == "undone":
            done.append((receipt.act_id, what))
    lifted, gone = set(), set()
    for number, (_, (kind, place)) in reversed(list(enumerate(done))):
        if number not in lifted:
            (lifted if kind == "undo" else gone).add(place)
    return gone


@example([[(0, CLOSE[3]), (0, CLOSE[3])], [(0, CLOSE[0]), (0, CLOSE[2])]], [("act", 0)])
@example(
    [[(0, CLOSE[0])], [(0, CLOSE[0])], [(1, CLOSE[0])], [(0, CLOSE[1])]],
    [("conversation", 3), ("undo", 0), ("undo", 0), ("undo", 1)],
)
@example(
    [[(290, CLOSE[1])], [(3, CLOSE[0])], [(247, CLOSE[0])], [(349, CLOSE[0])]],
    [("act", 3), ("undo", 0), ("act", 0), ("undo", 1)],
)
@example(
    [
        [(56, CLOSE[1])],
        [(128, CLOSE[0]), (499, CLOSE[0])],
        [(47, CLOSE[0]), (232, CLOSE[1])],
        [(56, CLOSE[1])],
    ],
    [("conversation", 3), ("undo", 0), ("conversation", 3), ("conversation", 0), ("undo", 2)],
)
@settings(max_examples=40)
@given(st.lists(close_turns, min_size=2, max_size=4), wishes)
def test_undos_and_undos_of_undos_end_as_what_is_left_alone(sessions, rows):
    """Any row of undos and undos of undos is as never having learned what is taken back in the end, and it holds."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        paths = written(folder, sessions)
        with open_memory(home, environment={}, said_by="user") as memory:
            results = learn_each(memory, paths)
            gone = undone_one_after_the_other(memory, results, rows)
            state = believed(memory)
            assert chain_faults(memory) == []
            assert state == learned([path for place, path in enumerate(paths) if place not in gone])
            memory.relearn()
            learn_each(memory, paths)
            assert believed(memory) == state
            memory.verify()


@example([[(0, CLOSE[0])], [(50, CLOSE[0])], [(30, CLOSE[1])]], [("conversation", 1)])
@settings(max_examples=40)
@given(st.lists(close_turns, min_size=3, max_size=4), wishes)
def test_an_undo_holds_whatever_is_learned_later(sessions, rows):
    """Undo, learn more, relearn everything: the words taken back support no memory, and the ledger is as it was."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as home:
        paths = written(folder, sessions)
        with open_memory(home, environment={}, said_by="user") as memory:
            results = learn_each(memory, paths[:-1])
            undone_one_after_the_other(memory, results, rows)
            learn_each(memory, paths[-1:])
            state, head = believed(memory), memory.verify().head
            memory.relearn()
            assert believed(memory) == state
            assert memory.verify().head == head


def test_a_conversation_that_was_undone_is_not_read_again_when_it_grows(memory, ana, tmp_path):
    """Undone and gone on with: only what was said since is learned, by this run and by relearning."""
    said = [(0, "I prefer dark mode."), (1, "From now on always use the staging database.")]
    (first,) = memory.learn([write_conversation(tmp_path, "one", said)])
    memory.undo(first.conversations[0], ana)
    grown = [*said, (2, "Thanks."), (3, "I live in Lisbon.")]
    list(memory.learn([write_conversation(tmp_path, "one", grown)]))
    (again,) = memory.relearn()
    assert again.guarded == {"taken_back": 2}
    assert texts(memory) == ["I live in Lisbon"]
    assert memory.review.queue() == ()


def test_what_a_reviewer_brings_back_rests_on_its_words_again(memory, ana, tmp_path):
    """Restored after an undo, a memory is cited and relearned as before; undoing the restoring takes it away again."""
    (first,) = memory.learn([write_conversation(tmp_path, "one", [(0, "I prefer dark mode.")])])
    before = believed(memory)
    (record,) = memory.list()
    memory.undo(first.act_id, ana)
    receipt = memory.bring_back([record.id], ana)
    assert believed(memory) == before
    memory.relearn()
    assert believed(memory) == before
    memory.undo(receipt.act_id, ana)
    assert texts(memory) == []
    assert believed(memory) == ([], [])


def test_undoing_the_newest_version_brings_the_one_before_back(memory, ana):
    """Undo of B over A: A is active again, B is retracted."""
    memory.remember("I prefer dark mode.")
    second = memory.remember("I prefer light mode.")
    memory.undo(second.act_id, ana)
    assert texts(memory) == ["I prefer dark mode"]
    assert texts(memory, Status.RETRACTED) == ["I prefer light mode"]


def test_undoing_the_middle_of_a_chain_leaves_it_closed(memory, ana):
    """Undo of B in A, B, C: B leaves the chain, A stays history and ends where C begins."""
    memory.remember("I live in Lisbon.")
    second = memory.remember("I live in Porto.")
    memory.remember("I live in Faro.")
    memory.undo(second.act_id, ana)
    assert texts(memory) == ["I live in Faro"]
    assert texts(memory, Status.SUPERSEDED) == ["I live in Lisbon"]
    versions = {record.text: record for record in memory.history(_key(memory)).versions}
    assert versions["I live in Lisbon"].superseded_by == versions["I live in Faro"].id
    assert versions["I live in Lisbon"].valid_to == versions["I live in Faro"].valid_from


def _key(memory):
    return memory.list()[0].id


def test_what_was_undone_does_not_come_back_by_itself(memory, ana, tmp_path):
    """Learning the same file again, or the same words in another one, leaves a retracted memory retracted."""
    path = write_conversation(tmp_path, "one", [(0, "I prefer dark mode.")])
    (first,) = memory.learn([path])
    memory.undo(first.act_id, ana)
    list(memory.learn([path]))
    list(memory.learn([write_conversation(tmp_path, "two", [(5, "I prefer dark mode.")])]))
    assert texts(memory) == []


def test_undo_of_an_unknown_act_says_so(memory, ana):
    """An unknown act is named in the message."""
    with pytest.raises(NotFoundError, match="a_nothere"):
        memory.undo("a_nothere", ana)


def test_undoing_an_approval_lets_the_proposal_wait_again(memory, ana, tmp_path):
    """Approve, undo the approval: staged again, the queue shows it, and it can be rejected."""
    list(memory.learn([write_conversation(tmp_path, "one", [(0, "Never commit to main.")])]))
    waiting = memory.review.queue()
    if not waiting:
        memory.remember("Never commit to main.", said_by="assistant")
        waiting = memory.review.queue()
    (receipt,) = memory.review.approve([waiting[0].proposal.id], ana, seen=seen(memory))
    assert texts(memory) == [waiting[0].text]
    memory.undo(receipt.act_id, ana)
    assert texts(memory) == []
    assert [item.text for item in memory.review.queue()] == [waiting[0].text]
    memory.review.reject([memory.review.queue()[0].proposal.id], ana, "not ours", seen=seen(memory))
    assert memory.review.queue() == ()
