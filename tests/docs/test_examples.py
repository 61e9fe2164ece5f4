"""The examples run as they stand, and print what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))
PRINTED = re.compile(r"# > (.*)$", re.MULTILINE)


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.stem for path in EXAMPLES])
def test_example_runs_and_prints_what_it_says(path: Path, tmp_path: Path) -> None:
    """An example runs in a fresh interpreter and an empty data directory, and prints its `# >` lines in order."""
    environment = {**os.environ, "DOPEJAR_HOME": str(tmp_path / "home"), "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-W", "error", str(path)]
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-3000:]
    lines, rest = PRINTED.findall(path.read_text("utf-8")), run.stdout
    assert lines
    for line in lines:
        before, found, rest = rest.partition(line.strip())
        assert found, f"{line!r} is not printed; instead: {(before + rest)[:500]}"
