"""A zero-copy reader of safetensors files.

Takes: a path. Gives: read-only arrays over a memory map. Never: executes anything in the file.
"""

from __future__ import annotations

import json
import math
import mmap
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

from dopejar.errors import WeightsDamagedError, WeightsMissingError

_LONGEST_HEADER = 16 * 1024 * 1024


def read_tensors(path: Path) -> "dict[str, npt.NDArray[np.float32]]":
    """The float32 tensors of a file by name; others (position ids) are left out.

    The layout is eight bytes with the header's length, a JSON header with type, shape and offsets of each tensor, then
    their bytes. Pages are loaded on first use and shared with other processes. Raises WeightsMissingError and
    WeightsDamagedError.
    """
    try:
        with path.open("rb") as file:
            view = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError as error:
        raise WeightsMissingError(f"No weights at {path}. Run `dopejar models install`.") from error
    except (OSError, ValueError) as error:  # ValueError: an empty file cannot be mapped
        raise WeightsDamagedError(f"The weights at {path} cannot be read ({error}). Install them again.") from error
    try:
        return _tensors(view)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise WeightsDamagedError(
            f"The weights at {path} are not an intact safetensors file ({error}). Run `dopejar models install` again."
        ) from error


def _tensors(view: mmap.mmap) -> "dict[str, npt.NDArray[np.float32]]":
    import numpy as np

    length = int.from_bytes(view[:8], "little")
    if not 2 <= length <= min(_LONGEST_HEADER, len(view) - 8):
        raise ValueError("its header does not fit into the file")
    header = json.loads(view[8 : 8 + length])
    tensors: dict[str, npt.NDArray[np.float32]] = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        shape = tuple(int(side) for side in entry["shape"])
        first, last = entry["data_offsets"]
        count = math.prod(shape)
        if first < 0 or last - first != 4 * count or 8 + length + last > len(view):
            raise ValueError(f"the place of {name} does not fit its shape")
        tensors[name] = np.frombuffer(view, dtype="<f4", count=count, offset=8 + length + first).reshape(shape)
    return tensors
