"""Corrections that name the value they take back: it is replaced in what they surely mean, and nowhere else."""

import pytest
from spoken_turns import said

from dopejar.pipelines.ingest.extraction.named_values import gives_up, named_value, stated_instead, with_value

HALL = "Hall 3 is let: Vera and Paul Lund, 500 a month from 1 June"


def replaced(earlier, later):
    """The earlier statement as the later one corrects it; "" where it does not."""
    correction = named_value(later)
    return with_value(earlier, correction) if correction else ""


@pytest.mark.parametrize(
    ("earlier", "later", "now"),
    [
        (HALL, "Sorry, the Lunds pay 520, not 500", "Hall 3 is let: Vera and Paul Lund, 520 a month from 1 June"),
        (
            "The search service runs on port 9200 with two replicas",
            "Correction: the search service is on port 9300, not 9200",
            "The search service runs on port 9300 with two replicas",
        ),
        (
            "Judo for Timo is on Mondays in the new gym",
            "Timo's judo is on Tuesdays, not Mondays",
            "Judo for Timo is on Tuesdays in the new gym",
        ),
        (
            "Nora has pottery on Thursdays at five",
            "Scratch what I said about Thursdays, the pottery class is on Fridays.",
            "Nora has pottery on Fridays at five",
        ),
        ("The vet comes on 2 December", "I said 2 December, it's the 9th.", "The vet comes on 9 December"),
        ("The vet comes on the 2nd of May", "Sorry, I said the 2nd, it's the 9th.", "The vet comes on the 9th of May"),
        ("The vet comes on December 2nd", "I told you the 2nd it's the 3rd", "The vet comes on December 3rd"),
        ("The fair is on 14 March", "I said the 14th, it's 2 April", "The fair is on 2 April"),
        ("The parcel weighs 12 kg", "I said 12 kg earlier, it was 21 kg.", "The parcel weighs 21 kg"),
        ("My cousin is called Katrin", "I said Katrin, it's Karin.", "My cousin is called Karin"),
        ("The timeout is 30 seconds", "I said 30 seconds, it's 2 minutes.", "The timeout is 2 minutes"),
        ("The timeout is 30 seconds", "I said 30, it's 45.", "The timeout is 45 seconds"),
        ("The course takes 1 hour a day", "I wrote 1 hour, it's 2 hours", "The course takes 2 hours a day"),
        ("The ramp is 12 m long", "I said 12 m, it's 14", "The ramp is 14 m long"),
        ("Judo is on Monday evening", "I said Monday evening, it's Tuesday morning", "Judo is on Tuesday morning"),
        ("The studio costs $800 a month", "I said $800, it's $900.", "The studio costs $900 a month"),
        ("The studio costs £800 a month", "I said 800, it's 900", "The studio costs £900 a month"),
        ("The trial ends on 2 December 2026", "I said 2 December, it's the 9th", "The trial ends on 9 December 2026"),
        ("The trial ends on 2 December 2026", "I said the 2nd, it's 5 December", "The trial ends on 5 December 2026"),
        ("The fair is from 2 to 9 May", "I said 9 May, it's the 11th", "The fair is from 2 to 11 May"),
    ],
)
def test_the_value_is_replaced_and_the_rest_stays(earlier, later, now):
    """The old value stands in the statement, and so does what the correction is about."""
    assert replaced(earlier, later) == now


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (HALL, "The Marshes pay 520, not 500"),  # others
        (HALL, "Do the Lunds pay 520, not 500?"),  # a question
        ("The fee is 25 a term", "For students the fee is 20, not 25"),  # a condition
        ("Leo's lesson is at eleven", "Ana's lesson is at ten, not eleven"),  # the same of another
        ("Vera Lund teaches 12 pupils", "Vera Lund has 14 cats, not 12"),  # something else of the same
        ("We pay 700 rent", "We pay the cleaner 720, not 700"),  # no name is shared
        ("The choir sings on Mondays", "Scratch what I said about Mondays, I'm ill"),  # nothing said instead
        ("The bus leaves at 7 and comes at 7", "The bus leaves at 8, not 7"),  # two places
        ("The bus leaves at 7 and comes at 7", "I said 7, it's 8"),
        ("The vet comes on 2 May", "I said 2 December, it's the 9th"),  # of another month
        ("The vet comes on 2 December", "I said 2 December, it's a Wednesday"),  # another sort of value
        ("The vet comes at 2", "I said it's at 2, it was fine"),  # no value
        ("My sister Anna is 30 years old", "I said 30 minutes, it's 40 minutes."),  # another unit
        ("The lesson takes 30 minutes", "I said 30, it's 2 hours"),
        ("The tank holds 30 litres", "I said 30 kg, it's 40"),
        ("The backup runs at 5 on Sundays", "I told you 5 times, it's 3."),  # how often it was told
        ("The hall is booked for 9", "I said 9 people, it's 11"),
        ("My colleague Kira builds the parser", "I mentioned Kira, it's Python."),  # nothing was said of Kira
        ("My colleague Kira builds the parser", "I wrote Kira, it's Python."),
        ("The studio costs £800", "I said $800, it's $900"),  # another currency
        ("The studio costs £800", "I said 800, it's $900"),
        ("The studio costs 800 francs", "I said 800, it's $900"),
        ("The trial ends on 2 December 2026", "I said 2 December, it's 5 January"),  # of which year
        ("The fair is from 2 December to 9 December", "I said 2 December, it's the 9th"),  # it holds the new one
        ("The shop is open from 9 to 5", "I said 9, it's 5"),
    ],
)
def test_what_may_be_about_something_else_replaces_nothing(earlier, later):
    """Another owner, a condition, another thing, or no new value."""
    assert replaced(earlier, later) == ""


def corrected(*turns):
    """What was corrected in a conversation, and how it reads now."""
    return [(atom.corrects, atom.text) for one in said(*turns) for atom in one.atoms if atom.corrects]


def test_what_was_said_turns_ago_is_taken_back_by_what_it_said():
    """The words "what I said about" reach over the turns between."""
    turns = ["Nora has pottery on Thursdays.", "Leo draws.", "Ida sings.", "We like tea."]
    later = "Scratch what I said about Thursdays, the pottery class is on Fridays."
    assert corrected(*turns, later) == [("Nora has pottery on Thursdays", "Nora has pottery on Fridays")]


@pytest.mark.parametrize(
    ("before", "turn", "later", "now"),
    [
        (
            "We train on Mondays and Wednesdays.",
            "A: Mondays and Wednesdays, got it.",
            "Hmm, no, Mondays and Thursdays.",
            "We train on Mondays and Thursdays",
        ),
        ("Jo has lockers 14 and 15.", "A: 14 and 15, noted.", "No, sorry, 14 and 16.", "Jo has lockers 14 and 16"),
    ],
)
def test_a_list_that_is_read_back_wrong_is_replaced(before, turn, later, now):
    """One item differs, and the turn between repeats the list."""
    assert corrected(before, turn, later) == [(before.removesuffix("."), now)]


def test_a_list_that_the_assistant_names_of_something_else_changes_nothing():
    """Pages are no lockers."""
    assert not corrected("Jo has lockers 4 and 5.", "A: It is on pages 14 and 15.", "No, sorry, 14 and 16.")


@pytest.mark.parametrize(
    ("earlier", "later", "now"),
    [
        (
            "The gate to the upper field is broken",
            "I take back what I said about the gate: Dave has mended it",
            "The gate: Dave has mended it",
        ),
        (
            "Milo has a nut allergy",
            "Sorry, I have to take back what I told you about Milo's nut allergy, it's only cashews.",
            "Milo's nut allergy: it's only cashews",
        ),
        ("The barn leaks", "I take back what I said about the gate: Dave has mended it", ""),
        ("The gate is broken", "I take back what I said about the gate", ""),
        ("The gate is broken", "Did I take back what I said about the gate, or not?", ""),
    ],
)
def test_what_is_taken_back_by_its_subject_is_stated_instead(earlier, later, now):
    """Where the earlier statement holds all words of the subject, and something else is said."""
    assert stated_instead(earlier, later) == now


@pytest.mark.parametrize(
    ("earlier", "later", "is_given_up"),
    [
        ("I may sell the van to Otto, he offered 4,000", "Scratch the thing with Otto, I keep the van", True),
        ("We might book Sardinia for July", "scrap the idea with Sardinia, we go to my aunt's", True),
        ("Otto's number is 555 0142", "Scratch the thing with Otto, I keep the van", False),
        ("We may switch to Vodafone", "Scratch that about Otto, we stay with Telia", False),
        ("We may use tabs", "Scrap the tabs, use spaces", False),
    ],
)
def test_a_plan_is_given_up_by_name(earlier, later, is_given_up):
    """What holds is not, nor a plan with another name; an order gives nothing up."""
    assert gives_up(earlier, later) is is_given_up
