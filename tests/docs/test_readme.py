"""What the README shows, runs."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs" / "library.md"]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PRINTED = re.compile(r"# > (.*)$", re.MULTILINE)
BLOCKS = [
    (page.name, number, block)
    for page in PAGES
    for number, block in enumerate(BLOCK.findall(page.read_text("utf-8")), start=1)
]


@pytest.mark.parametrize(("page", "number", "block"), BLOCKS, ids=[f"{page}-{number}" for page, number, _ in BLOCKS])
def test_python_block_runs_and_prints_what_it_says(page: str, number: int, block: str, tmp_path: Path) -> None:
    """A Python block runs in a fresh interpreter and an empty data directory, and prints its `# >` lines in order."""
    environment = {**os.environ, "DOPEJAR_HOME": str(tmp_path / "home"), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", "-c", block]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    rest = run.stdout
    for line in PRINTED.findall(block):
        before, found, rest = rest.partition(line.strip())
        assert found, f"{page}, block {number}: {line!r} is not printed; instead: {(before + rest)[:500]}"


def test_readme_has_a_python_block() -> None:
    """The first minute shows code."""
    assert any(page == "README.md" for page, _, _ in BLOCKS)


def test_blocks_say_what_they_print() -> None:
    """The pages mark printed parts in the form that is compared, so that the comparison is never empty."""
    assert sum(len(PRINTED.findall(block)) for _, _, block in BLOCKS) > len(BLOCKS) // 2
    assert not [page.name for page in PAGES if "#>" in page.read_text("utf-8")]
