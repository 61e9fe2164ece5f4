"""The threat model names tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PAGE = (TESTS.parent / "docs" / "threat-model.md").read_text("utf-8")
NAMED = re.findall(r"`((?:[a-z_]+/)*test_[a-z_]+\.py)((?:::test_[a-z_0-9]+)?)`((?:, `::test_[a-z_0-9]+`)*)", PAGE)


@pytest.mark.parametrize(("file", "first", "others"), NAMED, ids=[file + first for file, first, _ in NAMED])
def test_what_the_page_names_is_tested(file: str, first: str, others: str) -> None:
    """Every file and every test that a row names is there."""
    source = (TESTS / file).read_text("utf-8")
    for name in re.findall(r"::(test_[a-z_0-9]+)", first + others):
        assert f"def {name}(" in source


def test_no_row_goes_without_a_reason() -> None:
    """Each threat says what stops it and what is not stopped, and most name a test."""
    rows = [line.split(" | ") for line in PAGE.splitlines() if line.startswith("| ") and "::" in line]
    assert len(rows) > 20
    assert all(len(row) == 4 and all(cell.strip(" |") for cell in row) for row in rows)
