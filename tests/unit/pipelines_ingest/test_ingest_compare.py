"""Comparison of two statements, and the values it rests on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.bench.updates import predict_update
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.integrity.quantities import first_difference, quantities
from dopejar.text.measures import read_date, read_measure
from dopejar.text.normalisation import same_value


@pytest.mark.parametrize(
    ("earlier", "later", "label"),
    [
        ("The mail server listens on port 2525.", "The mail server listens on port 2525.", "reinforce"),
        ("I like Rust.", "I love working in Rust.", "reinforce"),
        ("Our sprints last two weeks.", "A sprint is 14 days here.", "reinforce"),
        ("The mail server listens on port 2525.", "The mail server is on 2626 now.", "supersede"),
        ("I live in Bergen.", "I've moved to Oslo.", "supersede"),
        ("The kiosk opens early on Sundays.", "The kiosk opens late on Sundays now.", "supersede"),
        ("We order 40 crates of apples a week.", "We order 55 crates of apples a week.", "supersede"),
        ("The left sluice leaks.", "The right sluice doesn't leak.", "unrelated"),
        ("On weekdays the pool opens at 7.", "On weekends the pool opens at 9.", "unrelated"),
        ("We lint with pylint.", "We replaced pylint with ruff.", "supersede"),
        (
            "Never rebase shared branches.",
            "Forget the rule about shared branches and rebase, we dropped it.",
            "supersede",
        ),
        ("The archive holds 40 boxes.", "The archive has now reached 55 boxes.", "supersede"),
        ("The crate limit of Merlin is 300 a week.", "The crate limit of Merlin is now 450 a week.", "supersede"),
        ("The crate limit of Merlin is 300 a week.", "The crate limit of Kestrel is now 450 a week.", "unrelated"),
        ("I completed the welding course in May.", "I've never done any welding course.", "conflict-unclear"),
        (
            "The mail server listens on port 2525.",
            "Maybe the mail server listens on port 2626, not sure.",
            "conflict-unclear",
        ),
        ("My birthday is on 3 May.", "My birthday is on 13 May.", "conflict-unclear"),
        ("The mail server listens on port 2525.", "Is the mail server on 2626?", "unrelated"),
        ("The mail server listens on port 2525.", "If we move the mail server to 2626, tell ops.", "unrelated"),
        ("The mail server listens on port 2525.", "The vendor's manual says port 2626.", "unrelated"),
        ("I live in Bergen.", "My brother lives in Oslo.", "unrelated"),
        ("I live in Bergen.", "I was born in Oslo.", "unrelated"),
        ("Indent with tabs.", "In Makefiles indent with spaces.", "unrelated"),
        ("I like Rust.", "I like Elixir as well.", "unrelated"),
        ("mx01 has 4 cores.", "mx02 has 8 cores.", "unrelated"),
        (
            "The crate K7 holds 40 bolts and stands outside.",
            "The crate K8 holds 55 bolts and stands outside.",
            "unrelated",
        ),
        ("Ada's desk is 80 cm high and by the door.", "Ben's desk is 90 cm high and by the door.", "unrelated"),
        ("mx01 has 4 cores.", "mx01 has 8 cores.", "supersede"),
    ],
)
def test_what_a_later_statement_does(earlier: str, later: str, label: str) -> None:
    """Each relation, for each kind of cue it rests on."""
    assert predict_update(GrammarReader(), earlier, later) == label


def test_another_speakers_update_is_only_a_conflict() -> None:
    """What the assistant claims never replaces what the user said."""
    reader = GrammarReader()
    assert predict_update(reader, "(user) We use Flask.", "(assistant) We switched to Django.") == "conflict-unclear"


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_two_texts_can_be_compared(earlier: str, later: str) -> None:
    """Comparison never fails, and gives probabilities."""
    (found,) = GrammarReader().relate([(earlier, later)])
    assert abs(sum(found.shares) - 1) < 1e-9
    assert found.share(found.relation) > 0


@pytest.mark.parametrize(
    ("phrase", "value"),
    [
        ("two weeks", ("duration", "1209600s")),
        ("14 days", ("duration", "1209600s")),
        ("half a minute", ("duration", "30s")),
        ("90 s", ("duration", "90s")),
        ("64 GB", ("size", "67108864kb")),
        ("65,536 MB", ("size", "67108864kb")),
        ("40 %", ("share", "40%")),
        ("12 apples", None),
        ("many days", None),
    ],
)
def test_measures_have_one_form(phrase: str, value: tuple[str, str] | None) -> None:
    """The same amount in other units is the same value."""
    assert read_measure(phrase) == value


@pytest.mark.parametrize("phrase", ["12 May 2026", "2026-05-12", "May 12, 2026", "12th of May 2026"])
def test_dates_have_one_form(phrase: str) -> None:
    """A date is read in each order."""
    assert read_date(phrase) == ("date", "2026-05-12")


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("+bergen", "+bergen", True),
        ("+nordnes bergen", "+bergen", True),
        ("+bergen", "+oslo", False),
        ("+tabs", "-tabs", False),
        ("+3.1", "+3.10", False),
        ("", "+x", False),
    ],
)
def test_values_are_compared_as_values(one: str, other: str, same: bool) -> None:
    """Polarity and numbers are never compared loosely, names may be given more fully."""
    assert same_value(one, other) is same
    assert same_value(other, one) is same


def test_amounts_differ_only_where_they_count_the_same() -> None:
    """Boxes are compared with boxes, and an amount that agrees is no difference."""
    boxes = quantities("40 boxes and 3 shelves")
    assert first_difference(boxes, quantities("55 boxes")) is not None
    assert first_difference(boxes, quantities("40 boxes")) is None
    assert first_difference(boxes, quantities("7 lamps")) is None


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Never use pickle in Python.", "Always use dataclasses in Python."),
        ("Never use alert in JavaScript.", "Never use confirm in JavaScript."),
        ("Never use goto in Perl.", "Never use backticks in Perl."),
        ("Avoid globals in Rust.", "Avoid macros in Rust."),
    ],
)
def test_the_language_of_a_rule_is_where_it_holds(earlier: str, later: str) -> None:
    """Two rules for one language neither repeat nor replace each other."""
    assert predict_update(GrammarReader(), earlier, later) == "unrelated"


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Use bun, not yarn.", "Use yarn, not bun."),
        ("Deploy with Nomad, not Swarm.", "Deploy with Swarm, not Nomad."),
        ("Write it in Zig rather than Nim.", "Write it in Nim rather than Zig."),
        ("We write the parser in Go.", "We write the parser in Rust."),
        ("Quote in euros instead of pounds.", "Quote in pounds instead of euros."),
    ],
)
def test_a_choice_turned_round_is_no_repetition(earlier: str, later: str) -> None:
    """Which of two things is used and which is not is part of what is said."""
    assert predict_update(GrammarReader(), earlier, later) != "reinforce"
