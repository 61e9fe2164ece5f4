"""One system of the comparison, in the environment that holds it: turns in, then questions, through its own interface.

Takes: the name of a system, a task of `benchmarks.compare`, a folder to fill. Gives: one line of JSON with the turns it
found for each question, the time of each, and its memory and disk; of a task of scenarios, the scorer's predictions.
Never: imports what only another system needs.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Search = Callable[[str], Sequence[str]]
Turns = Sequence[tuple[str, str]]  # id, and the line with its speaker
MOST: Final = 10
HELD: Final = 1000  # more than any scenario tells


class Peer(NamedTuple):
    """A memory that was filled: ids of what it finds for a question, and of all that it holds."""

    search: Search
    held: Callable[[], Sequence[str]]


_WORD: Final = re.compile(r"\w+")


class Task:
    """The turns and questions by store, and the vectors of their texts."""

    def __init__(self, file: Path, scratch: Path) -> None:
        content = json.loads(file.read_text("utf-8"))
        self.data, self.stores, self.identity = Path(content["data"]), content["stores"], content["identity"]
        self.home = content.get("home", "")  # of a task of scenarios: where the model is installed
        self.scratch, self._file, self._texts = scratch, file, content["texts"]
        self._places: dict[str, int] = {}

    def vectors(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The vectors of texts, one a row."""
        if not self._places:
            import numpy as np

            self._places = {text.strip(): place for place, text in enumerate(self._texts)}
            self._matrix: npt.NDArray[np.float32] = np.load(self._file.with_suffix(".npy"))
        return self._matrix[[self._places[text.strip()] for text in texts]]


def fts5(name: str, turns: Turns, task: Task) -> Peer:
    """SQLite's full-text search: BM25 over stemmed words, any of the question's words may match."""
    database = sqlite3.connect(task.scratch / f"{name}.db")
    database.execute("CREATE VIRTUAL TABLE turns USING fts5(id UNINDEXED, line, tokenize='porter unicode61')")
    database.executemany("INSERT INTO turns VALUES (?, ?)", turns)
    database.commit()

    def search(question: str) -> list[str]:
        words = " OR ".join(f'"{word}"' for word in dict.fromkeys(_WORD.findall(question)))
        rows = database.execute("SELECT id FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT ?", (words, MOST))
        return [str(key) for (key,) in rows]

    return Peer(search, lambda: [str(key) for (key,) in database.execute("SELECT id FROM turns")])


def grep(_name: str, turns: Turns, _task: Task) -> Peer:
    """The lines that hold most of the question's longer words, in their order."""
    lines = [(key, line.casefold()) for key, line in turns]

    def search(question: str) -> list[str]:
        words = {word for word in _WORD.findall(question.casefold()) if len(word) > 3}
        counted = [(sum(word in line for word in words), key) for key, line in lines]
        return [key for count, key in sorted(counted, key=lambda row: -row[0])[:MOST] if count]

    return Peer(search, lambda: [key for key, _ in lines])


def minilm(_name: str, turns: Turns, task: Task) -> Peer:
    """The nearest vectors, by one exact scan."""
    matrix = task.vectors([line for _, line in turns])

    def search(question: str) -> list[str]:
        return [turns[at][0] for at in (-(matrix @ task.vectors([question])[0])).argsort()[:MOST]]

    return Peer(search, lambda: [key for key, _ in turns])


def chroma(name: str, turns: Turns, task: Task) -> Peer:
    """A persistent client of Chroma, with a collection for each store."""
    import chromadb

    client = chromadb.PersistentClient(str(task.scratch), chromadb.Settings(anonymized_telemetry=False))
    collection = client.create_collection(f"turns-{name}", metadata={"hnsw:space": "cosine"}, embedding_function=None)
    keys, lines = zip(*turns, strict=True)
    collection.add(list(keys), embeddings=task.vectors(lines), documents=list(lines))

    def search(question: str) -> list[str]:
        found = collection.query(query_embeddings=task.vectors([question]), n_results=min(MOST, len(turns)))
        return list(found["ids"][0])

    return Peer(search, lambda: list(collection.get()["ids"]))


def langgraph(name: str, turns: Turns, task: Task) -> Peer:
    """The store that LangGraph agents begin with."""
    from langgraph.store.memory import InMemoryStore

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [list(row) for row in task.vectors(texts).tolist()]

    store = InMemoryStore(index={"dims": task.identity["dimensions"], "embed": embed, "fields": ["text"]})
    for key, line in turns:
        store.put((name,), key, {"text": line})
    return Peer(
        lambda question: [item.key for item in store.search((name,), query=question, limit=MOST)],
        lambda: [item.key for item in store.search((name,), limit=HELD)],
    )


def mem0(name: str, turns: Turns, task: Task) -> Peer:
    """Mem0 without its language model, over the vector store that it brings."""
    os.environ.update(MEM0_TELEMETRY="False", OPENAI_API_KEY="none", MEM0_DIR=str(task.scratch))
    from mem0 import Memory

    place = {"path": str(task.scratch / name), "on_disk": True, "embedding_model_dims": task.identity["dimensions"]}
    memory = Memory.from_config({"vector_store": {"provider": "qdrant", "config": place}})

    class Embedder:
        def embed(self, text: str, _action: str = "") -> list[float]:
            return list(task.vectors([text])[0].tolist())

        def embed_batch(self, texts: Sequence[str], _action: str = "") -> list[list[float]]:
            return [self.embed(text) for text in texts]

    memory.embedding_model = Embedder()
    for key, line in turns:
        memory.add([{"role": "user", "content": line}], user_id="u", infer=False, metadata={"turn": key})

    def search(question: str) -> list[str]:
        found = memory.search(question, filters={"user_id": "u"}, top_k=MOST)
        return [item["metadata"]["turn"] for item in found["results"]]

    def held() -> list[str]:
        found = memory.get_all(filters={"user_id": "u"}, top_k=HELD)
        return [item["metadata"]["turn"] for item in found["results"]]

    return Peer(search, held)


SYSTEMS: Final[Mapping[str, Callable[[str, Turns, Task], Peer]]] = {
    "FTS5 (BM25)": fts5,
    "grep": grep,
    "MiniLM alone": minilm,
    "Chroma": chroma,
    "LangGraph InMemoryStore": langgraph,
    "mem0, infer=False": mem0,
}


def answers_of_peer(name: str, task: Task) -> tuple[dict[str, Sequence[str]], list[float]]:
    """What a peer found for each question, and the milliseconds of each."""
    answers, times = {}, []
    for place, store in enumerate(task.stores.values()):
        search = SYSTEMS[name](f"s{place}", store["turns"], task).search
        for key, question in store["queries"]:
            start = time.perf_counter()
            answers[key] = search(question)
            times.append((time.perf_counter() - start) * 1000)
    return answers, times


def answers_here(name: str, task: Task) -> tuple[dict[str, Sequence[str]], list[float]]:
    """The same of recall here, by the benchmark that users run."""
    from dopejar.bench import retrieval
    from dopejar.ports.embedder import EmbedderIdentity

    class Embedder:
        identity = EmbedderIdentity(**task.identity)
        embed = staticmethod(task.vectors)

    out = task.scratch.with_suffix(".jsonl")
    embedder: Any = None if "words" in name else Embedder()
    retrieval.run(task.data, out, embedder=embedder, keep=task.scratch)
    rows = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    return {row["qid"]: row["ranked"][:MOST] for row in rows}, [row["ms"] for row in rows]


def predictions_of_peer(name: str, task: Task) -> list[Mapping[str, object]]:
    """What a peer holds after each scenario and finds for its questions; it has no gate, so what it holds is active."""
    predictions = []
    for place, (key, store) in enumerate(task.stores.items()):
        peer, lines = SYSTEMS[name](f"s{place}", store["turns"], task), dict(store["turns"])
        recall = [
            {"q": question, "items": [{"text": lines[one], "kind": "record", "status": "active"} for one in found]}
            for question, found in ((question, peer.search(question)) for _, question in store["queries"])
        ]
        active = [lines[one] for one in peer.held()]
        predictions.append({"id": key, "receipts": [["added"]] * len(lines), "active": active, "recall": recall})
    return predictions


def predictions_here(name: str, task: Task) -> list[Mapping[str, object]]:
    """The same of memory here, by the benchmark that users run."""
    from dopejar.bench import behaviour

    out = task.scratch / "predictions.jsonl"
    behaviour.run(task.data, out, Path(task.home), "grammar" if "words" in name else "fitted")
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def main() -> None:
    """Run one system on one task."""
    name, file, scratch = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    task, here = Task(file, scratch), name.startswith("dopejar")
    if task.home:
        print(json.dumps((predictions_here if here else predictions_of_peer)(name, task)))
        return
    answers, times = (answers_here if here else answers_of_peer)(name, task)
    peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text("ascii"))
    disk = sum(path.stat().st_size for path in scratch.rglob("*") if path.is_file())
    print(json.dumps({"answers": answers, "ms": times, "memory": int(peak[1]) * 1024 if peak else 0, "disk": disk}))


if __name__ == "__main__":
    main()
