"""The final state depends on what was said and when, never on the order in which it arrived."""

import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import believed, chain_faults, write_conversation

from dopejar import open_memory

WORDS = [
    "I prefer dark mode.",
    "I prefer light mode.",
    "I switched to light mode.",
    "My editor is Vim.",
    "I use Emacs as my editor now.",
    "We deploy on AWS.",
    "The server listens on port 8080.",
    "The server listens on port 9090.",
    "I live in Lisbon.",
    "I moved to Porto.",
    "My sister is called Marta.",
    "I am vegetarian.",
    "The ledger service uses Postgres.",
    "We never deploy on GCP.",
    "We no longer deploy on AWS.",
    "I stopped using Vim.",
    "I don't live in Lisbon.",
    "We call the Meridian project Mer.",
    "Never commit to main.",
    "What is the capital of France?",
    "Thanks, that works!",
]
conversations = st.lists(
    st.lists(st.tuples(st.integers(0, 500), st.sampled_from(WORDS)), min_size=1, max_size=4),
    min_size=2,
    max_size=4,
)


def learned(paths, *, together=False):
    """The state of a fresh store after learning the files one after the other, or in one call."""
    with tempfile.TemporaryDirectory() as home, open_memory(home, environment={}) as memory:
        for given in [paths] if together else [[path] for path in paths]:
            list(memory.learn(given))
        assert chain_faults(memory) == []
        return believed(memory)


@settings(max_examples=50)
@given(conversations, st.randoms(use_true_random=False))
def test_any_order_ends_in_the_same_state(sessions, chance):
    """Learning the same conversations in any order ends in the same records, chains, evidence and queue."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            write_conversation(Path(folder), f"s{number}", sorted(turns, key=lambda turn: turn[0]))
            for number, turns in enumerate(sessions)
        ]
        shuffled = list(paths)
        chance.shuffle(shuffled)
        assert learned(paths) == learned(shuffled)


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_there_and_back_again(order, tmp_path):
    """Dark, light, dark in any order of arrival is a chain of three versions with the right times."""
    said = [(0, "I prefer dark mode."), (60, "I prefer light mode."), (120, "I prefer dark mode.")]
    paths = [write_conversation(tmp_path, f"s{place}", [turn]) for place, turn in enumerate(said)]
    records, waiting = learned([paths[place] for place in order])
    assert waiting == []
    assert [(value, status) for _, _, value, status, *_ in sorted(records, key=lambda row: row[6])] == [
        ("+dark", "superseded"),
        ("+light", "superseded"),
        ("+dark", "active"),
    ]


SUPPOSED = [("I live in Lisbon.", "I think I live in Porto."), ("I prefer dark mode.", "I might prefer light mode.")]


@settings(max_examples=25)
@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 500), st.sampled_from([*WORDS, *sum(SUPPOSED, ())])), min_size=1, max_size=4),
        min_size=2,
        max_size=4,
    ),
    st.randoms(use_true_random=False),
)
def test_files_of_one_call_are_learned_in_the_order_of_time(sessions, chance):
    """In whatever order one call names its files, it ends in the same state, whoever has to decide."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            write_conversation(Path(folder), f"s{number}", sorted(turns, key=lambda turn: turn[0]))
            for number, turns in enumerate(sessions)
        ]
        shuffled = chance.sample(paths, len(paths))
        assert learned(paths, together=True) == learned(shuffled, together=True)


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize(("sure", "supposed"), SUPPOSED)
def test_a_later_supposition_waits_in_one_call(sure, supposed, is_late, tmp_path):
    """Of a statement and a later supposition in files of one call, the supposition waits."""
    said = [write_conversation(tmp_path, "one", [(0, sure)]), write_conversation(tmp_path, "two", [(60, supposed)])]
    _, waiting = learned(said[::-1] if is_late else said, together=True)
    assert [words for _, words, _ in waiting] == [supposed.rstrip(".")]


@pytest.mark.parametrize(("sure", "supposed"), SUPPOSED)
@pytest.mark.parametrize("is_late", [False, True])
def test_a_later_supposition_replaces_nothing_surer(sure, supposed, is_late, tmp_path):
    """Of a statement and a later supposition, what is imported first holds and the other one waits."""
    said = [write_conversation(tmp_path, "one", [(0, sure)]), write_conversation(tmp_path, "two", [(60, supposed)])]
    records, waiting = learned(said[::-1] if is_late else said)
    assert "superseded" not in {record[3] for record in records}
    assert [words for _, words, _ in waiting] == [(sure if is_late else supposed).rstrip(".")]


def test_learning_again_changes_nothing(tmp_path):
    """The same files a second time leave records, ledger and queue as they are."""
    path = write_conversation(tmp_path, "one", [(place, words) for place, words in enumerate(WORDS)])
    with tempfile.TemporaryDirectory() as home, open_memory(home, environment={}) as memory:
        list(memory.learn([path]))
        before, head = believed(memory), memory.verify().head
        (again,) = memory.learn([path])
        assert (again.episodes, again.known) == (0, len(WORDS))
        assert believed(memory) == before
        assert memory.verify().head == head


def test_a_grown_file_is_gone_on_with(tmp_path):
    """A file that was imported half before ends as though it had been imported whole."""
    turns = [(place, words) for place, words in enumerate(WORDS)]
    half = write_conversation(tmp_path, "one", turns[:6])
    with tempfile.TemporaryDirectory() as home, open_memory(home, environment={}) as memory:
        list(memory.learn([half]))
        whole = write_conversation(tmp_path, "one", turns)
        (second,) = memory.learn([whole])
        assert second.episodes == len(WORDS) - 6
        assert believed(memory) == learned([whole])


def test_batch_size_changes_nothing(tmp_path):
    """One turn a transaction or all in one: the same state."""
    path = write_conversation(tmp_path, "one", [(place, words) for place, words in enumerate(WORDS)])
    states = []
    for size in ("1", "3", "256"):
        with (
            tempfile.TemporaryDirectory() as home,
            open_memory(home, environment={"DOPEJAR_LEARN_BATCH": size}) as memory,
        ):
            list(memory.learn([path]))
            states.append(believed(memory))
    assert states[0] == states[1] == states[2]
