"""Several processes and threads on one directory: nothing is lost, nothing is doubled, nothing is half-written."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from whole_store import chain_faults, write_conversation

from dopejar import DopejarError, StoreError, open_memory
from dopejar.adapters.sqlite import writer_lock
from dopejar.errors import SchemaTooNewError, StoreDamagedError, StoreReadOnlyError

WRITER = """
import sys
from dopejar import open_memory
with open_memory(sys.argv[1], environment={}, said_by="user") as memory:
    for number in range(10):
        memory.remember(f"Service {sys.argv[2]}{number} listens on port {4000 + number}.")
        memory.remember("I prefer dark mode.")
        memory.remember("I prefer light mode.")
"""


def test_three_processes_write_one_store(tmp_path):
    """Every acknowledged fact of three processes is there, one preference is in force, and the chain verifies."""
    home = tmp_path / "home"
    with open_memory(home, environment={}, said_by="user"):
        pass
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(home), name], stderr=subprocess.PIPE)
        for name in ("alpha", "beta", "gamma")
    ]
    for writer in writers:
        _, errors = writer.communicate(timeout=250)
        assert writer.returncode == 0, errors.decode()
    with open_memory(home, environment={}, said_by="user") as memory:
        texts = {record.text for record in memory.list(limit=1000)}
        for name in ("alpha", "beta", "gamma"):
            assert {f"Service {name}{number} listens on port {4000 + number}" for number in range(10)} <= texts
        assert len(texts & {"I prefer dark mode", "I prefer light mode"}) == 1
        assert chain_faults(memory) == []
        memory.verify()
        assert memory.maintenance.doctor().faults == ()


def test_threads_share_a_memory(tmp_path):
    """One memory used by eight threads at once keeps every statement."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as memory, ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: memory.remember(f"Service s{n} listens on port {5000 + n}."), range(24)))
        assert len(memory.list(limit=1000)) == 24
        assert chain_faults(memory) == []


def test_reading_goes_on_while_another_writes(tmp_path, monkeypatch):
    """A handle recalls, lists, reports and closes beside a transaction without once waiting for its end."""
    monkeypatch.setattr(writer_lock, "_QueuedWait", lambda *_: pytest.fail("a read waits for the writer"))
    with open_memory(tmp_path / "home", environment={}, said_by="user") as first:
        first.remember("The server listens on port 8080.")
        with first.store.write(), open_memory(tmp_path / "home", environment={}) as second:
            assert second.recall("which port does the server listen on").items
            assert second.list()
            assert second.status()
            assert second.log()
            assert not second.note_injected(["The server listens on port 8080."])
        first.remember("The server listens on port 8081.")
        assert first.maintenance.doctor().faults == ()


def test_a_read_only_directory_still_recalls(tmp_path):
    """Recall works where nothing can be written; writing says so in one sentence."""
    home = tmp_path / "home"
    with open_memory(home, environment={}, said_by="user") as memory:
        memory.remember("The server listens on port 8080.")
    with open_memory(home, environment={}, read_only=True, said_by="user") as memory:
        assert memory.recall("which port does the server listen on").items
        with pytest.raises(StoreReadOnlyError):
            memory.remember("The server listens on port 9090.")


@pytest.mark.parametrize(
    ("damage", "fault"),
    [
        (lambda path: path.write_bytes(b"not a database, not at all " * 200), StoreDamagedError),
        (lambda path: path.write_bytes(path.read_bytes()[:1000]), DopejarError),
    ],
)
def test_a_damaged_file_is_one_sentence(tmp_path, damage, fault):
    """A file that is no database is named as such, and is left as it is."""
    home = tmp_path / "home"
    with open_memory(home, environment={}, said_by="user") as memory:
        memory.remember("The server listens on port 8080.")
    damage(home / "dopejar.db")
    before = (home / "dopejar.db").read_bytes()
    with pytest.raises(fault) as caught, open_memory(home, environment={}, said_by="user") as memory:
        memory.recall("which port")
    assert "\n" not in str(caught.value)
    assert (home / "dopejar.db").read_bytes() == before


def test_a_newer_schema_is_refused(tmp_path):
    """A store of a later version is not touched."""
    import apsw

    home = tmp_path / "home"
    with open_memory(home, environment={}, said_by="user"):
        pass
    connection = apsw.Connection(str(home / "dopejar.db"))
    connection.pragma("user_version", 999)
    connection.close()
    with pytest.raises(SchemaTooNewError):
        open_memory(home, environment={}, said_by="user")


def test_an_interrupted_import_goes_on(tmp_path, monkeypatch):
    """An import that dies between two batches leaves whole batches, and the next run ends like an undisturbed one."""
    turns = [(n, f"Service s{n} listens on port {6000 + n}.") for n in range(12)]
    path = write_conversation(tmp_path, "one", turns)
    with open_memory(tmp_path / "home", environment={"DOPEJAR_LEARN_BATCH": "4"}, said_by="user") as memory:
        seen = []

        def stop(_what, done, _of):
            seen.append(done)
            if done >= 8:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            list(memory.learn([path], progress=stop))
        assert len(memory.list(limit=100)) == 8
        (rest,) = memory.learn([path])
        assert (rest.known, rest.episodes) == (8, 4)
        assert len(memory.list(limit=100)) == 12
        memory.verify()


def test_bad_input_leaves_nothing_behind(tmp_path):
    """A refused file, text or setting writes nothing."""
    (tmp_path / "junk.jsonl").write_bytes(b"\x00\x01\x02" * 50)
    with open_memory(tmp_path / "home", environment={}, said_by="user") as memory:
        for wrong in (
            lambda: list(memory.learn([tmp_path / "junk.jsonl"])),
            lambda: memory.remember("  "),
            lambda: memory.remember("x", said_by="nobody"),
        ):
            with pytest.raises(DopejarError):
                wrong()
        with memory.store.read() as view:
            sizes = view.sizes()
        assert (sizes.episodes, sum(sizes.records.values()), sizes.ledger) == (0, 0, 0)


def test_a_full_disk_loses_nothing(tmp_path):
    """When the store may not grow, the write fails in one sentence and what was there stays."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as memory:
        memory.remember("The server listens on port 8080.")
        with memory.store.write() as tx:
            pages = tx._connection.pragma("page_count")
        memory.store._writer.pragma("max_page_count", pages + 1)

        def fill():
            for number in range(200):
                memory.remember(f"Service s{number} listens on port {7000 + number}. " + "More words here. " * 50)

        with pytest.raises(StoreError) as caught:
            fill()
        assert "full" in str(caught.value).lower()
        memory.verify()
        assert "The server listens on port 8080" in {record.text for record in memory.list(limit=1000)}
