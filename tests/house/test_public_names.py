"""The library's face: a sorted, lazy list of names that changes only on purpose."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import dopejar

EXPECTED = (Path(__file__).parent / "public_names.txt").read_text("utf-8").split()
NAMES = sorted(getattr(dopejar, "__all__", EXPECTED))


def test_public_names_are_the_expected_ones() -> None:
    """`dopejar.__all__` is exactly what public_names.txt lists; a change there is a change for every user."""
    assert sorted(dopejar.__all__) == EXPECTED


def test_public_names_are_sorted_and_few() -> None:
    """`__all__` is sorted, has no doubles and stays small enough to be read at a glance."""
    assert list(dopejar.__all__) == sorted(set(dopejar.__all__))
    assert len(dopejar.__all__) <= 24


@pytest.mark.parametrize("name", NAMES)
def test_public_name_is_lazy_and_there(name: str) -> None:
    """Each name is listed by `dir`, is not loaded by `import dopejar`, and can be taken in a fresh interpreter."""
    program = (
        f"import dopejar; assert {name!r} in dir(dopejar); "
        f"assert {name!r} == '__version__' or {name!r} not in vars(dopejar); "
        f"from dopejar import {name}; assert {name} is getattr(dopejar, {name!r})"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_unknown_name_is_refused_as_python_does() -> None:
    """A name that is not public raises AttributeError and names itself."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = dopejar.no_such_name  # type: ignore[attr-defined]
