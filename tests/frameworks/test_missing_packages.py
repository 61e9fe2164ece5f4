"""Without its package a framework's class cannot be loaded, and the error says what to install."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

from dopejar.doors import frameworks
from dopejar.errors import UsageError

PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
CLASSES = {
    "ADKMemoryService": ("adk_memory_service", "google"),
    "LangGraphStore": ("langgraph_store", "langgraph"),
    "PydanticAICapability": ("pydantic_ai_capability", "pydantic_ai"),
}


@pytest.mark.parametrize("name", CLASSES)
def test_the_extra_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message names the package that is missing and an extra that there is."""
    module, package = CLASSES[name]
    monkeypatch.delitem(sys.modules, f"dopejar.doors.frameworks.{module}", raising=False)
    for loaded in [one for one in sys.modules if one == package or one.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, loaded)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(UsageError) as failed:
        getattr(frameworks, name)
    extras = tomllib.loads(PROJECT.read_text("utf-8"))["project"]["optional-dependencies"]
    assert package in str(failed.value)
    assert any(f"'dopejar[{extra}]'" in str(failed.value) for extra in extras)
