"""The import order: the house keeps it, and planted violations are caught."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import grimp
import pytest
from house_rules import PACKAGE, ROOT, dotted, imports_at_import_time, modules

CONTRACTS = ROOT / ".importlinter"
HEAVY = frozenset(
    {"numpy", "apsw", "yaml", "httpx2", "pydantic", "snowballstemmer", "fastapi", "mcp", "uvicorn", "stdnum"}
)
PAGE = frozenset({"fastapi", "pydantic", "uvicorn"})  # the page is loaded by `dopejar serve` alone
SERVER = frozenset({"mcp", "pydantic"})  # the MCP door is loaded by `dopejar mcp` alone
TERMINAL = frozenset({"typer", "rich", "click"})

# (room the import is planted in, what it imports, the contract that must break)
PLANTED = [
    ("errors.py", "dopejar.values.ids", "Imports go down"),
    ("values/ids.py", "dopejar.ports.clock", "Imports go down"),
    ("values/scope.py", "dopejar.text.normalisation", "Imports go down"),
    ("text/normalisation.py", "dopejar.ports.clock", "Imports go down"),
    ("ports/clock.py", "dopejar.memory.lifecycle", "Imports go down"),
    ("memory/lifecycle.py", "dopejar.governance", "Imports go down"),
    ("governance/__init__.py", "dopejar.pipelines", "Imports go down"),
    ("pipelines/__init__.py", "dopejar.governance", "Imports go down"),
    ("governance/__init__.py", "dopejar.engine", "Imports go down"),
    ("engine", "dopejar.compose", "Imports go down"),
    ("engine", "dopejar.settings", "Imports go down"),
    ("adapters/__init__.py", "dopejar.memory.lifecycle", "Imports go down"),
    ("memory/lifecycle.py", "dopejar.adapters", "Imports go down"),
    ("pipelines/__init__.py", "dopejar.adapters", "Only the composition root"),
    ("engine", "dopejar.adapters", "Only the composition root"),
    ("doors/__init__.py", "dopejar.adapters", "Only the composition root"),
    ("compose", "dopejar.testing", "Nothing imports the test kit"),
    ("doors/__init__.py", "dopejar.memory.commit", "The engine alone writes"),
    ("pipelines/__init__.py", "dopejar.memory.commit", "The engine alone writes"),
    ("doors/__init__.py", "dopejar.pipelines.hygiene", "Doors go through the engine"),
    ("doors/__init__.py", "dopejar.text.words", "Doors go through the engine"),
    ("doors/__init__.py", "dopejar.language.relations", "Doors go through the engine"),
    ("doors/__init__.py", "dopejar.bench.recall", "Doors go through the engine"),
    ("doors/__init__.py", "dopejar.seeds.architecture", "Imports go down"),
    ("doors/__init__.py", "dopejar.ports.store", "Doors go through the engine"),
    ("doors/__init__.py", "dopejar.governance.reviewer_credentials", "Doors go through the engine"),
    ("memory/lifecycle.py", "apsw", "No driver in the core"),
    ("engine", "sqlite3", "No driver in the core"),
    ("values/ids.py", "pydantic", "No driver in the core"),
    ("text/normalisation.py", "httpx2", "No driver in the core"),
]


def lint(source: Path, config: Path = CONTRACTS) -> subprocess.CompletedProcess[str]:
    """Run the import linter over the package that lies in `source`."""
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command as run; run()",
            "--no-logo",
            "--no-cache",
            "--config",
            str(config),
        ],
        cwd=source,
        env={**os.environ, "PYTHONPATH": str(source)},
        capture_output=True,
        text=True,
        check=False,
    )


def module_file(package: Path, place: str) -> Path:
    """The file of a room that may be one module or a package."""
    if place.endswith(".py"):
        return package / place
    single = package / f"{place}.py"
    return single if single.is_file() else package / place / "__init__.py"


def copied(directory: Path) -> Path:
    """A copy of the package to plant violations in."""
    shutil.copytree(PACKAGE, directory / "dopejar", ignore=shutil.ignore_patterns("__pycache__"))
    return directory


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the linter says about each broken contract where every import of `PLANTED` is planted."""
    source = copied(tmp_path_factory.mktemp("planted"))
    for place, imported, _ in PLANTED:
        file = module_file(source / "dopejar", place)
        file.write_text(f"{file.read_text('utf-8')}\n\ndef _planted() -> None:\n    import {imported}\n", "utf-8")
    result = lint(source)
    assert result.returncode != 0
    _, _, details = result.stdout.partition("Broken contracts\n")
    sections = re.split(r"^(.+)\n-+\n", details, flags=re.MULTILINE)
    return dict(zip(sections[1::2], sections[2::2], strict=True))


def test_every_module_is_analysed() -> None:
    """The import linter's graph has every module of the package; it skips a folder without `__init__.py`."""
    graph = grimp.build_graph("dopejar", cache_dir=None)
    assert {dotted(path) for path in modules()} - graph.modules == set()


def test_imports_keep_the_order_of_the_house() -> None:
    """Every contract of `.importlinter` is kept."""
    result = lint(PACKAGE.parent)
    assert result.returncode == 0, result.stdout[-4000:] + result.stderr[-2000:]


@pytest.mark.parametrize(("place", "imported", "contract"), PLANTED)
def test_planted_import_is_caught(broken: dict[str, str], place: str, imported: str, contract: str) -> None:
    """An import against the order is named under the contract that forbids it."""
    importer = dotted(module_file(PACKAGE, place))
    chains = [chain for name, text in broken.items() if name.startswith(contract) for chain in text.splitlines()]
    named = re.compile(rf"- +{re.escape(importer)} -> {re.escape(imported)} \(l\.")
    assert any(map(named.match, chains)), f"{importer} imports {imported}, and nobody minds: {chains}"


def test_unranked_room_is_caught(tmp_path: Path) -> None:
    """A new room without a place in the order is refused."""
    source = copied(tmp_path)
    (source / "dopejar" / "attic").mkdir()
    (source / "dopejar" / "attic" / "__init__.py").write_text('"""A room nobody ranked."""\n', "utf-8")
    assert lint(source).returncode != 0


@pytest.mark.parametrize(
    ("imports", "is_kept"),
    [
        ({"language": "text", "execution": "engine", "turn": "execution", "seeds": "turn"}, True),
        ({"language": "ports"}, False),
        ({"execution": "turn", "turn": "engine"}, False),
        ({"seeds": "doors"}, False),
    ],
)
def test_rooms_to_come_have_a_place(tmp_path: Path, imports: dict[str, str], is_kept: bool) -> None:
    """Packages that do not exist yet are ranked: they may import what is below them, and nothing else."""
    source = copied(tmp_path)
    for room in {*imports, *imports.values()}:
        (source / "dopejar" / room).mkdir(exist_ok=True)
        file = source / "dopejar" / room / "__init__.py"
        text = file.read_text("utf-8") if file.is_file() else '"""A room to come."""\n'
        file.write_text(f"{text}\nimport dopejar.{imports[room]}\n" if room in imports else text, "utf-8")
    assert (lint(source).returncode == 0) == is_kept


def test_contracts_have_no_exceptions() -> None:
    """No contract ignores an import; where one must, it is named here with its reason."""
    config = configparser.ConfigParser()
    config.read(CONTRACTS, "utf-8")
    assert [name for name in config.sections() if config.has_option(name, "ignore_imports")] == []


@pytest.mark.parametrize("path", modules(), ids=[dotted(path) for path in modules()])
def test_heavy_libraries_are_imported_where_they_are_used(path: Path) -> None:
    """No module imports a heavy library at import time; doors and bench may import the terminal's, the page its own."""
    name = dotted(path)
    heavy = HEAVY if name.startswith(("dopejar.doors.", "dopejar.bench")) else HEAVY | TERMINAL
    if name.startswith("dopejar.doors.web."):
        heavy -= PAGE
    if name.startswith("dopejar.doors.mcp."):
        heavy -= SERVER
    assert imports_at_import_time(path.read_text("utf-8")) & heavy == set()
