"""Write the files of weights small: matrices in 8 bits, with some bits more where they count, all else in 16.

Takes: arrays or tensors by name. Gives: the arrays to write, which `adapters/readers/weights_file.py` reads. Never:
packs twice; what a file has already is written again as it is.

Each number of a matrix is a whole number of steps; every row, or every column, has a step of its own, whichever loses
less for its size. What is finer than a step lies apart, as each compresses better alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dopejar.adapters.readers.weights_file import PARTS, REST, STEP, whole

if TYPE_CHECKING:
    from torch import Tensor

LARGEST = 127  # of an 8-bit integer
LEAST_ROWS, LEAST_NUMBERS = 8, 2048  # of a matrix that is packed
SMALLEST = 6.2e-5  # of a step that half precision tells well enough
Packed = dict[str, npt.NDArray[np.generic]]


def packed(arrays: Mapping[str, "npt.NDArray[np.floating] | Tensor"], parts: int = 1) -> Packed:
    """The arrays as they are written, each number of a matrix to one of so many parts of a step."""
    found: Packed = {}
    for name, given in arrays.items():
        array = np.asarray(given, np.float32)
        if array.ndim < 2 or min(array.shape[:2]) < LEAST_ROWS or array.size < LEAST_NUMBERS:
            found[name] = array.astype(np.float16)
        else:
            found |= min(
                (_in_steps(name, array, axis, parts) for axis in (0, 1)), key=lambda one: _cost(name, array, one)
            )
    return found


def _in_steps(name: str, array: npt.NDArray[np.float32], axis: int, parts: int) -> Packed:
    others = tuple(other for other in range(array.ndim) if other != axis)
    step = np.abs(array).max(others, keepdims=True) / LARGEST + np.float32(1e-12)
    step = step.astype(np.float16 if step.min() > SMALLEST else np.float32)
    wanted = np.rint((array / step.astype(np.float32)).clip(-LARGEST, LARGEST) * parts)
    steps = np.floor(wanted / parts)
    rest = (wanted - steps * parts) * (PARTS // parts)
    found: Packed = {name: steps.astype(np.int8), name + STEP: step}
    return found if parts == 1 else found | {name + REST: rest.astype(np.int8)}


def _cost(name: str, array: npt.NDArray[np.float32], found: Packed) -> float:
    """The relative error, doubled for every bit that the steps take beside each number."""
    error = np.median(np.abs(whole(name, found) - array) / (np.abs(array) + 1e-12))
    return float(error) * 2 ** (16 * found[name + STEP].size / array.size)
