"""Rules that a marker and a reader find together: whatever is likely enough to both, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.pipelines.ingest.extraction.rule_sentences import with_rule_sentences
from tests.unit.pipelines_ingest.spoken_turns import NOON, GuidesReader, LikelyMarker

RULES = (
    "comments are one line at most",
    "branch names with the ticket in front",
    "ask the owner before a schema changes",
    "only named exports",
)
BANS = (
    "no barrel files",
    "fix the query. no raw sql in the handlers",
    "put it beside the form, and please no inline styles",
    "errors: no bare except, catch what you know",
    "never touch the vendored code",
)
NOT_ENGLISH = "die Spalten bitte immer mit Einheit und die Namen nicht abgekürzt"
PROBABILITIES = st.floats(min_value=0.0, max_value=1.0)


def rules(text, lasting, guides, durable=0.8, **turn):
    """What is found as a rule in one turn."""
    spoken, marker = [SpokenTurn(text=text, at=NOON, **turn)], LikelyMarker(lasting)
    (found,) = with_rule_sentences(spoken, extract_marked(spoken, marker), marker, GuidesReader(guides, durable))
    for one in (*found.atoms, *found.left_out):
        assert 0 <= one.start < one.end <= len(text)
    return [atom for atom in found.atoms if atom.directs_work]


@given(text=st.sampled_from(RULES + BANS), one=PROBABILITIES, other=PROBABILITIES, more=PROBABILITIES)
def test_what_is_likelier_to_either_is_found_as_well(text, one, other, more):
    """A rule that is found at two probabilities is found at greater ones, with the words of its speaker."""
    found = rules(text, one, other)
    for again in (rules(text, max(one, more), other), rules(text, one, max(other, more))):
        assert {atom.text for atom in found} <= {atom.text for atom in again}
    for atom in found:
        assert atom.text.casefold() in text.casefold()
        assert 0.5 <= atom.confidence <= 1


@pytest.mark.parametrize("text", RULES)
def test_neither_reader_is_enough_alone(text):
    """What both find is a rule; what one of them hardly believes is none."""
    assert rules(text, 0.4, 0.95)
    assert not rules(text, 0.04, 0.95)
    assert not rules(text, 0.4, 0.1)


@pytest.mark.parametrize("text", BANS)
def test_a_ban_needs_less(text):
    """The form of a ban counts beside what both find, and is not enough where the marker finds nothing."""
    assert rules(text, 0.2, 0.6)
    assert not rules(text, 0.02, 0.6)


@pytest.mark.parametrize("text", ["no no, the small table", "there is no index on it", "it was never called", *RULES])
def test_what_only_looks_like_a_ban_needs_as_much_as_the_rest(text):
    """A "no" or "never" that forbids nothing adds nothing."""
    assert not rules(text, 0.2, 0.6)


@given(text=st.sampled_from(RULES + BANS), one=PROBABILITIES, other=PROBABILITIES)
def test_what_passes_is_left_in_its_turn(text, one, other):
    """A sentence that the reader finds to hold for the task at hand is no rule, nor a question, nor what others say."""
    assert not rules(text, one, other, durable=0.4)
    assert not rules(f"{text}?", one, other) or "." in text
    assert not rules(text, one, other, speaker_is_user=False)
    assert not rules(text, one, other, skip=[(0, len(text))])


@given(one=PROBABILITIES, other=PROBABILITIES)
def test_what_was_found_stays_and_other_languages_are_not_read(one, other):
    """A marked sentence is what it was marked as, and the marker is fitted to English."""
    assert not rules("The kiln is behind the shed.", one, other)
    assert not rules(NOT_ENGLISH, one, other)
