"""Which two names a text says are those of one thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.renamings import read_naming, read_renamings

SAID = (
    "We've renamed {o} to {n}.",
    "{o} is {n} these days.",
    "We now call {o} {n}.",
    "{n} (née {o}) is deployed in Frankfurt.",
    "{n}, ex-{o}, has a new owner.",
    "As of Monday, {o} will operate under the name {n}.",
    "They went and changed {o}'s name to {n}.",
    "Oh, and {o}? It's {n} now.",
    "{n} was called {o} until last week.",
    "{o} is what {n} was called before the merger.",
    "We dropped the name {o} in favour of {n}.",
    "{n} replaces {o} as the name of the service.",
    "Renamed {o} -> {n} in the repo.",
)
NOT_SAID = (
    "{o} now runs on {n}.",
    "{o} calls {n} twice per request.",
    "We might rename {o} to {n} next quarter.",
    "We decided against renaming {o} to {n}.",
    "{o} was replaced by {n}.",
    "{o} is in {n} now.",
    "If we rename {o} to {n}, the dashboards break.",
    "Should {o} be called {n}?",
    "The owner is {n}, and {o} has no budget since May.",
    "{o} has a new maintainer, {n}.",
)


@pytest.mark.parametrize("wording", SAID)
def test_a_new_name_is_read_with_the_one_that_it_replaces(wording: str) -> None:
    """Any wording by which one name took the place of another gives the older and the newer one."""
    assert read_renamings(wording.format(o="Halyard", n="Tiller")) == (("Halyard", "Tiller"),)


@pytest.mark.parametrize(
    ("older", "newer"), [('"old desk"', '"new desk"'), ("`alpha`", "Tiller"), ("Halyard", "“the big one”")]
)
def test_a_name_in_quotes_is_a_name(older: str, newer: str) -> None:
    """However its words are spelled."""
    found = read_renamings(f"We renamed {older} to {newer}.")
    assert found == ((older.strip('`"“”'), newer.strip('`"“”')),)


@pytest.mark.parametrize("wording", NOT_SAID)
def test_what_is_not_said_of_names_is_not_read(wording: str) -> None:
    """What is supposed, denied, asked, or said of two things is no renaming."""
    assert read_renamings(wording.format(o="Halyard", n="Tiller")) == ()


@given(st.text(max_size=400))
def test_any_text_may_be_read(text: str) -> None:
    """Every name that is read stands in the text as it is written."""
    assert all(name in text for pair in read_renamings(text) for name in pair)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("We renamed the order service: it is called {n} now.", "order service"),
        ("The order service is called {n} now.", "order service"),
        ("The billing repo has a new name: {n}.", "billing repo"),
        ("Let's call the mail gateway {n} from now on.", "mail gateway"),
        ("Our running club is now known as {n}.", "running club"),
        ("The old report server was renamed {n}.", "report server"),
        ("We now refer to the pricing module as {n}.", "pricing module"),
        ("The customer portal app became {n}.", "customer portal app"),
    ],
)
def test_the_older_name_may_be_a_common_one(text: str, pair: str) -> None:
    """A noun for a thing with what it is for, after an article."""
    assert read_renamings(text.format(n="Cashew")) == ((pair, "Cashew"),)


@pytest.mark.parametrize(
    "text",
    [
        "The order service now calls Cashew.",
        "From now on the order service calls Cashew for prices.",
        "The order service is now owned by Cashew.",
        "Is the order service called Cashew now?",
        "We might rename the order service to Cashew.",
        "The order service is not called Cashew.",
        "The new service is called Cashew now.",
        "We moved the order service to Cashew.",
        "The export pipeline is now Python.",
        "Please call the data team on Monday.",
        "The deploy bot now posts to Slack.",
        "Falcon now calls Osprey.",
        "Falcon calls Osprey now.",
    ],
)
def test_what_one_thing_does_to_another_renames_nothing(text: str) -> None:
    """Calls between services, owners, moves, questions, plans."""
    assert read_renamings(text) == ()


@pytest.mark.parametrize(
    ("text", "naming"),
    [
        ("Call the server Box A.", ("Box A", "server")),
        ("Please call my laptop Toaster", ("Toaster", "laptop")),
        ("From now on, call the north room Attic", ("Attic", "north room")),
        ("Let's call the staging cluster Marten from now on.", ("Marten", "staging cluster")),
        ("Call the plumber Lena.", None),
        ("Call the office at Main Street.", None),
        ("Call the doctor on Monday.", None),
        ("Call the API Gateway.", None),
        ("Call the server when it is up.", None),
        ("We call the server every minute.", None),
    ],
)
def test_a_request_gives_a_name_to_a_thing(text: str, naming: tuple[str, str] | None) -> None:
    """A thing, or anything from now on; who is only rung up gets no name."""
    assert read_naming(text) == naming
