"""The comparison with other systems: what it counts, on invented turns, and that it says what it skipped."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from benchmarks import compare
from dopejar.ports.embedder import EmbedderIdentity

SAID = ("The harbour crane is painted yellow.", "Rye bread needs a long rest.", "The tram to Belvar leaves at nine.")
ASKED = ("When does the tram leave?", "Which colour has the crane?")


class Letters:
    """An embedder that counts letters."""

    identity = EmbedderIdentity(name="letters", dimensions=26, digest="0")

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """How often each letter stands in a text, as a unit vector."""
        rows = np.array([[text.casefold().count(chr(97 + at)) for at in range(26)] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture
def sets(tmp_path: Path) -> dict[str, Path]:
    """One set of three turns and two questions, with its task."""
    folder = tmp_path / "invented"
    folder.mkdir()
    turns = [
        {"store": "s", "session": "a", "session_time": None, "turn_id": str(place), "index": place}
        | {"speaker": "Rin", "role": "user", "text": text}
        for place, text in enumerate(SAID)
    ]
    queries = [
        {"qid": f"q{gold}", "store": "s", "text": text, "asked_at": None, "main": True, "gold_turns": [gold]}
        for text, gold in zip(ASKED, ("2", "0"), strict=True)
    ]
    for name, rows in (("turns", turns), ("queries", queries)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    compare.make_task(folder, Letters(), tmp_path / "invented.json")
    return {"invented": folder}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["grep", "FTS5 (BM25)"])
def test_a_system_without_packages_is_measured(sets: dict[str, Path], tmp_path: Path, name: str) -> None:
    """In an environment and a process of its own: recall on the set and its mean, a time, and three sizes."""
    cells = compare.measure(name, sets, compare.environment((), tmp_path / "environments" / "bare"), tmp_path)
    assert (cells["R@10 invented"], cells["mean"], cells["installed"]) == ("1.000", "1.000", "0.0 MB")
    assert float(cells["memory"].split()[0]) > 1


def test_recall_counts_the_first_ten_of_main_questions() -> None:
    """Of two turns that answer one is among the first ten; questions that are not main count nothing."""
    queries = [
        {"qid": "a", "main": True, "gold_turns": ["1", "12"]},
        {"qid": "b", "main": False, "gold_turns": ["1"]},
        {"qid": "c", "main": True, "gold_turns": []},
    ]
    assert compare.recall_of({"a": [str(place) for place in range(1, 20)]}, queries) == 0.5


def test_a_system_that_fails_is_no_row(sets: dict[str, Path], tmp_path: Path) -> None:
    """What cannot be imported in its environment raises, so that it is skipped and said."""
    with pytest.raises(subprocess.CalledProcessError):
        compare.run_system(
            "Chroma", compare.environment((), tmp_path / "bare"), tmp_path / "invented.json", tmp_path / "x"
        )
    assert [line.split(" | ")[0] for line in compare.table({"a": {"mean": "0.1"}, "b": {"mean": "0.2"}})][2:] == [
        "| b",
        "| a",
    ]


def test_every_system_is_known_on_both_sides() -> None:
    """Those that are installed are those that the worker runs."""
    from benchmarks.compare_systems import SYSTEMS

    assert {name for name in compare.REQUIREMENTS if not name.startswith("dopejar")} == set(SYSTEMS)
