"""The command tree: every command explains itself, speaks JSON, and starts light."""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dopejar.doors.cli import overview
from dopejar.doors.cli.app import MODULES, app, build_app

HEAVY = (
    *("typer", "rich", "numpy", "apsw", "yaml", "pydantic", "secrets", "importlib.resources"),
    *("dopejar.engine", "dopejar.pipelines.ingest", "dopejar.values.turn_state", "dopejar.values.statement"),
    "dopejar.text.injection_detector",
)
ENTRY = "import sys; from dopejar.doors.cli.start import run; code = run(sys.argv[1:]);"
SHOW = f"print([one for one in {HEAVY!r} if one in sys.modules], file=sys.stderr); sys.exit(code)"


def leaves(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The words of every command that does something."""
    inside = getattr(command, "commands", None)
    if inside is None:
        yield words
        return
    for name, one in inside.items():
        yield from leaves(one, (*words, name))


LEAVES = list(leaves(importlib.import_module("typer.main").get_command(app)))


def test_every_promised_command_is_there() -> None:
    """The tree has each verb that the documents promise, and each is found without loading the others."""
    verbs = {words[0] for words in LEAVES}
    assert verbs == {word for words in MODULES.values() for word in words}
    for word in verbs:
        inside = importlib.import_module("typer.main").get_command(build_app(word))
        assert word in inside.commands


@pytest.mark.parametrize("words", [words for words in LEAVES if words[1:] in (("list",), ("show",))], ids=" ".join)
def test_shared_options_stand_before_or_after_a_subcommand(cli: Any, tmp_path: Path, words: tuple[str, ...]) -> None:
    """What a command of a group comes to is the same wherever its shared options stand."""
    shared = ("--home", str(tmp_path / "other"), "--json")
    placed = ((*words, *shared), (words[0], *shared, *words[1:]), (*shared, *words))
    first, *others = ((ran.code, ran.out) for ran in (cli(*one) for one in placed))
    assert all(other == first for other in others)


@pytest.mark.parametrize("asked", [(), ("--help",), ("-h",), ("help",)])
def test_the_first_screen_names_the_commands_in_use(cli: Any, asked: tuple[str, ...]) -> None:
    """It fits a small terminal, and says how to see the others."""
    shown = cli(*asked).out
    named = [name for _, commands in overview.GROUPS for name, _ in commands]
    assert all(f"\n  {name} " in shown for name in named)
    assert "dopejar help --all" in shown
    assert len(shown.splitlines()) <= 40
    assert max(map(len, shown.splitlines())) <= 80


def test_the_whole_help_names_every_command_once(cli: Any) -> None:
    """It names what the tree has, no more and no less."""
    shown = cli("help", "--all").out
    named = [name for _, commands in (*overview.GROUPS, *overview.FURTHER) for name, _ in commands]
    assert sorted(named) == sorted({words[0] for words in LEAVES})
    assert [line.split()[0] for line in shown.splitlines() if line.startswith("  ")] == named
    assert max(map(len, shown.splitlines())) <= 80


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_a_script_that_asks_for_what_fits(cli: Any, shell: str) -> None:
    """The script names the variable that the program answers to, and the program answers with commands that fit."""
    assert "_DOPEJAR_COMPLETE" in cli("completion", shell).out
    asked = {"COMP_WORDS": "dopejar rec", "COMP_CWORD": "1", "_TYPER_COMPLETE_ARGS": "dopejar rec"}
    fish = {"_TYPER_COMPLETE_FISH_ACTION": "get-args"} if shell == "fish" else {}
    ran = in_fresh_process(_DOPEJAR_COMPLETE=f"complete_{shell}", **asked, **fish)
    assert ran.returncode == 0
    assert "recall" in ran.stdout
    assert "review" not in ran.stdout


@pytest.mark.parametrize("words", [["review"], ["store"], ["reviewer"], ["store", "export"], ["recall"], ["learn"]])
def test_help_after_shared_options_is_help(cli: Any, words: list[str]) -> None:
    """Shared options before or between the words do not keep a command or a group from explaining itself."""
    plain = cli(*words, "--help")
    assert plain.code == 0
    for before in (["--home", "elsewhere"], ["--json", "--project", "shed"], ["--home=elsewhere", "-q"]):
        assert cli(*before, *words, "--help").out == plain.out
        assert cli(words[0], *before, *words[1:], "--help").out == plain.out


def test_a_short_option_asks_for_help(cli: Any) -> None:
    """`-h` does what `--help` does, for every command."""
    assert cli("recall", "-h").out == cli("recall", "--help").out


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_command_explains_itself_and_has_the_shared_options(words: tuple[str, ...]) -> None:
    """`--help` of every command ends well and names the shared options."""
    result = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    for option in ("--json", "--home", "--project", "--quiet"):
        assert option in result.output
    typed = [line for line in result.output.splitlines() if "<bool>" in line and "--help" not in line]
    assert not typed  # a flag takes no value


@pytest.mark.parametrize("words", LEAVES, ids=" ".join)
def test_every_command_answers_a_mistake_in_json(cli: Any, words: tuple[str, ...]) -> None:
    """An unknown option with `--json` is one JSON object with a sentence, and the exit code of wrong usage."""
    ran = cli(*words, "--no-such-option", "--json")
    assert ran.code == 2
    assert ran.data["ok"] is False
    assert ran.data["error"]["kind"] == "UsageError"
    assert "--no-such-option" in ran.data["error"]["message"]


def in_fresh_process(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A command line in a process of its own, which then says what heavy modules it loaded."""
    return subprocess.run(
        [sys.executable, "-c", ENTRY + SHOW, *words],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("word", ["--version", "-V"])
def test_version_loads_nothing_heavy(word: str) -> None:
    """The version comes without the command tree, the engine or a driver."""
    ran = in_fresh_process(word)
    assert ran.returncode == 0
    assert ran.stdout.startswith("dopejar ")
    assert ran.stderr.strip() == "[]"


def test_lexical_recall_loads_no_heavy_library() -> None:
    """A recall by words loads neither the command tree nor rich, numpy, pydantic, a YAML reader or what only learns."""
    ran = in_fresh_process("recall", "which port?", DOPEJAR_RECALL_MODE="lexical")
    assert ran.returncode == 0, ran.stderr
    loaded = ran.stderr.strip().splitlines()[-1]
    assert loaded == "['apsw', 'dopejar.engine']"


@pytest.mark.parametrize(
    "line", ["--json status", "status --json", "--json --home elsewhere status", "--quiet --json review"]
)
def test_shared_options_may_stand_before_the_command(cli: Any, line: str) -> None:
    """`dopejar --json status` is `dopejar status --json`."""
    ran = cli(*line.split())
    assert ran.code == 0
    assert ran.data["ok"] is True


def test_words_behind_two_dashes_are_no_options(cli: Any) -> None:
    """A shared option in front of the command does not end up in a text that begins with a dash."""
    ran = cli("--json", "remember", "--", "--json")
    assert json.loads(ran.out)["ok"] is True


def test_bare_program_shows_its_help(cli: Any) -> None:
    """Without any word the program lists its commands."""
    ran = cli()
    assert ran.code == 0
    assert "recall" in ran.out


def test_unknown_command_is_wrong_usage(cli: Any) -> None:
    """A command that does not exist is named, with the ones that are near, and exit code 2."""
    ran = cli("recal", "x")
    assert ran.code == 2
    assert "recall" in ran.err
    assert ". See `dopejar --help`." in ran.err.replace("? See", ". See")
    assert len(ran.err.strip().splitlines()) == 1
