"""What vectors and reading cost in `learn`: processor seconds of embedding, of all that learning takes.

Takes: transcripts in the neutral format, and the home of an installed model. Gives: one JSON object, by 1,000 turns.
Never: writes into that home, or counts what the readers over the model take as embedding.

    python -m benchmarks.learn_embedding DIR --home DIR [--turns N] [--read]

Vectors of turns that `learn` leaves are made afterwards, as `dopejar maintain` does, and counted. Nothing is learned
of what others say to each other; with `--read`, the first speaker of each conversation counts as the user.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.bench.retrieval import read_rows
from dopejar.compose import MODELS, open_memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt


def main() -> None:
    """Learn the first turns of a set and print the seconds."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path, help="a folder with turns.jsonl")
    parser.add_argument("--home", type=Path, required=True, help="a data directory in which a model is installed")
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--read", action="store_true", help="the first speaker of each conversation is the user")
    given = parser.parse_args()
    rows = read_rows(given.data / "turns.jsonl")[: given.turns]
    if given.read:
        first = {row["store"]: row["speaker"] for row in reversed(rows)}
        rows = [row | {"role": ("assistant", "user")[row["speaker"] == first[row["store"]]]} for row in rows]
    with tempfile.TemporaryDirectory() as made:
        home, transcript = Path(made) / "home", Path(made) / "turns.jsonl"
        home.mkdir()
        (home / MODELS).symlink_to(given.home.resolve() / MODELS)
        transcript.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
        print(json.dumps(measure(home, transcript)))


def measure(home: Path, transcript: Path) -> dict[str, float]:
    """Processor seconds by 1,000 turns: of learning and the vectors after it, and of making vectors in both."""
    spent: list[float] = []
    whole = SentenceEmbedder.embed

    def timed(self: SentenceEmbedder, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        start = time.process_time()
        vectors = whole(self, texts)
        spent.append(time.process_time() - start)
        return vectors

    SentenceEmbedder.embed = timed  # type: ignore[method-assign]  # no verb tells what the vectors took
    try:
        with open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "minilm"}, said_by="user") as memory:
            start = time.process_time()
            turns = sum(source.episodes for source in memory.learn([transcript], format_name="neutral"))
            learned, within = time.process_time() - start, sum(spent)
            memory.maintenance.reembed()
            after = time.process_time() - start - learned
    finally:
        SentenceEmbedder.embed = whole  # type: ignore[method-assign]
    thousands = turns / 1000
    return {
        "turns": turns,
        "learn_cpu_s": round(learned / thousands, 2),
        "embedding_in_learn_cpu_s": round(within / thousands, 2),
        "vectors_after_cpu_s": round(after / thousands, 2),
        "embedding_cpu_s": round(sum(spent) / thousands, 2),
        "all_cpu_s": round((learned + after) / thousands, 2),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


if __name__ == "__main__":
    main()
