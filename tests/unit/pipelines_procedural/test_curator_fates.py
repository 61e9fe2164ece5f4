"""The curator: what becomes of an insight."""

import pytest
from bullet_values import bullet, insight

from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.procedural.curator import Disposition, curate
from dopejar.values.record import Status
from dopejar.values.scope import Scope, Side

TEXT = "Run the linter before pushing"
GRAMMAR = GrammarReader()


def one(found, *known, **more):
    """The fate of one insight beside these bullets."""
    return curate([found], lambda _: known, GRAMMAR, **more)[0]


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (insight(TEXT, confidence=0.49), "confidence"),
        (insight(TEXT, confidence=float("nan")), "confidence"),
        (insight("Go on."), "letters"),
        (insight("..."), "says nothing"),
        (insight(TEXT, evidence=()), "rests on nothing"),
    ],
)
def test_weak_and_tiny_insights_are_dropped_with_a_reason(found, reason):
    """What is unsure, tiny, empty or without evidence becomes nothing, and the reason is told."""
    decision = one(found)
    assert decision.disposition is Disposition.DROP
    assert reason in decision.reason


def test_a_persons_short_words_are_kept():
    """What a person says may be short."""
    assert one(insight("Go on."), keep_short=True).disposition is Disposition.ADD


@pytest.mark.parametrize("status", ["staged", "quarantined", "active"])
def test_a_duplicate_reinforces_also_in_staging(status):
    """The same advice in other words is more evidence for the one that is there, wherever it stands."""
    there = bullet(text="Run the linter before you push", status=Status(status), side=Side.STAGING)
    decision = one(insight(TEXT), there)
    assert (decision.disposition, decision.target) == (Disposition.REINFORCE, there)


@pytest.mark.parametrize("status", ["rejected", "retracted"])
def test_what_a_person_took_away_does_not_come_again(status):
    """The very words that were rejected or undone are dropped, and the decision is named."""
    decision = one(insight(TEXT), bullet(text=TEXT, status=Status(status)))
    assert decision.disposition is Disposition.DROP
    assert status in decision.reason


@pytest.mark.parametrize(
    "change",
    [{"status": Status.DEPRECATED}, {"scope": Scope.project("atlas")}, {"attributes": {"merged_into": "m_two"}}],
)
def test_what_is_gone_or_elsewhere_does_not_count(change):
    """A bullet out of use, of another scope, or merged away is no duplicate."""
    assert one(insight(TEXT), bullet(text=TEXT, **change)).disposition is Disposition.ADD


def test_a_contradiction_is_added_and_named():
    """What denies a bullet that is there comes in with that bullet beside it."""
    there = bullet(text="Never log request bodies")
    decision = one(insight("Always log request bodies"), there)
    assert decision.disposition is Disposition.ADD
    assert decision.contradicted == (there,)


def test_of_two_in_one_run_the_later_is_dropped():
    """The same insight twice in one run is one bullet."""
    twice = [insight(TEXT), insight("Run the linter before you push")]
    fates = [d.disposition for d in curate(twice, lambda _: (), GRAMMAR)]
    assert fates == [Disposition.ADD, Disposition.DROP]
