"""Search the weights of fusion and ranking: over several open sets together, and for each set on the others.

Takes: a folder of sets in the format of `dopejar bench retrieval`, whose queries name `gold_turns` or `gold_sessions`,
and a data directory with an installed model. Gives: for each set the recall among the first ten with the packaged
weights, with those that are best over all sets, and with those that are best over the other sets; where these gain
enough, the best as lines for `src/dopejar/pipelines/recall/data/weights.toml`. Never: chooses by one set.

    python -m training.ranking_weights DIR --home DIR --keep DIR [--tries 37] [--queries N]

A try multiplies each weight of `SEARCHED` by a random factor from 1/2 to 2, those of `SHARES` up to 1. The figure of a
set on the others is what to expect elsewhere; that of all sets together was chosen among as many tries as there were.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import numpy as np

from dopejar.bench import retrieval
from dopejar.compose import make_embedder
from dopejar.compose.readers import make_answer_reader
from dopejar.compose.stores import open_store
from dopejar.pipelines.recall.ranking import rank_with_details
from dopejar.pipelines.recall.weights import RankingWeights, trying, weights
from dopejar.ports.embedder import Embedder
from dopejar.ports.statement_reader import AnswerReader
from dopejar.ports.store import ReadView
from dopejar.settings import read_settings
from dopejar.values.ids import conversation_id
from dopejar.values.recall import Query, Source
from dopejar.values.scope import ReadScope

SEARCHED = (  # what changes the order of turns; the sets hold no records
    "vector_least", "vector_more", "vector_terms", "beside", "beyond", "brief", "by_named", "in_window", "standing",
    "measured", "asking", "of_program", "of_system", "answer", "tail", "of_assistant", "near",
)  # fmt: skip
SHARES = frozenset({"vector_least", "vector_more", "asking", "of_program", "of_system", "tail", "of_assistant", "near"})
GAIN = 0.005  # mean, from which other weights are worth a change
FOUND = 10  # ranks
LIMIT = 50  # items that are ranked
UNDATED = datetime(1970, 1, 1, tzinfo=UTC)
Search = Callable[[], float]
"""The recall of one question with the weights of now."""


class Try(NamedTuple):
    """Weights, and the recall of each set with them."""

    weights: RankingWeights
    recalls: dict[str, float]

    def mean(self, without: str = "") -> float:
        """The mean over the sets, or over all but one."""
        return float(np.mean([one for name, one in self.recalls.items() if name != without]))


def main() -> None:
    """Search and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path, help="a folder of sets")
    parser.add_argument("--home", type=Path, required=True, help="a data directory in which a model is installed")
    parser.add_argument("--keep", type=Path, required=True, help="where turns and vectors stay for the next run")
    parser.add_argument("--tries", type=int, default=37)
    parser.add_argument("--queries", type=int, help="at most so many of each set, drawn once")
    chosen = parser.parse_args()
    embedder = make_embedder(read_settings(chosen.home.expanduser(), {"DOPEJAR_EMBEDDER_KIND": "minilm"}))
    if embedder is None:
        parser.error("--home has no model; see dopejar models install")
    with ExitStack() as stack:
        sets = {
            folder.name: _drawn(list(_searches(folder, chosen.keep / folder.name, embedder, stack)), chosen.queries)
            for folder in sorted(chosen.data.iterdir())
            if (folder / "queries.jsonl").is_file()
        }
        tries = list[Try]()
        for tried in drawn_weights(chosen.tries):
            with trying(tried):
                recalls = {name: float(np.mean([search() for search in found])) for name, found in sets.items()}
            tries.append(Try(tried, recalls))
            figures = {name: round(one, 4) for name, one in recalls.items()}
            print(len(tries), f"{tries[-1].mean():.4f}", figures, flush=True)
    _report(tries)


def best_apart(tries: Sequence[Try]) -> dict[str, float]:
    """The recall of each set with the weights that are best over the others."""
    return {name: max(tries, key=lambda one, own=name: one.mean(own)).recalls[name] for name in tries[0].recalls}


def _report(tries: Sequence[Try]) -> None:
    packaged, joint, apart = tries[0], max(tries, key=Try.mean), best_apart(tries)
    print("set: packaged, best of all sets, best of the other sets")
    for name in packaged.recalls:
        print(f"{name}: {packaged.recalls[name]:.4f}, {joint.recalls[name]:.4f}, {apart[name]:.4f}")
    print(f"mean: {packaged.mean():.4f}, {joint.mean():.4f}, {np.mean(list(apart.values())):.4f}")
    if joint.mean() < packaged.mean() + GAIN or np.mean(list(apart.values())) <= packaged.mean():
        print(f"the packaged weights stay: no gain of {GAIN}, or none on sets that did not choose")
        return
    print("".join(f"{name} = {round(value, 3)}\n" for name, value in asdict(joint.weights).items()))


def drawn_weights(count: int) -> Iterator[RankingWeights]:
    """The packaged weights, then others."""
    packaged, draw = weights(), random.Random(0)
    yield packaged
    for _ in range(count):
        drawn = {name: getattr(packaged, name) * 2 ** draw.uniform(-1, 1) for name in SEARCHED}
        yield replace(packaged, **{name: min(1.0, one) if name in SHARES else one for name, one in drawn.items()})


def _drawn(searches: list[Search], most: int | None) -> list[Search]:
    return searches if most is None or most >= len(searches) else random.Random(0).sample(searches, most)


def _searches(data: Path, keep: Path, embedder: Embedder, stack: ExitStack) -> Iterator[Search]:
    """One search for each question of a set; stores and readings are kept over all tries."""
    keep.mkdir(parents=True, exist_ok=True)
    reader = make_answer_reader(embedder)
    queries = retrieval.rows_by_store(retrieval.read_rows(data / "queries.jsonl"))
    for name, rows in retrieval.rows_by_store(retrieval.read_rows(data / "turns.jsonl")).items():
        store = stack.enter_context(closing(open_store(keep / f"{sha256(name.encode()).hexdigest()[:16]}.db")))
        retrieval.fill(store, name, rows)
        retrieval.give_embeddings(store, embedder, 0, 0, retrieval.no_progress)
        view = stack.enter_context(store.read())
        now = max((retrieval.time_field(row, "session_time") or UNDATED for row in rows), default=UNDATED)
        for row in queries.get(name, ()):
            if row.get("main"):
                yield _search(row, retrieval.time_field(row, "asked_at") or now, view, embedder, reader)


def _search(
    row: retrieval.Row, asked: datetime, view: ReadView, embedder: Embedder, reader: AnswerReader | None
) -> Search:
    text, turns = retrieval.text_field(row, "text"), frozenset[str](row.get("gold_turns") or ())  # type: ignore[arg-type]
    store, sessions = retrieval.text_field(row, "store"), frozenset[str](row.get("gold_sessions") or ())  # type: ignore[arg-type]
    gold = turns or {conversation_id(store, one) for one in sessions}
    query = Query(text=text, read_scope=ReadScope(all_projects=True), asked_at=asked, sources=(Source.EPISODE,))
    vector, known = embedder.embed([text])[0], dict[tuple[str, str], float]()

    def answers(question: str, texts: Sequence[str]) -> list[float]:
        new = [one for one in dict.fromkeys(texts) if (question, one) not in known]
        if new and reader is not None:
            known.update(zip([(question, one) for one in new], reader.answers(question, new), strict=True))
        return [known[question, one] for one in texts]

    def search() -> float:
        ranking = rank_with_details(
            query, view, embed=lambda _: vector, embedder=embedder.identity, answers=answers, now=asked, limit=LIMIT
        )
        found = [one.episode for one in ranking.items if one.episode is not None]
        names = dict.fromkeys(one.source_id if turns else one.conversation for one in found)
        return len(gold.intersection([*names][:FOUND])) / len(gold)

    return search


if __name__ == "__main__":
    main()
