"""Recall beside its peers: how often the turn that answers is among the first ten, and what that costs.

Takes: data sets in the neutral format, and the home of an installed MiniLM. Gives: one table of quality, milliseconds a
query, memory, disk, and the size of the installation. Never: a figure of a system that could not be installed, which is
said loudly; or other vectors for one system than for the others.

    python -m benchmarks.compare --data DIR [--home HOME] [--work DIR] [NAME ...]

Each system is installed from the package index into an environment of its own, and each set runs in a process of its
own. All get vectors of the same model, made beforehand, so that none of its time is counted; peers those of lines,
"speaker: text". Needs Linux.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import TYPE_CHECKING, Any, Final

from dopejar.bench.retrieval import read_rows, rows_by_store, text_field
from dopejar.compose import data_directory, make_embedder
from dopejar.settings import read_settings

if TYPE_CHECKING:
    from dopejar.ports.embedder import Embedder

ROOT: Final = Path(__file__).resolve().parents[1]
REQUIREMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "dopejar": (f"{ROOT}[models]",),
    "dopejar, words alone": (str(ROOT),),
    "FTS5 (BM25)": (),
    "grep": (),
    "MiniLM alone": ("numpy",),
    "Chroma": ("chromadb",),
    "LangGraph InMemoryStore": ("langgraph-checkpoint", "numpy"),
    "mem0, infer=False": ("mem0ai",),
}
FIRST: Final = 10
_BATCH: Final = 64
_COLUMNS: Final = ("mean", "ms a query", "memory", "disk", "installed")
Row = Mapping[str, Any]


def make_task(folder: Path, embedder: Embedder, task: Path) -> None:
    """Write a set as a task: turns and questions by store, and beside it the vectors of all their texts."""
    import numpy as np

    turns, queries = read_rows(folder / "turns.jsonl"), rows_by_store(read_rows(folder / "queries.jsonl"))
    asked = [row for rows in queries.values() for row in rows]
    texts = sorted({*(_turn(row)[1] for row in turns), *(text_field(row, "text") for row in (*turns, *asked))}, key=len)
    batches = []
    for start in range(0, len(texts), _BATCH):
        batches.append(embedder.embed(texts[start : start + _BATCH]))
        print(f"\r{folder.name}: {start} of {len(texts)} vectors", end="", file=sys.stderr)
    np.save(task.with_suffix(".npy"), np.concatenate(batches))
    stores = {
        name: {"turns": [_turn(row) for row in rows], "queries": [(row["qid"], row["text"]) for row in queries[name]]}
        for name, rows in rows_by_store(turns).items()
        if name in queries
    }
    identity = {field: getattr(embedder.identity, field) for field in ("name", "dimensions", "digest")}
    content = {"data": str(folder.resolve()), "texts": texts, "identity": identity, "stores": stores}
    task.write_text(json.dumps(content), "utf-8")


def _turn(row: Row) -> tuple[str, str]:
    text = text_field(row, "text")
    return text_field(row, "turn_id"), f"{row['speaker']}: {text}" if row["speaker"] else text


def environment(requirements: Sequence[str], folder: Path) -> Path:
    """An environment with these packages and what they need; made where there is none. Raises CalledProcessError."""
    python, done = folder / "bin" / "python", folder / "done"
    if not done.exists():
        made = [sys.executable, "-m", "venv", "--clear", "--without-pip", str(folder)]
        subprocess.run(made, check=True, capture_output=True, text=True)  # noqa: S603 - this interpreter
        if requirements:
            pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", *requirements]
            subprocess.run(pip, check=True, capture_output=True, text=True)  # noqa: S603 - this interpreter
        done.touch()
    return python


def run_system(name: str, python: Path, task: Path, scratch: Path) -> Row:
    """What a system answers to a task, in a process of its own. Raises CalledProcessError."""
    command = [python, Path(__file__).with_name("compare_systems.py"), name, task, scratch]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - made above
    found = json.loads(ran.stdout.splitlines()[-1])
    assert isinstance(found, dict)
    return found


def recall_of(answers: Mapping[str, Sequence[str]], queries: Sequence[Row]) -> float:
    """The mean share of the turns that answer among the first ten, over the main questions that have any."""
    return fmean(
        len(set(row["gold_turns"]).intersection(answers[row["qid"]][:FIRST])) / len(row["gold_turns"])
        for row in queries
        if row["main"] and row["gold_turns"]
    )


def measure(name: str, sets: Mapping[str, Path], work: Path) -> list[str]:
    """The cells of one system: recall on each set and their mean, then its cost, on the set with most questions.

    Raises CalledProcessError where it cannot be installed, or fails.
    """
    folder = work / "environments" / "".join(sign if sign.isalnum() else "-" for sign in name)
    python = environment(REQUIREMENTS[name], folder)
    ran, recall = [], []
    for set_name, data in sets.items():
        print(f"{name}: {set_name}", file=sys.stderr)
        ran.append(run_system(name, python, work / f"{set_name}.json", work / "scratch" / folder.name / set_name))
        recall.append(recall_of(ran[-1]["answers"], read_rows(data / "queries.jsonl")))
    largest = max(ran, key=lambda one: len(one["ms"]))
    packages = sum(path.stat().st_size for path in folder.glob("lib/python*/site-packages/**/*") if path.is_file())
    sizes = [f"{size / 1e6:.1f} MB" for size in (largest["memory"], largest["disk"], packages)]
    return [*(f"{share:.3f}" for share in (*recall, fmean(recall))), f"{median(largest['ms']):.2f}", *sizes]


def table(rows: Mapping[str, Sequence[str]], sets: Sequence[str]) -> Iterator[str]:
    """The cells as a table of Markdown, the best mean first."""
    yield f"| system | {' | '.join((*(f'R@10 {name}' for name in sets), *_COLUMNS))} |"
    yield f"| --- {'| --- ' * (len(sets) + len(_COLUMNS))}|"
    for name, cells in sorted(rows.items(), key=lambda row: row[1][len(sets)], reverse=True):
        yield f"| {' | '.join((name, *cells))} |"


def main() -> None:
    """Parse the arguments, run every system, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(REQUIREMENTS)}; default: all")
    parser.add_argument("--data", type=Path, required=True, help="a folder with one data set, or with several")
    parser.add_argument("--home", type=Path, default=data_directory(), help="the home of the installed model")
    parser.add_argument("--work", type=Path, default=ROOT / ".venv-compare", help="keeps environments and vectors")
    arguments = parser.parse_args()
    work, data = arguments.work.resolve(), arguments.data
    work.mkdir(parents=True, exist_ok=True)
    embedder = make_embedder(read_settings(arguments.home, {"DOPEJAR_EMBEDDER_KIND": "minilm"}))
    assert embedder is not None
    folders = sorted({path.parent.resolve() for path in (*data.glob("turns.jsonl"), *data.glob("*/turns.jsonl"))})
    sets = {one.name: one for one in folders if any(row["gold_turns"] for row in read_rows(one / "queries.jsonl"))}
    for folder in folders:
        if folder.name not in sets:
            print(f"*** {folder.name} WAS LEFT OUT: it names no turns that answer ***", file=sys.stderr)
        elif not (task := work / f"{folder.name}.json").exists():
            make_task(folder, embedder, task)
    rows: dict[str, list[str]] = {}
    for name in arguments.names or REQUIREMENTS:
        try:
            rows[name] = measure(name, sets, work)
        except subprocess.CalledProcessError as error:
            last = (str(error.stderr or error).strip().splitlines() or [""])[-1]
            print(f"*** {name} WAS SKIPPED: {last} ***", file=sys.stderr)
    print("\n".join(table(rows, list(sets))))


if __name__ == "__main__":
    main()
