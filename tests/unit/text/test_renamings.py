"""Which two names a text says are those of one thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.renamings import read_renamings

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
