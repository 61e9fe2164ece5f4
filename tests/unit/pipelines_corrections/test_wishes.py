"""The wish behind a turn, and the text of a memory made of it."""

from __future__ import annotations

import pytest
from correction_turns import exchange

from dopejar.pipelines.corrections import detect
from dopejar.pipelines.corrections.wording.clauses import of_reference
from dopejar.pipelines.corrections.wording.memory_text import directs


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("name branches after the ticket, e.g. ABC-12", "Name branches after the ticket, e.g. ABC-12"),
        ("tokens belong in the vault, never in the repo", "Tokens belong in the vault, never in the repo"),
        ("that is wrong, never touch the vault", "Never touch the vault"),
        ("sizes are whole bytes, never megabytes", "Sizes are whole bytes, never megabytes"),
        (
            "the licences come from legal, don't edit them yourself",
            "The licences come from legal, don't edit them yourself",
        ),
    ],
)
def test_a_clause_is_cut_where_a_new_wish_begins(said, wish):
    """Not at an abbreviation, and not in front of what only limits the clause before it."""
    (found,) = detect([exchange(f"no! {said}")])
    assert found.wish == wish


@pytest.mark.parametrize("said", ["never push to main without asking me", "don't merge without asking"])
def test_asking_first_is_not_acting_oneself(said):
    """A ban on acting without asking never becomes a wish to act without asking."""
    (found,) = detect([exchange(said)])
    assert "without asking" in found.wish


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use the staging database", True),
        ("The title should name the ticket", True),
        ("I have always liked this style", False),
        ("Which I never tried before", False),
        ("Make sure I understand this", False),
        ("Is this always so?", False),
    ],
)
def test_what_directs(text, expected):
    """Only what tells somebody what to do is worth proposing."""
    assert directs(text) is expected


@pytest.mark.parametrize(
    ("name", "wish"),
    [("dont-skip-hooks", "Do not skip hooks (dont-skip-hooks)"), ("release-flow", "Follow release-flow")],
)
def test_a_rules_file_says_its_wish(name, wish):
    """A bare pointer to a rules file is a wish to follow it."""
    assert of_reference(name) == wish
