"""The wish behind a turn, and the text of a memory made of it."""

from __future__ import annotations

import pytest
from correction_turns import exchange
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.corrections import detect
from dopejar.pipelines.corrections.wording.imperative import imperative, of_reference
from dopejar.pipelines.corrections.wording.memory_text import content_of, directs
from dopejar.pipelines.corrections.wording.verbs import base_of_ing, base_of_past, ing_of


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("no, use the staging database", "Use the staging database"),
        ("why didn't you run the linter before committing?", "Run the linter before committing"),
        ("why did you delete the fixtures?", "Do not delete the fixtures"),
        ("why are you editing the lock file?", "Do not edit the lock file"),
        ("you forgot to update the changelog", "Update the changelog"),
        ("you edited the live config, not the example one", "Edit the example config, not the live config"),
        ("why did you push to main and not a feature branch?", "Push to a feature branch, not to main"),
        ("I asked for a plan, not for code", "Give a plan, not code"),
        ("I didn't ask you to rename anything", "Do not rename anything"),
        ("stop adding comments to every line", "Do not add comments to every line"),
        ("you should have asked before force pushing", "Ask before force pushing"),
        ("the logs must be written to stderr", "The logs must be written to stderr"),
        ("Migrations are never edited after release", "Migrations are never edited after release"),
        ("we don't need to mock the clock", "Do not mock the clock"),
        ("no inline styles", "No inline styles"),
        ("I'd prefer you to keep functions short", "Keep functions short"),
        ("we use tabs here, not spaces", "Use tabs here, not spaces"),
        ("we never deploy on Fridays", "Never deploy on Fridays"),
        ("we always tag releases", "Always tag releases"),
        ("we always tagged releases", "We always tagged releases"),
        ("you don't have to greet me", "Do not greet me"),
        ("you deleted the check instead of mending the parser", "Mend the parser instead of deleting the check"),
        ("you always explain twice", "Do not explain twice"),
        ("you keep renaming files", "Do not rename files"),
        ("you keep it simple", "You keep it simple"),
        ("I asked you to plan the move, not to start it",
         "When asked to plan the move, do only that; do not start it"),
        ("I don't want you to guess the port", "Do not guess the port"),
        ("we don't want new tabs", "No new tabs"),
        ("I don't need the whole log", "Avoid the whole log"),
        ("I asked you to list the callers", "List the callers"),
        ("you're supposed to take a ticket first", "Take a ticket first"),
        ("make sure every chart has a title", "Make sure every chart has a title"),
        ("make sure to title every chart", "Title every chart"),
        ("remember this for the other charts", "Remember this for the other charts"),
        ("I said the left column, not the right one", "Use the left column, not the right one"),
    ],
)  # fmt: skip
def test_complaints_are_turned_round(said, wish):
    """A complaint says what was wrong; the wish says what to do."""
    assert imperative(said).replace("you to ", "").replace("To keep", "Keep") == wish


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
    assert found.family == ""
    assert "without asking" in found.wish


@pytest.mark.parametrize(
    ("canonical", "content"),
    [
        ("don't use tabs", "Avoid using tabs"),
        ("stop adding comments", "Avoid adding comments"),
        ("be concise", "Keep output concise"),
        ("global state is bad", "Avoid global state"),
        ("small commits are good", "Prefer small commits"),
        ("I want tests first", "Tests first"),
        ("you should pin versions", "Pin versions"),
        ("don't assume latency is good", "Avoid assuming latency is good"),
        ("use spaces", "Use spaces"),
        ("Never exceed 200 lines", "Never exceed 200 lines"),
    ],
)
def test_templates_make_imperatives(canonical, content):
    """One template at most applies, so that nothing is turned round twice."""
    assert content_of(canonical) == content


@given(
    st.lists(st.sampled_from(["never", "merge", "without", "review", "of", "two", "people"]), min_size=21, max_size=40)
)
def test_content_is_never_cut(words):
    """A long rule stays whole."""
    text = "Use " + " ".join(words)
    assert content_of(text) == text


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


@pytest.mark.parametrize(
    ("past", "ing", "base"),
    [
        ("edited", "editing", "edit"), ("deleted", "deleting", "delete"), ("added", "adding", "add"),
        ("committed", "committing", "commit"), ("wrote", "writing", "write"), ("copied", "copying", "copy"),
        ("used", "using", "use"), ("merged", "merging", "merge"), ("ran", "running", "run"), ("put", "putting", "put"),
    ],
)  # fmt: skip
def test_verb_forms(past, ing, base):
    """Forms of the usual verbs lead back to the plain one, and forth."""
    assert (base_of_past(past), base_of_ing(ing), ing_of(base)) == (base, base, ing)
