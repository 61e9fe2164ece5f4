"""Memory beside its peers: how often the turn that answers is among the first ten, what that costs, what is believed.

Takes: data sets in the neutral format, scenarios with their scorer, the home of an installed MiniLM. Gives: a table of
quality, milliseconds a query, memory, disk, the size of the installation, and the scenarios that hold. Never: a figure
of a system that could not be installed, which is said loudly; or other vectors for one system than for the others.

    python -m benchmarks.compare [--data DIR] [--scenarios DIR --scorer FILE] [--home HOME] [--work DIR] [NAME ...]

Each system is installed from the package index into an environment of its own, and each set runs in a process of its
own. All get vectors of the same model, made beforehand, so that none of its time is counted; peers those of lines,
"speaker: text". Needs Linux.

Of a folder with `scenarios.jsonl`, each history is told to a memory of its own, and its questions are asked. Peers keep
what they are told, so all that they hold counts as active. The scorer is run with `--pred`, `--gold` and `--json`; the
predictions stay in the work folder.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
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
BUNDLED: Final = "benchmarks/data/questions"
_BATCH: Final = 64
SCENARIOS: Final = "scenarios"
Row = Mapping[str, Any]


def make_task(folder: Path, embedder: Embedder, task: Path) -> None:
    """Write a set as a task: turns and questions by store, and beside it the vectors of all their texts."""
    turns, queries = read_rows(folder / "turns.jsonl"), rows_by_store(read_rows(folder / "queries.jsonl"))
    stores = {
        name: {"turns": [_turn(row) for row in rows], "queries": [(row["qid"], row["text"]) for row in queries[name]]}
        for name, rows in rows_by_store(turns).items()
        if name in queries
    }
    asked = [row for rows in queries.values() for row in rows]
    texts = {*(_turn(row)[1] for row in turns), *(text_field(row, "text") for row in (*turns, *asked))}
    _write_task(task, {"data": str(folder.resolve()), "stores": stores}, texts, embedder)


def make_scenarios(folder: Path, embedder: Embedder, task: Path, home: Path) -> None:
    """Write scenarios as a task: each is a store, its steps are the turns, and its questions have their place as id."""
    stores = {
        str(row["id"]): {
            "turns": [(str(place), step["say"]) for place, step in enumerate(row["steps"])],
            "queries": [(str(place), one["q"]) for place, one in enumerate(row["expect"].get("recall", ()))],
        }
        for row in map(json.loads, (folder / "scenarios.jsonl").read_text("utf-8").splitlines())
    }
    texts = {text for store in stores.values() for _, text in (*store["turns"], *store["queries"])}
    _write_task(task, {"data": str(folder.resolve()), "stores": stores, "home": str(home.resolve())}, texts, embedder)


def _write_task(task: Path, content: Row, texts: Collection[str], embedder: Embedder) -> None:
    import numpy as np

    ordered, batches = sorted(texts, key=len), []
    for start in range(0, len(ordered), _BATCH):
        batches.append(embedder.embed(ordered[start : start + _BATCH]))
        print(f"\r{task.stem}: {start} of {len(ordered)} vectors", end="", file=sys.stderr)
    np.save(task.with_suffix(".npy"), np.concatenate(batches))
    identity = {field: getattr(embedder.identity, field) for field in ("name", "dimensions", "digest")}
    task.write_text(json.dumps({**content, "texts": ordered, "identity": identity}), "utf-8")


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


def run_system(name: str, python: Path, task: Path, scratch: Path) -> Any:  # noqa: ANN401 - JSON of either kind of task
    """What a system answers to a task, in a process of its own. Raises CalledProcessError."""
    command = [python, Path(__file__).with_name("compare_systems.py"), name, task, scratch]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603 - made above
    return json.loads(ran.stdout.splitlines()[-1])


def recall_of(answers: Mapping[str, Sequence[str]], queries: Sequence[Row]) -> float:
    """The mean share of the turns that answer among the first ten, over the main questions that have any."""
    return fmean(
        len(set(row["gold_turns"]).intersection(answers[row["qid"]][:FIRST])) / len(row["gold_turns"])
        for row in queries
        if row["main"] and row["gold_turns"]
    )


def measure(name: str, sets: Mapping[str, Path], python: Path, work: Path) -> dict[str, str]:
    """Recall of one system on each set and their mean, then its cost, on the set with most questions.

    Raises CalledProcessError where it fails.
    """
    folder = python.parents[1]
    ran, recall = [], []
    for set_name, data in sets.items():
        print(f"{name}: {set_name}", file=sys.stderr)
        ran.append(run_system(name, python, work / f"{set_name}.json", work / "scratch" / folder.name / set_name))
        recall.append(recall_of(ran[-1]["answers"], read_rows(data / "queries.jsonl")))
    if not ran:
        return {}
    largest = max(ran, key=lambda one: len(one["ms"]))
    packages = sum(path.stat().st_size for path in folder.glob("lib/python*/site-packages/**/*") if path.is_file())
    sizes = {"memory": largest["memory"], "disk": largest["disk"], "installed": packages}
    return {
        **{f"R@10 {set_name}": f"{share:.3f}" for set_name, share in zip(sets, recall, strict=True)},
        "mean": f"{fmean(recall):.3f}",
        "ms a query": f"{median(largest['ms']):.2f}",
        **{column: f"{size / 1e6:.1f} MB" for column, size in sizes.items()},
    }


def scenarios_of(name: str, python: Path, gold: Path, scorer: Path, work: Path) -> str:
    """How many scenarios of how many hold in one system. Raises CalledProcessError where it or the scorer fails."""
    print(f"{name}: {SCENARIOS}", file=sys.stderr)
    folder = python.parents[1].name
    predictions = run_system(name, python, work / f"{SCENARIOS}.json", work / "scratch" / folder / SCENARIOS)
    file = work / f"{SCENARIOS}-{folder}.jsonl"
    file.write_text("".join(f"{json.dumps(row)}\n" for row in predictions), "utf-8")
    command = [sys.executable, scorer, "--pred", file, "--gold", gold, "--json"]
    scored = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)  # noqa: S603 - given
    return f"{scored['passed']:>3} of {scored['of']}"


def table(rows: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """The cells as a table of Markdown, the best mean first, or else the most scenarios."""
    columns = list(next(iter(rows.values()), {}))
    key = next((column for column in ("mean", SCENARIOS) if column in columns), "")
    yield f"| system | {' | '.join(columns)} |"
    yield f"| --- {'| --- ' * len(columns)}|"
    for name, cells in sorted(rows.items(), key=lambda row: row[1].get(key, ""), reverse=True):
        yield f"| {' | '.join((name, *cells.values()))} |"


def main() -> None:
    """Parse the arguments, run every system, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(REQUIREMENTS)}; default: all")
    parser.add_argument("--data", type=Path, help=f"a folder with one data set, or with several; default: {BUNDLED}")
    parser.add_argument("--scenarios", type=Path, help="a folder with scenarios.jsonl")
    parser.add_argument("--scorer", type=Path, help="the scorer of the scenarios")
    parser.add_argument("--home", type=Path, default=data_directory(), help="the home of the installed model")
    parser.add_argument("--work", type=Path, default=ROOT / ".venv-compare", help="keeps environments and vectors")
    arguments = parser.parse_args()
    if bool(arguments.scenarios) != bool(arguments.scorer):
        parser.error("give --scenarios with its --scorer")
    if not (arguments.data or arguments.scenarios):
        arguments.data = ROOT / BUNDLED
        print(f"the bundled set, {BUNDLED}; --data DIR compares on another", file=sys.stderr)
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    sets = _tasks(arguments.data, arguments.scenarios, arguments.home, work)
    rows: dict[str, dict[str, str]] = {}
    for name in arguments.names or REQUIREMENTS:
        folder = work / "environments" / "".join(sign if sign.isalnum() else "-" for sign in name)
        try:
            python = environment(REQUIREMENTS[name], folder)
            cells = measure(name, sets, python, work)
            if arguments.scenarios:
                gold = arguments.scenarios / "scenarios.jsonl"
                cells[SCENARIOS] = scenarios_of(name, python, gold, arguments.scorer, work)
            rows[name] = cells
        except subprocess.CalledProcessError as error:
            last = (str(error.stderr or error).strip().splitlines() or [""])[-1]
            print(f"*** {name} WAS SKIPPED: {last} ***", file=sys.stderr)
    print("\n".join(table(rows)))


def _tasks(data: Path | None, scenarios: Path | None, home: Path, work: Path) -> dict[str, Path]:
    """Make the tasks that the work folder lacks; the sets by name."""
    embedder = make_embedder(read_settings(home, {"DOPEJAR_EMBEDDER_KIND": "minilm"}))
    assert embedder is not None
    files = (*data.glob("turns.jsonl"), *data.glob("*/turns.jsonl")) if data else ()
    folders = sorted({path.parent.resolve() for path in files})
    sets = {one.name: one for one in folders if any(row["gold_turns"] for row in read_rows(one / "queries.jsonl"))}
    for folder in folders:
        if folder.name not in sets:
            print(f"*** {folder.name} WAS LEFT OUT: it names no turns that answer ***", file=sys.stderr)
        elif not (task := work / f"{folder.name}.json").exists():
            make_task(folder, embedder, task)
    if scenarios:
        make_scenarios(scenarios, embedder, work / f"{SCENARIOS}.json", home)
    return sets


if __name__ == "__main__":
    main()
