"""What was just written is searched by its vector, too, without any housekeeping in between."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from dopejar import Memory, open_memory
from dopejar.engine.maintenance import vector_backlog
from dopejar.values.episode import Origin
from dopejar.values.transcript import LiveTurn

SAID = "My violin teacher is Mrs Halloran, she comes on Fridays."
ASKED = "halorans violins"  # shares no word with it, and many letters
WAYS: dict[str, Callable[[Memory], object]] = {
    "remember": lambda memory: memory.remember(SAID),
    "add": lambda memory: memory.add([{"role": "user", "content": SAID}], conversation="chat"),
    "observe": lambda memory: memory.observe(
        LiveTurn(conversation="chat", source_id="1", text=SAID, origin=Origin.USER, at=datetime(2026, 3, 2, tzinfo=UTC))
    ),
}


def opened(home: Path, **settings: str) -> Memory:
    """A memory with vectors that need no weights."""
    return open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "hashed", **settings}, said_by="user")


def found(memory: Memory) -> list[tuple[str, float]]:
    """The answer to a question that only vectors can answer, with scores."""
    return [(item.id, round(item.score, 4)) for item in memory.recall(ASKED).items]


def pending(memory: Memory) -> int:
    """How many texts wait for a vector."""
    with memory.store.read() as view:
        return view.sizes().outbox


@pytest.mark.parametrize("way", WAYS)
def test_what_was_just_written_is_found_as_after_housekeeping(way: str, tmp_path: Path) -> None:
    """Whatever wrote it, the next recall and the next search find it, and housekeeping has nothing left to embed."""
    with opened(tmp_path) as memory:
        WAYS[way](memory)
        before = found(memory)
        assert before
        assert pending(memory) == 0
        assert memory.maintenance.maintain().embedded == 0
        assert found(memory) == before


@pytest.mark.parametrize("asked", ["quantum chromodynamics lattice", "asdkjh qwelkj zxmcn", "elephants"])
def test_vectors_of_spelling_answer_no_nonsense(asked: str, tmp_path: Path) -> None:
    """What shares no word with anything told, and is spelled like none, finds nothing."""
    with opened(tmp_path) as memory:
        memory.remember(SAID)
        assert found(memory)
        assert memory.recall(asked).items == ()


@pytest.mark.parametrize(
    "settings", [{"DOPEJAR_RECALL_MODE": "lexical"}, {"DOPEJAR_EMBEDDER_KIND": "none"}], ids=["lexical", "no embedder"]
)
def test_a_search_by_words_embeds_nothing(settings: dict[str, str], tmp_path: Path) -> None:
    """Where search goes by words alone, what waits for a vector goes on waiting."""
    with opened(tmp_path, **settings) as memory:
        memory.remember(SAID)
        waiting = pending(memory)
        assert memory.recall("Who is my violin teacher?").items
        assert waiting > 0
        assert pending(memory) == waiting


def test_housekeeping_tells_how_far_embedding_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of how many texts so many have their vectors; the last step is all of them."""
    monkeypatch.setattr(vector_backlog, "_CHUNK", 4)
    with opened(tmp_path) as memory:
        memory.add([{"role": "assistant", "content": f"Well, that was {n}."} for n in range(9)], conversation="chat")
        steps: list[tuple[str, int, int]] = []
        embedded = memory.maintenance.maintain(progress=lambda *step: steps.append(step)).embedded
        assert steps == [("vectors", done, embedded) for done in (4, 8, embedded)]


def test_a_search_waits_for_no_writer(tmp_path: Path) -> None:
    """While another process writes, words answer; when it has ended, vectors do as well."""
    with opened(tmp_path) as memory, opened(tmp_path) as other:
        memory.remember(SAID)
        with other.store.write():
            assert memory.recall("Who is my violin teacher?").items
            assert pending(memory) > 0
        assert found(memory)


def test_of_a_long_backlog_a_search_takes_the_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was learned is found; the turns wait for housekeeping, which leaves nothing."""
    monkeypatch.setattr(vector_backlog, "_MOST_PENDING", 3)
    with opened(tmp_path) as memory:
        talk = [{"role": "user", "content": text} for text in (SAID, *(f"Well, that was {n}." for n in range(9)))]
        memory.add(talk)
        assert memory.list()[0].id in dict(found(memory))
        assert pending(memory) > 0
        memory.maintenance.maintain()
        assert pending(memory) == 0
