"""The SQLite store keeps every promise of the store's port, and those that only a file can break."""

import os
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from dopejar.adapters.sqlite import SqliteStore
from dopejar.adapters.sqlite.writer_lock import WriterLock
from dopejar.errors import (
    NotFoundError,
    SchemaTooNewError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
)
from dopejar.memory.erasure_writer import write_blanked_spans, write_erased_record
from dopejar.memory.projections import refill_text_index
from dopejar.ports.clock import Clock
from dopejar.ports.store import Store
from dopejar.testing.builders import (
    a_proposal,
    a_record,
    append_conversation,
    append_entry,
    insert_record,
    raising,
    some_evidence,
)
from dopejar.testing.fixed_clock import FixedClock
from dopejar.testing.store_contract import FileStoreContract
from dopejar.testing.store_contract_search import EPISODES, find_ids
from dopejar.testing.store_contract_vectors import COMPASS, vector_of
from dopejar.text.words import index_terms
from dopejar.values.ids import ActId, RecordId
from dopejar.values.record import Status


class TestSqliteStore(FileStoreContract):
    """The whole contract on SQLite."""

    def open_store(self, directory: Path, clock: Clock) -> Store:
        """The file `store.db` of the directory."""
        return SqliteStore.open(directory / "store.db", clock=clock)


def _bytes_of(directory: Path) -> bytes:
    """Every byte of the store's files; the store is closed, or read from outside this process."""
    command = (
        "import pathlib, sys; [sys.stdout.buffer.write(f.read_bytes()) for f in pathlib.Path(sys.argv[1]).iterdir()]"
    )
    return subprocess.run([sys.executable, "-c", command, str(directory)], stdout=subprocess.PIPE, check=True).stdout


def _raw(path: Path, sql: str) -> None:
    """Run SQL behind the store's back."""
    connection = apsw.Connection(str(path))
    connection.execute(sql)
    connection.close()


def _filled(path: Path, *texts: str) -> None:
    with closing(SqliteStore.open(path, clock=FixedClock())) as store, store.write() as tx:
        for place, text in enumerate(texts):
            insert_record(tx, a_record(f"r{place}", text))


def test_files_are_the_owners_alone(tmp_path: Path) -> None:
    """The directory that is made has mode 0700, and every file in it 0600, while it is open as well."""
    home = tmp_path / "new" / "home"
    with closing(SqliteStore.open(home / "store.db")) as store:
        with store.write() as tx:
            append_entry(tx, "m_x")
        assert home.stat().st_mode & 0o777 == 0o700
        files = {file.name: file.stat().st_mode & 0o777 for file in home.iterdir()}
    assert set(files) >= {"store.db", "store.db-wal", "store.db.lock"}
    assert set(files.values()) == {0o600}
    assert {file.name for file in home.iterdir()} == {"store.db", "store.db.lock", "store.db.made"}


def test_erased_words_leave_every_byte_of_the_file_and_its_log(tmp_path: Path) -> None:
    """After erasing and compacting, neither the words nor their stems stand anywhere in the directory."""
    secret = "zirconium"
    stem = index_terms(secret)[0]
    path = tmp_path / "store.db"
    with closing(SqliteStore.open(path, clock=FixedClock())) as store:
        record = a_record("jar", f"The {secret} stands here.", key=f"{secret}-Place", tags=(secret,))
        with store.write() as tx:
            (said,) = append_conversation(tx, record.text)
            insert_record(tx, record, [some_evidence(said)])
            tx.put_proposal(a_proposal("jar", evidence=(some_evidence(said),), rationale=secret))
            for place in range(50):
                insert_record(tx, a_record(f"other{place}", f"Shelf {place} holds flour."))
        assert stem.encode() in _bytes_of(tmp_path)
        with store.write() as tx:
            erased = replace(record, status=Status.ERASED, version=2)
            write_erased_record(tx, erased, ActId("a_gone"), append_entry(tx, record.id, "a_gone"))
            write_blanked_spans(tx, said.id, [(0, len(said.text))], "[erased]")
        store.compact()
        left = _bytes_of(tmp_path).lower()
        assert stem.encode() not in left
        assert b"flour" in left
        assert store.check() == ()


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    """A file of a newer program is neither written nor read, and stays as it is."""
    path = tmp_path / "store.db"
    _filled(path)
    _raw(path, "PRAGMA user_version = 999")
    for read_only in (False, True):
        with raising(SchemaTooNewError, "999", "Upgrade"):
            SqliteStore.open(path, read_only=read_only)


@pytest.mark.parametrize("content", [b"not a database, " * 100, b"SQLite format 3\x00" + b"\x07" * 5000])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    """What is no database is refused with the file's name and the next step, and is not overwritten."""
    path = tmp_path / "store.db"
    path.write_bytes(content)
    for read_only in (False, True):
        with raising(StoreDamagedError, str(path), "dopejar doctor"):
            SqliteStore.open(path, read_only=read_only)
    assert path.read_bytes() == content


def test_another_programs_database_is_refused(tmp_path: Path) -> None:
    """An intact database that is not ours gets none of our tables."""
    path = tmp_path / "store.db"
    _raw(path, "CREATE TABLE theirs (a)")
    before = path.read_bytes()
    with raising(StoreDamagedError, str(path)):
        SqliteStore.open(path)
    assert path.read_bytes() == before


def test_a_torn_page_is_found(tmp_path: Path) -> None:
    """Bytes overwritten in the middle of the file are found by the check and called what they are."""
    path = tmp_path / "store.db"
    _filled(path, *(f"Shelf {place} holds flour." for place in range(300)))
    size = path.stat().st_size
    with path.open("r+b") as file:
        for page in range(size // 8192, size // 4096 - 1):
            file.seek(page * 4096)
            file.write(b"\xa5" * 512)
    with closing(SqliteStore.open(path)) as store:
        faults = store.check()
        assert faults
        assert any(not fault.repairable for fault in faults)


def test_a_full_disk_is_one_clear_sentence(tmp_path: Path) -> None:
    """Where no page can be added, the write is refused whole, reading goes on, and room makes it work again."""
    path = tmp_path / "store.db"
    _filled(path, "Honey is sweet.")
    with closing(SqliteStore.open(path, clock=FixedClock())) as store:
        with store.write():
            pass
        writer = store._writer
        assert writer is not None
        writer.execute("PRAGMA max_page_count = 1")  # the file may not grow beyond what it has
        with raising(StoreFullError, "Make room"), store.write() as tx:
            for place in range(400):
                insert_record(tx, a_record(f"new{place}"))
        with store.read() as view:
            assert view.sizes().records == {"active": 1}
            assert view.head().seq == 1
        writer.execute("PRAGMA max_page_count = 1000000")
        with store.write() as tx:
            insert_record(tx, a_record("new"))


def test_a_store_opened_for_reading_does_not_write(tmp_path: Path) -> None:
    """Reading and searching work; writing, repairing in earnest and compacting are refused with the reason."""
    path = tmp_path / "store.db"
    with raising(NotFoundError, str(path)):
        SqliteStore.open(path, read_only=True)
    _filled(path, "Honey is sweet.")
    with closing(SqliteStore.open(path, read_only=True)) as store:
        assert store.is_read_only
        with store.read() as view:
            assert find_ids(view, "honey") == ["m_r0"]
        with raising(StoreReadOnlyError, "write permission"), store.write():
            pass
        with raising(StoreReadOnlyError):
            store.compact()
        assert store.check() == ()


# Root without its capabilities is bound by file modes like anybody else, and still reaches every directory that is its
# own; another user might reach neither the interpreter nor the package nor the directory of the test.
_READ_ONLY = """
import ctypes, os, sys
from pathlib import Path
from dopejar.adapters.sqlite import SqliteStore
from dopejar.errors import StoreReadOnlyError
path, warm = map(Path, sys.argv[1:])
SqliteStore.open(warm).close()  # loads what is imported at first use
if os.geteuid() == 0:
    version_3, no_capabilities = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert ctypes.CDLL(None).capset(version_3, no_capabilities) == 0
if os.access(path.parent, os.W_OK):
    sys.exit("WRITABLE")
store = SqliteStore.open(path)
assert store.is_read_only
with store.read() as view:
    print(*sorted(view.sizes().records.values()))
try:
    with store.write():
        print("wrote")
except StoreReadOnlyError as fault:
    print(fault)
store.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the modes of POSIX")
@pytest.mark.skipif(sys.platform != "linux" and os.geteuid() == 0, reason="root may write everywhere")
@pytest.mark.parametrize("has_log", [False, True])
def test_a_directory_that_cannot_be_written_is_read(tmp_path: Path, has_log: bool) -> None:
    """In a directory without write permission recall works, with what a killed writer left in the log as well."""
    home = tmp_path / "home"
    home.mkdir()
    path = home / "store.db"
    store = SqliteStore.open(path, clock=FixedClock())
    with store.write() as tx:
        insert_record(tx, a_record("one"))
    if has_log:  # as a killed writer leaves it: the log beside the file, its index gone
        kept = {name: (home / name).read_bytes() for name in ("store.db", "store.db-wal")}
        store.close()
        for name, content in kept.items():
            (home / name).write_bytes(content)
    store.close()
    for file in home.iterdir():
        file.chmod(0o444)
    home.chmod(0o555)
    try:
        command = [sys.executable, "-c", _READ_ONLY, str(path), str(tmp_path / "warm.db")]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
    finally:
        home.chmod(0o755)
    if result.stderr.strip() == "WRITABLE":
        pytest.skip("this file system does not keep the modes of directories")
    assert result.returncode == 0, result.stderr
    count, refusal = result.stdout.splitlines()
    assert count == "1"
    assert "cannot be written" in refusal


def test_a_tenant_opens_its_own_store_alone(tmp_path: Path) -> None:
    """A file belongs to the tenant that made it."""
    path = tmp_path / "store.db"
    SqliteStore.open(path, tenant="ana").close()
    SqliteStore.open(path, tenant="ana").close()
    for read_only in (False, True):
        with raising(StoreError, "tenant"):
            SqliteStore.open(path, tenant="local", read_only=read_only)


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM records_text WHERE rowid = 1",
        "INSERT INTO records_text (rowid, terms) VALUES (99, 'stray')",
        "DELETE FROM episodes_text WHERE rowid = 1",
        "UPDATE records SET assertions = 7",
        "INSERT INTO outbox (kind, owner, owner_id) VALUES ('embed', 'record', 'm_nobody')",
        "DELETE FROM records_text_data WHERE id > 1",
        "DELETE FROM vector_codes",
        "UPDATE vectors SET content_hash = 'other'",
    ],
)
def test_broken_projections_are_found_and_mended(tmp_path: Path, damage: str) -> None:
    """Each projection that is damaged behind the store's back is found, mended, and answers as before."""
    path = tmp_path / "store.db"
    record = a_record("r0", "Honey is sweet.")
    with closing(SqliteStore.open(path, clock=FixedClock())) as store, store.write() as tx:
        insert_record(tx, record)
        tx.put_vectors(COMPASS, [vector_of(record, 1, 0)])
    _raw(path, damage)
    with closing(SqliteStore.open(path, clock=FixedClock())) as store:
        assert store.check()
        assert store.repair()
        with store.write() as tx:
            refill_text_index(tx)
        assert store.check() == ()
        with store.read() as view:
            assert find_ids(view, "honey") == ["m_r0"]
            assert find_ids(view, "honey", EPISODES) != []


@pytest.mark.parametrize(
    ("damage", "what"),
    [
        ("UPDATE record_states SET to_seq = 1", "states"),
        ("UPDATE records SET version = 9", "states"),
        ("DELETE FROM evidence", "evidence"),
        ("DELETE FROM ledger WHERE seq = 1", "ledger"),
        ("PRAGMA foreign_keys = OFF; DELETE FROM conversations", "references"),
    ],
)
def test_lost_truth_is_found_and_not_papered_over(tmp_path: Path, damage: str, what: str) -> None:
    """What no projection can give back is named, and repair does not claim to have mended it."""
    path = tmp_path / "store.db"
    _filled(path, "Honey is sweet.", "Salt is not.")
    _raw(path, damage)
    with closing(SqliteStore.open(path)) as store:
        faults = [fault for fault in store.check() if fault.what == what]
        assert faults
        assert not any(fault.repairable for fault in faults)
        assert not any(fault.what == what for fault in store.repair())


# In a process of its own: forking one that has other threads, as pytest's workers do, is not safe.
_FORKING = """
import os, sys
from pathlib import Path
from dopejar.adapters.sqlite import SqliteStore
from dopejar.testing.builders import a_record, insert_record
store = SqliteStore.open(Path(sys.argv[1]))
def write(name, count):
    with store.write() as tx:
        insert_record(tx, a_record(name))
    with store.read() as view:
        assert view.sizes().records == {"active": count}
write("parent", 1)
child = os.fork()
if child == 0:
    write("child", 2)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
write("after", 3)
assert store.check() == ()
store.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_child_opens_connections_of_its_own(tmp_path: Path) -> None:
    """After a fork both processes read and write through the same handle, and nothing is lost."""
    subprocess.run([sys.executable, "-c", _FORKING, str(tmp_path / "store.db")], check=True)


# Threads are in the middle of a write, and of a read with a lock of their own, when the fork begins: unless the fork
# waits, the child is made there.
_FORKING_BESIDE_A_WRITER = """
import os, sys, threading
from pathlib import Path
from dopejar.adapters.sqlite import SqliteStore, writer_lock
from dopejar.testing.builders import a_record, insert_record
writer_lock.WAIT_SECONDS = 5.0
path = Path(sys.argv[1])
store = SqliteStore.open(path)
writing, reading, forking, forked = (threading.Event() for _ in range(4))
own_lock = threading.Lock()
def write(store, name):
    with store.write() as tx:
        insert_record(tx, a_record(name))
def write_slowly():
    with store.write() as tx:
        insert_record(tx, a_record("thread"))
        writing.set()
        forking.wait()
        forked.wait(0.3)
def read_slowly():
    with store.read() as view, own_lock:
        view.head()
        reading.set()
        forking.wait()
        forked.wait(0.3)
        with store.read() as another:
            another.head()
os.register_at_fork(before=forking.set)
threads = [threading.Thread(target=write_slowly), threading.Thread(target=read_slowly)]
for thread in threads:
    thread.start()
writing.wait()
reading.wait()
child = os.fork()
if child == 0:
    try:
        assert own_lock.acquire(timeout=0)
        with SqliteStore.open(path).read() as view:
            assert view.sizes().records == {"active": 1}
        write(store, "child")
        write(SqliteStore.open(path), "new handle")
    except BaseException as error:
        print(repr(error), flush=True)
        os._exit(1)
    os._exit(0)
forked.set()
for thread in threads:
    thread.join()
assert os.waitpid(child, 0)[1] == 0
write(store, "after")
with store.read() as view:
    assert view.sizes().records == {"active": 4}
assert store.check() == ()
store.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_fork_waits_for_other_threads_to_leave_the_store(tmp_path: Path) -> None:
    """A child that is forked while threads write and read is held up by no lock, on the old handle and on a new one."""
    subprocess.run([sys.executable, "-c", _FORKING_BESIDE_A_WRITER, str(tmp_path / "store.db")], check=True)


def test_a_writer_that_waits_in_vain_is_told(tmp_path: Path) -> None:
    """Where another process keeps the writer's place, waiting ends with an error, and later the place is free."""
    path = tmp_path / "store.db"
    _filled(path)
    other = WriterLock(path)
    mine = WriterLock(path, wait_seconds=0.05)
    with other.hold(), raising(StoreBusyError, "Try again"), mine.hold():
        pass
    with mine.hold():
        pass
    mine.close()
    other.close()


def test_a_killed_writer_leaves_the_place_and_an_intact_store(tmp_path: Path) -> None:
    """A process that is killed in the middle of a transaction holds nobody up, and leaves nothing of it."""
    path = tmp_path / "store.db"
    _filled(path, "Honey is sweet.")
    code = (
        "import sys, time\nfrom pathlib import Path\nfrom dopejar.adapters.sqlite import SqliteStore\n"
        "from dopejar.testing.builders import a_record, insert_record\n"
        "store = SqliteStore.open(Path(sys.argv[1]))\n"
        "with store.write() as tx:\n"
        "    insert_record(tx, a_record('half'))\n"
        "    print('in', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    command = [sys.executable, "-c", code, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in\n"
        process.kill()
    with closing(SqliteStore.open(path, clock=FixedClock())) as store:
        with store.write() as tx:
            assert tx.sizes().records == {"active": 1}
            insert_record(tx, a_record("next"))
        assert store.check() == ()


def test_reading_words_needs_no_numpy(tmp_path: Path) -> None:
    """A process that searches by words alone never loads the library of vectors."""
    path = tmp_path / "store.db"
    _filled(path, "Honey is sweet.")
    code = (
        "import sys\nfrom pathlib import Path\nfrom dopejar.adapters.sqlite import SqliteStore\n"
        "assert 'apsw' not in sys.modules\n"
        "from dopejar.testing.store_contract_search import find_ids\n"
        "store = SqliteStore.open(Path(sys.argv[1]))\n"
        "with store.write() as tx:\n    tx.note_injected(['a'], tx._now())\n"
        "with store.read() as view:\n    assert find_ids(view, 'honey') == ['m_r0']\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)


def test_a_backup_opens_as_a_store(tmp_path: Path) -> None:
    """A backup that was taken in the middle of a write is intact, private, and holds what was committed."""
    path, copy = tmp_path / "store.db", tmp_path / "copy.db"
    _filled(path, "Honey is sweet.")
    with closing(SqliteStore.open(path, clock=FixedClock())) as store, store.write() as tx:
        insert_record(tx, a_record("new", "Honey is new."))
        store.backup(copy)
    assert copy.stat().st_mode & 0o777 == 0o600
    with closing(SqliteStore.open(copy, clock=FixedClock())) as again:
        assert again.check() == ()
        with again.read() as view:
            assert find_ids(view, "honey") == ["m_r0"]
        with again.write() as tx:
            insert_record(tx, a_record("new", "Honey is new."))


def test_processes_that_make_the_store_at_once_share_it(tmp_path: Path) -> None:
    """Several processes that open a new store at the same time all write to the one store."""
    path = tmp_path / "home" / "store.db"
    code = (
        "import sys\nfrom pathlib import Path\nfrom dopejar.adapters.sqlite import SqliteStore\n"
        "from dopejar.testing.builders import a_record, insert_record\n"
        "sys.stdin.readline()\n"
        "store = SqliteStore.open(Path(sys.argv[1]))\n"
        "for place in range(5):\n"
        "    with store.write() as tx:\n"
        "        insert_record(tx, a_record(f'{sys.argv[2]}-{place}'))\n"
        "store.close()\n"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(path), f"p{number}"], stdin=subprocess.PIPE, text=True)
        for number in range(4)
    ]
    for process in running:
        process.communicate("go\n")
    assert [process.returncode for process in running] == [0] * 4
    with closing(SqliteStore.open(path, clock=FixedClock())) as store:
        with store.read() as view:
            assert view.sizes().records == {"active": 20}
        assert store.check() == ()


def test_a_full_disk_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is no room to open the file for writing, it is read, and a write says that the disk is full."""
    path = tmp_path / "store.db"
    with closing(SqliteStore.open(path)) as store, store.write() as tx:
        insert_record(tx, a_record("one", "Honey one."))

    def no_room(*_: object) -> None:
        raise StoreFullError("no room")

    monkeypatch.setattr(SqliteStore, "_prepare_schema", no_room)
    with closing(SqliteStore.open(path)) as store:
        assert store.is_read_only
        with store.read() as view:
            assert view.record(RecordId("m_one")) is not None
        with raising(StoreFullError, "full"), store.write():
            pass
