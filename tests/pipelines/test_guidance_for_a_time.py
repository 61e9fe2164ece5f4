"""Guidance that holds for a time, or that is said as a fact of the project; and quotations of what is over."""

from datetime import UTC, datetime

import pytest

from dopejar import open_memory
from dopejar.pipelines.recall.ended_turns import with_ended
from dopejar.pipelines.recall.turn_statements import ENDED
from dopejar.testing.builders import an_episode

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path):
    """A memory in a project."""
    with open_memory(tmp_path / "home", environment={}, project="atlas", said_by="user") as opened:
        yield opened


@pytest.mark.parametrize(
    "text",
    ["Until friday never touch the checkout.", "This week never deploy the worker.",
     "Until the end of the month do not merge to main.", "Never deploy the worker this week."],
)  # fmt: skip
def test_an_order_for_a_time_waits_with_its_end(memory, text):
    """Wherever the time stands, the order waits for a person and carries when it ends."""
    assert memory.remember(text, at=MONDAY).waits
    (item,) = memory.review.queue()
    draft = item.proposal.payload.draft
    assert (draft.temporary, draft.valid_to is not None) == (True, True)


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("We use uv here, not pip.", True),
        ("We run vitest instead of jest.", True),
        ("We use polars rather than pandas.", True),
        ("We use a bike, not a car.", False),
        ("We are using oak, not pine.", False),
        ("Until friday the checkout is closed.", False),
    ],
)
def test_what_is_used_in_the_project_and_what_is_not_is_guidance(memory, text, waits):
    """Where the thing that is not used is a tool or a package, it waits as a rule of the project; else it is a fact."""
    assert memory.remember(text, at=MONDAY).waits is waits
    kinds = [(item.proposal.payload.draft.kind.value, str(item.proposal.scope)) for item in memory.review.queue()]
    assert kinds == ([("rule", "project:atlas")] if waits else [])


@pytest.mark.parametrize(
    ("text", "day", "is_over"),
    [
        ("until friday nobody touches the checkout", 4, False),
        ("until friday nobody touches the checkout", 6, True),
        ("this week we skip the slow tests. The suite has 900 tests.", 9, True),
        ("the worker stays off until 10 march", 17, True),
        ("the worker stays off until 10 march", 9, False),
        ("do we wait until friday?", 9, False),
        ("nobody touches the checkout", 20, False),
        ("the deadline is given until friday", 20, False),
    ],
)
def test_a_quotation_of_what_is_over_is_marked(text, day, is_over):
    """The sentence that names its end is ended from then on; what stands beside it, and a question, are not."""
    turn = an_episode(text, at=MONDAY)
    found = with_ended({}, [turn], MONDAY.replace(day=day)).get(turn.id, ())
    assert [one.fate for one in found] == ([ENDED] if is_over else [])
    assert all(text[one.start : one.end].rstrip(".") == text.split(".")[0] for one in found)
