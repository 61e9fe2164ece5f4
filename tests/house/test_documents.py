"""The documents are complete: commands, options, settings, errors and dependencies are described, and links lead on."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from house_rules import ROOT, tracked_files

import dopejar.errors
from dopejar.values.proposal import Action
from dopejar.values.record import Kind, Status

DOCS = ROOT / "docs"
PAGES = [path for path in tracked_files() if path.suffix == ".md"]
LINK = re.compile(r"\[[^\]]*\]\((?!https?://|mailto:|#)([^)#\s]+)")


def generator() -> ModuleType:
    """docs/generate.py as a module."""
    spec = importlib.util.spec_from_file_location("generate", DOCS / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = generator()


def test_generated_parts_are_up_to_date() -> None:
    """The pages say exactly what commands and settings there are; `make docs` writes them anew."""
    stale = [path.name for path, text in GENERATOR.pages().items() if path.read_text("utf-8") != text]
    assert stale == [], "run `make docs`"


def test_every_command_argument_and_option_is_explained() -> None:
    """Each visible command, option and argument has a help text, and each command speaks `--json`."""
    faults = []
    for name, command in GENERATOR.commands():
        faults += [f"dopejar {name}"] if not (command.help or "").strip() else []
        faults += [f"dopejar {name} {param.name}" for param in command.params if not (param.help or "").strip()]
        options = {opt for param in command.params for opt in param.opts}
        is_group = getattr(command, "commands", None) is not None
        faults += [f"dopejar {name} lacks --json"] if not is_group and "--json" not in options else []
    assert faults == []


def test_every_setting_is_explained() -> None:
    """Each setting has a meaning of its own, and keys are unique."""
    settings = importlib.import_module("dopejar.settings").SETTINGS
    assert [one.key for one in settings if len(one.meaning.split()) < 3] == []
    assert len({one.key for one in settings}) == len(settings)


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
