"""The files of weights that come with the program, one per net and encoder that it was fitted over.

Takes: the names of a net and of a model. Gives: arrays in single precision, names as they are, and the dense layers
among them. Never: downloads.

The training scripts write a large array as whole steps, as the rest of each and as the size of a step.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zipfile import BadZipFile

from dopejar.errors import WeightsDamagedError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[np.float32]

STEP: Final = ".step"  # behind the name of an array of whole steps: how large a step is, by row or column
REST: Final = ".rest"  # what is left of each number, in parts of a step
PARTS: Final = 16
LAYERS: Final[Mapping[str, tuple[int, ...]]] = {"minilm-l6-v2": (2, 4, 6)}


def weights_file(net: str, model: str) -> Path:
    """Where the weights of a net over this model lie."""
    return Path(__file__).parent / "data" / f"{net}-{model}.npz"


def read_weights(path: Path) -> "Mapping[str, Array]":
    """The arrays of a file by name. Raises WeightsDamagedError."""
    import numpy as np

    try:
        with np.load(path) as arrays:
            read = {name: arrays[name] for name in arrays}
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as fault:
        raise WeightsDamagedError(f"The file {path} cannot be read ({fault}). Reinstall the program.") from fault
    return {name: whole(name, read) for name in read if not name.endswith((STEP, REST))}


def whole(name: str, read: "Mapping[str, npt.NDArray[Any]]") -> "Array":
    """An array of a file in single precision; one of words as it is."""
    import numpy as np

    array: Array = read[name]
    if array.dtype.kind == "U":
        return array
    numbers: Array = array.astype(np.float32)
    if (rest := read.get(name + REST)) is not None:
        numbers += rest.astype(np.float32) / PARTS
    if (step := read.get(name + STEP)) is not None:
        numbers *= step.astype(np.float32)
    return numbers


def convolved(rows: "Array", kernel: "Array", bias: "Array") -> "Array":
    """A convolution over the rows; the kernel is (out, in, width)."""
    import numpy as np

    out, inner, width = kernel.shape
    padded = np.pad(rows, ((width // 2, width // 2), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, width, axis=0)
    # one product over whole windows: slices of the kernel would not be contiguous, which costs ten times as much
    result: Array = windows.reshape(len(rows), inner * width) @ kernel.reshape(out, inner * width).T + bias
    return result


class FittedNet:
    """A net whose weights are read from its file when they are first needed."""

    _file: Path

    @cached_property
    def _weights(self) -> "Mapping[str, Array]":
        return read_weights(self._file)

    def _dense(self, name: str, rows: "Array") -> "Array":
        product: Array = rows @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return product
