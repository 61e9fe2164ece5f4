"""A limit of time is its own clause's, and what surrounds a statement is no part of it."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dopejar.pipelines.ingest.extraction.extractor import extract
from dopejar.pipelines.ingest.extraction.meta_talk import without_opening_retraction
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.guidance_words import tells_how_to_address
from dopejar.pipelines.ingest.joint_statements import parts_of_limited

AT = datetime(2026, 9, 1, 9, tzinfo=UTC)


class LastingReader(GrammarReader):
    """A reader to which everything is worth knowing."""

    def read(self, sentences):
        """As the rules do."""
        return tuple(replace(one, durable=0.9) for one in super().read(sentences))


def divided(text):
    """The parts of a statement with the day on which each ends."""
    atoms = extract(text, at=AT, speaker_is_user=True, keep_all=True).atoms
    parts = parts_of_limited(atoms, LastingReader()).get(0, ())
    return [(part.text, part.valid_to and part.valid_to.date().isoformat()) for part in parts]


@pytest.mark.parametrize(
    ("first", "last", "end"),
    [
        ("The Larsens are gone", "flat 2 is painted until the end of the month", "2026-10-01"),
        ("Lena left the team", "Tom covers the billing api until the end of October", "2026-11-01"),
        ("The pool is closed for good", "training is in the sports hall until Friday", "2026-09-04"),
    ],
)
def test_what_has_no_limit_stays(first, last, end):
    """Of two clauses with subjects of their own only the one that has the limit ends."""
    assert divided(f"{first}, {last}.") == [(first, None), (f"{last[0].upper()}{last[1:]}", end)]


@pytest.mark.parametrize(
    "text",
    [
        "I'm away, Tom covers support until Friday.",  # as long
        "The lift is broken, it is being repaired until Monday.",
        "Until Friday the gate is open, the dog is at Lund's.",
        "I'm in Rome with Bea, Carl and Dan until Friday.",
        "The shop is open, on Sundays only until Friday.",
    ],
)
def test_one_statement_has_one_limit(text):
    """Where the clauses are of one time, or the second is none by itself, nothing is divided."""
    assert divided(text) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Scrap that, the band meets on Fridays", "The band meets on Fridays"),
        ("No, scratch that: Ana runs the kiosk", "Ana runs the kiosk"),
        ("Scrap that old bike", "Scrap that old bike"),
        ("Strike that, please", "Strike that, please"),
    ],
)
def test_what_takes_words_back_is_not_kept(said, kept):
    """A statement is kept without the words that take back others; what is to be scrapped itself is named."""
    assert without_opening_retraction(said) == kept


def test_how_somebody_is_addressed_is_a_direction():
    """For an assistant alone: others call people what they like."""
    assert tells_how_to_address("The assistant should always address me as Dr Lund")
    assert tells_how_to_address("My assistant can call me Jo, not Mr Berg")
    assert not tells_how_to_address("My friends call me Jo")
    assert not tells_how_to_address("My assistant can drive")


@pytest.mark.parametrize(
    ("said", "kept"), [('sign it just "Jo"', 'Sign it just "Jo"'), ("it is just fine", "It is fine")]
)
def test_just_before_a_value_limits_it(said, kept):
    """Before a quotation or a figure it means no more than that; elsewhere it only strengthens."""
    (atom,) = extract(said, at=AT, speaker_is_user=True, keep_all=True).atoms
    assert atom.text == kept


def only_atom(text):
    """What is told in one statement."""
    (atom,) = extract(text, at=AT, speaker_is_user=True, keep_all=True).atoms
    return atom


@pytest.mark.parametrize(
    "text",
    [
        "Ivo's back is better, he lifted crates today.",
        "Rex can eat normal food again, he had chicken this morning.",
        "The loan is 300 a month with the bank, fixed until 2031.",
        "Our phone is model 5, under warranty until 2028.",
    ],
)
def test_what_happened_or_bounds_a_property_ends_nothing_else(text):
    """A day, or an end, in the last clause is that clause's."""
    assert only_atom(text).valid_to is None


@pytest.mark.parametrize(
    "text",
    [
        "The bridge is 40 m long, closed until May.",
        "The road is closed until 2028.",
        "The shop is shut, they paint today.",
    ],
)
def test_a_state_for_a_time_has_its_end(text):
    """A state ends when its words say so."""
    assert only_atom(text).valid_to is not None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Our landlady is Mrs Hay, you pay her by the 3rd of May.",
            ["Our landlady is Mrs Hay, you pay her by the 3rd of May"],
        ),
        ("I asked for 3 pages, you wrote 7.", ["I asked for 3 pages"]),
    ],
)
def test_anybody_is_no_listener(text, told):
    """A "you" that is anybody stays with its clause; what the listener did is left out."""
    assert [atom.text for atom in extract(text, at=AT, speaker_is_user=True, keep_all=True).atoms] == told
