"""The form of the files of weights: small, and read as what was written."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dopejar.adapters.readers.weights_file import PARTS, STEP, read_weights, weights_file
from training.packed_weights import LEAST_NUMBERS, packed

MEGABYTE = 1_000_000
NETS = ("reader", "marker", "sides", "changes", "answers", "turns")


def written(folder: Path, kept: dict) -> dict:
    """The arrays as they are read from a file."""
    np.savez_compressed(folder / "net.npz", **kept)
    return dict(read_weights(folder / "net.npz"))


@pytest.mark.parametrize("parts", [1, 4, PARTS])
@given(
    factors=arrays(np.float32, (16, 1), elements=st.sampled_from([0.01, 0.5, 1.0, 40.0])),
    seed=st.integers(0, 2**16),
)
def test_a_number_is_off_by_half_a_part_of_its_step_at_most(tmp_path_factory, parts, factors, seed):
    """Rows of any size keep their numbers to within half a part of the step of their row or column."""
    array = np.random.default_rng(seed).normal(size=(16, 160)).astype(np.float32) * factors
    kept = packed({"hidden.weight": array}, parts)
    read = written(tmp_path_factory.mktemp("net"), kept)
    step = kept[f"hidden.weight{STEP}"].astype(np.float32)
    assert set(read) == {"hidden.weight"}
    assert (np.abs(read["hidden.weight"] - array) <= step * (0.51 / parts + 0.07)).all()  # .07: 127 steps, rounded


def test_what_is_not_a_large_matrix_is_kept_in_half_precision(tmp_path):
    """A bias, a number, a head of one row and a small matrix are read as half precision has them."""
    rng = np.random.default_rng(1)
    shapes = {"bias": (128,), "scale": (), "head.weight": (1, LEAST_NUMBERS), "out.weight": (8, 8)}
    given_arrays = {name: np.asarray(rng.normal(size=shape), np.float32) for name, shape in shapes.items()}
    read = written(tmp_path, packed(given_arrays))
    assert set(read) == set(given_arrays)
    assert all((read[name] == array.astype(np.float16)).all() for name, array in given_arrays.items())


def test_what_a_file_has_already_stays_byte_for_byte(tmp_path):
    """A head that is added to a packaged file changes nothing else in it."""
    before = dict(np.load(weights_file("marker", "minilm-l6-v2")))
    head = np.ones((32, 1344), np.float32)
    read = written(tmp_path, before | packed({"alone.weight": head}, 4))
    packaged = read_weights(weights_file("marker", "minilm-l6-v2"))
    assert set(read) == set(packaged)
    assert all((read[name] == packaged[name]).all() for name in read if name != "alone.weight")
    assert (read["alone.weight"] == read["alone.weight"][0, 0]).all()


def test_packaged_weights_are_small():
    """What reads a statement has four megabytes at most, all readers over the model six and a half."""
    sizes = {net: weights_file(net, "minilm-l6-v2").stat().st_size for net in NETS}
    assert sum(sizes[net] for net in NETS[:4]) <= 4 * MEGABYTE
    assert sum(sizes.values()) <= 6.5 * MEGABYTE
