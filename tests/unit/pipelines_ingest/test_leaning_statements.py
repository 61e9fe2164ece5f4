"""Statements that lean on others: each is kept behind the words that tell what it is about, or not at all."""

import pytest
from spoken_turns import said, texts

from dopejar.pipelines.ingest.atoms import Reason
from dopejar.pipelines.ingest.grammar_reader import GrammarReader


@pytest.mark.parametrize(
    ("turns", "kept"),
    [
        (["We joined the Wharf gym. Opens at six."], "We joined the Wharf gym. Opens at six"),
        (["We joined the Wharf gym. Nice place! The fee is 30."], "We joined the Wharf gym. The fee is 30"),
        (["Ida runs the choir. We sing on Mondays. She plays the organ."], "Ida runs the choir. She plays the organ"),
        (
            ["The gym moved to Quay Road.", "A: Noted.", "The key is with Per."],
            "The gym moved to Quay Road. The key is with Per",
        ),
        (
            ["We have two vans. The old one is red. The other one is blue."],
            "We have two vans. The old one is red. The other one is blue",
        ),
    ],
)
def test_what_leans_stands_behind_what_it_is_about(turns, kept):
    """The nearest statement of the speaker that stands alone, and names somebody where a person is meant."""
    assert kept in texts(said(*turns))


def test_the_words_before_stay_a_statement_of_their_own():
    """Until all that leans on them is found."""
    assert texts(said("We joined the Wharf gym. Opens at six."))[0] == "We joined the Wharf gym"


@pytest.mark.parametrize(
    "turns",
    [
        ["The fee is 30."],
        ["Where is it, please? The fee is 30."],
        ["A: The Wharf gym is near. The old one closed.", "The fee is 30."],
    ],
)
def test_words_of_nobody_else_come_before_it(turns):
    """A question, a request and the words of the assistant tell nobody what it is about."""
    assert texts(said(*turns))[-1] == "The fee is 30"


def test_another_hour_is_another_talk():
    """What was said long before is no part of it."""
    assert texts(said("We joined the Wharf gym.", "The fee is 30.", minutes=90))[-1] == "The fee is 30"


def test_a_pronoun_without_anything_before_is_left_out():
    """It would say nothing."""
    (found,) = said("She plays the organ.", reader=GrammarReader())
    assert not found.atoms
    assert [part.reason for part in found.left_out] == [Reason.UNRESOLVED]


def test_without_frames_a_pronoun_leans():
    """A reader of words alone sees it by its pronoun."""
    found = said("Ida and Per were here. She plays the organ.", reader=GrammarReader())
    assert texts(found)[-1] == "Ida and Per were here. She plays the organ"


def test_what_takes_back_its_context_takes_its_place():
    """The statement says both, the old value and the new one."""
    found = said("My niece has Mr Roth for maths. They moved her, wrong again.")
    assert [atom.corrects for one in found for atom in one.atoms][-1] == "My niece has Mr Roth for maths"


@pytest.mark.parametrize("reply", ["It's wrong, they moved her.", "It moved to Quay Road."])
def test_a_statement_of_an_earlier_turn_is_only_taken_back_by_words_that_say_so(reply):
    """What begins with "it's" may answer something else; without such words the earlier statement stays as well."""
    atoms = [atom for one in said("My niece is at the Wharf school.", "A: Noted.", reply) for atom in one.atoms]
    assert bool(atoms[-1].corrects) == ("wrong" in reply)
    assert atoms[0].text == "My niece is at the Wharf school"


@pytest.mark.parametrize(
    ("question", "reply", "kept"),
    [
        (
            "What is the ferry called again? The red one, please.",
            "It's the Merel.",
            ["the ferry called again? It's the Merel"],
        ),
        ("Sorry, where did we put the fonts?", "They are on the shared drive.", ["the fonts? They are on the shared"]),
        ("Who is the other tenant?", "He moved to Ulm.", ["the other tenant? He moved to Ulm"]),
        ("Which one?", "It's the Merel.", []),  # it names nothing
        ("Can you check the port?", "It's on 8091.", []),  # of the task
    ],
)
def test_an_answer_stands_behind_the_question_of_its_speaker(question, reply, kept):
    """What opens with a pronoun answers what was asked last, or is left out; nothing older is meant."""
    found = texts(said("The staging cluster is in Lyon.", "A: Noted.", question, "A: I don't see it.", reply))
    assert found[0] == "The staging cluster is in Lyon"
    assert len(found) == 1 + len(kept)
    assert all(part in text for part, text in zip(kept, found[1:], strict=True))


@pytest.mark.parametrize(
    ("answer", "is_kept"),
    [
        ("A: Good to know!", True),
        ("A: Noted. Shall I add it to the inventory?", True),  # an offer brings up nothing
        ("A: A cluster in Lyon is a good choice for latency.", True),
        ("A: 3 tests failed, 40 passed.", False),
        ("A: Here is the recipe with less sugar.", False),
        ("A: Which screen do you mean?", False),
    ],
)
def test_a_pronoun_is_about_what_was_said_last(answer, is_kept):
    """A turn between that brings up something else may be meant; one that acknowledges or goes on cannot."""
    told = "The staging cluster is in Lyon"
    found = texts(said(f"{told}.", answer, "It has three nodes."))
    assert found == [told, *([f"{told}. It has three nodes"] if is_kept else [])]


def test_words_without_a_verb_stand_behind_nothing_of_another_turn():
    """They may be of anything that is seen now."""
    assert texts(said("The key is with Per.", "A: Noted.", "The fee office, first floor since 2020.")) == [
        "The key is with Per"
    ]


def test_a_person_keeps_the_name_in_later_turns():
    """Each statement says it with the name, and none has another statement in front."""
    talk = ["My uncle Jaap is 71. He sees badly.", "A: Sorry.", "He had a hip replaced. Any exercises for that?"]
    assert texts(said(*talk, "His doctor is Mrs Roth.")) == [
        "My uncle Jaap is 71",
        "Jaap sees badly",
        "Jaap had a hip replaced",
        "Jaap's doctor is Mrs Roth",
    ]


def test_what_stands_behind_another_is_no_words_for_the_next():
    """The next one that leans stands behind the same first statement, not behind both."""
    found = texts(said("We joined the Wharf gym. Opens at six. The fee is 30."))
    assert found[-1] == "We joined the Wharf gym. The fee is 30"
