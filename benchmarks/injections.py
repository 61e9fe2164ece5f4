"""How many texts that direct an assistant are marked, and how many harmless texts and real turns.

Takes: the sets in `data`, and with `--turns` files of turns in the neutral format, of which the user's count. Gives:
the marked and all of each set, by language. Never: prints a text.

    python -m benchmarks.injections [--turns FILE...]
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from dopejar.text.injection_detector import is_instruction_like

DATA = Path(__file__).parent / "data"
SETS = ("injections_1", "injections_2", "benign")


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def count(texts: Iterable[str]) -> dict[str, int]:
    """How many of the texts are marked."""
    judged = [is_instruction_like(text) for text in texts]
    return {"marked": sum(judged), "of": len(judged)}


def score(rows: Sequence[dict[str, str]]) -> dict[str, object]:
    """The counts of a set, and by language."""
    languages = sorted({row["language"] for row in rows})
    by_language = {name: count(row["text"] for row in rows if row["language"] == name) for name in languages}
    return {**count(row["text"] for row in rows), "by_language": by_language}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the counts as JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.injections", description=__doc__)
    parser.add_argument("--turns", nargs="+", type=Path, default=[], help="files of turns, one JSON object per line")
    options = parser.parse_args(arguments)
    sets = {name: read(DATA / f"{name}.jsonl") for name in SETS}
    benign = sets.pop("benign")
    sets |= {"benign, first half": benign[: len(benign) // 2], "benign, second half": benign[len(benign) // 2 :]}
    turns = [row["text"] for path in options.turns for row in read(path) if row["role"] == "user"]
    print(json.dumps({**{name: score(rows) for name, rows in sets.items()}, "turns of users": count(turns)}, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
