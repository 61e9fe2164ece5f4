"""`docs/histories.md`, line by line, as a person types it into an empty memory, with and without a model."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Cli

PAGE = (Path(__file__).parents[2] / "docs" / "histories.md").read_text("utf-8")
HISTORIES = re.findall(r"^```console\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
STEP = re.compile(r"^\$ (.*)\n", re.MULTILINE)


@pytest.mark.parametrize("history", HISTORIES)
def test_memory_answers_what_the_page_shows(history: str, cli: Cli) -> None:
    """Each command of a history prints what stands below it."""
    _type(history, cli)


@pytest.mark.parametrize("history", HISTORIES)
def test_it_answers_so_with_a_model(
    history: str, cli: Cli, home: Path, installed_weights: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With an installed model, each command prints the same."""
    monkeypatch.delenv("DOPEJAR_HOME")  # the models of whoever runs the test
    weights = installed_weights()
    monkeypatch.setenv("DOPEJAR_HOME", str(home))
    home.mkdir()
    (home / "models").symlink_to(weights.parent)
    monkeypatch.setenv("DOPEJAR_EMBEDDER_KIND", "minilm")
    _type(history, cli)


def _type(history: str, cli: Cli) -> None:
    _, *rest = STEP.split(history)
    assert rest
    for line, shown in zip(rest[::2], rest[1::2], strict=True):
        printed = ""
        for place, command in enumerate(line.split(" | ")):
            words = shlex.split(command)[1:]
            ran = cli(*words, piped=printed) if place else cli(*words, typed="")
            printed = ran.out + ran.err
        pattern = ".*".join(re.escape(" ".join(piece.split())) for piece in shown.split("..."))
        assert re.search(pattern, " ".join(printed.split())), f"{line} prints: {printed}"
