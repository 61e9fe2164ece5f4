"""Targets of proposals: one text form and one JSON form, and the form in which records were always stored."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.values.ids import BlockId, ConversationId, DossierId, RecordId
from dopejar.values.target import (
    BlockTarget,
    DossierTarget,
    RecordTarget,
    TurnRangeTarget,
    target_as_json,
    target_from_json,
)

BODIES = st.text(alphabet="0123456789abcdefghjkmnpqrstvwxyz", min_size=1, max_size=16)
VERSIONS = st.integers(min_value=0, max_value=10**6)
TURN_RANGES = st.tuples(VERSIONS, VERSIONS).map(sorted)
TARGETS = st.one_of(
    st.builds(lambda body, version: RecordTarget(record_id=RecordId(f"m_{body}"), version=version), BODIES, VERSIONS),
    st.builds(lambda body, version: BlockTarget(block_id=BlockId(f"b_{body}"), version=version), BODIES, VERSIONS),
    st.builds(
        lambda body, version: DossierTarget(dossier_id=DossierId(f"d_{body}"), version=version), BODIES, VERSIONS
    ),
    st.builds(
        lambda body, turns: TurnRangeTarget(conversation=ConversationId(f"c_{body}"), first=turns[0], last=turns[1]),
        BODIES,
        TURN_RANGES,
    ),
)


@given(TARGETS)
def test_the_json_form_is_read_back(target):
    """`target_from_json` reads what `target_as_json` writes, through JSON text as well."""
    assert target_from_json(json.loads(json.dumps(target_as_json(target)))) == target


@given(TARGETS, TARGETS)
def test_different_targets_have_different_forms(a, b):
    """Neither form confuses two targets."""
    assert (str(a) == str(b)) is (a == b)
    assert (target_as_json(a) == target_as_json(b)) is (a == b)


@given(TARGETS)
def test_the_subject_is_the_text_without_a_version(target):
    """The ledger names a target by its id alone; turns have no version."""
    assert target.subject == str(target).split("@")[0]


@given(BODIES, VERSIONS)
def test_a_record_is_stored_as_ever(body, version):
    """A record's JSON form is its id and version, in which older stores hold it."""
    stored = json.loads(f'["m_{body}", {version}]')
    assert target_from_json(stored) == RecordTarget(record_id=RecordId(f"m_{body}"), version=version)
    assert target_as_json(target_from_json(stored)) == stored


@pytest.mark.parametrize(
    "value", [None, "m_a@1", [], ["m_a"], ["m_a", "1"], ["page", "x", 1], ["turns", "c_a", 5, 4], {"id": "m_a"}]
)
def test_other_json_is_refused(value):
    """What is no target's JSON form is an InputError."""
    with pytest.raises(InputError):
        target_from_json(value)


@pytest.mark.parametrize(("first", "last"), [(-1, 2), (3, 2), (-2, -1)])
def test_a_range_holds_at_least_one_turn(first, last):
    """An empty range, or one before the first turn, cannot be made."""
    with pytest.raises(InputError, match="range"):
        TurnRangeTarget(conversation=ConversationId("c_a"), first=first, last=last)
