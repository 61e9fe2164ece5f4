"""What stands beside a rule and what takes its place: exceptions, choices, and statements that would end one."""

import pytest
from whole_store import seen, unlocked

from dopejar import open_memory
from dopejar.values.record import Status

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
EXCEPTIONS = [
    ("Never commit generated files.", "Committing generated files is fine in the fixtures folder."),
    ("Never use print.", "You may use print in scripts/."),
    ("Always write tests.", "No need for tests in the spike folder."),
    ("Never force push.", "In the sandbox repo, always force push."),
    ("Use pdm instead of pip.", "Use conda instead of pip for the notebooks."),
]
WHOLE = [("Never use print.", "You can use print."), ("Never push to main.", "Pushing to main is fine now.")]
CHOICES = [
    ("Use pdm instead of pip.", "Use rye instead of pdm."),
    ("Use webpack instead of gulp.", "Use vite instead of webpack."),
    ("Prefer dataclasses over dicts.", "Prefer attrs over dataclasses."),
]


@pytest.fixture
def memory(tmp_path):
    """A memory with a project at hand and nothing in it."""
    with open_memory(tmp_path / "home", environment=QUIET, project="birch", said_by="user") as opened:
        yield opened


def told(memory, *texts):
    """What is in force after a reviewer said these."""
    by = unlocked(memory)
    for text in texts:
        memory.remember(text, by=by)
    return {record.text for record in memory.list() if record.status is Status.ACTIVE}


@pytest.mark.parametrize(("rule", "exception"), EXCEPTIONS)
def test_an_exception_stands_beside_its_rule(memory, rule, exception):
    """A permission or an order in a narrower place leaves the rule as it is, and is kept."""
    assert told(memory, rule, exception) == {rule.rstrip("."), exception.rstrip(".")}


@pytest.mark.parametrize(("rule", "permission"), WHOLE)
def test_a_permission_without_a_narrower_place_is_no_exception(memory, rule, permission):
    """Who permits all that a rule forbids does not leave both in force."""
    assert len(told(memory, rule, permission)) == 1


@pytest.mark.parametrize(("earlier", "later"), CHOICES)
def test_a_choice_takes_the_place_of_the_one_it_refuses(memory, earlier, later):
    """What was to be used and now is not to be: the two are never both in force."""
    assert told(memory, earlier, later) == {later.rstrip(".")}


def test_two_choices_of_one_thing_both_hold(memory):
    """The same thing in place of two others leaves both bans in force."""
    assert len(told(memory, "Use uv instead of pip.", "Use uv instead of poetry.")) == 2


def test_an_edited_update_takes_the_place_of_what_it_updates(memory):
    """A reviewer's words for an update are in force, and the old number is not, though both name the same tool."""
    by = unlocked(memory)
    memory.remember("We use ruff in place of black, line length 90.", by=by)
    memory.remember("We use ruff in place of black, line length 110.", said_by="assistant")
    (item,) = memory.review.queue()
    memory.review.edit(item.proposal.id, "We use ruff in place of black, line length 120", by, seen=seen(memory))
    texts = [record.text for record in memory.list() if record.status is Status.ACTIVE]
    assert [text for text in texts if "ruff" in text] == ["We use ruff in place of black, line length 120"]


def test_a_fact_of_a_conversation_ends_no_rule_unseen(memory):
    """What is told in passing and would take the place of a rule waits, and the rule stays in force."""
    told(memory, "Use pdm instead of pip.")
    turns = [{"role": "user", "content": "we use rye now, not pdm"}, {"role": "assistant", "content": "OK."}]
    memory.add(turns)
    assert "Use pdm instead of pip" in {record.text for record in memory.list() if record.status is Status.ACTIVE}
