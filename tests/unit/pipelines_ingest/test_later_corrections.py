"""Corrections of an earlier turn: the value that is meant takes the place of the only one that it can replace."""

from dataclasses import replace

import pytest
from spoken_turns import FRAME, OpeningReader, said, texts

from dopejar.pipelines.ingest.grammar_reader import GrammarReader


def corrected(*turns, reader=None):
    """What was corrected, and how it reads now."""
    return [(atom.corrects, atom.text) for one in said(*turns, reader=reader) for atom in one.atoms if atom.corrects]


@pytest.mark.parametrize(
    ("before", "correction", "now"),
    [
        ("My hat size is 58.", "measured again, make that 60", "My hat size is 60"),
        ("Mum takes 5mg of it daily.", "oops 2.5, read the box", "Mum takes 2.5mg of it daily"),
        ("The fair is on the 23rd of May.", "the 30th I meant", "The fair is on the 30th of May"),
        ("Choir meets on Tuesdays.", "oops, Thursdays", "Choir meets on Thursdays"),
        ("Our cook is Nora Nowik.", "Nowicka, I meant", "Our cook is Nora Nowicka"),
        ("The head is Mr Roth.", "it's Mrs Amari, I meant", "The head is Mrs Amari"),
        ("We sail at 6:45 from the quay.", "I meant 6:15", "We sail at 6:15 from the quay"),
        ("The kiln holds 30 pots.", "oops, from 30 to 45", "The kiln holds 45 pots"),
    ],
)
def test_a_value_is_replaced_by_one_of_its_type(before, correction, now):
    """Numbers keep their unit; a name is replaced by one that is spelled like it, or has a title as it has."""
    assert corrected(before, "A: Noted.", correction) == [(before.removesuffix("."), now)]


@pytest.mark.parametrize(
    ("before", "correction", "now"),
    [
        ("The fitter is Alder, 2,340 plus tax.", "it's 2,430, not 2,340", "The fitter is Alder, 2,430 plus tax"),
        ("Our line is 01632 960417.", "its 471 at the end, not 417", "Our line is 01632 960471"),
        ("My aunt lives in Ghent.", "Bruges!! not Ghent, every time", "My aunt lives in Bruges"),
    ],
)
def test_a_named_value_is_replaced_without_a_reader_too(before, correction, now):
    """Words that name the value taken back need no other sign."""
    assert corrected(before, "A: Noted.", correction, reader=GrammarReader()) == [(before.removesuffix("."), now)]


@pytest.mark.parametrize(
    ("turns", "correction"),
    [
        (["Finn swims at 4. Juno dances at 4."], "it's 4:30, not 4"),  # either may be meant
        (["My hat size is 58."], "my shoe size I meant is 43"),  # it says of what
        (["My hat size is 58."], "make that 60?"),  # a question
        (["My hat size is 58."], "32 a lesson, oops I forgot"),  # 32 of something else
        (["My hat size is 58."], "60 it is"),  # nothing says that it was wrong
        (["The stall is open on Saturdays."], "Sunday, I meant the fair"),  # one day is no weekly one
        (["My aunt lives in Ghent."], "oops, Petra"),  # a name unlike it
        (["My hat size is ten."], "make that 60"),  # spelled otherwise
        (["A: The total is 15."], "make that 13"),  # the assistant's words
        (["My hat size is 58."], "I meant from 6 to 10"),  # of something that was 6
        (["The stall is open from 9 to 5."], "oops, from 9 to 6"),  # both ends may be meant
        (["Our guide is harbour-walk."], "the walk to look at: mill-walk, wrong map"),  # it says of what
    ],
)
def test_nothing_is_replaced_where_something_else_may_be_meant(turns, correction):
    """Two statements that fit, another thing, another type, or no sign of an error leave everything as it was."""
    assert corrected(*turns, "A: Noted.", correction) == []


@pytest.mark.parametrize(
    ("between", "now"),
    [
        ("A: I set the margin to 8.", []),
        ("A: Here are 3 hats.", []),
        ("A: A hat of size 58, noted.", ["My hat size is 60"]),
        ("A: Nice hat!", ["My hat size is 60"]),
    ],
)
def test_a_value_that_was_named_since_may_be_meant(between, now):
    """Where the turn between names another value of that type, nothing is replaced."""
    assert [text for _, text in corrected("My hat size is 58.", between, "make that 60")] == now


class TakingBackReader(OpeningReader):
    """A reader that finds every sentence to take back what was said before."""

    def read(self, sentences):
        """Each as words read it, surely a correction."""
        return tuple(replace(one, frame=replace(FRAME, takes_back=1.0)) for one in super().read(sentences))


@pytest.mark.parametrize(
    "turn",
    [
        "My hat size is 58. Boots I buy at Lowe's, wide fit, 39.",
        "My mum is 70. My dad, 72.",
        "Rex weighs 21 kg. Was 23 in May.",
        "He takes 5 mg of it at noon. 2.5 mg at bedtime.",
        "The stall is open on Saturdays. Sundays no different.",
    ],
)
def test_a_sentence_behind_another_corrects_it_only_where_it_says_so(turn):
    """Its value is of what it speaks of itself, whatever a reader finds in it alone."""
    assert corrected(turn, reader=TakingBackReader()) == []


@pytest.mark.parametrize(
    ("turn", "now"),
    [
        ("My hat size is 58. Checked the label, it's 60.", "My hat size is 60"),
        ("My hat size is 58. Excuse me, 60.", "My hat size is 60"),
    ],
)
def test_a_sentence_that_says_so_corrects_the_one_before(turn, now):
    """Words that say that something was wrong, or was looked at again, are enough."""
    assert [text for _, text in corrected(turn, reader=TakingBackReader())] == [now]


def test_of_two_earlier_turns_the_later_one_is_meant():
    """A correction follows what it corrects."""
    found = corrected("My hat size is 58.", "My glove size is 8.", "make that 9")
    assert found == [("My glove size is 8", "My glove size is 9")]


def test_a_correction_can_be_corrected():
    """The last value counts."""
    found = said("My hat size is 58.", "make that 60", "oops, 61")
    assert texts(found)[-1] == "My hat size is 61"
