"""The scorer of block boundaries, on figures worked out by hand, and the bench that feeds it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.block_boundaries import boundaries, figures, matches, text_tiling, window_error
from dopejar.bench.blocks import run
from dopejar.errors import InputError

KILN = "The kiln reaches its glaze temperature after nine hours."
TAXES = "New topic: the tax office wants receipts of the whole year."


def test_boundaries_are_changes_of_the_label() -> None:
    """The first turn is no boundary."""
    assert boundaries(["a", "a", "b", "a"]) == [2, 3]


def test_one_boundary_found_twice_counts_once() -> None:
    """Two predictions beside one boundary: one is right. Two turns off is wrong."""
    assert matches([4, 5], [5]) == 1
    assert matches([7], [5]) == 0
    assert figures({"s": [4, 5]}, {"s": [5]}, {"s": 10})["f1"] == pytest.approx(2 / 3, abs=0.001)


def test_pk_and_windowdiff() -> None:
    """All right is 0; nothing found in two halves of four turns misses the windows that span the boundary."""
    assert window_error([4], [4], 8) == (0, 0)
    assert window_error([], [4], 8) == (2 / 6, 2 / 6)
    assert window_error([3, 4], [4], 8) == (1 / 6, 2 / 6)


def test_texttiling_finds_the_valley() -> None:
    """Between two topics whose words differ."""
    tiles = text_tiling(["kiln glaze clay fire"] * 8 + ["tax receipt office year"] * 8)
    assert [place for place in tiles if abs(place - 8) <= 1]


def folder(path: Path, sessions: str) -> Path:
    """A store of two topics; `sessions` names the session of each turn."""
    rows = [
        {"store": "s", "session": session, "session_time": None, "turn_id": str(place), "role": "user", "text": text}
        for place, (session, text) in enumerate(zip(sessions, [KILN] * 3 + [TAXES] * 3, strict=True))
    ]
    path.mkdir()
    (path / "turns.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_the_bench_reads_no_session(tmp_path: Path) -> None:
    """A line per turn, in order, the same whatever the sessions are called; the announced topic has its own block."""
    for name, sessions in (("one", "aaabbb"), ("two", "abcdef")):
        result = run(folder(tmp_path / name, sessions), tmp_path / f"{name}.jsonl", embedder=None, times=False)
        assert (result["stores"], result["turns"]) == (1, 6)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    lines = [json.loads(line) for line in (tmp_path / "one.jsonl").read_text("utf-8").splitlines()]
    assert [line["turn_id"] for line in lines] == list("012345")
    assert lines[0]["block"] == lines[2]["block"] != lines[3]["block"]


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    """It names the file."""
    with pytest.raises(InputError, match=r"turns\.jsonl"):
        run(tmp_path, tmp_path / "out.jsonl", embedder=None)
