"""The end of a session: proposals are made once, by hand or by silence, and what is approved is stored by the gate."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from dopejar import NotFoundError, Status, open_memory
from dopejar.engine.corrections.session_end import ProposalStorage
from dopejar.errors import ReviewerRequiredError
from dopejar.memory.append import admit, append
from dopejar.pipelines.corrections import CorrectionCluster, ProposalEngine
from dopejar.ports.store import RecordFilter
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
        opened.add_reviewer("ana", SECRET)
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
    assert memory.waiting() == 0
    ended = memory.end_session()
    assert ended.conversation == home
    assert [one.category for one in ended.summary.proposals] == ["rule"]
    assert ended.summary.total_corrections == 1
    before = [(item.proposal.id, item.proposal.version) for item in memory.queue()]
    again = memory.end_session(home)
    assert [(item.proposal.id, item.proposal.version) for item in memory.queue()] == before
    assert again.summary.proposals == ended.summary.proposals


def test_what_is_said_after_the_end_is_read_at_the_next(memory):
    """A conversation that goes on is read again, whole; what stands already is not proposed twice."""
    keep_live(memory, 0)
    memory.end_session()
    more = [*TALK, (Origin.ASSISTANT, "Moved."), (Origin.USER, "and from now on run the linter before every commit")]
    keep_live(memory, 0, talk=more)
    texts = [one.content for one in memory.end_session().summary.proposals]
    assert len(texts) == 2
    assert any("linter" in text for text in texts)


@pytest.mark.parametrize(("ago", "ended"), [(5, 0), (45, 1), (60 * 24 * 5, 0)])
def test_silence_ends_a_session(memory, ago, ended):
    """After half an hour without a turn housekeeping reads it; not while it goes on, and not what is long past."""
    keep_live(memory, ago)
    assert memory.maintain().ended == ended
    assert memory.waiting() == ended
    assert memory.maintain().ended == 0


def test_how_long_silence_must_last_is_a_setting(tmp_path):
    """`session.idle_minutes` says when silence is the end."""
    with open_memory(tmp_path, environment={"DOPEJAR_SESSION_IDLE_MINUTES": "3"}, project="atlas") as memory:
        keep_live(memory, 5)
        assert memory.maintain().ended == 1


def test_what_was_learned_from_a_file_is_never_idle(memory, tmp_path):
    """A transcript is read when it is learned; silence has nothing to add."""
    path = tmp_path / "talk.jsonl"
    path.write_text("".join(json.dumps({"role": o.value, "content": words}) + "\n" for o, words in TALK))
    list(memory.learn([path]))
    assert memory.maintain().ended == 0


def test_without_a_conversation_there_is_nothing_to_end(memory):
    """One sentence says so."""
    with pytest.raises(NotFoundError, match="dopejar learn"):
        memory.end_session()


CLUSTERS = [
    CorrectionCluster(
        canonical="Keep summaries concise",
        variants=["keep it short", "be terse"],
        correction_type="style",
        frequency=3,
        confidence=0.9,
    ),
    CorrectionCluster(
        canonical="Never use panic in production Go code",
        variants=["don't panic", "avoid panic()"],
        correction_type="rule",
        frequency=2,
        confidence=0.95,
    ),
    CorrectionCluster(
        canonical="Use PortalTabs for all portal pages",
        variants=["add tabs", "use portal tabs"],
        correction_type="rule",
        frequency=2,
        confidence=0.8,
    ),
    CorrectionCluster(canonical="Don't amend pushed commits", correction_type="behavior", frequency=1, confidence=0.9),
]


def active(memory):
    """What is in force, by text, with its kind and scope."""
    return {one.text: (one.kind.value, str(one.scope)) for one in memory.list_records(RecordFilter(), 50)}


def test_each_scope_and_category_has_its_place(memory):
    """Universal ones and a language's go to the profile, a project's to its decisions; nothing loses its kind."""
    summary = ProposalEngine().generate_proposals(CLUSTERS, project="atlas")
    storage = ProposalStorage(memory, memory.unlock(SECRET))
    receipts = storage.store_approved(summary.proposals, [one.id for one in summary.proposals])
    assert [one.outcome for one in receipts] == ["added"] * 4
    assert [line.text for line in memory.profile().general] == ["Keep summaries concise"]
    assert active(memory)["Never use panic in production Go code"] == ("rule", "language:go")
    assert {line.text for line in memory.decisions()} == {
        "Use PortalTabs for all portal pages",
        "Avoid amending pushed commits",
    }
    assert active(memory)["Avoid amending pushed commits"] == ("correction", "project:atlas")
    assert memory.verify()


def test_only_what_was_approved_is_stored(memory):
    """An id that is not named is left out, and so is one that is nobody's."""
    summary = ProposalEngine().generate_proposals(CLUSTERS, project="atlas")
    storage = ProposalStorage(memory, memory.unlock(SECRET))
    assert storage.store_approved(summary.proposals, []) == ()
    storage.store_approved(summary.proposals, [summary.proposals[0].id, "prop-nobody"])
    assert list(active(memory)) == [summary.proposals[0].content]


def test_storing_twice_is_one_record(memory):
    """The same proposal again, also on another day's summary, makes no second record."""
    storage = ProposalStorage(memory, memory.unlock(SECRET))
    for _ in range(2):
        summary = ProposalEngine().generate_proposals(CLUSTERS[:1])
        storage.store_approved(summary.proposals, [one.id for one in summary.proposals])
    assert list(active(memory)) == ["Keep summaries concise"]


def test_without_a_reviewer_a_rule_waits(memory):
    """A host that names no reviewer stores what the gate allows by itself; the rest waits for a person."""
    summary = ProposalEngine().generate_proposals(CLUSTERS[1:2])
    (receipt,) = ProposalStorage(memory).store_approved(summary.proposals, [summary.proposals[0].id])
    assert receipt.outcome == "staged"
    assert memory.list_records(RecordFilter(statuses=(Status.ACTIVE,)), 10) == ()
    with pytest.raises(ReviewerRequiredError):
        ProposalStorage(memory).store_approved(summary.proposals, [summary.proposals[0].id])


def test_what_waits_in_the_queue_is_approved_there(memory):
    """Approving a summary's proposal approves the waiting one, with its turns as evidence."""
    keep_live(memory, 0)
    summary = memory.end_session().summary
    storage = ProposalStorage(memory, memory.unlock(SECRET))
    renamed = [replace(one, id="prop-1") for one in summary.proposals]
    (receipt,) = storage.store_approved(renamed, ["prop-1"])
    assert memory.waiting() == 0
    assert receipt.records[0].approved_by == "ana"
    assert any("never commit to main" in episode.text for _, episode in memory.history(receipt.records[0].id).evidence)
