"""What a speaker takes back at once is left out, and what was not taken back stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.extraction.self_corrections import as_meant

MEANT = [
    ("The kiosk is on port 7001, no wait, 7010.", "The kiosk is on port 7010."),
    ("Our bus leaves at 8:10. No, sorry, at 8:40.", "Our bus leaves at 8:40."),
    ("the choir meets on tuesdays... i mean wednesdays", "the choir meets on wednesdays"),
    ("The prize is 300 euros. Scratch that, it's 350.", "The prize is 350 euros."),
    ("The hand-in is Friday - correction: Monday.", "The hand-in is Monday."),
    ("We open on the 5th, no, the 6th.", "We open on the 6th."),
    ("The rent is 800. Actually 850.", "The rent is 850."),
    ("I keep two cats, wait, three since May.", "I keep three cats since May."),
    ("The party is in the barn, no wait, in the orchard, 14 june.", "The party is in the orchard, 14 june."),
    ("My dentist is Doctor Weber, sorry no, Professor Weber.", "My dentist is Professor Weber."),
    ("Her aunt lives in Bath. Wait no, she lives in Bristol.", "Her aunt lives in Bristol."),
    ("The queue is called orders-old, ah sorry, orders-new.", "The queue is called orders-new."),
    ("Dues are 15 a month, correction, 15 a term.", "Dues are 15 a term."),
    ("We support node 18 and up, hm no, node 22 and up.", "We support node 22 and up."),
    ("Rehearsal is every Thursday, oops, every Tuesday I meant.", "Rehearsal is every Tuesday."),
    ("my horse is called brise, oops, braise", "my horse is called braise"),
    ("The pass mark is 50, no, 60, no, 55.", "The pass mark is 55."),
]
STAYS = [
    "We have 3 nodes, actually 2 of them are spot.",
    "The port is 9090, sorry, 2 questions about it.",
    "A list of names, no numbers.",
    "We use Go, I mean we love it.",
    'When I say "the barn", I mean the old repository.',
    "Photos go to the cellar and no longer to the cloud.",
    "How do I say no to the Friday shift?",
    "The key went from no. 9 to no. 14.",
    "We pay in 14 days rather than 30.",
    "Sorry, the port is 9. No, I do not want that.",
    "It is not 8443 and not 8080, no wait, 8444.",
    "The timeout is 200, no change there.",
    "Nothing was said, wait for the review.",
    "Label the crates. No wait, the kiln is behind the shed.",
]


@pytest.mark.parametrize(("said", "meant"), MEANT)
def test_what_was_taken_back_is_left_out(said: str, meant: str) -> None:
    """The words that replace others stand in their place, and what follows stays."""
    assert " ".join(as_meant(said).split()) == meant


@pytest.mark.parametrize("said", STAYS)
def test_where_nothing_is_plainly_taken_back_all_stays(said: str) -> None:
    """A negation, a comparison, an apology, a statement of its own."""
    assert as_meant(said) == said


PARTS = st.sampled_from(
    [
        "port 80",
        "Monday",
        "no",
        "wait",
        "sorry",
        ",",
        ".",
        "I mean",
        "the 5th",
        "it's",
        "Ana",
        "at",
        "\n",
        "oops",
        "März",
    ]
)


@given(st.lists(PARTS, max_size=12))
def test_the_length_stays_and_no_word_is_new(parts: list[str]) -> None:
    """Positions in the text stay positions in what was said, and every word was said."""
    said = " ".join(parts)
    meant = as_meant(said)
    assert len(meant) == len(said)
    assert set(meant.split()) <= set(said.split()) | {word.rstrip(",.") for word in said.split()}
