"""Erased bytes that cannot leave the files at once are said to be there, and leave by themselves."""

import pytest

from dopejar import open_memory
from dopejar.errors import StoreFullError
from dopejar.ports.store import SCRUB_ROW

SECRET = "correct horse " + "battery"
WORDS = "My locker combination hint is the blue heron from Zambujeira."


def words_in(home):
    """Whether a file still holds the words."""
    return [file.name for file in home.iterdir() if file.is_file() and b"blue heron" in file.read_bytes()]


@pytest.fixture
def home(tmp_path):
    """A data directory."""
    return tmp_path / "home"


@pytest.fixture
def impatient(monkeypatch):
    """A store that waits for no reader."""
    from dopejar.adapters.sqlite import database_files

    monkeypatch.setattr(database_files, "BUSY_MILLISECONDS", 0)


def erase(memory):
    """Remember the words and erase them; the receipt."""
    memory.reviewers.add("ana", SECRET)
    remembered = memory.remember(WORDS)
    return lambda: memory.erase(memory.reviewers.unlock(SECRET), episodes=[remembered.episode_id])


def is_due(memory):
    """Whether status and doctor say that bytes are still there; they always agree."""
    status, doctor = memory.status().scrub_due_since, memory.maintenance.doctor()
    assert doctor.faults == ()
    assert doctor.scrub_due_since == status
    return status is not None


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("then", ["write", "maintain", "another process writes"])
def test_beside_a_reader_the_bytes_wait_for_its_end(home, then):
    """The receipt says that they are there and why; they go with the next write, or with maintenance, after it."""
    with open_memory(home, environment={}, said_by="user") as memory, open_memory(home, environment={}) as other:
        erasing = erase(memory)
        with other.store.read() as view:
            view.head()
            receipt = erasing()
            assert not receipt.verified
            assert "reading" in receipt.not_scrubbed
            assert words_in(home)
            assert is_due(memory)
            assert memory.maintenance.maintain(budget_s=0.0).not_scrubbed
            memory.remember("Tea is green.")
            assert words_in(home)
        if then == "write":
            memory.remember("Milk is white.")
        else:
            (memory if then == "maintain" else other).maintenance.tidy()
        assert words_in(home) == []
        assert not is_due(other)


def test_on_a_full_disk_the_erasure_stands_and_says_what_is_left(home, monkeypatch):
    """Nothing says that nothing was written: the memory is erased, its bytes are not yet gone, and go with room."""
    with open_memory(home, environment={}, said_by="user") as memory:
        erasing = erase(memory)
        with monkeypatch.context() as full:

            def no_room(*_, **__):
                raise StoreFullError("The disk is full; nothing was written.")

            full.setattr("dopejar.adapters.sqlite.store.compact", no_room)
            receipt = erasing()
            assert "disk is full" in receipt.not_scrubbed
            assert not receipt.verified
            assert memory.list() == ()
            assert is_due(memory)
    with open_memory(home, environment={}, said_by="user") as later:
        assert later.maintenance.tidy().not_scrubbed == ""
        assert words_in(home) == []
        assert not is_due(later)


def test_a_stop_between_erasure_and_scrubbing_is_made_up_for(home, monkeypatch):
    """A process that ends right after the erasure was committed leaves the note that bytes are to be taken out."""
    with open_memory(home, environment={}, said_by="user") as memory:
        erasing = erase(memory)
        with monkeypatch.context() as stopped:

            def ends(*_, **__):
                raise KeyboardInterrupt

            stopped.setattr("dopejar.adapters.sqlite.store.compact", ends)
            with pytest.raises(KeyboardInterrupt):
                erasing()
    with open_memory(home, environment={}, said_by="user") as later:
        assert is_due(later)
        assert later.maintenance.maintain().not_scrubbed == ""
        with later.store.read() as view:
            assert view.held(*SCRUB_ROW) is None
        assert words_in(home) == []
