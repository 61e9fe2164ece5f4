"""What makes a statement another one than all wordings of a record, however near it is."""

from __future__ import annotations

import pytest

from dopejar.pipelines.ingest.paraphrase.sameness import SURE, same_statement
from dopejar.pipelines.ingest.paraphrase.semantic_traits import Nearness, against, contradiction, traits
from dopejar.pipelines.ingest.paraphrase.statement_features import said_in


def forbids(told: str, known: list[str]) -> str:
    """What contradicts that a statement says what the wordings say, for certain or not, in English."""
    mine, theirs = said_in(told, "en"), [said_in(one, "en") for one in known]
    return contradiction(mine, theirs) or against(traits(mine, theirs, [Nearness(0.5, 0.5)] * len(theirs)))


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ("Dates like 2027-01-30, please", ["Year first in dates", "2026-11-05 is how I want a date", "ISO dates"]),
        ("Forty lines around the change help nobody", ["Print the diff", "Only the changed lines", "2 lines are 2"]),
        ("Use 4200 for the dev server, not 3000", ["The dev server is on 4200"]),
        ("3000 is taken, so my dev server is on 4200", ["The dev server is on 4200", "dev server: 4200"]),
        ("I'm Edda's father", ["My daughter is called Edda"]),
        ("I'm the dad of two girls", ["We have a daughter and a son", "My children are two", "two kids"]),
        ("Don't let me forget that we wed on 12 June", ["Our wedding day is 12 June"]),
    ],
)
def test_what_only_one_wording_has_is_no_contradiction(told: str, known: list[str]) -> None:
    """An example's number, a refused number beside the right one, and one's own part in a family forbid nothing."""
    assert forbids(told, known) == ""


@pytest.mark.parametrize(
    ("told", "known", "why"),
    [
        ("The dev server is on 3000", ["The dev server is on 4200", "dev server: 4200"], "another number"),
        ("Use 4200 for the dev server, not 3000", ["The dev server is on 3000"], "another number"),
        ("The dev server moved from 3000 to 4200", ["The dev server is on 3000"], "another number"),
        ("Answers of at most 80 words", ["Answers of at most 50 words", "Fifty words will do"], "another number"),
        ("My brother lives in Graz", ["My sister lives in Graz", "Sister: Graz"], "another one of its kind"),
        ("My editor is Helix", ["My editor is Zed", "I edit in Zed"], "another value"),
        ("I don't eat meat", ["I eat meat"], "the opposite"),
        ("I'm vegetarian", ["I eat meat"], "the opposite"),
        ("I hate liquorice", ["I love liquorice"], "the opposite"),
        ("We don't deploy on Fridays", ["We deploy on Fridays"], "the opposite"),
        ("Forget that the dev server is on 3000", ["The dev server is on 3000"], "it has ended"),
    ],
)
def test_what_both_sides_state_forbids(told: str, known: list[str], why: str) -> None:
    """Another number, person or value than most wordings state, or their end, is another statement."""
    assert forbids(told, known) == why


@pytest.mark.parametrize(
    ("told", "known"),
    [("I drink tea", "I have a car"), ("I'm left-handed", "I live in Graz"), ("No car for us", "We don't smoke")],
)
def test_a_form_is_not_enough(told: str, known: str) -> None:
    """A few words each and no thing in common: however near the turned vectors are, these are two statements."""
    assert not same_statement(told, [known], [Nearness(about=0.4, says=0.9)]).same
    assert same_statement(told, [told + "."], [Nearness(about=0.4, says=0.9)]).same


@pytest.mark.parametrize(
    ("told", "known"),
    [("I'm learning to weave", "I want to learn to weave"), ("I want to own a loom", "I own a loom")],
)
def test_what_speaks_against_asks_for_more(told: str, known: str) -> None:
    """A wish in much the same words is one with the fact only where the model is sure; else it is the reason given."""
    found = [same_statement(told, [known], [Nearness(about=0.8, says=says / 50)]) for says in range(51)]
    assert {one.why for one in found if not one.same} == {"a wish against a fact"}
    assert [one.same for one in found] == sorted(one.same for one in found)
    assert all(one.score >= SURE for one in found if one.same)
