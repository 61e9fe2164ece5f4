"""The right to be forgotten: nothing of the words stays in any file, and they do not come back."""

from pathlib import Path

import pytest
from whole_store import write_conversation

from dopejar import InputError, Speaker, Status, open_memory
from dopejar.compose.stores import open_store
from dopejar.values.episode import Origin
from dopejar.values.proposal import Action
from dopejar.values.recall import RecordFilter

SECRET = "correct horse " + "battery"
WORDS = "My locker combination hint is the blue heron from Zambujeira."
OTHER = "The server listens on port 8080."


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with one reviewer."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        opened.reviewers.add("ana", SECRET)
        yield opened


@pytest.fixture
def ana(memory):
    """The reviewer."""
    return memory.reviewers.unlock(SECRET)


def raw_bytes(home: Path) -> bytes:
    """Every byte of the data file, its log and what else lies beside it."""
    return b"".join(file.read_bytes() for file in sorted(home.iterdir()) if file.is_file())


def said_in(home: Path) -> list[str]:
    """Words that would betray what was erased, and that are still in a file."""
    data = raw_bytes(home).lower()
    return [word for word in ("heron", "zambujeira", "combination") if word.encode() in data]


def test_an_erased_memory_is_in_no_file(memory, ana, tmp_path):
    """Erase by record: database and log hold no word of it, the receipt says so, the ledger still verifies."""
    memory.remember(OTHER)
    remembered = memory.remember(WORDS)
    assert said_in(tmp_path / "home")
    (record,) = [record for receipt in remembered.receipts for record in receipt.records]
    receipt = memory.erase(ana, records=[record.id])
    assert receipt.verified
    assert receipt.records == (record.id,)
    assert said_in(tmp_path / "home") == []
    memory.verify()
    assert memory.maintenance.doctor().faults == ()


def test_an_erased_conversation_takes_its_memories_along(memory, ana, tmp_path):
    """Erase a conversation: episodes and what was learned from them alone go; what others said too stays."""
    one = write_conversation(tmp_path, "one", [(0, WORDS), (1, OTHER)])
    two = write_conversation(tmp_path, "two", [(9, OTHER)])
    first, _ = memory.learn([one, two])
    receipt = memory.erase(ana, conversation=first.conversations[0])
    assert any(echo.is_verbatim for echo in receipt.echoes)
    assert said_in(tmp_path / "home") == []
    kept = memory.list(RecordFilter(statuses=(Status.ACTIVE,)), 100)
    assert [record.text for record in kept] == ["The server listens on port 8080"]


def test_erased_words_do_not_come_back(memory, ana, tmp_path):
    """Learning the same file again keeps out the episode and what it said."""
    path = write_conversation(tmp_path, "one", [(0, WORDS)])
    (learned,) = memory.learn([path])
    memory.erase(ana, conversation=learned.conversations[0])
    (again,) = memory.learn([path])
    assert again.episodes == 0
    assert said_in(tmp_path / "home") == []


def test_restoring_an_older_backup_erases_again(memory, ana, tmp_path):
    """A backup from before the erasure is named in the receipt, and restored without the words."""
    remembered = memory.remember(WORDS)
    copy = memory.exchange.backup(tmp_path / "copy.db")
    (record,) = [record for receipt in remembered.receipts for record in receipt.records]
    receipt = memory.erase(ana, records=[record.id])
    assert receipt.backups == (copy,)
    assert memory.exchange.restore(copy, open_store, ana) >= 1
    (tmp_path / "home" / "dopejar.db.before-restore").unlink(missing_ok=True)
    assert said_in(tmp_path / "home") == []
    with open_memory(tmp_path / "home", environment={}, said_by="user") as again:
        again.verify()
        assert again.list() == ()


def test_erasing_needs_something_to_erase(memory, ana):
    """Nothing named is a usage error."""
    with pytest.raises(InputError, match="what to erase"):
        memory.erase(ana)


def test_the_mark_of_an_erasure_is_no_text_of_another_turn(memory, ana, tmp_path):
    """Erasing a conversation again does not name other erased turns as ones that still hold its words."""
    path = write_conversation(tmp_path, "one", [(0, WORDS), (1, OTHER)])
    (learned,) = memory.learn([path])
    memory.erase(ana, conversation=learned.conversations[0])
    assert memory.erase(ana, conversation=learned.conversations[0]).echoes == ()


def test_an_erased_turn_takes_along_what_it_proposed(memory, ana, tmp_path):
    """A proposal that rests on an erased turn alone waits no more and keeps none of its words."""
    memory.remember(OTHER)
    assistant = Speaker(origin=Origin.ASSISTANT, name="agent")
    remembered = memory.remember("The server listens on port 9090.", speaker=assistant)
    (waiting,) = memory.review.queue()
    assert waiting.proposal.action is Action.SUPERSEDE
    memory.erase(ana, episodes=[remembered.episode_id])
    assert memory.review.queue() == ()
    assert b"port 9090" not in raw_bytes(tmp_path / "home")


def test_the_mark_of_an_erasure_is_not_learned(memory, ana):
    """Reading an erased turn again proposes nothing: the mark is no statement."""
    remembered = memory.remember(OTHER)
    memory.erase(ana, episodes=[remembered.episode_id])
    (again,) = memory.relearn()
    assert (again.outcomes, memory.review.queue()) == ({}, ())
