"""A statement and what leans on it in one text are one memory; everything else stays apart."""

import pytest
from spoken_turns import NOON, said

from dopejar.pipelines.ingest import extract
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
