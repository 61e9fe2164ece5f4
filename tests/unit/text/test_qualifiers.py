"""Qualifiers: what holds only somewhere, or under another condition, is not the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.mutual_relations import mutual_relations
from dopejar.text.qualifiers import is_qualified_otherwise
from dopejar.values.statement import Relation

OTHERWISE = [
    ("Run the linter before each commit.", "Run the linter before each commit in CI."),
    ("Commit after each step.", "Commit after each step, never on main."),
    ("Return early on errors.", "Return early on errors, except in parsers."),
    ("Ask before deleting files.", "Ask before deleting files in shared folders."),
    ("When tests fail, read the log first.", "When the build fails, read the log first."),
    ("Answer in German.", "Answer in German unless the client writes in Czech."),
    ("Water the ferns twice a week.", "Water the ferns twice a week while the heating is on."),
    ("Bei Fehlern sofort abbrechen.", "Bei Fehlern sofort abbrechen, außer im Parser."),
]
ALIKE = [
    ("Run the linter before each commit.", "Always run the linter before every commit."),
    ("When somebody asks from a phone, keep the answer brief.", "Keep answers short when the user asks from a phone."),
    (
        "Restart the worker after a change of its configuration.",
        "After changing its configuration, restart it.",
    ),
    ("Answer in German.", "In future, answer in German."),
    ("Put tabs in makefiles.", "In makefiles, put tabs."),
]


@pytest.mark.parametrize(("one", "other"), OTHERWISE)
def test_a_place_or_condition_of_its_own_keeps_two_apart(one, other):
    """Whichever comes first, and the grammar calls them the same no more."""
    assert is_qualified_otherwise(one, other)
    assert is_qualified_otherwise(other, one)
    assert Relation.SAME not in mutual_relations(GrammarReader(), [(one, other)])


@pytest.mark.parametrize(("one", "other"), ALIKE)
def test_the_same_qualifier_in_other_words_or_order_keeps_nothing_apart(one, other):
    """It is what they share."""
    assert not is_qualified_otherwise(one, other)
    assert not is_qualified_otherwise(other, one)


WORDS = st.lists(
    st.sampled_from(["in", "never", "when", "unless", "the", "files", "main", "build", ",", "—", "会議", "в"]),
    max_size=9,
)


@given(WORDS, WORDS)
def test_neither_text_is_the_first(one, other):
    """Any two texts, either way round; a text is not qualified otherwise than itself."""
    here, there = " ".join(one), " ".join(other)
    assert is_qualified_otherwise(here, there) is is_qualified_otherwise(there, here)
    assert not is_qualified_otherwise(here, here)
