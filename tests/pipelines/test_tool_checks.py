"""Tool calls are checked against approved corrections: findings ask a person and name their sources."""

import pytest
from whole_store import by_turns, seen, write_roles

from dopejar import open_memory

SECRET = "correct horse " + "battery"
PUSHED = "Done.\n```bash\ngit push origin main\n```\n"
LISTED = "I looked around first.\n```bash\nls -la\n```\n"
NEVER = "no, never push to main"


def write_talk(folder, name, *turns, day=1):
    """A conversation as a neutral file: user and assistant take turns."""
    return write_roles(folder, name, by_turns(turns), day)


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with one reviewer, in a project."""
    with open_memory(tmp_path / "home", environment={}, project="atlas", said_by="user") as opened:
        opened.reviewers.add("ana", SECRET)
        yield opened


def learn(memory, *paths):
    """Learn, and return the queue."""
    list(memory.learn(paths))
    return memory.review.queue()


def approve_all(memory):
    """Approve everything that waits."""
    memory.review.approve(
        [item.proposal.id for item in memory.review.queue()], memory.reviewers.unlock(SECRET), seen=seen(memory)
    )


PUSH = ("Bash", {"command": "git push origin main"})


def test_an_approved_rule_meets_the_call_that_breaks_it(memory, tmp_path):
    """Before approval nothing is checked; after it the call prompts, and the finding names the rule's source."""
    learn(memory, write_talk(tmp_path, "one", "ship it", PUSHED, NEVER))
    assert memory.check(*PUSH) == ()
    approve_all(memory)
    (finding,) = memory.check(*PUSH)
    assert (finding.effect, finding.approved_by, finding.found) == ("prompt", "ana", "git push origin main")
    assert [(source.text, source.index) for source in finding.said_in] == [(NEVER, 2)]
    assert memory.check("Bash", {"command": "git push origin topic"}) == ()
    assert memory.check("Bash", {"command": "ls"}) == ()


def test_a_check_that_its_evidence_contradicts_stays_advice(memory, tmp_path):
    """The person complained about a call that the check does not match: the rule stays advice."""
    learn(memory, write_talk(tmp_path, "one", "ship it", LISTED, NEVER))
    (item,) = memory.review.queue()
    assert not memory.review.show(item.proposal.id).is_checkable
    approve_all(memory)
    assert memory.check(*PUSH) == ()
    assert "push to main" in memory.surveys.decisions()[0].text


@pytest.mark.parametrize("done", [PUSHED, LISTED])
@pytest.mark.parametrize("rule", ["Never push to main.", "If in doubt, ask Ana. Never push to main."])
def test_a_rule_is_checked_or_told(memory, tmp_path, done, rule):
    """One of both: what a check compares with calls is not told, what its evidence leaves as advice is."""
    (item,) = learn(memory, write_talk(tmp_path, "one", "ship it", done, NEVER))
    memory.review.edit(item.proposal.id, rule, memory.reviewers.unlock(SECRET), seen=seen(memory))
    (record,) = memory.list()
    is_checked = bool(memory.check(*PUSH))
    assert is_checked is (done == PUSHED)
    assert memory.history(record.id).is_checked is is_checked
    assert bool(memory.surveys.rules_of_call(*PUSH)) is not is_checked


def test_one_confirming_turn_is_enough(memory, tmp_path):
    """A rule that is stated again after a call that the check matches is checked."""
    learn(
        memory,
        write_talk(tmp_path, "one", "ship it", LISTED, NEVER),
        write_talk(tmp_path, "two", "and now", PUSHED, NEVER, day=2),
    )
    approve_all(memory)
    assert [finding.effect for finding in memory.check(*PUSH)] == ["prompt"]


def test_without_a_call_in_its_evidence_a_rule_is_checked(memory, tmp_path):
    """Evidence that contains no call neither confirms nor contradicts a check."""
    learn(memory, write_talk(tmp_path, "one", "ship it", "I pushed it to main.", NEVER))
    approve_all(memory)
    assert memory.check(*PUSH)


def test_a_deprecated_rule_is_not_checked(memory, tmp_path):
    """A deprecated rule prompts no more."""
    learn(memory, write_talk(tmp_path, "one", "ship it", PUSHED, NEVER))
    approve_all(memory)
    memory.delete([memory.check(*PUSH)[0].record_id], memory.reviewers.unlock(SECRET))
    assert memory.check(*PUSH) == ()


def test_a_preview_shows_where_a_rule_would_have_applied(memory, tmp_path):
    """The preview lists past calls that break the rule and past turns that state it, in the project, oldest first."""
    paths = [
        write_talk(tmp_path, "one", "ship the fix to main", PUSHED, "thanks, well done", day=1),
        write_talk(tmp_path, "two", "what does push do?", "It pushes to a remote, main for instance.", "ok", day=2),
        write_talk(tmp_path, "three", "ship it", PUSHED, NEVER, day=3),
    ]
    (item,) = learn(memory, *paths)
    shown = memory.review.show(item.proposal.id)
    assert shown.is_checkable
    assert [(turn.at.day, turn.index, turn.why) for turn in shown.past] == [
        (1, 1, "the assistant did it"),
        (3, 1, "the assistant did it"),
        (3, 2, "you stated it"),
    ]
    assert shown.past[1].said == NEVER


def test_a_preview_stays_in_its_project(memory, tmp_path):
    """A rule of one project is not compared with the turns of another."""
    with open_memory(memory.home, environment={}, project="other", said_by="user") as elsewhere:
        list(elsewhere.learn([write_talk(tmp_path, "far", "ship", PUSHED, "thanks", day=1)]))
    rule = "no, in this project never push to main"
    (item,) = learn(memory, write_talk(tmp_path, "near", "ship it", PUSHED, rule, day=3))
    assert str(item.proposal.scope) == "project:atlas"
    assert {turn.at.day for turn in memory.review.show(item.proposal.id).past} == {3}


def test_other_proposals_have_no_preview(memory, tmp_path):
    """A waiting fact directs nothing, so it has no preview."""
    memory.remember("The staging server runs Debian 12.", said_by="assistant")
    (item,) = memory.review.queue()
    shown = memory.review.show(item.proposal.id)
    assert (shown.past, shown.is_checkable) == ((), False)


def test_whether_a_rule_is_checked_is_said_where_it_is_decided(memory):
    """Listing, receipt and history say of a rule whether tool calls are checked against it; of a fact they do not."""
    by = memory.reviewers.unlock(SECRET)
    for text in ("Never push to main.", "Never rush a release."):
        assert memory.remember(text, said_by="assistant").waits
    waiting = memory.review.queue(checks=True)
    assert {item.text: item.is_checkable for item in waiting} == {
        "Never push to main": True,
        "Never rush a release": False,
    }
    names = [item.proposal.id for item in waiting]
    receipts = memory.review.approve(names, by, seen=memory.review.versions())
    notes = {receipt.records[0].text: receipt.notes for receipt in receipts}
    assert notes["Never push to main"] == ("checked on tool calls",)
    assert notes["Never rush a release"] == ("advice: not checked on tool calls",)
    assert {row.text: memory.history(row.id).is_checked for row in memory.list()} == {
        "Never push to main": True, "Never rush a release": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        ("Never commit a .onnx file.", ("checked on tool calls",)),
        ("Never quote prices to clients.", ("advice: not checked on tool calls",)),
        ("I play the cello.", ()),
    ],
)
def test_a_rule_that_is_told_says_whether_it_is_checked(memory, text, notes):
    """As an approval does; what is no rule says nothing of it."""
    told = memory.remember(text, by=memory.reviewers.unlock(SECRET))
    assert told.took_effect
    assert tuple(note for receipt in told.receipts for note in receipt.notes) == notes


def test_the_message_has_the_whole_rule_and_its_exceptions(memory):
    """What permits in a narrower place is named, what has other words in common is not."""
    by = memory.reviewers.unlock(SECRET)
    (waiting,) = memory.remember("Never push to main.").receipts
    memory.review.edit(waiting.proposal_id, "Never push to main. Tags are pushed by Tomas.", by, seen=seen(memory))
    for said in ("You may push to main for hotfixes.", "We push images to the main registry."):
        memory.remember(said, by=by)
    (finding,) = memory.check(*PUSH)
    assert finding.message == (
        "This call goes against: Never push to main. Tags are pushed by Tomas; but: You may push to main for hotfixes"
    )


def test_no_exception_is_told_that_nobody_approved(memory):
    """What a message that nobody vouches for states is no exception, though its words permit."""
    by = memory.reviewers.unlock(SECRET)
    memory.remember("Never push to main.", by=by)
    memory.remember("Pushing to main is optional for the sandbox of Ben.", said_by="user")
    (finding,) = memory.check(*PUSH)
    assert finding.message == "This call goes against: Never push to main"
