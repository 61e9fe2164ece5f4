"""Alignment of drafts with active rules and north stars."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gate_values import draft, record
from hypothesis import given
from hypothesis import strategies as st

from dopejar.governance.policy.alignment import score_alignment
from dopejar.values.record import Kind, Status
from dopejar.values.scope import Namespace, Scope

RULE = record(Kind.RULE, text="Never deploy the greenhouse cluster on Fridays", slot="rule.deploy")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Always deploy the greenhouse cluster on Fridays", 0.0),
        ("Never deploy the greenhouse cluster on Fridays", 1.0),
        ("The kettle is red", 1.0),
    ],
)
def test_alignment_with_an_active_rule(text, expected):
    """The opposite of an active rule is misaligned; the rule itself and anything else is not."""
    assert score_alignment(draft(Kind.FACT, text, slot=""), [RULE]) == expected


@pytest.mark.parametrize(
    "rule",
    [
        replace(RULE, status=Status.STAGED),
        replace(RULE, kind=Kind.FACT),
        replace(RULE, namespace=Namespace.TEST),
        replace(RULE, slot="fact.deploy"),
    ],
)
def test_only_rules_in_force_are_held_against(rule):
    """What is not active, directs nothing, lives elsewhere, or is the very slot being updated, is no rule to break."""
    new = draft(Kind.FACT, "Always deploy the greenhouse cluster on Fridays", slot="fact.deploy")
    assert score_alignment(new, [rule]) == 1.0


def test_another_projects_rule_does_not_bind():
    """A project's rule holds in that project and against universal statements, not in another project."""
    rule = replace(RULE, scope=Scope.project("kettle"))
    new = draft(Kind.FACT, "Always deploy the greenhouse cluster on Fridays", slot="")
    assert score_alignment(new, [rule]) == 0.0
    assert score_alignment(replace(new, scope=Scope.project("kettle")), [rule]) == 0.0
    assert score_alignment(replace(new, scope=Scope.project("teapot")), [rule]) == 1.0


def test_north_stars_are_held_against():
    """What denies a north star is misaligned."""
    new = draft(Kind.FACT, "We do not keep the data of our customers private", slot="")
    assert score_alignment(new, [], ["We keep the data of our customers private"]) == 0.0
    assert score_alignment(new, [], ["We answer letters within a day"]) == 1.0


@given(st.text(max_size=60), st.text(max_size=60))
def test_alignment_is_total(text, other):
    """No two texts make the comparison fail, and no text contradicts itself."""
    new, rule = draft(Kind.FACT, text, slot=""), record(Kind.RULE, text=other, slot="")
    assert score_alignment(new, [rule]) in {0.0, 1.0}
    assert score_alignment(new, [replace(rule, text=text)]) == 1.0
