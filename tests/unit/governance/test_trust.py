"""Trust: by origin, and the least of it over the evidence that asserts."""

from __future__ import annotations

import pytest
from gate_values import NOW, TRUST
from hypothesis import given
from hypothesis import strategies as st

from dopejar.governance.policy.policy_file import shipped_policy
from dopejar.governance.policy.trust import TRUST_BY_ORIGIN, rests_on_outcomes, trust_of_evidence, with_trust
from dopejar.values.episode import Episode, EpisodeKind, Origin, trust_of
from dopejar.values.ids import ConversationId, EpisodeId
from dopejar.values.record import Evidence, EvidenceRole


def evidence(name, role=EvidenceRole.ASSERTS):
    """Evidence in the episode of this name."""
    return Evidence(episode_id=EpisodeId(name), start=0, end=1, at=NOW, wording="x", role=role)


def episode(origin, kind=EpisodeKind.TURN, outcome=""):
    """An episode of this origin."""
    return Episode(
        id=EpisodeId("e"), conversation=ConversationId("c"), index=0, at=NOW, speaker="s", origin=origin, text="x",
        kind=kind, outcome=outcome,
    )  # fmt: skip


def test_the_table():
    """Trust by origin is as designed, in the code's table and in the shipped policy."""
    assert dict(TRUST_BY_ORIGIN) == TRUST
    assert dict(shipped_policy().trust) == TRUST


def test_an_origin_that_is_not_in_the_table_is_not_trusted():
    """Where a table lacks an origin, its trust is 0."""
    assert trust_of(Origin.USER, {}) == 0.0


@given(st.lists(st.tuples(st.sampled_from(Origin), st.sampled_from(EvidenceRole))), st.sampled_from(Origin))
def test_the_least_over_what_asserts(sources, otherwise):
    """Only asserting evidence counts, the least of it; without any the proposal's own origin does."""
    items = [evidence(f"e{number}", role) for number, (_, role) in enumerate(sources)]
    origins = {EpisodeId(f"e{number}"): origin for number, (origin, _) in enumerate(sources)}
    asserting = [TRUST[origin] for origin, role in sources if role is EvidenceRole.ASSERTS]
    assert trust_of_evidence(items, origins, otherwise) == min(asserting, default=TRUST[otherwise])


def test_unknown_episodes_count_as_the_proposals_origin():
    """Evidence in an episode that is not at hand is trusted like who proposes."""
    assert trust_of_evidence([evidence("gone")], {}, Origin.FETCHED) == 0.2


def test_each_evidence_gets_its_own_trust():
    """Evidence carries the trust of its episode's origin."""
    marked = with_trust([evidence("a"), evidence("b")], {EpisodeId("a"): Origin.TOOL}, Origin.USER)
    assert [item.trust for item in marked] == [0.7, 1.0]


@pytest.mark.parametrize(
    ("origin", "kind", "outcome", "is_outcome"),
    [
        (Origin.TOOL, EpisodeKind.OUTCOME, "success", True),
        (Origin.TOOL, EpisodeKind.TOOL_RESULT, "failure", True),
        (Origin.USER, EpisodeKind.TURN, "confirmed", True),
        (Origin.USER, EpisodeKind.TURN, "", False),
        (Origin.ASSISTANT, EpisodeKind.OUTCOME, "success", False),
        (Origin.FETCHED, EpisodeKind.OUTCOME, "success", False),
    ],
)
def test_outcomes_are_recorded_by_tools_and_users(origin, kind, outcome, is_outcome):
    """An outcome is what a tool or the user reported, not what an agent says of itself."""
    found = rests_on_outcomes([evidence("e")], {EpisodeId("e"): episode(origin, kind, outcome)})
    assert found is is_outcome


def test_no_evidence_is_no_outcome():
    """Nothing, an absent episode, or context alone prove nothing."""
    outcome = {EpisodeId("e"): episode(Origin.TOOL, EpisodeKind.OUTCOME)}
    assert not rests_on_outcomes([], outcome)
    assert not rests_on_outcomes([evidence("e"), evidence("gone")], outcome)
    assert not rests_on_outcomes([evidence("e", EvidenceRole.CONTEXT)], outcome)
