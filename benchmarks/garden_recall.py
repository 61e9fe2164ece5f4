"""What blocks and dossiers do for recall: the same questions with neither, with each, and with both.

Takes: a folder with `turns.jsonl` and `queries.jsonl` in the neutral format, an installed model. Gives: four run files
of the retrieval format (`PREFIX.plain.jsonl`, `.blocks`, `.dossiers`, `.both`), and one JSON object. Never: reads the
right answers of the file.

    python -m benchmarks.garden_recall DIR --out PREFIX [--home DIR] [--keep DIR] [--budget N] [--stores N]

Each store of the turns is learned and gardened in a home of its own, below `--keep` where it is given (a second run
then finds it there). A turn counts as shown where a pack quotes it, or cites it as the source of a memory.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from dopejar import Memory, open_memory
from dopejar.bench.retrieval import Row, give_embeddings, no_progress, read_rows, rows_by_store, text_field, time_field
from dopejar.compose import make_embedder
from dopejar.engine.garden.block_contexts import BlockContexts
from dopejar.engine.garden.dossier_sections import DossierSections
from dopejar.pipelines.recall.recall import recall
from dopejar.ports.embedder import Embedder
from dopejar.settings import read_settings
from dopejar.values.ids import TraceId
from dopejar.values.recall import ContextPack, Query
from dopejar.values.scope import ReadScope

VARIANTS = {"plain": (False, False), "blocks": (True, False), "dossiers": (False, True), "both": (True, True)}
"""Whether a variant has blocks, and whether it has dossiers."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", required=True, help="the beginning of the names of the run files")
    parser.add_argument("--home", type=Path, default=Path.home() / ".local/share/dopejar", help="has the models")
    parser.add_argument("--keep", type=Path, help="where the stores stay")
    parser.add_argument("--budget", type=int, default=1024)
    parser.add_argument("--stores", type=int, help="only the first stores; the queries of others get no line")
    chosen = parser.parse_args()
    embedder = make_embedder(read_settings(chosen.home, {}))
    if embedder is None:
        raise SystemExit(f"{chosen.home} has no model. `dopejar models install` brings one.")
    queries = rows_by_store(read_rows(chosen.data / "queries.jsonl"))
    lines: dict[str, list[str]] = {name: [] for name in VARIANTS}
    figures: dict[str, int] = {"blocks": 0, "headers": 0, "dossiers": 0}
    with tempfile.TemporaryDirectory() as made:
        stores = rows_by_store(read_rows(chosen.data / "turns.jsonl"))
        for store, rows in list(stores.items())[: chosen.stores]:
            home = (chosen.keep or Path(made)) / sha256(store.encode()).hexdigest()[:16]
            with gardened(home, rows, chosen.home, embedder) as memory:
                figures["blocks"] += len(memory.garden.blocks(all_projects=True))
                for query in queries.get(store, ()):
                    for name, pack in answered(memory, query, rows, embedder, chosen.budget):
                        lines[name].append(json.dumps({"qid": query["qid"], **shown(memory, pack)}))
                        figures["headers"] += name == "blocks" and "### Context Block" in pack.text
                        figures["dossiers"] += name == "dossiers" and pack.text.startswith("About ")
    for name, answers in lines.items():
        Path(f"{chosen.out}.{name}.jsonl").write_text("\n".join(answers) + "\n", "utf-8")
    print(json.dumps(figures))


def gardened(home: Path, rows: list[Row], models: Path, embedder: Embedder) -> Memory:
    """A memory that has learned and gardened the turns."""
    is_new = not home.exists()
    home.mkdir(parents=True, exist_ok=True)
    if is_new:
        (home / "models").symlink_to(models / "models")
    memory = open_memory(home)
    if is_new:
        source = home / "turns.jsonl"
        source.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
        list(memory.learn(source))
        give_embeddings(memory.store, embedder, 0, len(rows), no_progress)
        memory.garden.tend()
    return memory


def answered(
    memory: Memory, row: Row, turns: list[Row], embedder: Embedder, budget: int
) -> Iterator[tuple[str, ContextPack]]:
    """The pack of each variant. Asked after the last turn where the query has no time of its own."""
    asked = time_field(row, "asked_at") or max(filter(None, (time_field(turn, "session_time") for turn in turns)))
    scope = ReadScope(all_projects=True)
    query = Query(text=text_field(row, "text"), budget=budget, read_scope=scope, asked_at=asked)
    vector = embedder.embed([query.text])[0]
    with memory.store.read() as view:
        for name, (has_blocks, has_dossiers) in VARIANTS.items():
            yield (
                name,
                recall(
                    query,
                    view,
                    embed=lambda _: vector,
                    embedder=embedder.identity,
                    now=asked,
                    trace_id=TraceId("t_bench"),
                    context_of=BlockContexts(view) if has_blocks else None,
                    dossier_of=DossierSections(view, scope) if has_dossiers else None,
                ),
            )


def shown(memory: Memory, pack: ContextPack) -> dict[str, object]:
    """The turns that a pack shows, in its order, and its tokens."""
    ids = dict.fromkeys(citation.episode_id for item in pack.items for citation in item.citations)
    with memory.store.read() as view:
        turns = [turn.source_id for turn in view.episodes(tuple(ids)).values()]
    return {"ranked": turns, "context": turns, "tokens": pack.tokens}


if __name__ == "__main__":
    main()
