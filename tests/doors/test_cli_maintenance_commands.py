"""maintain, doctor, backup, restore, export, import, models, config, bench, and how the program ends when it has to."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from command_line import Cli, add_reviewer

from dopejar.bench import ingest, startup
from dopejar.doors.cli import benchmark_commands, start
from dopejar.errors import DopejarError, InputError
from dopejar.settings import SETTINGS

QUESTION = "which port does Postgres listen on?"


@pytest.fixture
def learned(cli: Cli, chat: Path) -> None:
    """The chat is learned."""
    assert cli("learn", str(chat)).code == 0


@pytest.mark.usefixtures("learned")
def test_maintain_and_doctor_find_all_well(cli: Cli) -> None:
    """Housekeeping ends well, and a sound store has no fault."""
    assert cli("maintain", "--json").data["expired"] == 0
    ran = cli("doctor", "--json")
    assert ran.code == 0
    assert ran.data["faults"] == []
    assert "No faults found" in cli("doctor", "--repair").out


@pytest.mark.usefixtures("as_reviewer")
def test_older_keys_are_listed_changed_and_given_back(cli: Cli, tmp_path: Path) -> None:
    """A store of today has none; those that an import brings are listed, changed in an act, and given back by undo."""
    assert cli("maintain", "--dry-run").code == 2
    cli("remember", "The gym opens at seven.", typed="")
    assert "Keys that changed: 0." in cli("maintain", "--keys").out
    cli("store", "export", str(tmp_path / "all.jsonl"))
    text = (tmp_path / "all.jsonl").read_text("utf-8")
    (key,) = {row["key"] for row in map(json.loads, text.splitlines()) if row["type"] == "record"}
    (tmp_path / "old.jsonl").write_text(text.replace(f'"{key}"', '"World-Fact-Seven-0a1b2c3d"'), "utf-8")
    other = ("--home", str(tmp_path / "other"))
    add_reviewer(tmp_path / "other")
    cli("store", "import", str(tmp_path / "old.jsonl"), *other)
    line = "World-Fact-Seven-0a1b2c3d -> "
    assert line in cli("maintain", "--keys", "--dry-run", *other).out
    done = cli("maintain", "--keys", *other).out
    assert line in done
    assert cli("maintain", "--keys", "--json", *other).data["changes"] == []
    assert cli("undo", done.split("dopejar undo ")[1].split()[0], *other).code == 0
    assert line in cli("maintain", "--keys", "--dry-run", *other).out
    rule = "{id: other-keys, when: {via: [unattended], action: [rekey], said_by: [tool]}, then: refuse}"
    (tmp_path / "own.yaml").write_text(f"version: 1\nrules: [{rule}]\n", "utf-8")
    assert cli("config", "set", "policy.file", str(tmp_path / "own.yaml"), *other).code == 0
    for _ in range(2):
        ran = cli("maintain", "--keys", *other)
        assert (ran.code, "it was refused: 1" in ran.out, "Keys that changed: 0." in ran.out) == (3, True, True)


@pytest.mark.usefixtures("learned")
def test_an_altered_row_is_accepted_by_a_reviewer(cli: Cli, home: Path, request: pytest.FixtureRequest) -> None:
    """The doctor says how; nobody without a passphrase does it, and afterwards the store is sound."""
    with closing(sqlite3.connect(home / "dopejar.db")) as db, db:
        db.execute("UPDATE conversations SET format = 'other'")
        (name,) = db.execute("SELECT id FROM conversations").fetchone()
    assert "--accept TABLE:ROW" in cli("doctor").out
    accepting = ("doctor", "--accept", f"conversations:{name}")
    assert cli(*accepting).code == 3
    request.getfixturevalue("as_reviewer")
    assert cli("doctor", "--accept", f"records:{name}").code == 5
    assert "No faults found" in cli(*accepting).out
    assert "row_accepted" in cli("log").out


@pytest.mark.usefixtures("learned", "as_reviewer")
def test_backup_and_restore_bring_the_same_back(cli: Cli, tmp_path: Path) -> None:
    """What was there at the backup is there after the restore; an existing file is never overwritten."""
    copy = tmp_path / "copy.db"
    assert cli("store", "backup", str(copy)).code == 0
    assert cli("store", "backup", str(copy)).code == 2
    before = cli("list", "--json").data["records"]
    cli("undo", "--conversation", "planning")
    assert cli("store", "restore", str(copy)).code == 0
    assert cli("list", "--json").data["records"] == before
    assert cli("store", "restore", str(tmp_path / "none.db")).code == 5


@pytest.mark.usefixtures("learned", "as_reviewer")
def test_a_damaged_file_is_named_and_replaced_by_a_backup(cli: Cli, home: Path, tmp_path: Path) -> None:
    """Where the data file cannot be opened, `doctor` says so, and a backup can still be put in its place."""
    copy, data = tmp_path / "copy.db", home / "dopejar.db"
    cli("store", "backup", str(copy))
    before = cli("list", "--json").data["records"]
    damaged = b"no database any more " * 1000
    data.write_bytes(damaged)
    found = cli("doctor", "--json")
    assert found.code == 1
    assert found.data["ok"] is False
    assert found.data["faults"]
    assert found.data["error"]["message"]
    assert "dopejar store restore" in cli("doctor").out
    assert cli("store", "restore", str(tmp_path / "none.db")).code == 5
    assert cli("store", "restore", str(data)).code == 1
    ran = cli("store", "restore", str(copy), "--json")
    assert ran.code == 0, ran.out
    assert ran.data["was_damaged"]
    assert cli("list", "--json").data["records"] == before
    assert data.with_name("dopejar.db.before-restore").read_bytes() == damaged
    assert cli("doctor").code == 0


@pytest.mark.usefixtures("learned", "as_reviewer")
def test_a_damaged_file_is_not_replaced_by_just_anybody(
    cli: Cli, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The backup's own reviewers decide; without one the damaged file stays."""
    copy, data = tmp_path / "copy.db", home / "dopejar.db"
    cli("store", "backup", str(copy))
    data.write_bytes(b"no database any more " * 1000)
    monkeypatch.setenv("DOPEJAR_REVIEWER_SECRET", "somebody else's words")
    assert cli("store", "restore", str(copy)).code == 3
    assert data.read_bytes().startswith(b"no database")


@pytest.mark.parametrize("line", ["store backup {}/no/such/x.db", "store export {}/no/such/x.jsonl"])
def test_a_place_that_is_not_there_is_named(cli: Cli, tmp_path: Path, line: str) -> None:
    """Writing into a directory that does not exist is one sentence that names it, and nothing unexpected."""
    ran = cli(*line.format(tmp_path).split())
    assert ran.code == 2
    assert "no/such" in ran.err
    assert "Unexpected error" not in ran.err


@pytest.mark.usefixtures("as_reviewer")
def test_a_missing_export_is_not_found(cli: Cli, tmp_path: Path) -> None:
    """A file that is not there is code 5, as everywhere."""
    assert cli("store", "import", str(tmp_path / "none.jsonl")).code == 5


@pytest.mark.usefixtures("learned", "as_reviewer")
def test_export_and_import_into_another_directory(cli: Cli, tmp_path: Path) -> None:
    """An export holds everything as JSON lines, and another store takes it in one act."""
    file = tmp_path / "out.jsonl"
    assert cli("store", "export", str(file)).code == 0
    assert all(json.loads(line) for line in file.read_text("utf-8").splitlines())
    assert cli("store", "export", str(file)).code == 2
    other = str(tmp_path / "other")
    add_reviewer(tmp_path / "other")
    listed = cli("store", "import", str(file), "--home", other, "--dry-run")
    assert "in force at once" in listed.out
    assert "5433" in listed.out
    assert not cli("list", "--home", other, "--json").data["records"]
    ran = cli("store", "import", str(file), "--home", other, "--json")
    assert ran.code == 0, ran.out
    assert ran.data["act_id"]
    assert "5433" in cli("recall", QUESTION, "--home", other).out
    file.write_text("no export\n", "utf-8")
    assert cli("store", "import", str(file), "--home", other).code == 2


def test_models_are_listed_and_a_wrong_source_is_refused(cli: Cli, tmp_path: Path) -> None:
    """What is not installed is said to be so; a source that holds no model, or an unknown name, installs nothing."""
    listed = cli("models", "--json").data["models"]
    assert [one["path"] for one in listed] == [None, None]
    for one in listed:
        assert cli("models", "install", one["name"], "--from", str(tmp_path / "nowhere")).code == 5
    unknown = cli("models", "install", "nothing")
    assert unknown.code == 5
    assert listed[0]["name"] in unknown.err
    assert cli("models", "reembed").code == 1


def test_settings_are_listed_read_and_written(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each setting has a value and a source; a written one holds from then on; the environment overrides it."""
    listed = cli("config", "--json").data["settings"]
    assert {one["key"] for one in listed} == {one.key for one in SETTINGS}
    assert cli("config", "get", "recall.budget").out.strip() == "1024"
    assert cli("config", "set", "recall.budget", "2000").code == 0
    assert cli("config", "get", "recall.budget").out.strip() == "2000"
    monkeypatch.setenv("DOPEJAR_RECALL_BUDGET", "500")
    overridden = cli("config", "set", "recall.budget", "3000")
    assert "DOPEJAR_RECALL_BUDGET" in overridden.err
    assert cli("config", "get", "recall.budget", "--json").data["value"] == 500


@pytest.mark.parametrize("line", ["config get no.such", "config set recall.budget lots", "config set recall.bugdet 5"])
def test_wrong_settings_are_wrong_usage(cli: Cli, line: str) -> None:
    """An unknown key or an impossible value is named, and nothing is written."""
    ran = cli(*line.split())
    assert ran.code == 2
    assert len(ran.err.strip().splitlines()) == 1
    assert cli("config", "get", "recall.budget", "--json").data["source"] == "default"


# -- measuring ---------------------------------------------------------------------------------------------------------


def test_bench_lists_what_it_measures(cli: Cli) -> None:
    """Without a name the measurements are listed; an unknown one, or a missing option, is wrong usage."""
    assert set(cli("bench", "--json").data["benches"]) == set(benchmark_commands.BENCHES)
    assert cli("bench", "nonsense").code == 2
    assert "--data" in cli("bench", "ingest").err
    assert "--out" in cli("bench", "startup", "--out", "x").err


def test_bench_of_starting_has_each_figure(cli: Cli) -> None:
    """The figures are those of fresh processes, each above that of a bare interpreter."""
    figures = cli("bench", "startup", "--rounds", "1", "--json").data
    assert set(startup.BARS_MS) <= {name.removesuffix("_ms") for name in figures}
    assert 0 < figures["interpreter_ms"] < figures["recall_ms"]


def test_bench_of_ingest_counts_the_turns_it_was_given(cli: Cli, chat: Path, tmp_path: Path) -> None:
    """Every turn of the folder is taken in; the raw commit and `remember` are measured equally often."""
    folder = tmp_path / "data" / "set"
    folder.mkdir(parents=True)
    (folder / "turns.jsonl").write_bytes(chat.read_bytes())
    figures = ingest.run(tmp_path / "data", rounds=3)
    assert figures["turns"] == 5
    assert figures["remembered"] == 3
    with pytest.raises(InputError, match="neutral"):
        ingest.run(tmp_path / "here")
    shown = cli("bench", "ingest", "--data", str(tmp_path / "data"), "--rounds", "2").out
    assert "median_ms_per_turn" in shown


def test_figures_are_shown_as_names_tables_and_parts() -> None:
    """Single figures, lists of figures and nested parts all come out."""
    figures = {"a": 1.5, "rows": [{"n": 1, "ms": 0.25}], "part": {"b": 2, "of": [1, 2]}}
    lines = list(benchmark_commands.figure_lines(figures))
    assert lines == ["a  1.5", "rows", "n  ms", "1  0.25", "part.b   2", "part.of  1, 2"]


# -- how it ends -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("as_json", [True, False])
def test_every_error_of_the_tree_is_one_sentence(cli: Cli, as_json: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any error of ours ends with its own exit code and its sentence: on the side, or as the one JSON object."""
    waiting = [DopejarError]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()

        def fail(_: object, kind: type[DopejarError] = kind) -> int:
            raise kind("It is so. Do this.")

        monkeypatch.setattr(start, "_dispatch", fail)
        ran = cli("status", *(["--json"] if as_json else []))
        assert ran.code == kind.exit_code
        if as_json:
            assert ran.data == {"ok": False, "error": {"kind": kind.__name__, "message": "It is so. Do this."}}
            assert ran.err == ""
        else:
            assert (ran.out, ran.err) == ("", "It is so. Do this.\n")


def test_unexpected_fault_is_a_sentence_with_a_way_to_the_trace(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault nobody thought of ends with 1 and one line that names it; DOPEJAR_DEBUG shows where it was."""

    def fail(_: object) -> int:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(start, "_dispatch", fail)
    ran = cli("status")
    assert ran.code == 1
    assert "ZeroDivisionError: of all things" in ran.err
    assert start.DEBUG_VARIABLE in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    monkeypatch.setenv(start.DEBUG_VARIABLE, "1")
    with pytest.raises(ZeroDivisionError):
        cli("status")


def test_interrupt_says_that_it_can_be_gone_on_with(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """Control-C ends with 130 and one sentence."""

    def stop(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(start, "_dispatch", stop)
    ran = cli("learn", "x")
    assert ran.code == 130
    assert "Interrupted." in ran.err


def program(*words: str) -> list[str]:
    """The program in a process of its own."""
    return [sys.executable, "-m", "dopejar.doors.cli", *words]


def test_closed_pipe_is_quiet(cli: Cli) -> None:
    """When the reader has enough, the program ends without a word."""
    assert cli("config").code == 0
    with subprocess.Popen(program("config"), stdout=subprocess.PIPE, stderr=subprocess.PIPE) as ran:
        assert ran.stdout
        assert ran.stderr
        ran.stdout.close()
        assert ran.stderr.read() == b""
    assert ran.returncode == start.PIPE_CLOSED


def test_terminal_without_unicode_shows_numbers_instead_of_failing(cli: Cli) -> None:
    """A stored letter that the output cannot show does not end the program, and JSON stays JSON."""
    cli("remember", "I prefer Übersicht over café.", typed="")
    narrow = {**os.environ, "PYTHONIOENCODING": "ascii"}
    shown = subprocess.run(program("list"), env=narrow, capture_output=True, check=False)
    assert shown.returncode == 0
    data = subprocess.run(program("list", "--json"), env=narrow, capture_output=True, check=False)
    assert "Übersicht" in json.loads(data.stdout)["records"][0]["text"]


def test_stopped_import_is_resumed_by_the_same_command(cli: Cli, chat: Path, tmp_path: Path) -> None:
    """A learn that is interrupted leaves whole batches behind, and the same command goes on to the same end."""
    rows = [json.loads(line) for line in chat.read_text("utf-8").splitlines()]
    long = tmp_path / "long.jsonl"
    with long.open("w", encoding="utf-8") as file:
        for session in range(120):
            for row in rows:
                changed = {**row, "session": f"s{session}", "turn_id": f"s{session}:{row['index']}"}
                file.write(json.dumps({**changed, "text": f"{row['text'][:-1]} for topic {session}."}) + "\n")
    learning = subprocess.Popen(program("learn", str(long)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while learning.poll() is None and not cli("status", "--json").data["sizes"]["episodes"]:
        continue
    learning.send_signal(signal.SIGINT)
    _, said = learning.communicate()
    kept = cli("status", "--json").data["sizes"]["episodes"]
    assert learning.returncode in (0, start.INTERRUPTED), said
    assert (b"Interrupted." in said) == (learning.returncode == start.INTERRUPTED)
    assert cli("doctor").code == 0
    again = cli("learn", str(long), "--json")
    assert again.code == 0
    assert again.data["totals"]["kept"]["new"] == 600 - kept
    assert cli("status", "--json").data["sizes"]["episodes"] == 600


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_directory_that_cannot_be_written_still_recalls(cli: Cli, chat: Path, home: Path) -> None:
    """A data directory without write permission is read, and writing says what is wrong."""
    cli("learn", str(chat))
    home.chmod(0o500)
    try:
        assert "5433" in cli("recall", QUESTION).out
        assert cli("remember", "I prefer dark mode.", typed="").code == 1
    finally:
        home.chmod(0o700)


def test_home_that_is_a_file_is_wrong_usage(cli: Cli, tmp_path: Path) -> None:
    """The data directory must be a directory."""
    (tmp_path / "file").write_text("x", "utf-8")
    ran = cli("status", "--home", str(tmp_path / "file"))
    assert ran.code == 2
    assert "directory" in ran.err


def test_damaged_store_is_named_with_the_next_step(cli: Cli, home: Path) -> None:
    """A data file that is no database gives one sentence, not a trace."""
    home.mkdir()
    (home / "dopejar.db").write_bytes(b"not a database at all, only some words " * 200)
    ran = cli("recall", QUESTION)
    assert ran.code == 1
    assert len(ran.err.strip().splitlines()) == 1
    assert "dopejar" in ran.err


@pytest.mark.parametrize("command", ["export", "backup"])
def test_the_output_is_no_file(cli: Cli, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` is refused with a sentence; no file of that name appears."""
    monkeypatch.chdir(tmp_path)
    ran = cli("store", command, "-")
    assert ran.code == 2
    assert "Name a new file" in ran.err
    assert not (tmp_path / "-").exists()


@pytest.mark.usefixtures("learned")
def test_what_was_learned_is_divided_into_blocks(cli: Cli) -> None:
    """Learning does so, and gardening again changes nothing; lists show blocks and tags, `show` one of them."""
    blocks = cli("list", "--blocks", "--json").data["blocks"]
    assert {block["state"] for block in blocks} == {"archived"}
    assert blocks[0]["label"] in cli("list", "--blocks").out
    assert cli("list", "--tags").code == 0
    assert cli("list", "--tags", "--view", "keys").code == 2
    assert cli("garden", "--json").data["results"] == []
    named = blocks[0]["id"][:8]
    assert cli("garden", named, "--json").data["block_id"] == blocks[0]["id"]
    assert cli("garden", "--end").code == 2
    shown = cli("show", named, "--json").data
    assert (shown["id"], len(shown["turn_ids"])) == (blocks[0]["id"], blocks[0]["turns"])
    text = cli("show", named).out
    assert all(part in text for part in (blocks[0]["id"], blocks[0]["summary"][:40], "turn  said"))
    assert cli("show", "b_nothing").code == cli("garden", "b_nothing").code == 5


@pytest.mark.usefixtures("as_reviewer")
def test_dossiers_are_joined_and_parted(cli: Cli) -> None:
    """A reviewer says that two subjects are one, and that a fact belongs elsewhere; undo takes both back."""
    for text in ("Project Merlin runs on port 7001.", "Project Falcon runs on port 7002."):
        cli("remember", text)
    cli("review", "list")
    assert cli("review", "approve", "all").code == 0
    assert cli("dossier", "merge", "Merlin", "Falcon").code == 0
    assert {"Merlin", "Falcon"} <= set(cli("show", "Falcon", "--json").data["names"])
    facts = cli("show", "Falcon", "--json").data["facts"]
    moved = next(one["record_id"] for one in facts if "7001" in one["text"])
    assert cli("dossier", "split", moved, "--into", "Heron").code == 0
    assert [one["record_id"] for one in cli("show", "Heron", "--json").data["facts"]] == [moved]
    act = cli("log", "--limit", "1", "--json").data["acts"][0]["act_id"]
    assert cli("undo", act).code == 0
    assert cli("show", "Heron").code == 5
    assert cli("dossier", "--json").data == cli("list", "--view", "dossiers", "--json").data
