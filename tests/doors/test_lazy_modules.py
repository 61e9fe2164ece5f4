"""Modules that execute when they are first used."""

from __future__ import annotations

import importlib
import sys

import pytest

from dopejar.engine import lazy_modules

INTERRUPTED_ONCE = """
from lazypackage import executions
executions.append(1)
if len(executions) == 1:
    raise KeyboardInterrupt
value = 42
"""


@pytest.fixture
def lazy(tmp_path, monkeypatch):
    """A package of a module that Control-C interrupts at its first execution, registered and not executed."""
    (tmp_path / "lazypackage").mkdir()
    (tmp_path / "lazypackage" / "__init__.py").write_text("executions = []\n")
    (tmp_path / "lazypackage" / "part.py").write_text(INTERRUPTED_ONCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    package = importlib.import_module("lazypackage")
    monkeypatch.setattr(lazy_modules, "_PREFIX", "lazypackage.")
    others = [finder for finder in sys.meta_path if finder is not lazy_modules._LazyFinder]  # a door may have begun it
    monkeypatch.setattr(sys, "meta_path", [lazy_modules._LazyFinder, *others])
    importlib.import_module("lazypackage.part")
    yield package
    for name in ("lazypackage", "lazypackage.part"):
        sys.modules.pop(name, None)


def test_an_interrupted_execution_is_an_interruption(lazy):
    """Control-C while a module executes for an import statement arrives, and leaves no half module."""
    with pytest.raises(KeyboardInterrupt):
        from lazypackage.part import value
    from lazypackage.part import value

    assert value == 42
    assert len(lazy.executions) == 2


def test_a_module_executes_once_at_its_first_use(lazy):
    """Looking at its spec executes nothing; the first attribute does, and none after it."""
    module = sys.modules["lazypackage.part"]
    lazy.executions.append(0)
    assert module.__spec__.name == "lazypackage.part"
    assert lazy.executions == [0]
    assert lazy.part.value == 42
    assert module.value == 42
    assert lazy.executions == [0, 1]


def test_what_waits_executes_before_a_second_thread(lazy):
    """All that waits executes at once, and what is imported afterwards does not wait."""
    lazy.executions.append(0)
    lazy_modules.execute_engine()
    assert lazy.executions == [0, 1]
    sys.modules.pop("lazypackage.part")
    importlib.import_module("lazypackage.part")
    assert lazy.executions == [0, 1, 1]
