"""Pure rules about bullets: views, scores, what is due."""

import pytest
from bullet_values import bullet, helped
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.procedural.bullet_similarity import TokenOverlapIndex, diversity, is_confirmed_across
from dopejar.pipelines.procedural.bullets import (
    Bullet,
    Priority,
    bullet_type,
    hemisphere,
    is_proven,
    lacks_for_sharing,
    report_assignments,
    review_priority,
    score,
)
from dopejar.pipelines.procedural.procedural_options import Thresholds
from dopejar.pipelines.procedural.tone import gerund, soften
from dopejar.values.ids import ConversationId, EpisodeId
from dopejar.values.record import Kind, Status
from dopejar.values.scope import Side

GRAMMAR = GrammarReader()
TWO = {EpisodeId("e_a"): ConversationId("c_a"), EpisodeId("e_b"): ConversationId("c_b")}
ONE = dict.fromkeys(TWO, ConversationId("c_a"))


@pytest.mark.parametrize(
    ("confidence", "priority"),
    [(1.0, "low"), (0.8, "low"), (0.79, "medium"), (0.6, "medium"), (0.59, "high"), (0.0, "high")],
)
def test_priority_by_confidence(confidence, priority):
    """From .8 on low, from .6 on medium, below that high; both limits belong to the calmer side."""
    assert review_priority(confidence, Thresholds()) is Priority(priority)


@pytest.mark.parametrize(
    ("confidence", "helpful", "harmful", "expected"),
    [(0.5, 0, 0, 0.5), (0.5, 2, 0, 0.6), (0.5, 0, 1, 0.4), (0.8, 3, 2, 0.75), (0.1, 0, 5, -0.4)],
)
def test_score(confidence, helpful, harmful, expected):
    """The score is confidence + .05 for each help - .1 for each harm."""
    assert score(bullet(confidence=confidence, helpful_count=helpful, harmful_count=harmful)) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("status", "helpful", "harmful", "where", "tags", "proven"),
    [
        ("quarantined", 2, 0, TWO, (), True),
        ("quarantined", 5, 0, TWO, (), True),
        ("quarantined", 2, 0, ONE, (), False),
        ("quarantined", 1, 0, TWO, (), False),
        ("quarantined", 2, 1, TWO, (), False),
        ("quarantined", 2, 0, TWO, ("conflict",), False),
        ("active", 2, 0, TWO, (), False),
        ("staged", 2, 0, TWO, (), False),
    ],
)
def test_what_proves_a_bullet(status, helpful, harmful, where, tags, proven):
    """Two helpful outcomes in two conversations and no harm prove a bullet on trial, and nothing less does."""
    record = bullet(status=Status(status), helpful_count=helpful, harmful_count=harmful, tags=tags)
    assert is_proven(record, [helped("e_a"), helped("e_b")], where) is proven


@pytest.mark.parametrize(
    ("change", "lacks"),
    [
        ({}, 0),
        ({"helpful_count": 2}, 1),
        ({"harmful_count": 1}, 1),
        ({"status": Status.QUARANTINED}, 1),
        ({"side": Side.SHARED}, 1),
        ({"tags": ("conflict",)}, 1),
        ({"helpful_count": 0, "harmful_count": 2, "status": Status.STAGED, "side": Side.STAGING}, 4),
    ],
)
def test_what_sharing_asks_for(change, lacks):
    """Sharing asks for three helps, no harm, an active bullet of a hemisphere, no conflict; each lack is named."""
    record = bullet(**{"helpful_count": 3, **change})
    assert len(lacks_for_sharing(record, is_cross_confirmed=True)) == lacks
    assert len(lacks_for_sharing(record, is_cross_confirmed=False)) == lacks + 1


def test_confirmation_comes_from_a_proven_bullet_of_the_other_side():
    """The same advice, proven on the other hemisphere, confirms; on the same one, or unproven, it does not."""
    mine = bullet(text="Run the linter before pushing")
    theirs = bullet("m_two", "Run the linter before you push", side=Side.RIGHT, helpful_count=2)
    same_side = bullet("m_two", "Run the linter before you push", helpful_count=2)
    unproven = bullet("m_two", "Run the linter before you push", side=Side.RIGHT)
    assert is_confirmed_across(mine, [theirs], GRAMMAR)
    assert is_confirmed_across(theirs, [bullet(text="Run the linter before pushing", helpful_count=2)], GRAMMAR)
    assert not is_confirmed_across(mine, [same_side, unproven], GRAMMAR)


@given(st.lists(st.text("abc ", min_size=1, max_size=12), max_size=30), st.text("abc ", max_size=12))
def test_few_are_compared_and_the_very_same_is_among_them(texts, text):
    """However many bullets share words with a text, at most five are read, and the same words come first."""
    index = TokenOverlapIndex()
    for other in texts:
        index.add(other, other)
    near = index.near(text)
    assert len(near) <= 5
    assert not near or text not in texts or set(near[0].split()) == set(text.split())


@pytest.mark.parametrize(
    ("hard", "soft"),
    [
        ("You must pin versions.", "You should pin versions."),
        ("Always quote paths.", "Usually quote paths."),
        ("Never log secrets.", "Avoid logging secrets."),
        ("Do not use latest; don't skip tests.", "Avoid using latest; avoid skipping tests."),
        ("Builds must not fail silently.", "Builds should not fail silently."),
        ("A signature is required.", "A signature is recommended."),
        ("Ask the reviewer first.", "Ask the reviewer first."),
    ],
)
def test_softened_words(hard, soft):
    """Hard words become recommendations; what was no hard word stays as it was."""
    assert soften(hard) == soft


@given(st.text(max_size=200))
def test_softening_twice_is_softening_once(text):
    """What is soft stays as it is."""
    assert soften(soften(text)) == soften(text)


@pytest.mark.parametrize(("verb", "form"), [("be", "being"), ("tie", "tying"), ("see", "seeing"), ("write", "writing")])
def test_gerunds(verb, form):
    """The -ing form follows English spelling."""
    assert gerund(verb) == form


def test_diversity_is_one_for_strangers_and_none_for_twins():
    """Hemispheres with no tag in common are wholly diverse, with the same tags not at all."""
    tagged = [bullet(tags=("ci", "tests")), bullet(tags=("ci",))]
    assert diversity(tagged, tagged) == pytest.approx(0.0)
    assert diversity(tagged, [bullet(tags=("ideas",))]) == pytest.approx(1.0)
    assert diversity(tagged, []) == 1.0


tags = st.lists(st.lists(st.sampled_from("abcd"), max_size=3), max_size=5)


@given(tags, tags)
def test_diversity_is_symmetric_and_bounded(left, right):
    """Diversity lies between 0 and 1 and does not depend on which side is which."""
    mine, theirs = ([bullet(tags=tuple(one)) for one in some] for some in (left, right))
    found = diversity(mine, theirs)
    assert 0.0 <= found <= 1.0
    assert found == pytest.approx(diversity(theirs, mine))


def test_a_threshold_is_suggested_that_would_have_kept_its_promise():
    """Where surer assignments were right and others were taken back, the suggestion lies above the others."""
    fared = [(0.82, True), (0.83, True), (0.9, False), (0.91, False), (0.95, False), (0.96, False)]
    found = report_assignments(fared)
    assert (found.assigned, found.overturned) == (6, 2)
    assert 0.83 < found.suggested_threshold <= 0.9
    assert report_assignments([(0.9, False)] * 5).suggested_threshold == pytest.approx(0.8)
    assert report_assignments([]).share == 0.0


def test_a_view_of_another_kind_is_refused():
    """A fact is no bullet."""
    with pytest.raises(InputError, match="no bullet"):
        Bullet.of(bullet(kind=Kind.FACT))


def test_unknown_attributes_read_as_nothing_known():
    """A record whose attributes another program wrote is still a bullet."""
    told = {"bullet_type": "ode", "suggested_confidence": "nan", "source_hemisphere": "up"}
    found = Bullet.of(bullet(attributes=told))
    assert (found.bullet_type, found.classification_confidence, found.source_hemisphere) == ("heuristic", 0.0, "")


def test_wrong_names_are_told_the_right_ones():
    """An unknown type or hemisphere is answered with the known ones."""
    with pytest.raises(InputError, match="checklist"):
        bullet_type("poem")
    for name in ("shared", "staging", "", "up"):
        with pytest.raises(InputError, match="left or right"):
            hemisphere(name)
