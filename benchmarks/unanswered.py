"""Questions without an answer: how often recall says nothing, and how often it still finds an answer that is there.

Takes: `data/unanswered.jsonl`, and invented turns of `training/data/reader`. Gives: one JSON object. Never: a turn
that a person said.

    python -m benchmarks.unanswered [--home DIR]     # with DIR: with the model that is installed there, too

Each question is asked of stores of 60, 800 and 3,000 turns. The floors of `pipelines/recall/data/floor.toml` were
chosen with these questions, and lowered until the loss on whole retrieval sets was small.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from dopejar.bench.retrieval import run
from dopejar.compose import make_embedder
from dopejar.settings import read_settings
from training.reader_data import DATA, groups

QUESTIONS = Path(__file__).parent / "data" / "unanswered.jsonl"
SIZES = (60, 800, 3000)
CONVERSATION = 20  # turns


def main() -> None:
    """Run it and print the shares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a data directory in which a model is installed")
    home = parser.parse_args().home
    print(json.dumps({name: measure(name, home) for name in (("none", "minilm") if home else ("none",))}, indent=1))


def measure(embedder: str, home: Path | None) -> dict[str, float]:
    """Shares of questions with nothing ranked, by kind; of `answered`, of those whose turn is among the first ten."""
    rows = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    settings = read_settings(home or Path("unused"), {"DOPEJAR_EMBEDDER_KIND": embedder})
    right, of = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        _write(folder, rows)
        run(folder, folder / "run.jsonl", embedder=make_embedder(settings))
        answers = [json.loads(line)["ranked"] for line in (folder / "run.jsonl").read_text("utf-8").splitlines()]
    for place, ranked in enumerate(answers):
        row = rows[place % len(rows)]
        of[row["kind"]] += 1
        right[row["kind"]] += f"told {place % len(rows)}" in ranked[:10] if "turn" in row else not ranked
    return {kind: round(right[kind] / of[kind], 3) for kind in of}


def _write(folder: Path, rows: Sequence[Mapping[str, str]]) -> None:
    """The stores and their questions in the neutral format; the id of a turn that answers has its question's place."""
    told = [(f"told {place}", row["turn"]) for place, row in enumerate(rows) if "turn" in row]
    texts = [text for path in sorted(DATA.glob("relations_*.txt")) for text, _ in groups(path)]
    others = [(f"other {place}", text) for place, text in enumerate(texts)]
    random.Random(5).shuffle(others)
    with (folder / "turns.jsonl").open("w") as turns, (folder / "queries.jsonl").open("w") as queries:
        for size in SIZES:
            store = [*told, *others][:size]
            random.Random(size).shuffle(store)
            for place, (name, text) in enumerate(store):
                session, index = divmod(place, CONVERSATION)
                turn = {"store": str(size), "session": str(session), "index": index, "turn_id": name, "role": "user"}
                turns.write(json.dumps({**turn, "text": text}) + "\n")
            for place, row in enumerate(rows):
                query = {"qid": f"{size} {place}", "store": str(size), "text": row["question"]}
                queries.write(json.dumps(query) + "\n")


if __name__ == "__main__":
    main()
