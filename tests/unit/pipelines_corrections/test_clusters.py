"""Clusters: the same wish is one, whatever the order; opposite wishes are two."""

from __future__ import annotations

from dataclasses import replace

import pytest
from correction_turns import exchange
from hypothesis import given, settings
from hypothesis import strategies as st

from dopejar.pipelines.corrections import CorrectionCluster, cluster, detect
from dopejar.pipelines.corrections.clusters.wish_similarity import linked
from dopejar.pipelines.corrections.exchange import Durability, Polarity

SAID = [
    "no, use the staging database",
    "why aren't you using the staging database?",
    "use pathlib instead of os.path",
    "please use pathlib, not os.path",
    "you forgot to update the changelog",
    "do it yourself instead of telling me how",
    "don't ask me for confirmation, just apply it yourself",
    "you changed the public signature again",
]


def found(texts, conversation="c_one"):
    """The candidates of turns in one conversation."""
    return detect([exchange(text, index=place, conversation=conversation) for place, text in enumerate(texts)])


def members(clusters):
    """What lies together."""
    return {frozenset(one.exchange.text for one in group.members) for group in clusters}


def test_the_same_wish_is_one_cluster():
    """Wordings of one wish lie together, others apart."""
    assert members(cluster(found(SAID))) == {
        frozenset(SAID[0:2]),
        frozenset(SAID[2:4]),
        *(frozenset([text]) for text in SAID[4:]),
    }


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(len(SAID))))
def test_order_does_not_matter(order):
    """Any order of the candidates gives the same clusters, texts, counts and ids."""
    candidates = found(SAID)
    assert cluster([candidates[place] for place in order]) == cluster(candidates)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, len(SAID)))
def test_growing_equals_clustering_at_once(cut):
    """A new conversation joins old clusters as if all had been there at first; joining twice changes nothing."""
    candidates = found(SAID)
    grown = cluster(candidates[cut:], cluster(candidates[:cut]))
    assert grown == cluster(candidates)
    assert cluster(candidates, grown) == grown


def test_a_cluster_counts_turns_and_times():
    """Frequency counts turns, the dates are those of the first and last, confidence is the mean."""
    (one,) = cluster(found(SAID[:2]))
    assert one.frequency == 2
    assert one.durability is Durability.STANDING  # said twice: it lasts
    assert (one.first_seen, one.last_seen) == tuple(member.exchange.at for member in one.members)
    assert one.confidence == pytest.approx(sum(member.confidence for member in one.members) / 2, abs=1e-3)
    assert one.canonical_text == "Use the staging database"
    assert one.variants == tuple(SAID[:2])


@pytest.mark.parametrize(
    ("one", "pole", "other", "other_pole"),
    [
        ("Use tabs", Polarity.DO, "Use spaces, not tabs", Polarity.REPLACE),
        ("Use the session cache", Polarity.DO, "Do not use the session cache", Polarity.AVOID),
        ("Use httpx instead of requests", Polarity.REPLACE, "Use requests instead of httpx", Polarity.REPLACE),
        ("Run the linter", Polarity.DO, "Run the migration", Polarity.DO),
        ("Keep tasks small", Polarity.DO, "Create the tasks in the tracker", Polarity.DO),
    ],
)
def test_opposite_and_other_wishes_are_two(one, pole, other, other_pole):
    """A wish is never joined with its contrary, nor with one that shares only an everyday word."""
    assert not linked(one, pole, other, other_pole)
    assert not linked(other, other_pole, one, pole)


def test_canonical_can_be_given_by_its_short_name():
    """Hosts may build a cluster with `canonical`, lists and no dates."""
    one = CorrectionCluster(
        canonical="Use tabs", variants=["tabs!"], correction_type="style", frequency=3, confidence=0.9
    )
    assert (one.canonical_text, one.variants, one.first_seen) == ("Use tabs", ("tabs!",), None)
    assert replace(one, frequency=4).canonical_text == "Use tabs"
