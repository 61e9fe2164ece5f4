"""Conflict and alignment against what is already remembered."""

from __future__ import annotations

from dataclasses import replace

import pytest
from gate_values import TARGET, draft, record
from hypothesis import given
from hypothesis import strategies as st

from dopejar.governance.policy.alignment import alignment, conflict, is_own_update
from dopejar.values.proposal import Level
from dopejar.values.record import Kind, Status
from dopejar.values.scope import Namespace, Scope, Side

DARK = draft(Kind.PREFERENCE, "I prefer the dark theme", value="+dark")
LIGHT = record(Kind.PREFERENCE, text="I prefer the light theme", value="+light")


@pytest.mark.parametrize(
    ("stored", "same", "level"),
    [
        (LIGHT, True, Level.LOW),
        (LIGHT, False, Level.MEDIUM),
        (replace(LIGHT, approved_by="Mira"), False, Level.HIGH),
        (replace(LIGHT, pinned=True), False, Level.HIGH),
        (replace(LIGHT, approved_by="Mira"), True, Level.LOW),
        (replace(LIGHT, value="+dark"), False, Level.NONE),
        (replace(LIGHT, slot="self.pref.lamp"), False, Level.NONE),
        (replace(LIGHT, temporary=True), False, Level.NONE),
        (replace(LIGHT, scope=Scope.project("kettle")), False, Level.NONE),
        (replace(LIGHT, namespace=Namespace.TEST), False, Level.NONE),
        (replace(LIGHT, side=Side.LEFT), False, Level.NONE),
        (replace(LIGHT, status=Status.SUPERSEDED), False, Level.NONE),
        (replace(LIGHT, status=Status.STAGED), False, Level.NONE),
    ],
)
def test_conflict_in_a_slot(stored, same, level):
    """Another value of a live record in the same slot and scope conflicts, by who speaks and who approved."""
    assert conflict(DARK, [stored], speaker_is_same=same) == (level, (TARGET,) if level is not Level.NONE else ())
    assert is_own_update(DARK, [stored], speaker_is_same=same) is (same and level is Level.LOW)


@pytest.mark.parametrize("same", [True, False])
def test_a_denial_without_a_slot_is_a_conflict(same):
    """Where no slot tells that it is the same thing, near-same words of opposite polarity conflict for everybody."""
    new = draft(Kind.FACT, "The greenhouse server does not restart at midnight", slot="")
    old = record(Kind.FACT, text="The greenhouse server restarts at midnight", slot="")
    assert conflict(new, [old], speaker_is_same=same) == (Level.MEDIUM, (TARGET,))
    assert not is_own_update(new, [old], speaker_is_same=same)


def test_different_things_do_not_conflict():
    """Statements about different things are at peace."""
    new = draft(Kind.FACT, "The kettle never whistles", slot="")
    old = record(Kind.FACT, text="The greenhouse server restarts at midnight", slot="")
    assert conflict(new, [old], speaker_is_same=False) == (Level.NONE, ())


def test_the_worst_conflict_counts():
    """Of several neighbours every one at odds is named, and the worst sets the level."""
    pinned = replace(LIGHT, id="m_pinned", pinned=True)
    same = replace(LIGHT, id="m_same", value="+dark")
    assert conflict(DARK, [LIGHT, same, pinned], speaker_is_same=False) == (Level.HIGH, (TARGET, "m_pinned"))


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
    assert alignment(draft(Kind.FACT, text, slot=""), [RULE]) == expected


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
    assert alignment(new, [rule]) == 1.0


def test_another_projects_rule_does_not_bind():
    """A project's rule holds in that project and against universal statements, not in another project."""
    rule = replace(RULE, scope=Scope.project("kettle"))
    new = draft(Kind.FACT, "Always deploy the greenhouse cluster on Fridays", slot="")
    assert alignment(new, [rule]) == 0.0
    assert alignment(replace(new, scope=Scope.project("kettle")), [rule]) == 0.0
    assert alignment(replace(new, scope=Scope.project("teapot")), [rule]) == 1.0


def test_north_stars_are_held_against():
    """What denies a north star is misaligned."""
    new = draft(Kind.FACT, "We do not keep the data of our customers private", slot="")
    assert alignment(new, [], ["We keep the data of our customers private"]) == 0.0
    assert alignment(new, [], ["We answer letters within a day"]) == 1.0


@given(st.text(max_size=60), st.text(max_size=60), st.booleans())
def test_signals_are_total(one, other, same):
    """No two texts make the signals fail, and a statement never conflicts with itself."""
    new, old = draft(Kind.FACT, one, slot=""), record(Kind.RULE, text=other, slot="")
    level, ids = conflict(new, [old], speaker_is_same=same)
    assert bool(ids) is (level is not Level.NONE)
    assert alignment(new, [old]) in {0.0, 1.0}
    assert conflict(new, [replace(old, text=one)], speaker_is_same=same)[0] is Level.NONE
