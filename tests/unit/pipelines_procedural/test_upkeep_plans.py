"""Plans of upkeep: what would be merged, retired, flagged."""

from datetime import timedelta

import pytest
from bullet_values import NOW, bullet
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.procedural.upkeep import MOST, plan_upkeep, pruning_policy
from dopejar.values.record import Status
from dopejar.values.scope import Side

BALANCED = pruning_policy("balanced")
GRAMMAR = GrammarReader()


def old(days, **more):
    """A bullet made so many days ago."""
    return bullet(created_at=NOW - timedelta(days=days), **more)


@pytest.mark.parametrize(
    ("policy", "record", "retired"),
    [
        ("aggressive", old(7), True),
        ("aggressive", old(6), False),
        ("balanced", old(13), False),
        ("balanced", old(14), True),
        ("conservative", old(29), False),
        ("conservative", old(30), True),
        ("conservative", old(30, last_accessed_at=NOW), False),
        ("conservative", old(400, pinned=True), False),
        ("aggressive", old(0, harmful_count=1), True),
        ("balanced", old(0, harmful_count=1), False),
        ("balanced", old(0, harmful_count=3, helpful_count=2), True),
        ("conservative", old(0, harmful_count=3, helpful_count=2), False),
        ("balanced", old(30, status=Status.QUARANTINED, last_accessed_at=NOW), True),
        ("balanced", old(29, status=Status.QUARANTINED, last_accessed_at=NOW), False),
        ("aggressive", old(90, status=Status.STAGED), False),
    ],
)
def test_who_is_retired(policy, record, retired):
    """Harm, disuse and a long trial retire a bullet, each policy by its own measure; what waits is left alone."""
    plan = plan_upkeep([record], pruning_policy(policy), NOW, GRAMMAR)
    assert [one.record for one in plan.retirements] == ([record] if retired else [])


def test_chains_of_duplicates_become_one():
    """What says the same is one component, also over several steps, and the proven one stays."""
    texts = ["Run the linter before pushing", "Run the linter before you push", "Run the linter before pushing."]
    same = [bullet(f"m_{i}", text, last_accessed_at=NOW) for i, text in enumerate(texts)]
    best = bullet("m_best", "Run the linter before pushing", helpful_count=4)
    (merging,) = plan_upkeep([*same, best], BALANCED, NOW, GRAMMAR).merges
    assert merging.into.id == "m_best"
    assert {one.id for one in merging.others} == {"m_0", "m_1", "m_2"}


def test_other_sides_are_not_merged():
    """The same advice on the other hemisphere confirms it; it is not merged away."""
    pair = [bullet("m_a"), bullet("m_b", side=Side.RIGHT)]
    assert plan_upkeep(pair, BALANCED, NOW, GRAMMAR).merges == ()


def test_contradictions_are_shown_not_resolved():
    """Two bullets that deny each other are flagged, both of them, and neither is retired."""
    pair = [bullet("m_a", "Always log request bodies"), bullet("m_b", "Never log request bodies")]
    plan = plan_upkeep(pair, BALANCED, NOW, GRAMMAR)
    assert [{one.id for one in both} for both in plan.conflicts] == [{"m_a", "m_b"}]
    assert (plan.retirements, plan.merges, plan.changes) == ((), (), 2)


@given(st.integers(0, 260), st.integers(1, 120))
def test_a_run_changes_at_most_so_many(count, most):
    """However much is due, a run stays within its limit and tells what is left over."""
    records = [bullet(f"m_{i}", f"Feed goat {i} at noon.", harmful_count=2) for i in range(count)]
    plan = plan_upkeep(records, BALANCED, NOW, GRAMMAR, most)
    assert plan.changes <= most
    assert plan.changes + plan.left_over == count
    assert plan.needs_force is (plan.changes > 50)


def test_the_limit_is_a_hundred():
    """Where no other limit is given it is a hundred."""
    records = [bullet(f"m_{i}", f"Feed goat {i} at noon.", harmful_count=2) for i in range(130)]
    assert plan_upkeep(records, BALANCED, NOW, GRAMMAR).changes == MOST == 100


def test_an_empty_playbook_needs_nothing():
    """Nothing is due where nothing is."""
    plan = plan_upkeep([], BALANCED, NOW, GRAMMAR)
    assert (plan.changes, plan.is_narrow) == (0, False)


def test_hemispheres_that_grew_alike_are_warned_about():
    """The same tags on both sides are too narrow."""
    pair = [
        bullet("m_a", tags=("ci",), last_accessed_at=NOW),
        bullet("m_b", "Try another gate.", side=Side.RIGHT, tags=("ci",), last_accessed_at=NOW),
    ]
    assert plan_upkeep(pair, BALANCED, NOW, GRAMMAR).is_narrow


def test_an_unknown_policy_is_refused():
    """The policies are named where another one is asked for."""
    with pytest.raises(InputError, match="conservative"):
        pruning_policy("wild")
