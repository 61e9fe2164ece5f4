"""A true fact is never retired by a statement that leaves it true, and always by one that ends it."""

from __future__ import annotations

import pytest
from believed import AT, DAY, Believed, say

from dopejar.values.proposal import Action, Proposal

LEAVES_IT_TRUE = [
    # beside it, or now and then
    ("I use Vim", "I also use VS Code"),
    ("I use Vim", "I sometimes use VS Code"),
    ("We use Postgres", "We use DynamoDB too"),
    ("We use Postgres", "We use MySQL and Postgres"),
    ("The kiln server listens on port 8080", "The kiln server also listens on port 9090"),
    ("I drive a Volvo", "I drive a Fiat on weekends"),
    ("I work at Initech", "I also work at Globex"),
    # elsewhere
    ("We use Postgres", "We use SQLite in tests"),
    ("We use Postgres", "We use MySQL drivers"),
    ("I use Vim", "I use VS Code plugins"),
    ("The kiln timeout is 30 s", "The kiln timeout is 60 s for uploads"),
    ("I prefer tea over coffee", "I prefer coffee over tea in the morning"),
    ("Keep lines under 100 characters", "The line length in tests is 120 characters"),
    # what was, what is to come
    ("I prefer dark mode", "I used light mode yesterday"),
    ("I use Vim", "I used Emacs in 2010"),
    ("The kiln timeout is 30 s", "The kiln timeout was 10 s"),
    ("The project is called Marmot", "The project was called Ferret"),
    ("I live in Porto", "I'm moving to Lisbon next month"),
    # somebody else's word, or doing
    ("We indent with spaces", "My boss says we should use tabs"),
    ("I prefer dark mode", "Everyone says I should use light mode"),
    ("The deadline is 3 May", "Ana says the deadline is 5 May"),
    ("I use Vim", "I taught my son to use Emacs"),
    ("I work at Initech", "I work with Globex on the bridge"),
    # exceptions
    ("Use tabs in Makefiles", "Never use tabs except in Makefiles"),
    ("We indent with spaces", "Use tabs unless the file is generated"),
    # another value is denied
    ("We use Postgres", "We never use MySQL"),
    ("We use Postgres", "We no longer use MySQL"),
    ("I live in Porto", "I don't live in Lisbon"),
    ("The kiln server listens on port 8080", "The kiln server does not listen on port 9090"),
    ("We are on Python 3.11", "Python 3.9 is no longer supported"),
    # languages that are spoken are not the one of the answers
    ("Always reply in German", "I speak English"),
    ("Always reply in German", "Write the docs in English"),
]
ENDS_IT = [
    ("I use Vim", "I no longer use Vim"),
    ("I use Vim", "I don't use Vim anymore"),
    ("I use Vim", "I stopped using Vim"),
    ("We use Redis", "We dropped Redis"),
    ("We use MySQL", "We use Postgres now"),
    ("I live in Porto", "I don't live in Porto anymore"),
    ("I'm 34", "I'm 35"),
    ("We don't use MySQL", "We use MySQL now"),
    ("The deadline is 3 May", "The deadline was moved to 5 May"),
    ("I prefer dark mode", "I also prefer light mode"),
]
SAYS_SOMETHING_ELSE = [
    ("Always use type hints", "Type hints are optional"),
    ("Bob leads the backend team", "Ana led the backend team before Bob"),
    ("The limit is 500 requests per minute", "The limit is 500 requests per hour"),
    ("I use Vim", "I quit using Vim"),
    ("We use Redis", "We abandoned Redis"),
]


def wishes(first: str, then: str) -> tuple[Proposal, ...]:
    """What the second statement wants of a memory that was told the first, with a search for what stands near."""
    known = Believed()
    for proposal in say(known, first):
        known.learn(proposal)
    return say(known, then, at=AT + DAY, near=True)


def replaced(proposal: Proposal) -> bool:
    """Whether a proposal would take an active record's place without asking anybody."""
    return proposal.action is Action.SUPERSEDE and proposal.signals.own_update


@pytest.mark.parametrize(("first", "then"), LEAVES_IT_TRUE)
def test_what_leaves_it_true_retires_nothing(first: str, then: str) -> None:
    """Both stand, or a person is asked."""
    assert not any(replaced(one) for one in wishes(first, then))


@pytest.mark.parametrize(("first", "then"), ENDS_IT)
def test_what_ends_it_makes_a_new_version(first: str, then: str) -> None:
    """Another value, or the denial of this one, takes the record's place."""
    assert [one.action for one in wishes(first, then)] == [Action.SUPERSEDE]


@pytest.mark.parametrize(("first", "then"), SAYS_SOMETHING_ELSE)
def test_what_contradicts_is_no_further_wording(first: str, then: str) -> None:
    """A statement that speaks against a record, or of another time or rate, never makes it stronger."""
    assert Action.REINFORCE not in [one.action for one in wishes(first, then)]


@pytest.mark.parametrize("order", [1, -1])
def test_a_denial_and_another_value_stand_side_by_side(order: int) -> None:
    """Whichever was said first, neither replaces the other."""
    first, then = ("We use Postgres", "We never use MySQL")[::order]
    (wish,) = wishes(first, then)
    assert wish.action is Action.ADD
