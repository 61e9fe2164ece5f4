"""One bit flipped in any value of a table of truth: the doctor names the table and the row, and no command breaks."""
# ruff: noqa: S608 - the tests write SQL as somebody who edits the file would

import shutil
import struct
from contextlib import closing

import apsw
import pytest
from test_row_digests import COMMANDS, _fill, _opened

from dopejar.adapters.sqlite.row_digests import META_KEY, TABLES
from dopejar.doors.cli.start import run

LEDGER = ("ledger", ("seq",), "seq")
UNKEPT = (META_KEY, "change_seq", "tenant")  # every commit writes two anew; a store of another tenant is refused
ALSO = {"records": "counts", "record_states": "states"}  # what follows from other rows is compared with them


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The file of a closed store with rows in every table of truth."""
    folder = tmp_path_factory.mktemp("original")
    with _opened(folder / "home") as memory:
        _fill(memory, folder)
    return folder / "home" / "dopejar.db"


def _flipped(value):
    """A value with one bit changed."""
    if isinstance(value, int):
        return value ^ 1
    if isinstance(value, float):
        return struct.unpack("<d", struct.pack("<q", struct.unpack("<q", struct.pack("<d", value))[0] ^ 1))[0]
    if isinstance(value, bytes):
        return bytes([value[0] ^ 1]) + value[1:]
    place = len(value) // 2
    return value[:place] + chr(ord(value[place]) ^ 1) + value[place + 1 :]


def _places(original):
    """Of every column of every table of truth: the last row that has a value there, its name, and the value."""
    with closing(apsw.Connection(str(original))) as db:
        for table, keys, label in [(t.name, t.keys, t.label) for t in TABLES] + [LEDGER]:
            for _, column, *_ in db.execute(f"PRAGMA table_info({table})").fetchall():
                where = f"{column} <> ''" + (f" AND key NOT IN {UNKEPT}" if table == "meta" else "")
                row = db.execute(
                    f"SELECT {', '.join(keys)}, {label}, {column} FROM {table} WHERE {where} ORDER BY {keys[0]} DESC"
                ).fetchone()
                if row is not None:
                    yield table, column, row[: len(keys)], str(row[-2]), row[-1]


def _flip(path, table, column, key, value):
    """Write the value with one bit changed, as another program would."""
    keys = next((t.keys for t in TABLES if t.name == table), LEDGER[1])
    with closing(apsw.Connection(str(path))) as db:
        db.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
        where = " AND ".join(f"{name} = ?" for name in keys)
        db.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {where}", (_flipped(value), *key))


def _names(said, table, label, value):
    """Whether a fault names the table and the row, also under the name that the changed value gives it."""
    faults = [line for line in said.splitlines() if line.startswith((f"fault: {table}: ", f"fault: {ALSO.get(table)}"))]
    changed = label.replace(str(value), str(_flipped(value)))
    record = label.partition(" from entry ")[0]
    return any(name in line for line in faults for name in (label, changed, record))


@pytest.mark.slow
def test_a_flipped_bit_is_named_and_stops_no_command(original, tmp_path, monkeypatch, capsys):
    """Whatever value it is in, doctor names its table and its row, and every command says what it can."""
    path = tmp_path / "home" / "dopejar.db"
    monkeypatch.setenv("DOPEJAR_EMBEDDER_KIND", "none")
    monkeypatch.setenv("DOPEJAR_HOME", str(path.parent))
    unnamed, broke = [], []
    for table, column, key, label, value in _places(original):
        path.parent.mkdir()
        shutil.copyfile(original, path)
        _flip(path, table, column, key, value)
        run(["doctor"])
        said = capsys.readouterr()
        if not _names(said.out, table, label, value):
            unnamed.append((table, column, label, said.out))
        for words in COMMANDS:
            run([word.format(out=tmp_path / "out.jsonl") for word in words])
            said = capsys.readouterr()
            if "nexpected" in said.err + said.out:
                broke.append((table, column, words[0], said.err))
        shutil.rmtree(path.parent)
    assert unnamed == []
    assert broke == []


def test_a_page_torn_by_a_loss_of_power_is_no_fault_while_the_log_holds_it(original, tmp_path):
    """The checkpoint that follows makes the file whole; without a log, a page that is not whole is named."""
    path = tmp_path / "home" / "dopejar.db"
    path.parent.mkdir()
    shutil.copyfile(original, path)
    with _opened(path.parent) as memory:
        memory.remember("The ferry leaves at nine.", said_by="user")
        shutil.copytree(path.parent, tmp_path / "torn")
    torn = tmp_path / "torn" / "dopejar.db"
    assert torn.with_name("dopejar.db-wal").stat().st_size > 0
    with torn.open("ab") as file:
        file.write(bytes(512))
    for _ in range(2):
        with _opened(torn.parent) as memory:
            assert [fault for fault in memory.maintenance.doctor().faults if fault.what == "file"] == []
            memory.remember("The harbour is calm.", said_by="user")
    with path.open("ab") as file:
        file.write(bytes(512))
    with _opened(path.parent) as memory:
        assert "file" in {fault.what for fault in memory.maintenance.doctor().faults}
