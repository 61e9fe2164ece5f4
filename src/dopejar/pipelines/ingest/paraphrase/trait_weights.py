"""How much each trait of a comparison weighs: tables by the model that tells what is said.

Takes: the traits of a comparison, by name. Gives: how likely they make it that both say one thing. Never: decides.

Fitted by `training/paraphrase_weights.py` on wordings that the models had not seen, and on near misses. Cosines are
calibrated piecewise linearly, with knots every 0.2. Denials, endings and opposites are vetoes and have no weight here;
when the two tables were fitted they still had one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, kw_only=True, slots=True)
class Weighing:
    """The curve of each cosine, the weight of each other trait, and what is so without any."""

    curves: Mapping[str, tuple[float, ...]]
    weights: Mapping[str, float]
    intercept: float

    def likelihood(self, found: Mapping[str, float]) -> float:
        """From 0 to 1, of all the traits."""
        odds = self.intercept
        for name, value in found.items():
            weight = self.weights.get(name)
            odds += _height(self.curves[name], value) if weight is None else weight * value
        return 1 / (1 + math.exp(-odds))


def _height(curve: Sequence[float], cosine: float) -> float:
    """The height of a curve between two of its equal steps from 0 to 1."""
    place = min(max(cosine, 0.0), 1.0) * (len(curve) - 1)
    step = min(int(place), len(curve) - 2)
    return curve[step] + (place - step) * (curve[step + 1] - curve[step])


MINILM: Final = Weighing(
    curves=MappingProxyType({
        "says": (0.0, 0.33, 0.66, 1.3, 2.81, 3.9),
        "says_mean": (0.0, 1.12, 2.25, 3.46, 5.42, 7.75),
        "says_all": (0.0, 2.83, 5.68, 8.24, 9.04, 8.92),
        "about": (0.0, -1.01, -1.32, -1.26, -2.31, -4.62),
        "about_mean": (0.0, -0.86, -0.94, -1.36, -2.45, -3.58),
    }),
    weights=MappingProxyType({
        "often": 0.04,
        "number_shared": -0.14,
        "number_differs": -0.59,
        "number_new": -0.59,
        "number_missing": -0.71,
        "name_shared": 0.38,
        "name_new": -0.29,
        "name_missing": -0.19,
        "value_shared": 0.78,
        "kind_differs": -0.74,
        "owner_differs": -0.98,
        "wish_differs": 0.45,
        "changes": -0.37,
        "ended": 0.02,
        "minimal": -1.93,
        "things": 0.1,
        "relations": -0.04,
        "besides": 0.0,
        "shared": -0.4,
        "cover": 0.63,
        "own_new": 0.34,
        "own_missing": 0.35,
        "another_time": -1.23,
        "a_wish": -0.88,
    }),
    intercept=-9.22,
)
MPNET: Final = Weighing(
    curves=MappingProxyType({
        "says": (0.0, 0.25, 0.5, 1.16, 2.68, 3.68),
        "says_mean": (0.0, 0.98, 1.97, 3.07, 4.76, 6.62),
        "says_all": (0.0, 2.67, 5.39, 7.87, 8.78, 9.15),
        "about": (0.0, -0.65, -0.79, -0.71, -1.26, -3.21),
        "about_mean": (0.0, -0.32, -0.06, -0.21, -0.8, -1.77),
    }),
    weights=MappingProxyType({
        "often": 0.02,
        "number_shared": -0.29,
        "number_differs": -0.55,
        "number_new": -0.7,
        "number_missing": -0.69,
        "name_shared": 0.15,
        "name_new": -0.33,
        "name_missing": -0.31,
        "value_shared": 0.85,
        "kind_differs": -0.89,
        "owner_differs": -0.99,
        "wish_differs": 0.62,
        "changes": -0.05,
        "ended": 0.1,
        "minimal": -2.56,
        "things": 0.09,
        "relations": 0.04,
        "besides": 0.01,
        "shared": -0.43,
        "cover": 0.3,
        "own_new": 0.26,
        "own_missing": 0.38,
        "another_time": -0.9,
        "a_wish": -1.09,
    }),
    intercept=-9.7,
)
_BY_MODEL: Final = MappingProxyType({"minilm-l6-v2-paraphrase": MINILM, "mpnet-base-v2-paraphrase": MPNET})


def weighing_of(model: str) -> Weighing:
    """The table for what this paraphrase embedder."""
    return _BY_MODEL.get(model, MINILM)
