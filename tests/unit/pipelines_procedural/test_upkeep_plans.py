"""Plans of upkeep: what would be merged, retired, flagged."""

from dataclasses import replace
from datetime import timedelta

import pytest
from bullet_values import NOW, bullet
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.memory.derivation import CONFLICT_TAG
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.mutual_relations import mutual_relations
from dopejar.pipelines.procedural.upkeep import MOST, plan_upkeep, pruning_policy
from dopejar.values.record import Status
from dopejar.values.scope import Side
from dopejar.values.statement import Relation

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


class CountingReader(GrammarReader):
    """The grammar, which counts what it is asked."""

    def __init__(self):
        self.texts, self.pairs = [], []

    def read(self, sentences):
        """Counts the texts."""
        self.texts += sentences
        return super().read(sentences)

    def relate(self, pairs):
        """Counts the pairs."""
        self.pairs += pairs
        return super().relate(pairs)


ADVICE = [
    bullet(f"m_{verb}_{thing}_{when}", f"{verb} the {thing} {when}.", last_accessed_at=NOW)
    for verb in ("Run", "Check", "Update", "Rebuild")
    for thing in ("tests", "linter", "cache", "worker", "schema")
    for when in ("before a release", "after a merge", "when CI fails", "at night", "on staging")
]


def test_what_is_merged_says_the_same_as_what_stays():
    """It is not enough to say the same as another that is merged."""
    merges = plan_upkeep(ADVICE, BALANCED, NOW, GRAMMAR).merges
    pairs = [(merge.into.text, other.text) for merge in merges for other in merge.others]
    assert pairs
    assert set(mutual_relations(GRAMMAR, pairs)) == {Relation.SAME}


def test_a_run_reads_only_what_it_needs():
    """No text is read twice, equal words not at all, and reading ends where a run has enough to change."""
    whole, short, none = CountingReader(), CountingReader(), CountingReader()
    plan_upkeep(ADVICE, BALANCED, NOW, whole, most=1000)
    assert len(whole.texts) == len(set(whole.texts))
    assert plan_upkeep(ADVICE, BALANCED, NOW, short, most=2).left_over > 0
    assert 0 < len(short.pairs) < len(whole.pairs) / 2
    (merge,) = plan_upkeep([bullet(f"m_{i}", last_accessed_at=NOW) for i in range(40)], BALANCED, NOW, none).merges
    assert len(merge.others) == 39
    assert (none.texts, none.pairs) == ([], [])


@pytest.mark.parametrize("most", [0, 100])
def test_a_flag_stays_while_a_contradiction_was_not_ruled_out(most):
    """A flagged bullet loses its flag where all that is near it was read, not where a run had no room to read."""
    words = [("m_a", "Always log request bodies"), ("m_b", "Never log request bodies")]
    pair = [bullet(*one, tags=(CONFLICT_TAG,), last_accessed_at=NOW) for one in words]
    other_side = [pair[0], replace(pair[1], side=Side.RIGHT)]
    for both in (pair, other_side):
        assert plan_upkeep([*both, old(400)], BALANCED, NOW, GRAMMAR, most).resolved == ()
    assert len(plan_upkeep([pair[0], old(400)], BALANCED, NOW, GRAMMAR, most).resolved) == min(1, most)


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
