"""`why_not`: at which step a recall left something out."""

import pytest

from dopejar import open_memory
from dopejar.errors import NotFoundError

LAMP = "The lamp in the hall is green."


@pytest.fixture
def memory(tmp_path):
    """A memory without a model, in which the user speaks."""
    with open_memory(tmp_path / "home", said_by="user") as opened:
        yield opened


@pytest.fixture
def ana(memory):
    """A reviewer's unlocked session."""
    memory.reviewers.add("ana", "correct horse battery")
    return memory.reviewers.unlock("correct horse battery")


@pytest.fixture
def told(memory):
    """Two memories of lamps, one of them out of use, and one of a dog."""
    texts = (LAMP, "The lamp in the attic is broken.", "Our dog is called Rex.")
    return [memory.remember(text).receipts[0].records[0].id for text in texts]


def reason(memory, question, name, **options):
    """What the explanation says first."""
    return memory.recall(question, why_not=name, **options).explanation[0].removeprefix(f"{name}: ")


def test_each_step_that_leaves_something_out_is_named(memory, ana, told):
    """Found, unlike, hidden, not asked for, beyond the budget."""
    lamp, attic, dog = told
    assert reason(memory, "Where is the green lamp?", lamp) == "it is in the answer"
    assert reason(memory, "Where is the green lamp?", dog).startswith("no word")
    assert reason(memory, "Who sells green umbrellas to tourists in Venice?", lamp).startswith("it was found")
    assert "the budget ends" in reason(memory, "Where is the green lamp?", lamp, budget=4)
    memory.delete(attic, ana)
    assert reason(memory, "Is the lamp in the attic broken?", attic).startswith("it is hidden")
    turn = memory.remember("The lamp in the cellar is new.").episode_id
    assert "were not asked for" in reason(memory, "Where is the green lamp?", turn, records_only=True)


def test_a_name_of_nothing_is_an_error(memory, told):
    """Its reason would mislead."""
    with pytest.raises(NotFoundError):
        memory.recall("Where is the lamp?", why_not="m_nothing")
