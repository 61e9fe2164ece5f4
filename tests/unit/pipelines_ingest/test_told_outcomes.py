"""What has just come to pass takes the place of what was told right before, where a reader finds that it changes it."""

from dataclasses import replace

import pytest
from spoken_turns import said

from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn
from dopejar.pipelines.ingest.extraction.outcomes import with_outcomes
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.values.statement import Relation


class EndingReader(GrammarReader):
    """A graded reader to which every later statement ends the earlier one, as probably as it is told."""

    is_graded = True

    def __init__(self, share):
        super().__init__()
        self._share = share

    def relate(self, pairs):
        """An end of this probability for each pair."""
        given = tuple(self._share * (one is Relation.END) for one in Relation)
        return tuple(replace(one, shares=given) for one in super().relate(pairs))


def outcomes(*turns, share=0.9):
    """What was ended, and by which words."""
    spoken = [SpokenTurn(text=text, at=None) for text in turns]
    found = with_outcomes(spoken, said(*turns), EndingReader(share))
    return [(atom.corrects, atom.text) for one in found for atom in one.atoms if atom.corrects]


@pytest.mark.parametrize(
    ("told", "later", "now"),
    [
        ("The Bakers still owe us 80 for the bus.", "No need, they've just paid it.", "The Bakers have just paid it"),
        ("My sister still has my drill.", "Oh, she's just brought it back.", "My sister has just brought it back"),
    ],
)
def test_an_outcome_takes_the_place_of_what_it_ends(told, later, now):
    """It says who did it."""
    assert outcomes(told, later) == [(told.removesuffix("."), now)]


def test_what_changes_nothing_is_no_outcome():
    """The reader decides."""
    assert not outcomes("My sister still has my drill.", "Oh, she's just called me.", share=0.2)


@pytest.mark.parametrize(
    "turns",
    [
        ["My sister still has my drill.", "My brother has a fine.", "No need, he's going to pay it."],
        ["My sister has my drill. My aunt has my saw.", "No need, she's just brought it back."],
        ["My sister has my drill.", "No need, they've just brought it back."],
        ["My sister has my drill.", "Has she just brought it back?"],
    ],
)
def test_one_of_two_or_of_somebody_else_is_no_outcome(turns):
    """Only what one statement begins with can be meant."""
    assert not outcomes(*turns)
