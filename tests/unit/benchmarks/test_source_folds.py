"""Folds by source, and a scorer run on each."""

from __future__ import annotations

import json
import sys

from hypothesis import given
from hypothesis import strategies as st

from benchmarks import source_folds

SCORER = """
import argparse, json
asked = argparse.ArgumentParser()
for name in ("--pred", "--gold"):
    asked.add_argument(name)
asked.add_argument("--json", action="store_true")
given = asked.parse_args()
rows = [json.loads(line) for line in open(given.gold)]
said = {(one := json.loads(line))["id"]: one["label"] for line in open(given.pred)}
print(json.dumps({"part": {"right": sum(said.get(row["id"]) == row["label"] for row in rows) / len(rows)}}))
"""


@given(st.lists(st.integers(0, 9), min_size=1, max_size=60), st.integers(1, 7))
def test_no_source_is_divided_and_no_row_is_lost(sources, count):
    """Every row lies in exactly one fold, all of one source in the same one."""
    rows = [{"id": place, "source": {"name": f"s{source}"}} for place, source in enumerate(sources)]
    made = source_folds.split_folds(rows, ["source.other", "source.name"], count)
    assert sorted(row["id"] for fold in made for row in fold) == list(range(len(rows)))
    homes = [{row["source"]["name"] for row in fold} for fold in made]
    assert sum(len(home) for home in homes) == len(set(sources))
    assert len(made) == min(count, len(set(sources)))


def test_each_fold_is_scored_alone(tmp_path, capsys, monkeypatch):
    """The scorer sees the rows of one fold at a time; mean and spread are those of the folds."""
    rows = [{"id": place, "source": "ab"[place // 2], "label": "x"} for place in range(4)]
    guesses = [{"id": place, "label": "x" if place < 3 else "y"} for place in range(4)]
    for name, lines in (("gold", rows), ("pred", guesses)):
        (tmp_path / name).write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    (tmp_path / "scorer.py").write_text(SCORER, encoding="utf-8")
    files = [f"--{name}={tmp_path / name}" for name in ("gold", "pred")]
    monkeypatch.setattr(sys, "argv", ["source_folds", *files, f"--scorer={tmp_path / 'scorer.py'}"])
    source_folds.main()
    shown = capsys.readouterr().out
    assert "4 rows, folds of 2, 2" in shown
    assert "part.right" in shown
    assert "0.750 +- 0.354   1.000 0.500" in shown
