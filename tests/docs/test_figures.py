"""The figures file is sound: each bar is complete, and its command leads to a measurement that exists."""

from __future__ import annotations

import datetime
import re
import tomllib
from pathlib import Path

import pytest

from dopejar.doors.cli.benchmark_commands import BENCHES

ROOT = Path(__file__).resolve().parents[2]
FIGURES = tomllib.loads((ROOT / "benchmarks" / "figures.toml").read_text("utf-8"))
BARS = FIGURES["bar"]
FIELDS = {"id", "table", "what", "bar", "figure", "date", "command"}


def test_bars_have_unique_ids_and_known_tables() -> None:
    """Each bar is in one of the tables, and no two have one id."""
    assert len({bar["id"] for bar in BARS}) == len(BARS)
    assert {bar["table"] for bar in BARS} == {table["name"] for table in FIGURES["table"]}


@pytest.mark.parametrize("bar", BARS, ids=[bar["id"] for bar in BARS])
def test_bar_is_one_line(bar: dict[str, object]) -> None:
    """A bar has every field and fits one line; only a bar with a limit can be missed."""
    assert set(bar) - {"headline", "missed"} == FIELDS
    assert isinstance(bar["date"], datetime.date)
    assert all(bar[name] for name in FIELDS - {"bar"})
    assert len(str(bar["what"])) <= 120
    assert len(str(bar["figure"])) <= 60
    assert bar["bar"] or not bar.get("missed")


@pytest.mark.parametrize("bar", BARS, ids=[bar["id"] for bar in BARS])
def test_command_of_a_bar_exists(bar: dict[str, str]) -> None:
    """A command names a measurement of the program or of the benchmarks folder, and data files that are there."""
    command = bar["command"]
    names = re.findall(r"dopejar bench (\w+)", command)
    assert [name for name in names if name not in BENCHES] == []
    modules = re.findall(r"python -m benchmarks\.(\w+)", command)
    assert [name for name in modules if not (ROOT / "benchmarks" / f"{name}.py").is_file()] == []
    files = re.findall(r"\b(?:benchmarks|training|docs)/[\w/.-]+\.\w+", command)
    assert [name for name in files if not (ROOT / name).is_file()] == []


@pytest.mark.parametrize("page", ["README.md", "BENCHMARKS.md", "docs/critiques.md"])
def test_pages_quote_figures_from_the_file(page: str) -> None:
    """A page that shows figures has a generated part, or marks around each quoted figure."""
    text = (ROOT / page).read_text("utf-8")
    assert "<!-- figures: begin -->" in text or "<!-- figure: " in text


def test_measurements_outside_the_package_are_described() -> None:
    """The page of the benchmarks folder names the command of each script."""
    page = (ROOT / "benchmarks" / "README.md").read_text("utf-8")
    scripts = {path.stem for path in (ROOT / "benchmarks").glob("*.py")} - {"transcript_seeds", "compare_systems"}
    assert set(re.findall(r"python -m benchmarks\.(\w+)", page)) == scripts
