"""The examples of docs/frameworks.md run as they stand, and print what they say; the packages are needed for that."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "frameworks.md"
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
PACKAGES = ("langgraph", "agents", "pydantic_ai", "google")


@pytest.mark.skipif(not all(map(find_spec, PACKAGES)), reason="a package is not installed: run `make test-frameworks`")
def test_the_examples_print_what_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One after the other, in one program and an empty home."""
    monkeypatch.setenv("DOPEJAR_HOME", str(tmp_path / "home"))
    names: dict[str, object] = {}
    assert len(BLOCKS) == 6
    for block in BLOCKS:
        exec(block, names)  # noqa: S102 - our own page
        assert capsys.readouterr().out.splitlines() == re.findall(r"#> (.*)$", block, re.MULTILINE)
    names["memory"].close()
