"""Every row of truth has a digest: what changes it outside the program is named by the doctor, with table and row."""
# ruff: noqa: S608 - the tests write SQL as somebody who edits the file would

import shutil
from contextlib import closing, suppress

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import write_roles

from dopejar import open_memory
from dopejar.adapters.sqlite import SqliteStore, schema
from dopejar.adapters.sqlite.database_files import replace_database
from dopejar.adapters.sqlite.row_digests import META_KEY, TABLES
from dopejar.compose.stores import open_store
from dopejar.doors.cli.start import run
from dopejar.engine.dependencies import Reviewer
from dopejar.errors import DopejarError, NotFoundError, ReviewerRequiredError, StoreDamagedError
from dopejar.values.recall import RecordFilter
from dopejar.values.record import Status
from dopejar.values.versioned_rows import KeyValueRow

SECRET = "correct horse " + "battery"
WORDS = (
    "Postgres listens on port 5433.",
    "Postgres listens on port 5434.",
    "I prefer green tea.",
    "The harbour closes at noon.",
    "Always use tabs.",
    "The quay opens at six.",
    "We deploy on AWS.",
    "My bank is Caixa.",
)
TURNS = [("user", "The mill in Porto grinds rye."), ("assistant", "Noted."), ("user", "I prefer dark mode.")]
_COPIED = ("meta", "conversations", "episodes", "records", "record_states", "evidence", "ledger", "proposals")


def _opened(home):
    return open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"})


def _fill(memory, folder):
    memory.reviewers.add("ana", SECRET)
    by = memory.reviewers.unlock(SECRET)
    for place, words in enumerate(WORDS):
        memory.remember(words, said_by=("user", "user", "tool", "assistant")[place % 4])
    list(memory.learn([write_roles(folder, "one", TURNS)]))
    memory.erase(by, records=[memory.list()[-1].id])
    memory.remember("The lamp is red.", said_by="user")
    with memory.store.write() as tx:
        tx.put_held(KeyValueRow(kind="note", key="one", body="{}", version=0, expires_at=None))


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    """The file of a closed store with rows in every table of truth."""
    folder = tmp_path_factory.mktemp("original")
    with _opened(folder / "home") as memory:
        _fill(memory, folder)
    return folder / "home" / "dopejar.db"


def _copy(original, folder):
    path = folder / "home" / "dopejar.db"
    path.parent.mkdir(exist_ok=True)
    shutil.copyfile(original, path)
    return path


def _change(path, *statements):
    """Change the file as another program would."""
    with closing(apsw.Connection(str(path))) as other:
        other.execute("PRAGMA foreign_keys = OFF")
        for sql in statements:
            other.execute(sql)
        return other.changes()


def _faults(path):
    with _opened(path.parent) as memory:
        return memory.maintenance.doctor().faults


def _columns(original):
    with closing(apsw.Connection(str(original))) as db:
        return [
            (table.name, name, kind)
            for table in TABLES
            for _, name, kind, *_ in db.execute(f"PRAGMA table_info({table.name})").fetchall()
            if name != "rowid" and db.execute(f"SELECT count(*) FROM {table.name}").fetchone() != (0,)
        ]


def _learn(memory, by, folder, rng):
    list(memory.learn([write_roles(folder, f"c{rng.randrange(3)}", rng.sample(TURNS, 2))]))


def _decide(memory, by, folder, rng):
    proposal = rng.choice(memory.review.queue()).proposal
    act = rng.choice((memory.review.approve, memory.review.reject))
    act([proposal.id], by, seen={proposal.id: proposal.version})


def _deprecate_and_bring_back(memory, by, folder, rng):
    one = _any_record(memory, rng)
    memory.delete([one], by)
    if rng.random() < 0.5:
        memory.bring_back([one], by)


def _export_and_import(memory, by, folder, rng):
    path = folder / f"export-{rng.random()}"
    memory.exchange.export_to(path)
    memory.exchange.import_from(path, by)


def _back_up_and_restore(memory, by, folder, rng):
    path = folder / f"backup-{rng.random()}"
    memory.exchange.backup(path)
    memory.remember("The gate is open.", said_by="user")
    memory.exchange.restore(path, open_store, by)


def _any_record(memory, rng):
    return rng.choice(memory.list()).id


ACTS = {
    "remember": lambda memory, by, folder, rng: memory.remember(rng.choice(WORDS), said_by="user"),
    "observe": lambda memory, by, folder, rng: memory.remember(rng.choice(WORDS), said_by="tool"),
    "learn": _learn,
    "decide": _decide,
    "erase": lambda memory, by, folder, rng: memory.erase(by, records=[_any_record(memory, rng)]),
    "undo": lambda memory, by, folder, rng: memory.undo(rng.choice(memory.log(5)).act_id, by),
    "deprecate": _deprecate_and_bring_back,
    "recall": lambda memory, by, folder, rng: memory.recall("port of postgres"),
    "maintain": lambda memory, by, folder, rng: memory.maintenance.maintain(),
    "relearn": lambda memory, by, folder, rng: memory.relearn(),
    "import": _export_and_import,
    "restore": _back_up_and_restore,
    "reviewer": lambda memory, by, folder, rng: memory.reviewers.add("ben", SECRET + " staple", by),
}


@settings(max_examples=12, deadline=None)
@given(steps=st.lists(st.sampled_from(list(ACTS)), min_size=4, max_size=14), rng=st.randoms(use_true_random=True))
def test_no_act_of_the_program_raises_an_alarm(tmp_path_factory, steps, rng):
    """Whatever is done in whatever order, the doctor finds every row as its digest says."""
    folder = tmp_path_factory.mktemp("acts")
    with _opened(folder / "home") as memory:
        memory.reviewers.add("ana", SECRET)
        memory.remember(WORDS[0], said_by="user")
        for step in steps:
            with suppress(DopejarError, IndexError):  # refused, or nothing to act on
                ACTS[step](memory, memory.reviewers.unlock(SECRET), folder, rng)
        assert memory.maintenance.doctor().faults == ()
    shutil.rmtree(folder)


def test_any_changed_value_of_truth_is_named(original, tmp_path):
    """One value changed by hand, in any column of any table of truth: a fault names the table, and the row."""
    silent = []
    for table, column, kind in _columns(original):
        path = _copy(original, tmp_path)
        value = {"INTEGER": f"{column} + 7", "REAL": f"{column} / 2 + 0.01"}.get(kind, f"'x' || substr({column}, 2)")
        there = f"{column} IS NOT NULL" + (" AND key = 'secret'" if table == "meta" else "")
        row = f"{_first(table)} = (SELECT max({_first(table)}) FROM {table} WHERE {there})"
        if _change(path, f"UPDATE OR IGNORE {table} SET {column} = {value} WHERE {row} AND {there}"):
            also = {"record_states": "states", "records": "counts"}.get(table, table)
            if not {fault.what for fault in _faults(path)} & {table, also}:
                silent.append((table, column))
    assert silent == []


@pytest.mark.parametrize("table", [t.name for t in TABLES if t.name not in ("meta", "shared_references")])
def test_a_removed_row_is_noticed(original, tmp_path, table):
    """A row deleted by hand is named, and noticed where its digest was deleted with it."""
    key = f"(SELECT min({_first(table)}) FROM {table})"
    path = _copy(original, tmp_path)
    assert _change(path, f"DELETE FROM {table} WHERE {_first(table)} = {key}")
    assert table in {fault.what for fault in _faults(path)}
    path = _copy(original, tmp_path)
    number = next(t.number for t in TABLES if t.name == table)
    _change(
        path,
        f"DELETE FROM row_digests WHERE source = {number}",
        f"DELETE FROM {table}",
    )
    assert table in {fault.what for fault in _faults(path)}


def _first(table):
    return next(t.keys[0] for t in TABLES if t.name == table)


def test_an_added_row_is_named(original, tmp_path):
    """A reviewer added by hand is named."""
    path = _copy(original, tmp_path)
    _change(path, "INSERT INTO reviewers SELECT 'mallory', passphrase_hash FROM reviewers")
    (fault,) = _faults(path)
    assert (fault.what, "mallory" in fault.detail, "added" in fault.detail) == ("reviewers", True, True)


def test_an_older_row_with_its_digest_is_noticed(original, tmp_path):
    """Rows that are put back as an older copy has them, digests and all, do not fit the sums."""
    path = _copy(original, tmp_path)
    with _opened(path.parent) as memory:
        memory.delete([memory.list()[0].id], memory.reviewers.unlock(SECRET))
    statements = [f"ATTACH '{original}' AS old"]
    for table in ("records", "record_states", "row_digests"):
        statements += [f"DELETE FROM {table}", f"INSERT INTO {table} SELECT * FROM old.{table}"]
    _change(path, *statements)
    assert "records" in {fault.what for fault in _faults(path)}
    _change(path, *statements, f"REPLACE INTO meta SELECT * FROM old.meta WHERE key = '{META_KEY}'")
    assert "ledger" in {fault.what for fault in _faults(path)}


def test_a_later_write_does_not_hide_what_was_changed(original, tmp_path):
    """A row changed by hand stays a fault when the program writes it again."""
    path = _copy(original, tmp_path)
    _change(path, "UPDATE evidence SET trust = 0.9", "UPDATE records SET trust = 0.9")
    with _opened(path.parent) as memory:
        record = next(record for record in memory.list() if record.text == "The lamp is red")
        memory.remember("The lamp is red.", said_by="user")
        faults = {fault.what: fault.detail for fault in memory.maintenance.doctor().faults}
    assert record.id in faults["evidence"]
    assert record.id in faults["records"]


ALTERED = {
    "records:m_": "UPDATE records SET text = 'The lamp is blue', trust = 0.9 WHERE text = 'The lamp is red'",
    "episodes:e_": "UPDATE episodes SET text = 'The lamp is blue.', speaker = 'eve' WHERE text = 'The lamp is red.'",
    "evidence:m_": "UPDATE evidence SET trust = 0.9 WHERE wording = 'The lamp is red'",
    "reviewers:mallory": "INSERT INTO reviewers SELECT 'mallory', passphrase_hash FROM reviewers",
    "held:note one": "DELETE FROM held WHERE kind = 'note'",
}


@pytest.mark.parametrize("name", ALTERED)
def test_a_reviewer_accepts_an_altered_row(original, tmp_path, name):
    """It stays named until a reviewer accepts it, row by row; then all is well, and the ledger says who."""
    path = _copy(original, tmp_path)
    assert _change(path, ALTERED[name]) == 1
    table = name.partition(":")[0]
    with _opened(path.parent) as memory:
        (detail,) = {
            one.detail for one in memory.maintenance.doctor().faults if one.what == table and "outsi" in one.detail
        }
        row = f"{table}:{detail.partition(': ')[2]}"
        assert row.replace('["note","one"]', "note one").startswith(name)
        by = memory.reviewers.unlock(SECRET, name="ana")
        with pytest.raises(ReviewerRequiredError):
            memory.maintenance.accept_row(row, Reviewer(name="ana", credential="made up"))
        for other in ("records:m_none", f"links:{row.partition(':')[2]}", row + "x", ""):
            with pytest.raises(NotFoundError):
                memory.maintenance.accept_row(other, by)
        assert memory.maintenance.doctor().faults != ()
        memory.maintenance.accept_row(row, by)
        assert memory.maintenance.doctor(repair=True).faults == ()
        act = memory.log(1)[0]
        assert (act.actions, act.approver) == (("row_accepted",), "ana")
        assert "lamp" not in str(act)
        memory.verify()
        # an altered turn is found by its new words, and leads to the memory that it was evidence of
        assert ("lamp" in memory.recall("blue").text) == ("blue" in ALTERED[name])
        memory.remember("The lamp is red.", said_by="user")
        assert memory.maintenance.doctor().faults == ()


def test_an_accepted_memory_has_both_versions(original, tmp_path):
    """What it said before it was altered stays in its history; what was changed by hand counts from then on."""
    path = _copy(original, tmp_path)
    _change(path, "UPDATE records SET status = 'deprecated', value = 'blue' WHERE text = 'The lamp is red'")
    with _opened(path.parent) as memory:
        (record,) = (one for one in memory.list(RecordFilter(statuses=(Status.DEPRECATED,)), 9) if "lamp" in one.text)
        memory.maintenance.accept_row(f"records:{record.id}", memory.reviewers.unlock(SECRET))
        assert [fault for fault in memory.maintenance.doctor().faults if not fault.repairable] == []
        assert [state.record.status for state in memory.history(record.id).states] == [Status.ACTIVE, Status.DEPRECATED]


def test_a_replaced_secret_is_one_fault(original, tmp_path):
    """Where no digest fits, the secret is named and not every row."""
    path = _copy(original, tmp_path)
    _change(path, "UPDATE meta SET value = hex(randomblob(32)) WHERE key = 'secret'")
    assert [fault.what for fault in _faults(path)].count("meta") == 1


def test_a_cut_ledger_is_noticed(original, tmp_path):
    """The end of the ledger cannot be cut, nor can an entry be added, without a noted head."""
    path = _copy(original, tmp_path)
    _change(path, "DELETE FROM ledger WHERE seq = (SELECT max(seq) FROM ledger)")
    assert "ledger" in {fault.what for fault in _faults(path)}


def test_a_store_without_digests_gets_them(original, tmp_path):
    """A store of the third schema gets the digests of its rows when it is opened; a later change is named."""
    path = tmp_path / "home" / "dopejar.db"
    path.parent.mkdir()
    with closing(apsw.Connection(str(path))) as db:
        db.pragma("journal_mode", "wal")
        for step in schema.migrations()[:3]:
            db.execute(step.sql)
        db.execute(f"ATTACH '{original}' AS old; PRAGMA foreign_keys = OFF")
        for table in _COPIED:
            columns = ", ".join(row[1] for row in db.execute(f"PRAGMA main.table_info({table})"))
            db.execute(f"INSERT INTO {table} ({columns}) SELECT {columns} FROM old.{table}")
        db.execute(f"DELETE FROM meta WHERE key = '{META_KEY}'")
        db.execute("CREATE TABLE migrations AS SELECT * FROM old.migrations WHERE number <= 3")
        db.pragma("user_version", 3)
    assert [fault for fault in _faults(path) if not fault.repairable] == []
    _change(path, "UPDATE episodes SET speaker = 'ana' WHERE rowid = 2")
    assert [fault.what for fault in _faults(path) if not fault.repairable] == ["episodes"]


ODD = {
    "records.kind": "UPDATE records SET kind = 'xule' WHERE rowid = 1",
    "records.valid_from": "UPDATE records SET valid_from = 'soon' WHERE rowid = 1",
    "records.valid_from without zone": "UPDATE records SET valid_from = '2026-01-01' WHERE rowid = 1",
    "records.tags": "UPDATE records SET tags = '{' WHERE rowid = 1",
    "records.tags other JSON": "UPDATE records SET tags = '{}' WHERE rowid = 1",
    "records.attributes": "UPDATE records SET attributes = '[1]' WHERE rowid = 1",
    "records.scope": "UPDATE records SET scope = 'x' WHERE rowid = 1",
    "episodes.origin": "UPDATE episodes SET origin = 'xser' WHERE rowid = 1",
    "episodes.text": "UPDATE episodes SET text = CAST(x'ff' AS TEXT) WHERE rowid = 1",
    "conversations.namespace": "UPDATE conversations SET namespace = 'x' WHERE name LIKE 'one%'",
    "proposals.payload": "UPDATE proposals SET payload = '{' WHERE rowid = (SELECT min(rowid) FROM proposals)",
    "proposals.signals": "UPDATE proposals SET signals = 'null' WHERE rowid = (SELECT min(rowid) FROM proposals)",
    "record_states.image": "UPDATE record_states SET image = '[' WHERE rowid = 1",
    "evidence.role": "UPDATE evidence SET role = 'hints' WHERE rowid = 1",
    "ledger.at": "UPDATE ledger SET at = 'once' WHERE seq = 1",
    "edges.kind": "INSERT INTO edges VALUES ('a', 'b', 'xnows', '')",
}
COMMANDS = (
    ("recall", "harbour noon"), ("list",), ("status",), ("review", "list"), ("keys",), ("log",), ("hygiene",),
    ("remember", "Milk is white."), ("export", "{out}"), ("maintain",), ("log", "--verify"), ("list", "--tag", "x"),
)  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_one_odd_row_stops_no_command(original, tmp_path, monkeypatch, capsys, name):
    """Every command goes on without a row that cannot be read, and the doctor names the row's table."""
    path = _copy(original, tmp_path)
    _change(path, ODD[name])
    monkeypatch.setenv("DOPEJAR_HOME", str(path.parent))
    monkeypatch.setenv("DOPEJAR_EMBEDDER_KIND", "none")
    for words in COMMANDS:
        run([word.format(out=tmp_path / "out.jsonl") for word in words])
        said = capsys.readouterr()
        assert "nexpected" not in said.err + said.out, (words, said.err)
        if words[0] == "recall":
            assert "harbour" in said.out
    assert run(["doctor"]) == 1
    said = capsys.readouterr()
    assert f"fault: {name.partition('.')[0]}: " in said.out
    assert "nexpected" not in said.err + said.out


def test_digests_that_are_gone_with_their_table_are_noticed(original, tmp_path, monkeypatch, capsys):
    """The doctor says that no row has its digest, where somebody removed the table of digests."""
    path = _copy(original, tmp_path)
    _change(path, "DROP TABLE row_digests")
    monkeypatch.setenv("DOPEJAR_HOME", str(path.parent))
    assert run(["doctor"]) == 1
    said = capsys.readouterr()
    assert "fault: meta: No row has the digest" in said.out
    assert "no such table" not in said.err + said.out


def test_an_emptied_file_is_no_new_store(tmp_path):
    """A file of no or few bytes, where a store was, is refused with the way back; a backup restores it."""
    path = tmp_path / "home" / "dopejar.db"
    with _opened(path.parent) as memory:
        memory.reviewers.add("ana", SECRET)
        memory.remember("The lamp is red.", said_by="user")
        memory.exchange.backup(tmp_path / "backup.db")
    for left in (b"", b"S", b"SQLite format 3\0"):
        path.write_bytes(left)
        for read_only in (False, True):
            with pytest.raises(StoreDamagedError, match="restore"):
                open_memory(path.parent, environment={}, read_only=read_only)
    path.unlink()
    with _opened(path.parent) as memory:  # deleted on purpose
        assert memory.list() == ()


def test_an_emptied_file_is_restored_from_a_backup(tmp_path):
    """`restore` works where the file lost its content."""
    path = tmp_path / "store.db"
    with closing(SqliteStore.open(path)) as store:
        store.backup(tmp_path / "backup.db")
    path.write_bytes(b"")
    shutil.copyfile(tmp_path / "backup.db", tmp_path / "fresh.db")
    replace_database(tmp_path / "fresh.db", path)
    with closing(SqliteStore.open(path)) as store:
        assert store.check() == ()
