"""Trust by origin."""

from __future__ import annotations

from gate_values import TRUST

from dopejar.governance.policy.policy_file import shipped_policy
from dopejar.values.episode import TRUST_BY_ORIGIN, Origin, trust_of


def test_the_table():
    """Trust by origin is as designed, in the code's table and in the shipped policy."""
    assert dict(TRUST_BY_ORIGIN) == TRUST
    assert dict(shipped_policy().trust) == TRUST
    assert {origin: trust_of(origin) for origin in Origin} == TRUST
