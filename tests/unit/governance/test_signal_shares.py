"""A model's shares decide together with the phrases."""

from __future__ import annotations

import pytest

from dopejar.governance.signals.signal_detector import SignalDetector
from dopejar.values.turn_enums import SignalType


def _kinds(text: str, share: float) -> set[SignalType]:
    return {one.type for one in SignalDetector().detect(text, shares={"urgency": share})}


@pytest.mark.parametrize("share", [0.15, 0.3, 0.6])
def test_a_phrase_carries_a_share_that_would_not_do_alone(share: float) -> None:
    """With a phrase a low share holds; without one only a share from six tenths does."""
    assert SignalType.URGENCY in _kinds("This is urgent.", share)
    assert (SignalType.URGENCY in _kinds("Print the list.", share)) is (share >= 0.6)


def test_a_model_that_is_sure_overrules_a_phrase() -> None:
    """A share close to none outweighs the phrase."""
    assert SignalType.URGENCY not in _kinds("This is urgent.", 0.01)


def test_other_signals_hold_from_a_lower_share() -> None:
    """Urgency alone needs more, since many an ordinary turn has a little of it."""
    shares = {"urgency": 0.58, "interrupt": 0.58}
    found = {one.type for one in SignalDetector().detect("Print the list.", shares=shares)}
    assert found == {SignalType.INTERRUPT}
