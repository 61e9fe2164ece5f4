"""Scripts that no test runs still import what the package has."""

import ast
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = [path for folder in ("training", "benchmarks", "attacks", "docs") for path in (ROOT / folder).glob("*.py")]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_a_script_imports_of_the_package_exists(script: Path) -> None:
    """Also where the script itself cannot be imported here, as those that fit weights with PyTorch."""
    named = [
        (node.module, alias.name)
        for node in ast.walk(ast.parse(script.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "dopejar"
        for alias in node.names
    ]
    missing = [f"{module}.{name}" for module, name in named if not _exists(module, name)]
    assert missing == []


def _exists(module: str, name: str) -> bool:
    try:
        return hasattr(importlib.import_module(module), name) or bool(importlib.import_module(f"{module}.{name}"))
    except ModuleNotFoundError:
        return False
