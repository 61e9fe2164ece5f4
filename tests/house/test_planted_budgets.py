"""Every rule of form catches a violation that is planted for it, and lets its near miss pass."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from house_rules import (
    any_used,
    bare_noqas,
    broad_excepts,
    docstring_faults,
    imports_at_import_time,
    name_fault,
    relative_imports,
    undocumented_tests,
    unfinished_marks,
    untyped_returns,
    unused_private_names,
)

LATER = "TO" + "DO"
NOQA = "# no" + "qa"

CAUGHT = [
    (any_used, "from typing import Any"),
    (any_used, "from typing import Any as Whatever"),
    (any_used, "import typing\ndef f(x: typing.Any) -> None: ..."),
    (relative_imports, "from . import record"),
    (relative_imports, "from .record import Record"),
    (docstring_faults, "x = 1"),
    (docstring_faults, '"""A module.\n\nTakes: a. Gives: b.\n"""'),
    (untyped_returns, "def recall(query: str): ..."),
    (untyped_returns, "class A:\n    async def recall(self): ..."),
    (undocumented_tests, "def test_a():\n    assert f()"),
    (bare_noqas, f"import os  {NOQA}"),
    (bare_noqas, f"import os  {NOQA}: F401"),
    (unfinished_marks, f"x = 1  # {LATER}: later"),
    (unused_private_names, "_MOST: int = 3"),
    (unused_private_names, "def _add() -> None: ..."),
]

PASSED = [
    (any_used, "def any_of(anything: str) -> bool: ..."),
    (any_used, "'''Never uses Any.'''"),
    (relative_imports, "from dopejar.values import record"),
    (docstring_faults, '"""A module.\n\nTakes: a. Gives: b. Never: c.\n"""'),
    (untyped_returns, "def _inner(x): ..."),
    (untyped_returns, "def recall(query: str) -> None: ..."),
    (undocumented_tests, 'def test_a():\n    """It holds."""'),
    (undocumented_tests, "def build():\n    return 1"),
    (bare_noqas, f"import os  {NOQA}: F401 - part of the face"),
    (unfinished_marks, "todos = list_of_todos()"),
    (unused_private_names, "_MOST = 3\nMORE = _MOST + 1"),
    (unused_private_names, "MOST = 3\n__all__ = []"),
]


@pytest.mark.parametrize(("rule", "source"), CAUGHT)
def test_rule_catches_a_planted_violation(rule: Callable[[str], list[str]], source: str) -> None:
    """The rule finds what was planted."""
    assert rule(source)


@pytest.mark.parametrize(("rule", "source"), PASSED)
def test_rule_lets_a_near_miss_pass(rule: Callable[[str], list[str]], source: str) -> None:
    """The rule has nothing to say about what only looks like a violation."""
    assert rule(source) == []


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("except Exception:", False),
        ("except:", False),
        (f"except Exception:  {NOQA}: BLE001", False),
        ("except (ValueError, BaseException) as error:", False),
        (f"except Exception:  {NOQA}: BLE001 - a door renders every fault as one sentence", True),
    ],
)
def test_broad_except_is_seen_and_its_reason_read(line: str, reason: bool) -> None:
    """Catching everything is found however it is written, and only words count as its reason."""
    assert broad_excepts(f"try:\n    f()\n{line}\n    pass\n") == [(3, reason)]


def test_narrow_except_is_no_broad_one() -> None:
    """Catching named faults needs no reason."""
    assert broad_excepts("try:\n    f()\nexcept (ValueError, OSError):\n    pass\n") == []


def test_raising_again_needs_no_reason() -> None:
    """A handler that tidies up and raises the same fault again hides nothing."""
    assert broad_excepts("try:\n    f()\nexcept BaseException:\n    g()\n    raise\n") == []


@pytest.mark.parametrize("name", ["utils.py", "memory/helpers.py", "common/words.py", "engine_v2.py"])
def test_empty_names_are_refused(name: str) -> None:
    """A name that would fit anything is found in modules and in rooms."""
    assert name_fault(Path(name))


@pytest.mark.parametrize("name", ["memory/commit.py", "text/words.py", "adapters/sqlite/store.py"])
def test_names_of_the_domain_pass(name: str) -> None:
    """The words of the glossary are names."""
    assert name_fault(Path(name)) == ""


def test_only_what_runs_at_import_counts_as_imported() -> None:
    """Imports inside functions and for type checkers are no imports at import time; those in `try` are."""
    source = (
        "from typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import numpy\n"
        "try:\n    import apsw\nexcept ImportError:\n    pass\n"
        "def f():\n    import yaml\n"
        "class A:\n    import json\n    def f(self):\n        import rich\n"
    )
    assert imports_at_import_time(source) == {"typing", "apsw", "json"}
