"""Every fitted artefact of the package has a script that makes it, and no script is without an artefact."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from training.everything import STEPS, Step, make

ROOT = Path(__file__).resolve().parents[3]
PACKAGE = ROOT / "src" / "dopejar"
README = (ROOT / "training" / "README.md").read_text("utf-8")
COMMANDS = set(re.findall(r"python -m training\.(\w+)", README))


def test_every_script_is_listed_with_its_command():
    """The page of the training folder names each script, and names none that is missing."""
    modules = (ROOT / "training").glob("*.py")
    assert {path.stem for path in modules if '__name__ == "__main__"' in path.read_text("utf-8")} == COMMANDS


def test_one_command_makes_everything():
    """Each script is a step of the whole; those that are not count sentences, or need sets that are not here."""
    made = {step.command.split()[0] for step in STEPS}
    assert made == COMMANDS - {"everything", "reader_data", "ranking_weights"}
    assert {path for step in STEPS for path in step.files if not (PACKAGE / path).is_file()} == set()


def test_what_was_made_is_not_made_again(tmp_path):
    """A step that ran to its end before tells its time and runs no script."""
    (tmp_path / "sides.seconds").write_text("61 58", "utf-8")
    assert make(Step("sides", "no_script"), tmp_path, tmp_path) == "61 58"


def test_every_factor_file_is_listed():
    """A binary artefact of the package stands in the table of the training folder."""
    patterns = [re.escape(name).replace(r"\*", ".*") for name in re.findall(r"`([\w/*.-]+\.npz)`", README)]
    shipped = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.npz")]
    assert shipped
    assert [name for name in shipped if not any(re.fullmatch(pattern, name) for pattern in patterns)] == []


def test_every_mention_of_a_training_script_leads_somewhere():
    """A module or data file that names a training script names one that exists."""
    mentions = {
        name
        for path in PACKAGE.rglob("*")
        if path.suffix in {".py", ".toml"}
        for name in re.findall(r"training[/.](\w+?)(?:\.py)?`", path.read_text("utf-8"))
    }
    assert mentions <= COMMANDS | {"data"}
    assert mentions


def test_wheel_has_the_package_alone():
    """Neither training nor benchmarks are installed with the program."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"] == {"packages": ["src/dopejar"]}
