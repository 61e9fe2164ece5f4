"""A statement and what leans on it in one text are one memory; everything else stays apart."""

from dataclasses import replace
from datetime import timedelta

import pytest
from spoken_turns import NOON, said

from dopejar.pipelines.ingest import extract
from dopejar.pipelines.ingest.atoms import Omission, Reason
from dopejar.pipelines.ingest.extraction.momentary_words import is_as_before
from dopejar.pipelines.ingest.extraction.run_on_statements import in_one


def told(text):
    """What is kept of what is told to the memory itself."""
    return [atom.text for atom in in_one(extract(text, at=NOON, speaker_is_user=True, keep_all=True)).atoms]


@pytest.mark.parametrize(
    ("turn", "kept"),
    [
        ("We joined the Wharf gym. Opens at six.", ["We joined the Wharf gym. Opens at six"]),
        (
            "We joined the Wharf gym. Opens at six. The fee is 30.",
            ["We joined the Wharf gym. Opens at six. The fee is 30"],
        ),
        ("We joined the Wharf gym. Ida runs the choir.", ["We joined the Wharf gym", "Ida runs the choir"]),
    ],
)
def test_what_leans_on_the_statement_before_it_is_one_with_it(turn, kept):
    """Not that statement, and a longer one that says it again."""
    (found,) = said(turn)
    assert [atom.text for atom in in_one(found).atoms] == kept


def test_it_is_named_by_what_it_says_first_and_spans_both():
    """Its key is that of the first statement, its evidence the words of both."""
    (found,) = said("We joined the Wharf gym. Opens at six.")
    (atom,) = in_one(found).atoms
    assert atom.says == "We joined the Wharf gym"
    assert (atom.start, atom.end) == (0, len("We joined the Wharf gym. Opens at six"))


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("The loft is Dora's. It is let to her until June.", 2),  # one holds for a time
        ("Choir is in the chapel till May. Day and time as before.", 1),
        ("Our roofer is Adeyemi. Never call him on Sundays.", 2),  # one directs the work
        (f"The {'very ' * 50}old loft is let to Dora. It has a sink.", 2),  # too long for one
    ],
)
def test_what_has_its_own_time_directs_the_work_or_is_long_stays_apart(text, kept):
    """What only says that something is as it was belongs to the words before it."""
    assert len(told(text)) == kept


def test_what_leans_on_an_announcement_holds_from_its_day_with_it():
    """It has no time of its own: both are one memory, and no shorter one stands beside it."""
    (found,) = said("We move to the Wharf gym from 1 August. Opens at six.")
    later = NOON + timedelta(days=30)
    first, second = found.atoms
    (atom,) = in_one(replace(found, atoms=(replace(first, valid_from=later), second))).atoms
    assert atom.valid_from == later
    assert atom.text.endswith(". Opens at six")
    told = replace(second, text=f"{first.text}. Opens at six so far")
    assert len(in_one(replace(found, atoms=(replace(first, valid_from=later), told))).atoms) == 2


@pytest.mark.parametrize(
    "order",
    [
        "Always push to main as usual.",
        "Push to main as agreed.",
        "You approve everything as before.",
        "Delete old branches the way it was.",
        "No deploys as ever.",
    ],
)
def test_no_order_belongs_to_the_fact_before_it_by_its_last_words(order):
    """It waits by itself, however it ends."""
    assert not is_as_before(order)
    assert told(f"Our kiln is behind the shed. {order}")[0] == "Our kiln is behind the shed"


def test_what_was_left_out_between_two_parts_them():
    """Words that neither says are no evidence of both."""
    (found,) = said("We joined the Wharf gym. Please draft a mail to Ida. Opens at six.")
    between = Omission(start=25, end=52, text="Please draft a mail to Ida", reason=Reason.REQUEST)
    parted = replace(found, left_out=(between,))
    assert [atom.text for atom in in_one(parted).atoms] == [atom.text for atom in parted.atoms]


def test_what_fills_a_slot_stays_a_memory_of_its_own():
    """Its value is compared with the next one."""
    assert told("We use Postgres. It runs in Kiel.")[0] == "We use Postgres"
