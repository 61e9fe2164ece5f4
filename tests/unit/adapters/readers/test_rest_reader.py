"""What a later statement leaves of an earlier one: where the words are sure, in the words of the earlier one."""

import numpy as np
import pytest

from dopejar.adapters.embedders.sentence_embedder import UnitStates
from dopejar.adapters.readers.rest_reader import FittedRestReader, without

UNITS = [(0, 4), (5, 7), (8, 10), (11, 17), (18, 19), (19, 20), (20, 21), (22, 25)]
TEXT = "Yoga is on Monday 2%, now"


class OddsEncoder:
    """An encoder whose states are the log odds that each unit of the text goes."""

    def __init__(self, odds):
        self._odds = np.asarray(odds, dtype=np.float32)[:, None]

    def adapted(self, factors):
        """Itself: there are no factors."""
        return self

    def second_states(self, pairs, layers, longest):
        """The same for each pair."""
        return [UnitStates(UNITS[: len(self._odds)], self._odds, self._odds.mean(0)) for _ in pairs]


@pytest.fixture
def weights(tmp_path):
    """A net that gives the log odds as they are."""
    both = np.asarray([[1.0], [-1.0]])
    arrays = {"input.weight": both, "context.weight": 0 * both, "out.weight": both.T, "out.bias": np.zeros(1)}
    arrays |= {f"{name}.bias": np.zeros(2) for name in ("input", "context", "near", "far")}
    arrays |= {f"{name}.weight": np.zeros((2, 2, 5)) for name in ("near", "far")}
    np.savez(tmp_path / "rests.npz", **arrays)
    return tmp_path / "rests.npz"


@pytest.mark.parametrize(
    ("odds", "left"),
    [
        ([-9] * 8, TEXT),
        ([9] * 8, ""),
        ([-9, -9, 9, 9, -9, -9, -9, -9], "Yoga is 2%, now"),
        ([-9] * 6 + [9, 9], "Yoga is on Monday 2%"),
        ([-9, -9, 9, 9, -9, -9, 9, 9], None),  # two stretches
        ([-9, -9, 9, 9, 9, -9, -9, -9], None),  # the 2 of "2%"
        ([-1, -1, 1, 1, -1, -1, -1, -1], None),  # not sure
    ],
)
def test_one_sure_stretch_goes(weights, odds, left):
    """All else is left as it was said; where it is not sure what goes, nothing is told."""
    assert FittedRestReader(OddsEncoder(odds), "minilm-l6-v2", weights).rests([(TEXT, "x")]) == (left,)


def test_of_more_than_is_read_no_part_is_known(weights):
    """What is behind the longest text that is read may go as well."""
    reader = FittedRestReader(OddsEncoder([9, 9]), "minilm-l6-v2", weights)
    assert reader.rests([(TEXT, "x")]) == (None,)


@pytest.mark.parametrize(
    ("text", "goes", "left"),
    [
        ("The gym is on Monday, in the hall.", " on Monday", None),  # "is" would hang
        ("The gym is open on Monday, in the hall.", "on Monday", "The gym is open, in the hall."),
        ("Nuts, milk and pollen", ", milk", "Nuts and pollen"),
        ("Nuts, and it is red", "Nuts", "and it is red"),
        ("It runs in Lyon with 2 GB, logs are kept", "with 2 GB,", "It runs in Lyon, logs are kept"),
        ("The gym is on Tuesdays, in the hall", "on Tuesdays,", "The gym is in the hall"),
        ("Milk is 2.", "Milk", "is 2."),
        ("run() it  twice, at night", "at night", "run() it  twice"),
        ("Call [redacted:phone] at six", "phone", None),
        ("Meet in the hall, at six", "hall", None),  # "in the" would hang
        ("Meet Ada in the hall", "the hall", None),
    ],
)
def test_a_stretch_leaves_no_gap(text, goes, left):
    """Neither spaces nor signs are left where it stood, no word or phrase is broken, and all else is as it was."""
    start = text.index(goes)
    assert without(text, start, start + len(goes)) == left
