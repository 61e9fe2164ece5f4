"""Which changes of a governed setting tighten it.

Takes: an accepted and a wanted value. Gives: whether the wanted one needs nobody's word. Never: decides about a setting
that is not governed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from dopejar.values.accepted_settings import SettingValue


class Tightening(NamedTuple):
    """The change that tightens: `holds(accepted, wanted)`, and the same in `words`."""

    words: str
    holds: Callable[[SettingValue, SettingValue], bool]


def _several(value: SettingValue) -> frozenset[str]:
    return frozenset(value if isinstance(value, tuple) else (str(value),))


ON: Final = Tightening(words="true tightens", holds=lambda _, wanted: wanted is True)
OFF: Final = Tightening(words="false tightens", holds=lambda _, wanted: wanted is False)
HIGHER: Final = Tightening(words="more tightens", holds=lambda old, wanted: float(str(wanted)) > float(str(old)))
LOWER: Final = Tightening(words="less tightens", holds=lambda old, wanted: float(str(wanted)) < float(str(old)))
FEWER: Final = Tightening(words="fewer tighten", holds=lambda old, wanted: _several(wanted) < _several(old))
NONE: Final = Tightening(words="none tightens", holds=lambda _, wanted: wanted == "none")
EMPTY: Final = Tightening(words="empty tightens", holds=lambda _, wanted: wanted == "")
SHIPPED: Final = Tightening(words="default tightens", holds=lambda _, wanted: wanted in ("", "default"))
NOTHING: Final = Tightening(words="no change tightens", holds=lambda _old, _wanted: False)
