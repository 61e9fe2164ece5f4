"""The end of a session: proposals are made once, by hand or by silence, and what is approved is stored by the gate."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from whole_store import seen

from dopejar import NotFoundError, open_memory
from dopejar.memory.append import admit, append
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import conversation_id, episode_id

SECRET = "correct horse " + "battery"
TALK = [
    (Origin.USER, "add a retry to the upload client"),
    (Origin.ASSISTANT, "Done. I added a retry and committed it to main."),
    (Origin.USER, "no, never commit to main. always use a feature branch"),
]


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with one reviewer, in a project."""
    with open_memory(tmp_path / "home", environment={}, project="atlas") as opened:
        opened.reviewers.add("ana", SECRET)
        yield opened


def keep_live(memory, ago, name="live", talk=TALK):
    """Keep a talk turn by turn, as a live door does: its last turn is so many minutes ago."""
    home = conversation_id("live", name)
    began = datetime.now(UTC) - timedelta(minutes=ago + len(talk))
    row = Conversation(id=home, source="live", name=name, started_at=began, project="atlas", project_label="atlas")
    turns = [
        Episode(
            id=episode_id(home, str(place)),
            conversation=home,
            index=place,
            at=began + timedelta(minutes=place + 1),
            speaker=origin.value,
            origin=origin,
            text=words,
            project="atlas",
        )
        for place, (origin, words) in enumerate(talk)
    ]
    with memory.store.write() as tx:
        append(tx, row, admit(turns, lambda text: (text, {}), lambda _: True))
    return home


def test_ending_makes_the_proposals_once(memory):
    """A conversation that was kept turn by turn is read at its end, and not again at the next one."""
    home = keep_live(memory, 0)
    assert memory.review.waiting() == 0
    ended = memory.sessions.end()
    assert ended.conversation == home
    assert [one.category for one in ended.summary.proposals] == ["rule"]
    assert ended.summary.total_corrections == 1
    before = [(item.proposal.id, item.proposal.version) for item in memory.review.queue()]
    again = memory.sessions.end(home)
    assert [(item.proposal.id, item.proposal.version) for item in memory.review.queue()] == before
    assert again.summary.proposals == ended.summary.proposals


def test_what_is_said_after_the_end_is_read_at_the_next(memory):
    """A conversation that goes on is read again, whole; what stands already is not proposed twice."""
    keep_live(memory, 0)
    memory.sessions.end()
    more = [*TALK, (Origin.ASSISTANT, "Moved."), (Origin.USER, "and from now on run the linter before every commit")]
    keep_live(memory, 0, talk=more)
    texts = [one.content for one in memory.sessions.end().summary.proposals]
    assert len(texts) == 2
    assert any("linter" in text for text in texts)


@pytest.mark.parametrize(("ago", "ended"), [(5, 0), (45, 1), (60 * 24 * 5, 0)])
def test_silence_ends_a_session(memory, ago, ended):
    """After half an hour without a turn housekeeping reads it; not while it goes on, and not what is long past."""
    keep_live(memory, ago)
    assert memory.maintenance.maintain().ended == ended
    assert memory.review.waiting() == ended
    assert memory.maintenance.maintain().ended == 0


def test_how_long_silence_must_last_is_a_setting(tmp_path):
    """`session.idle_minutes` says when silence is the end."""
    with open_memory(tmp_path, environment={"DOPEJAR_SESSION_IDLE_MINUTES": "3"}, project="atlas") as memory:
        keep_live(memory, 5)
        assert memory.maintenance.maintain().ended == 1


def test_what_was_learned_from_a_file_is_never_idle(memory, tmp_path):
    """A transcript is read when it is learned; silence has nothing to add."""
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps({"role": o.value, "content": words}) + "\n" for o, words in TALK))
    list(memory.learn([path]))
    assert memory.maintenance.maintain().ended == 0


def test_without_a_conversation_there_is_nothing_to_end(memory):
    """One sentence says so."""
    with pytest.raises(NotFoundError, match="dopejar learn"):
        memory.sessions.end()


def test_what_waits_in_the_queue_is_approved_there(memory):
    """The ids of a summary are those of the queue: approving one keeps its turns as evidence."""
    keep_live(memory, 0)
    summary = memory.sessions.end().summary
    (receipt,) = memory.review.approve(
        [one.id for one in summary.proposals], memory.reviewers.unlock(SECRET), seen=seen(memory)
    )
    assert memory.review.waiting() == 0
    assert receipt.records[0].approved_by == "ana"
    assert any("never commit to main" in episode.text for _, episode in memory.history(receipt.records[0].id).evidence)
