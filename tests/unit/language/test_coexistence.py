"""What a later statement leaves standing by its words, and what a departure ends."""

import pytest

from dopejar.language.coexistence import changes_count, ends_with_departure, leaves


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Version 2.2 was released in March", "Version 2.3 was released in May"),
        ("Nora ran the Berlin marathon in 3:41", "Nora ran the Rome marathon in 3:36"),
        ("Two hens died in the night", "We have 12 hens now"),
        ("Dad takes bisoprolol 2.5 mg", "Dad's ramipril is 10 mg now"),
        ("Tom is my brother", "Tom has left the company"),
        ("Anna is our grandmother", "Anna left the choir"),
        ("Mia is the godmother of Leo", "Mia left the company"),
        ("Dr Lee is our vet", "Dr Lee left the choir"),
        ("Olga is our accountant", "Olga has left the orchestra"),
        ("Kai lives in Riga", "Kai has resigned"),
        ("Leo plays in the town band", "Leo has left the sailing club"),
        ("Dan's number is 0470 11 22 33", "Dan has moved out"),
    ],
)
def test_what_is_about_something_else_stays(earlier, later):
    """Another event, another medicine, what is known of a person beside what they left."""
    assert leaves(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("The app runs version 5.1", "The app runs version 5.2"),
        ("The latest version is 2.3", "The latest version is 2.4"),
        ("Dad takes ramipril 5 mg", "Dad's ramipril is 10 mg now"),
        ("Dad takes ramipril 5 mg", "Dad takes bisoprolol 2.5 mg instead"),
        ("We have 14 hens", "We have 12 hens now"),
        ("I live in Lisbon", "I moved to Athens in September"),
        ("Staging is hosted in Frankfurt", "Staging is hosted in Stockholm"),
        ("Lars works in the Hamburg office", "Lars has left the company"),
        ("Dan lives in flat 3", "Dan has moved out"),
        ("Anna joined Google", "Anna joined Meta"),
    ],
)
def test_what_may_be_changed_is_left_to_the_reader(earlier, later):
    """A state that is current, the same medicine, one in the place of another, the work of who left."""
    assert not leaves(earlier, later)


@pytest.mark.parametrize(
    ("earlier", "later", "ends"),
    [
        ("Flat 3 is Dan's", "Dan has moved out", True),
        ("Ines is our treasurer", "Ines has left the club", True),
        ("Desk 12 is Hugo's", "Hugo has left the company", True),
        ("Sana is the head coach", "Sana has left the club", True),
        ("Kira is our lead designer", "Kira left the company", True),
        ("Kira is our lead designer", "Kira has quit", True),
        ("Kira is our designer", "Kira left the choir", False),
        ("Rex is our dog", "Rex left.", False),
        ("Anna is our grandmother", "Anna left the choir", False),
        ("Flat 3 is Dan's", "Eva has moved out", False),
        ("Ines is our treasurer", "Ines left for her holidays", False),
        ("Petra is our neighbour", "Petra has quit the choir", False),
        ("Bert's dog is called Pickle", "Bert has left the council", False),
    ],
)
def test_a_departure_ends_what_somebody_was_or_had(earlier, later, ends):
    """In the group or the home that they left, and nothing else."""
    assert ends_with_departure(earlier, later) is ends


@pytest.mark.parametrize(
    ("earlier", "later", "changes"),
    [
        ("We have 3 servers", "We added two servers", True),
        ("The choir has 31 members", "Four singers joined the choir", True),
        ("There are 26 kids in my group", "One more joined, so 27 in my group", False),
        ("We have 12 licences", "We bought three more, that makes 15 licences", False),
        ("My car is a Kia", "I bought a Toyota", False),
    ],
)
def test_some_that_come_or_go_leave_the_count(earlier, later, changes):
    """Unless the new count is told with them."""
    assert changes_count(earlier, later) is changes


@pytest.mark.parametrize(
    ("earlier", "later", "stays"),
    [
        ("Dario changed his number: 555 0321", "No wait, Ivo's is 555 0138", True),
        ("Lena's desk is 4", "Correction, Otto's is 9", True),
        ("Ivo's phone is 555 0183", "No wait, Ivo's is 555 0138", False),
        ("His phone is 555 0183", "Ivo's is 555 0138", False),
    ],
)
def test_the_number_of_one_leaves_that_of_another(earlier, later, stays):
    """Whose it is comes first; a pronoun may mean anybody."""
    assert leaves(earlier, later) is stays
