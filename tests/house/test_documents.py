"""The documents are complete: commands, options, settings, errors and dependencies are described, and links lead on."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from house_rules import ROOT, tracked_files

import dopejar.errors
from dopejar.values.proposal import Action
from dopejar.values.record import Kind, Status

DOCS = ROOT / "docs"
PAGES = [path for path in tracked_files() if path.suffix == ".md"]
LINK = re.compile(r"\[[^\]]*\]\((?!https?://|mailto:|#)([^)#\s]+)")


def commands() -> Iterator[tuple[str, list[str]]]:
    """(words after `dopejar`, long option names) of every visible command of the terminal door."""
    if importlib.util.find_spec("dopejar.doors") is None:
        return
    app = importlib.import_module("dopejar.doors.cli.app").app
    waiting = [("", importlib.import_module("typer.main").get_command(app))]
    while waiting:
        name, command = waiting.pop()
        children = getattr(command, "commands", {})
        waiting += [(f"{name} {child}".strip(), what) for child, what in children.items() if not what.hidden]
        if name:
            options = [opt for param in command.params for opt in param.opts if opt.startswith("--")]
            yield name, [opt for opt in options if opt not in ("--help", "--json")]


def settings() -> list[str]:
    """The dotted name of every setting."""
    if importlib.util.find_spec("dopejar.settings") is None:
        return []
    return [str(name) for name in importlib.import_module("dopejar.settings").SETTINGS]


def section(page: str, command: str) -> str:
    """The part of a page that stands under the heading of a command, or ''."""
    match = re.search(rf"^#+ `dopejar {re.escape(command)}`.*?(?=^#+ |\Z)", page, re.MULTILINE | re.DOTALL)
    return match.group(0) if match else ""


def test_every_command_and_option_is_documented() -> None:
    """docs/cli.md has a heading for each command, and names each of its options below it."""
    page = (DOCS / "cli.md").read_text("utf-8")
    missing = []
    for name, options in commands():
        text = section(page, name)
        missing += [f"dopejar {name}"] if not text else [f"dopejar {name} {o}" for o in options if f"`{o}" not in text]
    assert missing == []


def test_no_documented_command_is_gone() -> None:
    """docs/cli.md describes no command that does not exist."""
    there = {name for name, _ in commands()}
    page = (DOCS / "cli.md").read_text("utf-8")
    documented = re.findall(r"^#+ `dopejar ([a-z -]+?)[` ]*$", page, re.MULTILINE)
    assert [name for name in documented if there and name not in there] == []


def test_every_setting_is_documented() -> None:
    """docs/settings.md has a row for each setting."""
    page = (DOCS / "settings.md").read_text("utf-8")
    assert [name for name in settings() if f"`{name}`" not in page] == []


def test_every_environment_variable_is_documented() -> None:
    """docs/settings.md names each `DOPEJAR_...` variable that the package reads."""
    page = (DOCS / "settings.md").read_text("utf-8")
    sources = [path.read_text("utf-8") for path in tracked_files() if path.is_relative_to(ROOT / "src")]
    names = {name for text in sources for name in re.findall(r"\bDOPEJAR_[A-Z][A-Z_]+\b", text)}
    assert sorted(name for name in names if f"`{name}`" not in page) == []


def test_every_dependency_has_its_reason() -> None:
    """docs/dependencies.md says of each declared package why it is there."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    groups = [project["project"]["dependencies"], *project["dependency-groups"].values()]
    groups += project["project"].get("optional-dependencies", {}).values()
    names = {re.split(r"[\s<>=!\[;]", line)[0].lower() for group in groups for line in group}
    page = (DOCS / "dependencies.md").read_text("utf-8").lower()
    assert sorted(name for name in names if not re.search(rf"^\| `{re.escape(name)}`", page, re.MULTILINE)) == []


def test_error_tree_is_drawn_whole() -> None:
    """The tree at the top of errors.py names every error, and each error says what happened and what to do."""
    classes = [
        value
        for _, value in inspect.getmembers(dopejar.errors, inspect.isclass)
        if value.__module__ == "dopejar.errors"
    ]
    drawn = set(re.findall(r"\b[A-Z]\w+Error\b", dopejar.errors.__doc__ or ""))
    assert drawn == {value.__name__ for value in classes}
    assert [value.__name__ for value in classes if len((value.__doc__ or "").split()) < 5] == []


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_links_lead_somewhere(page: Path) -> None:
    """A relative link in a document points to a file of the project."""
    targets = LINK.findall(page.read_text("utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_decisions_are_numbered_without_gaps() -> None:
    """Decision pages are numbered from 1, each listed in the index, each on one page."""
    pages = sorted((DOCS / "decisions").glob("[0-9]*.md"))
    index = (DOCS / "decisions" / "README.md").read_text("utf-8")
    assert [int(page.name[:4]) for page in pages] == list(range(1, len(pages) + 1))
    assert [page.name for page in pages if page.name not in index] == []
    assert [page.name for page in pages if len(page.read_text("utf-8").splitlines()) > 60] == []


def test_glossary_has_every_state_and_kind() -> None:
    """The glossary names each kind of record, each status and each action with the word the code uses."""
    page = (DOCS / "glossary.md").read_text("utf-8")
    words = [str(word) for enum in (Kind, Status, Action) for word in enum]
    assert sorted({word for word in words if f"`{word}`" not in page}) == []


def test_make_help_lists_the_verbs() -> None:
    """Each verb that people use stands in the Makefile with its line of help."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    verbs = ("help", "setup", "demo", "test", "check", "fmt", "bench", "lock")
    assert [verb for verb in verbs if not re.search(rf"^{verb}:.* ## \w", makefile, re.MULTILINE)] == []


def test_continuous_integration_calls_the_same_verb() -> None:
    """What integration runs is `make test`, as people do."""
    script = ROOT / ".ci" / "run"
    assert "make test" in script.read_text("utf-8").splitlines()
    assert script.stat().st_mode & 0o111
