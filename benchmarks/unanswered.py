"""Questions without an answer: how often recall says nothing, and how often it still finds an answer that is there.

Takes: questions with or without a turn that answers, and invented turns of `training/data/reader`; for the loss, data
sets in the neutral format. Gives: one JSON object. Never: a turn that a person said.

    python -m benchmarks.unanswered [--home DIR] [--questions FILE] [--size N ...]     # with DIR: with its model, too
    python -m benchmarks.unanswered [--home DIR] --data DIR     # what the floors cost where an answer is there

Each question is asked of stores of 60, 800 and 1,800 turns, or of N. The floors of `pipelines/recall/data/floor.toml`
were chosen with the questions of `data/unanswered.jsonl`, and lowered until the loss on whole retrieval sets was small.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.compare import recall_of
from dopejar.bench.retrieval import read_rows, run
from dopejar.compose import make_embedder
from dopejar.pipelines.recall.answer_floor import Floor
from dopejar.settings import read_settings
from training.reader_data import DATA, first_turns, groups, turns_of

if TYPE_CHECKING:
    from dopejar.ports.embedder import Embedder

QUESTIONS = Path(__file__).parent / "data" / "unanswered.jsonl"
SIZES = (60, 800, 1800)
CONVERSATION = 20  # turns
NOTHING = "no answer"


def main() -> None:
    """Run it and print the shares, or the loss."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--home", type=Path, help="a data directory in which a model is installed")
    parser.add_argument("--questions", type=Path, default=QUESTIONS, help="lines with question, kind, and turn or none")
    parser.add_argument("--size", type=int, action="append", help="turns of a store; may be repeated")
    parser.add_argument("--data", type=Path, help="measure the loss of R@10 by the floors on the sets in this folder")
    given = parser.parse_args()
    result: dict[str, object] = {}
    for name in ("none", "hashed", "minilm") if given.home else ("none", "hashed"):
        settings = read_settings(given.home or Path("unused"), {"DOPEJAR_EMBEDDER_KIND": name})
        embedder = make_embedder(settings)
        if given.data:
            result[name] = {folder.name: loss(folder, embedder) for folder in sorted(given.data.iterdir())}
        else:
            result[name] = measure(embedder, read_questions(given.questions), given.size or SIZES)
    print(json.dumps(result, indent=1))


def read_questions(file: Path) -> list[Mapping[str, str]]:
    """The questions with their kind; without one, they have no answer."""
    return [{"kind": "unanswered", **json.loads(line)} for line in file.read_text("utf-8").splitlines()]


def measure(
    embedder: Embedder | None, rows: Sequence[Mapping[str, str]], sizes: Sequence[int]
) -> dict[str, dict[str, float]]:
    """By size and in all: shares of questions with nothing ranked, by kind and of all that have no answer.

    Of `answered`, of those whose turn is among the first ten; a store that is too small for their turns has some.
    """
    right, of = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        _write(folder, rows, sizes)
        run(folder, folder / "run.jsonl", embedder=embedder)
        answers = [json.loads(line) for line in (folder / "run.jsonl").read_text("utf-8").splitlines()]
    for answer in answers:
        size, place = answer["qid"].split()
        row, ranked = rows[int(place)], answer["ranked"]
        is_right = f"told {place}" in ranked[:10] if "turn" in row else not ranked
        kinds = (row["kind"],) if "turn" in row else (row["kind"], NOTHING)
        for cell in product((size, "all"), kinds):
            of[cell] += 1
            right[cell] += is_right
    shares: dict[str, dict[str, float]] = {}
    for size, kind in of:
        shares.setdefault(size, {})[kind] = round(right[size, kind] / of[size, kind], 3)
    return shares


def loss(folder: Path, embedder: Embedder | None) -> dict[str, float]:
    """R@10 over the main questions of a set, as it is and without a floor."""
    queries, shares = read_rows(folder / "queries.jsonl"), {}
    if not any(row["gold_turns"] for row in queries):
        return {}
    with tempfile.TemporaryDirectory() as made:
        for name, floor in (("with", None), ("without", Floor())):
            out = Path(made) / f"{name}.jsonl"
            run(folder, out, embedder=embedder, keep=Path(made) / "stores", floor=floor)
            ranked = {row["qid"]: row["ranked"] for row in map(json.loads, out.read_text("utf-8").splitlines())}
            shares[name] = recall_of(ranked, queries)
    return {"with": round(shares["with"], 4), "loss": round(shares["without"] - shares["with"], 4)}


def _write(folder: Path, rows: Sequence[Mapping[str, str]], sizes: Sequence[int]) -> None:
    """The stores and their questions in the neutral format; the id of a turn that answers has its question's place."""
    told = [(f"told {place}", row["turn"]) for place, row in enumerate(rows) if "turn" in row]
    texts = [text for path in sorted(DATA.glob("relations_*.txt")) for text, _ in groups(path)]
    random.Random(5).shuffle(texts)
    more = [turn.text for path in first_turns() for turn in turns_of(path)]
    others = [(f"other {place}", text) for place, text in enumerate(dict.fromkeys((*texts, *more)))]
    with (folder / "turns.jsonl").open("w") as turns, (folder / "queries.jsonl").open("w") as queries:
        for size in sizes:
            store = [*told, *others][:size]
            if len(store) < size:
                raise SystemExit(f"There are {len(store)} turns at most. Give a smaller --size.")
            random.Random(size).shuffle(store)
            for place, (name, text) in enumerate(store):
                session, index = divmod(place, CONVERSATION)
                turn = {"store": str(size), "session": str(session), "index": index, "turn_id": name, "role": "user"}
                turns.write(json.dumps({**turn, "text": text}) + "\n")
            there = {name for name, _ in store}
            for place, row in enumerate(rows):
                if "turn" not in row or f"told {place}" in there:
                    query = {"qid": f"{size} {place}", "store": str(size), "text": row["question"]}
                    queries.write(json.dumps(query) + "\n")


if __name__ == "__main__":
    main()
