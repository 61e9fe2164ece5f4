"""A whole memory in this process answers as one in a file does, and writes no file."""

from pathlib import Path

import pytest

from dopejar import InputError, Memory, open_memory

STATEMENTS = (
    "I prefer short answers.",
    "The ledger service uses Postgres.",
    "Postgres listens on port 5433.",
    "Postgres listens on port 5434.",
    "k8s is short for Kubernetes.",
    "The staging cluster runs on k8s.",
    "We never use MySQL.",
)
SECRET = "a long passphrase"
QUESTIONS = ("how long should answers be?", "Which port has Postgres?", "Kubernetes?", "ledger", "MySQL")


def _answers(memory: Memory) -> list[list[tuple[str, str, float]]]:
    """What each question gives: texts and statuses in order, with rounded scores."""
    packs = [memory.recall(question) for question in QUESTIONS]
    return [[(item.text, item.status, round(item.score, 4)) for item in pack.items] for pack in packs]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An empty data directory, and vectors that need no weights."""
    return {"DOPEJAR_HOME": str(tmp_path / "data"), "DOPEJAR_EMBEDDER_KIND": "hashed"}


def test_both_stores_give_the_same_answers(tmp_path: Path, environment: dict[str, str]) -> None:
    """After the same statements, undo, erasure and housekeeping, every question gives the same items and scores."""
    with (
        open_memory(":memory:", environment=environment, said_by="user") as in_process,
        open_memory(tmp_path / "home", environment=environment, said_by="user") as on_disk,
    ):
        answers = []
        for memory in (in_process, on_disk):
            receipts = [memory.remember(statement, said_by="user") for statement in STATEMENTS]
            memory.reviewers.add("ana", SECRET)
            ana = memory.reviewers.unlock(SECRET)
            memory.undo(receipts[3].receipts[0].act_id, ana)
            memory.erase(ana, records=[receipts[6].receipts[0].records[0].id])
            memory.maintenance.maintain()
            memory.verify()
            assert memory.maintenance.doctor().faults == ()
            answers.append(_answers(memory))
        assert answers[0] == answers[1]
        assert any(answers[0])


def test_no_file_is_written(tmp_path: Path, environment: dict[str, str]) -> None:
    """Neither in the data directory nor in the working directory; a backup is refused with the reason."""
    with open_memory(":memory:", environment=environment, said_by="user") as memory:
        memory.remember("I prefer short answers.", said_by="user")
        assert memory.recall("answers").items
        with pytest.raises(InputError, match="no data file"):
            memory.exchange.backup(tmp_path / "copy.db")
    assert list(tmp_path.rglob("*.db*")) == []


def test_each_memory_is_its_own(environment: dict[str, str]) -> None:
    """Two memories in one process share nothing."""
    with (
        open_memory(":memory:", environment=environment, said_by="user") as one,
        open_memory(":memory:", environment=environment, said_by="user") as two,
    ):
        one.remember("I prefer short answers.", said_by="user")
        assert two.recall("short answers").items == ()
