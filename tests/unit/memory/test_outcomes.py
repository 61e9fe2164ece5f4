"""Outcomes as evidence: what they count, what they move, what joins them."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.memory.derivation import count_outcomes, demote_if_harmful, derive, merge_evidence, restore_to_trial
from dopejar.values.ids import EpisodeId, RecordId, proposal_id_of, record_id_of
from dopejar.values.record import Evidence, EvidenceRole, Kind, Layer, Record, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, Side

NOW = datetime(2031, 5, 6, 12, 0, tzinfo=UTC)


def bullet(**more):
    """An active bullet on the left."""
    fields = {
        "id": RecordId("m_one"), "kind": Kind.BULLET, "text": "Oil the hinges.", "key": "", "slot": "", "value": "",
        "layer": Layer.INTENT, "sublayer": Sublayer.RULE, "namespace": Namespace.PROD, "scope": UNIVERSAL,
        "side": Side.LEFT, "status": Status.ACTIVE, "confidence": 0.5, "certainty": 1.0, "trust": 1.0, "tags": (),
        "pinned": False, "created_at": NOW, "valid_from": NOW, "valid_to": None, "temporary": False,
        "content_hash": "", "version": 1, "made_by": "procedural@1",
    }  # fmt: skip
    return Record(**{**fields, **more})


def row(name, role, wording="Oil the hinges."):
    """One line of evidence."""
    return Evidence(episode_id=EpisodeId(name), start=0, end=4, at=NOW, wording=wording, role=role, confidence=0.5)


names, wordings = st.sampled_from(["e_a", "e_b", "e_c"]), st.sampled_from(["helpful", "harmful"])
rows = st.lists(st.builds(row, names, st.sampled_from(EvidenceRole), wordings), max_size=8)


@given(rows)
def test_counters_count_episodes_of_outcomes_alone(evidence):
    """Each episode counts once for each word, and nothing but outcomes that stand counts."""
    told = {(one.wording, one.episode_id) for one in evidence if one.role is EvidenceRole.OUTCOME}
    assert sum(count_outcomes(evidence)) == len(told)
    assert count_outcomes(evidence) == count_outcomes([*evidence, *evidence])


@given(rows, rows)
def test_joining_again_changes_nothing(old, new):
    """What was joined once is there; joining it again adds nothing."""
    once = merge_evidence(old, new)
    assert merge_evidence(once, new) == once


@pytest.mark.parametrize("taken", [EvidenceRole.OUTCOME, EvidenceRole.OUTCOME_WITHDRAWN])
def test_an_outcome_that_was_taken_back_does_not_count_again(taken):
    """An episode that told once tells nothing new, also where that was undone; what it asserts is another matter."""
    old = (row("e_a", taken, "helpful"),)
    assert merge_evidence(old, [row("e_a", EvidenceRole.OUTCOME, "harmful")]) == old
    assert len(merge_evidence(old, [row("e_a", EvidenceRole.ASSERTS)])) == 2


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"harmful_count": 1}, "quarantined"),
        ({"harmful_count": 1, "helpful_count": 1}, "active"),
        ({"tags": ("conflict",)}, "quarantined"),
        ({"harmful_count": 1, "kind": Kind.RULE}, "active"),
        ({"harmful_count": 1, "status": Status.DEPRECATED}, "deprecated"),
        ({}, "active"),
    ],
)
def test_what_demotes_a_bullet(change, status):
    """More harm than help, or a conflict, puts an active bullet on trial; nothing else moves."""
    assert demote_if_harmful(bullet(**change)).status == status


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, "quarantined"),
        ({"helpful_count": 2}, "active"),
        ({"helpful_count": 2, "harmful_count": 1}, "quarantined"),
        ({"side": Side.STAGING, "helpful_count": 2}, "staged"),
        ({"side": Side.SHARED}, "active"),
        ({"kind": Kind.RULE, "side": Side.NONE}, "active"),
        ({"status": Status.STAGED, "side": Side.STAGING}, "staged"),
    ],
)
def test_what_comes_back_is_on_trial_unless_proven(change, status):
    """A bullet comes back as good as its outcomes say; other kinds come back as they were."""
    assert restore_to_trial(bullet(**change)).status == status


def test_a_shared_copy_stays_sure():
    """New evidence does not push a shared copy below the confidence that sharing asks for."""
    evidence = [row("e_a", EvidenceRole.ASSERTS)]
    assert derive(bullet(side=Side.SHARED, confidence=0.8), evidence).confidence == pytest.approx(0.8)
    assert derive(bullet(confidence=0.8), evidence).confidence == pytest.approx(0.5)


def test_a_record_and_its_wish_name_each_other():
    """The id of a record leads to the wish that made it, and back."""
    assert record_id_of(proposal_id_of(RecordId("m_abc"))) == "m_abc"
