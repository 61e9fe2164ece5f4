"""The benches of finding and of recall's times, on folders of our own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dopejar.adapters.embedders.hashed_embedder import HashedEmbedder
from dopejar.bench import recall as recall_bench
from dopejar.bench.retrieval import run
from dopejar.bench.store_sample import read_sets, statements
from dopejar.errors import InputError

SAID = [
    ("north", "s1", "user", "We keep the spare rudder in the boathouse."),
    ("north", "s1", "assistant", "Noted, the spare rudder is in the boathouse."),
    ("north", "s2", "user", "The tide table hangs beside the kettle."),
    ("south", "s1", "user", "The spare rudder was sold in spring."),
    ("south", "s1", "user", "Our kettle whistles."),
]
ASKED = [("q1", "north", "Where is the spare rudder?"), ("q2", "south", "What happened to the rudder?")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two stores with a handful of turns, in the neutral format."""
    turns = [
        {
            "store": store,
            "session": session,
            "session_time": None,
            "turn_id": f"{store}-{place}",
            "index": place,
            "speaker": role,
            "role": role,
            "text": text,
        }
        for place, (store, session, role, text) in enumerate(SAID)
    ]
    queries = [
        {"qid": qid, "store": store, "text": text, "asked_at": None, "gold_turns": ["never read"]}
        for qid, store, text in ASKED
    ]
    (tmp_path / "turns.jsonl").write_text("".join(json.dumps(row) + "\n" for row in turns), "utf-8")
    (tmp_path / "queries.jsonl").write_text("".join(json.dumps(row) + "\n" for row in queries), "utf-8")
    return tmp_path


@pytest.mark.parametrize("embedder", [None, HashedEmbedder()])
def test_run_file_answers_every_query_from_its_own_store(folder: Path, embedder: HashedEmbedder | None) -> None:
    """Each query has one line, in order; only turns of its store are ranked and packed, the right one first."""
    result = run(folder, folder / "run.jsonl", embedder=embedder)
    lines = [json.loads(line) for line in (folder / "run.jsonl").read_text("utf-8").splitlines()]
    assert [line["qid"] for line in lines] == ["q1", "q2"]
    assert lines[0]["ranked"][0] == "north-0"
    assert lines[1]["ranked"][0] == "south-3"
    for line, (_, store, _) in zip(lines, ASKED, strict=True):
        assert all(one.startswith(store) for one in [*line["ranked"], *line["context"]])
        assert 0 < line["tokens"] <= 1024
        assert line["ms"] > 0
    assert (result.stores, result.turns, result.queries) == (2, 5, 2)


def test_kept_stores_serve_a_second_run(folder: Path) -> None:
    """With a place to keep the stores, a second run appends and embeds nothing twice and answers the same."""
    for name in ("first.jsonl", "second.jsonl"):
        run(folder, folder / name, embedder=HashedEmbedder(), keep=folder / "kept")
    first, second = (
        [json.loads(line)["ranked"] for line in (folder / name).read_text("utf-8").splitlines()]
        for name in ("first.jsonl", "second.jsonl")
    )
    assert first == second


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("turns.jsonl", None, "is not there"),
        ("turns.jsonl", "{broken\n", "line 1 is no JSON"),
        ("turns.jsonl", '{"store": "north"}\n', "needs at least"),
        ("turns.jsonl", '{"store": "north", "text": "x"}\n{"store": "south", "text": "x"}\n', "'session'"),
        ("queries.jsonl", '{"qid": "q", "store": "west", "text": "x"}\n', "'west'"),
    ],
)
def test_wrong_input_is_named(folder: Path, file: str, content: str | None, message: str) -> None:
    """A missing file or a wrong line ends in one sentence, and no run file is left behind."""
    if content is None:
        (folder / file).unlink()
    else:
        (folder / file).write_text(content, "utf-8")
    with pytest.raises(InputError, match=message):
        run(folder, folder / "run.jsonl", embedder=None)
    assert not (folder / "run.jsonl").exists()


def test_samples_depend_on_the_seed_alone(folder: Path) -> None:
    """The same seed gives the same statements, all different, as many as asked for."""
    turns, questions = read_sets(folder)
    assert len(questions) == 2
    told = statements(turns, 40, 3)
    assert told == statements(turns, 40, 3) != statements(turns, 40, 4)
    assert len(set(told)) == 40


def test_times_are_measured_at_every_size(folder: Path) -> None:
    """Each size has its times, beside the raw scan, and processes have a weight; the embedder's is the greater."""
    result = recall_bench.run(folder, sizes=(20, 60))
    assert [row.records for row in result.sizes] == [20, 60]
    assert all(0 < row.lexical_p50 <= row.lexical_p95 and row.scan_p50 > 0 for row in result.sizes)
    assert all(0 < row.hybrid_p50 <= row.hybrid_p95 and 0 < row.both_p50 <= row.both_p95 for row in result.sizes)
    assert all(row.hybrid_p95_in_scans == round(row.hybrid_p95 / row.scan_p50, 2) for row in result.sizes)
    assert 5 < result.lexical_mb < result.embedder_mb
    assert result.vectors == "random-unit"
