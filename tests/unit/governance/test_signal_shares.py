"""Shares of the words and of a model decide together with the phrases."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.governance.signals.signal_detector import SignalDetector
from dopejar.governance.signals.word_shares import weighed_together, word_shares
from dopejar.values.turn_decisions import TURN_LABELS
from dopejar.values.turn_enums import SignalType


def _kinds(text: str, share: float) -> set[SignalType]:
    return {one.type for one in SignalDetector().detect(text, shares={"urgency": share})}


@pytest.mark.parametrize("share", [0.05, 0.15, 0.3, 0.6])
def test_a_phrase_carries_a_share_that_would_not_do_alone(share: float) -> None:
    """With a phrase a low share holds; without one only a share from a third does."""
    assert SignalType.URGENCY in _kinds("This is urgent.", share)
    assert (SignalType.URGENCY in _kinds("Print the list.", share)) is (share >= 0.33)


def test_a_model_that_is_sure_overrules_a_phrase() -> None:
    """A share close to none outweighs the phrase."""
    assert SignalType.URGENCY not in _kinds("This is urgent.", 0.01)


@pytest.mark.parametrize(
    ("text", "signal"),
    [
        ("Whoa, it is sending this to every customer, make it stop!", "emergency"),
        ("I could cry, nothing I touch works today", "emotional"),
        ("ok the last box is packed, tick it off", "completion"),
    ],
)
def test_words_speak_for_what_no_phrase_names(text: str, signal: str) -> None:
    """Without a model, the words of an utterance make a signal likely that they do not name."""
    assert word_shares(text).signals[signal] > 0.33 > word_shares("Print the list.").signals[signal]


@given(st.text(max_size=300))
def test_shares_are_shares(text: str) -> None:
    """Whatever was said, each share lies between 0 and 1, and those of a field other than signals add up to 1."""
    words = word_shares(text)
    for shares in (words, weighed_together(words, words), weighed_together(None, words)):
        for field, names in TURN_LABELS.items():
            row = getattr(shares, field)
            assert list(row) == list(names)
            assert all(0 <= share <= 1 for share in row.values())
            assert field == "signals" or sum(row.values()) == pytest.approx(1)


def test_what_is_quoted_says_nothing() -> None:
    """Pasted code and quotations do not move the shares."""
    plain = "look at this:"
    assert word_shares(f"{plain}\n```\nraise Abort('stop everything now')\n```") == word_shares(plain)
