"""Two things of one kind are told apart by the number or name of their subjects; a newer value of one thing is not."""

from __future__ import annotations

import pytest

from dopejar.language.identifiers import has_subject_of_its_own, names_another, subject_of, tells_something_else
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, Frame, SpeechAct, Statement, Tense


def said(text: str, subject: str, value: str = "") -> Statement:
    """A statement with these words for its subject and its value."""
    frame = Frame(
        subject=subject,
        attribute="",
        attribute_certainty=0.0,
        value=value,
        guides=0.0,
        fact_class=FactClass.PLAIN,
        class_certainty=0.9,
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
        layer_certainty=0.9,
        private=0.0,
        leans=0.0,
        takes_back=0.0,
        several=0.0,
    )
    return Statement(
        text=text,
        act=SpeechAct.ASSERTION,
        act_certainty=1.0,
        tense=Tense.NOW,
        tense_certainty=1.0,
        denied=0.0,
        durable=1.0,
        frame=frame,
    )


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (said("The lamp in hall 2 is broken.", "The lamp"), said("The lamp in hall 3 works.", "The lamp")),
        (said("Kiln 4 heats to 900.", "Kiln 4", "900"), said("Kiln 5 heats to 1100.", "Kiln 5", "1100")),
        (said("the fee for court 1 is 12", "court 1", "12"), said("the fee for court 2 is 14", "court 2", "14")),
        (said("Mrs Vey plays alto.", "Mrs Vey"), said("Mr Vey plays bass.", "Mr Vey")),
        (said("Iris Dahl teaches Latin.", "Iris Dahl"), said("Knut Dahl teaches Greek.", "Knut Dahl")),
        (said("Our cat Pip is three.", "Our cat Pip"), said("Our cat Moss is five.", "Our cat Moss")),
        (said("The east gate opens at 6.", "The east gate"), said("The west gate opens at 8.", "The west gate")),
        (said("My old bike is red.", "My old bike"), said("My new bike is green.", "My new bike")),
        (said("Hill Road 8 has a lift.", "Hill Road 8"), said("Hill Lane 8 has stairs.", "Hill Lane 8")),
    ],
)
def test_two_of_one_kind_are_told_apart(earlier: Statement, later: Statement) -> None:
    """In either order, and each of the two tells what the other does not."""
    assert names_another(earlier, later)
    assert names_another(later, earlier)
    assert tells_something_else(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (said("Kiln 4 heats to 900.", "Kiln 4", "900"), said("Kiln 4 heats to 950 now.", "Kiln 4", "950")),
        (said("Our cat is three.", "Our cat"), said("The cat is four now.", "The cat")),
        (said("The fee is 12.", "The fee", "12"), said("The fee for guests is 14.", "The fee", "14")),
        (said("Iris Dahl leads the choir.", "Iris Dahl"), said("Jo Brandt runs the choir.", "Jo Brandt")),
        (said("Lectures are on Monday.", "Lectures"), said("Classes are on Tuesday now.", "Classes")),
        (said("Version 2 of the plan says May.", "Version 2"), said("Version 3 of the plan says June.", "Version 3")),
        (said("It heats to 900.", ""), said("Kiln 5 heats to 950.", "Kiln 5")),
        (
            said("The talk is on Monday.", "The talk", "on Monday"),
            said("The talk is on Friday.", "The talk", "on Friday"),
        ),
    ],
)
def test_one_thing_stays_one(earlier: Statement, later: Statement) -> None:
    """A newer value, other words, another holder of a post, a newer version, or a subject that nobody named."""
    assert not names_another(earlier, later)
    assert not names_another(later, earlier)


def test_what_passes_on_tells_nothing_else() -> None:
    """The same said of another one is no other thing told: it may have passed from the one to the other."""
    earlier, later = said("Room 4 is our shop.", "Room 4"), said("Room 6 is our shop now.", "Room 6")
    assert names_another(earlier, later)
    assert not tells_something_else(earlier, later)


def test_a_subject_takes_in_its_place() -> None:
    """But not the words of the value behind it."""
    assert subject_of(said("The tap in bath 2 drips.", "The tap")) == "The tap in bath 2"
    assert subject_of(said("The key is on hook 2.", "The key", "on hook 2")) == "The key"
    assert subject_of(said("The talk on Monday.", "The talk", "on Monday")) == "The talk"


def test_a_subject_of_its_own_is_in_no_word_of_the_other_text() -> None:
    """In either order; a pronoun is no subject, and who takes over what another did is about that."""
    bills, halden = said("Bills go by post to Mr Orr.", "Bills"), said("Halden want no post.", "Halden")
    assert has_subject_of_its_own(bills, halden)
    assert has_subject_of_its_own(halden, bills)
    assert not has_subject_of_its_own(bills, said("They go online now.", "They"))
    assert not has_subject_of_its_own(bills, said("Halden get their bills online.", "Halden"))
    assert not has_subject_of_its_own(said("Jo runs the shop.", "Jo"), said("Sam runs the shop now.", "Sam"))
