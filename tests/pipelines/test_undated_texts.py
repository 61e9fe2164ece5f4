"""Of two texts that state no time nobody knows which is the later one: neither replaces what the other says."""

import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_order_of_import import WORDS
from whole_store import START, chain_faults, seen, unlocked, write_conversation

from dopejar import Status, open_memory
from dopejar.memory.overlay import asserting_turns
from dopejar.values.episode import is_order_unknown
from dopejar.values.recall import RecordFilter

HOUR = 3600
OLD, NEW = "I live in Lisbon.", "I live in Porto."


@pytest.fixture
def memory(tmp_path):
    """An empty memory."""
    with open_memory(tmp_path / "home", environment={}) as opened:
        yield opened


def write_undated(folder, name, words, hours=0):
    """The user's words as a file without a time in it, last modified so many hours after the start."""
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps({"role": "user", "content": one}) + "\n" for one in words), encoding="utf-8")
    at = START.timestamp() + hours * HOUR
    os.utime(path, (at, at))
    return path


def learn(memory, *paths):
    """Learn these files, one after the other."""
    for path in paths:
        list(memory.learn([path]))


def texts(memory, status=Status.ACTIVE):
    """The words of the memories in a state."""
    return sorted(record.text for record in memory.list(RecordFilter(statuses=(status,)), limit=50))


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_conflict_waits_with_its_reason(hours, memory, tmp_path):
    """Whichever file was modified last, what was learned first holds, and the other statement waits beside it."""
    learn(memory, write_undated(tmp_path, "one", [OLD]), write_undated(tmp_path, "other", [NEW], hours))
    assert (texts(memory), texts(memory, Status.SUPERSEDED)) == (["I live in Lisbon"], [])
    (item,) = memory.review.queue()
    assert [record.text for record in item.contradicts] == ["I live in Lisbon"]
    assert item.proposal.rationale.endswith("which of the two is later is not known")
    assert chain_faults(memory) == []


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_person_decides(hours, memory, tmp_path):
    """What a reviewer approves holds in place of the other, whichever file was modified last."""
    learn(memory, write_undated(tmp_path, "one", [OLD]), write_undated(tmp_path, "other", [NEW], hours))
    (item,) = memory.review.queue()
    memory.review.approve([item.proposal.id], unlocked(memory), seen=seen(memory))
    assert texts(memory) == ["I live in Porto"]
    assert chain_faults(memory) == []


def test_recall_does_not_say_which_was_later(memory, tmp_path):
    """The memory is told with what waits against it, without a claim that this was said since."""
    learn(memory, write_undated(tmp_path, "one", [OLD]), write_undated(tmp_path, "other", [NEW], -1))
    first = memory.recall("Where do I live?").items[0]
    assert first.text == "I live in Lisbon"
    assert 'but also said, not decided yet: "I live in Porto"' in first.marks


def test_a_repetition_counts(memory, tmp_path):
    """The same statement in two undated texts is one memory, said twice."""
    learn(memory, write_undated(tmp_path, "one", [OLD]), write_undated(tmp_path, "other", [OLD, "Thanks!"], 1))
    (record,) = memory.list()
    assert (record.access_count, memory.review.queue()) == (2, ())


def test_said_again_it_still_waits(memory, tmp_path):
    """What waits goes on waiting when a third undated text says it, too, with the evidence of both."""
    files = [write_undated(tmp_path, name, [words]) for name, words in (("a", OLD), ("b", NEW), ("c", f"Hi! {NEW}"))]
    learn(memory, *files)
    (item,) = memory.review.queue()
    assert len({row.episode_id for row in item.proposal.evidence}) == 2
    assert texts(memory) == ["I live in Lisbon"]


def test_what_contradicts_nothing_any_more_does_not_wait(memory, tmp_path):
    """Told to the memory again, once the other statement is out of use."""
    learn(memory, write_undated(tmp_path, "a", [OLD]), write_undated(tmp_path, "b", [NEW]))
    by = unlocked(memory)
    (lisbon,) = memory.list(RecordFilter(statuses=(Status.ACTIVE,)), limit=5)
    memory.delete(lisbon.id, by)
    assert memory.remember(NEW, by=by, said_by="user").took_effect
    assert len(texts(memory)) == 1


def test_within_one_text_the_place_decides(memory, tmp_path):
    """The later of two statements of one undated text replaces the earlier one, though another text says that, too."""
    learn(memory, write_undated(tmp_path, "one", [OLD]), write_undated(tmp_path, "other", [OLD, NEW], 1))
    assert (texts(memory), texts(memory, Status.SUPERSEDED)) == (["I live in Porto"], ["I live in Lisbon"])
    assert memory.review.queue() == ()


def test_a_text_that_grows_settles_nothing_of_another(memory, tmp_path):
    """What waits against a text waits on when that text replaces its own words."""
    one = write_undated(tmp_path, "one", [OLD])
    learn(memory, one, write_undated(tmp_path, "other", [NEW], 1))
    learn(memory, write_undated(tmp_path, "one", [OLD, "I live in Faro."], 2))
    assert texts(memory) == ["I live in Faro"]
    (item,) = memory.review.queue()
    assert [record.text for record in item.contradicts] == ["I live in Faro"]


@pytest.mark.parametrize("is_dated_first", [True, False])
def test_a_stated_time_decides(is_dated_first, memory, tmp_path):
    """A statement with a time replaces that of a file which was last modified before."""
    files = [write_conversation(tmp_path, "dated", [(0, NEW)]), write_undated(tmp_path, "one", [OLD], -1)]
    learn(memory, *(files if is_dated_first else reversed(files)))
    assert (texts(memory), texts(memory, Status.SUPERSEDED)) == (["I live in Porto"], ["I live in Lisbon"])
    assert memory.review.queue() == ()


undated = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True), st.integers(0, 50)),
    min_size=2,
    max_size=4,
)


@settings(max_examples=25)
@given(undated, st.randoms(use_true_random=False))
def test_no_undated_text_replaces_words_of_another(files, chance):
    """In any order of import, whatever holds no longer was replaced by words of its own text."""
    with tempfile.TemporaryDirectory() as folder, open_memory(Path(folder) / "home", environment={}) as memory:
        paths = [write_undated(Path(folder), str(place), *file) for place, file in enumerate(files)]
        chance.shuffle(paths)
        learn(memory, *paths)
        assert chain_faults(memory) == []
        with memory.store.read() as view:
            for record in view.list_records(RecordFilter(statuses=(Status.SUPERSEDED,)), 100):
                by = [asserting_turns(view, one) for one in (record.id, record.superseded_by)]
                assert not is_order_unknown(*by)
