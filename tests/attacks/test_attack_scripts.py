"""A sample of the attack scripts, in short rounds; `make attack` runs them all."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from attacks.run import HERE, is_limit

SAMPLE = (
    ("a1_kill.py", ("--rounds", "2", "--block", "2")),
    ("a2_damage.py", ("--flips", "3", "--only", "flips")),
    ("b1_carriers.py", ("--every", "60")),
    ("b2_doors.py", ("--only", "terminal,first_reviewer,numbers")),
    ("c_isolation.py", ("--count", "10")),
)


@pytest.mark.slow
@pytest.mark.parametrize(("script", "options"), SAMPLE, ids=[script for script, _ in SAMPLE])
def test_an_attack_fails(script: str, options: tuple[str, ...], tmp_path: Path) -> None:
    """No check of the script fails but those that measure a stated limit, and every part ran to its end."""
    out = tmp_path / "findings.json"
    command = Path(sys.executable).parent / "dopejar"
    given = ("--dopejar", str(command), "--work", str(tmp_path), "--out", str(out), *options)
    done = subprocess.run(
        [sys.executable, str(HERE / script), *given], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert out.exists(), done.stderr[-2000:]
    found = json.loads(out.read_text("utf-8"))
    assert [name for name in found["notes"] if name.endswith(" broke")] == []
    assert sum(row["tried"] for row in found["checks"].values()) > 0
    assert {name: why for name, why in found["failures"].items() if not is_limit(name)} == {}
