"""What continuous integration runs: honest about the tests that could not run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = ("bash", "dirname", "env", "id", "timeout", "cat")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory of programs that is the whole PATH; `make` notes what it is asked for."""
    for name in TOOLS:
        found = shutil.which(name)
        assert found
        (tmp_path / name).symlink_to(found)
    stub(tmp_path, "make", f'echo "$@" >> {tmp_path}/made')
    return tmp_path


def stub(place: Path, name: str, body: str = "true") -> None:
    """A program of this name that does this, in the place of the link that may stand there."""
    path = place / name
    path.unlink(missing_ok=True)  # never written through: the link leads to the system's own
    path.write_text(f"#!{shutil.which('bash')}\n{body}\n", "utf-8")
    path.chmod(0o755)


def ran(place: Path, **more: str) -> tuple[int, list[str], str]:
    """The exit code, what `make` was asked for, and what was said."""
    done = subprocess.run(
        [str(place / "bash"), str(ROOT / ".ci" / "run")],
        env={"PATH": str(place), "HOME": os.environ["HOME"], **more},
        capture_output=True,
        text=True,
        check=False,
    )
    made = place / "made"
    return done.returncode, made.read_text("utf-8").split("\n")[:-1] if made.exists() else [], done.stdout + done.stderr


def test_with_a_browser_both_suites_run(place: Path) -> None:
    """Chromium and npm are there: the tests, those of the page, fresh examples, and no complaint."""
    stub(place, "chromium")
    stub(place, "npm")
    assert ran(place) == (0, ["test", "test-browser", "test-fresh"], "")


@pytest.mark.parametrize(("wanted", "code"), [("", 0), ("skip", 0), ("required", 1)])
def test_without_a_browser_it_is_said_loudly(place: Path, wanted: str, code: int) -> None:
    """Nothing can be installed: the page's tests are not claimed to have run, and fail where they are required."""
    got, made, said = ran(place, BROWSER=wanted)
    assert (got, made) == (code, ["test", "test-fresh"])
    assert "THE TESTS OF THE PAGE IN A BROWSER DID NOT RUN" in said
    assert wanted == "skip" or "lacking chromium npm: there is no apt-get" in said


def test_what_is_missing_is_installed(place: Path) -> None:
    """Only what is missing is asked of the package registry, and the tests run with it."""
    stub(place, "npm")
    stub(place, "id", "echo 0")
    stub(place, "apt-get", f'echo "$@" >> {place}/asked; [ "$1" = update ] || ln -s {place}/npm {place}/chromium')
    (place / "ln").symlink_to(str(shutil.which("ln")))
    code, made, _ = ran(place)
    assert (code, made) == (0, ["test", "test-browser", "test-fresh"])
    asked = (place / "asked").read_text("utf-8").splitlines()
    assert asked[1].endswith("--no-install-recommends chromium")


def test_a_registry_that_does_not_answer_is_named(place: Path) -> None:
    """An install that fails leaves the other tests counting."""
    stub(place, "npm")
    stub(place, "id", "echo 0")
    stub(place, "apt-get", "false")
    code, made, said = ran(place)
    assert (code, made) == (0, ["test", "test-fresh"])
    assert "lacking chromium: the package registry" in said


def test_failing_tests_fail_it(place: Path) -> None:
    """A failure of the tests is the end; nothing else runs."""
    stub(place, "make", "exit 2")
    stub(place, "chromium")
    stub(place, "npm")
    assert ran(place)[0] != 0


@pytest.mark.parametrize("browser", [True, False])
def test_fresh_examples_report_and_fail_nothing(place: Path, browser: bool) -> None:
    """A property that fresh examples break is named at the end; the build passes."""
    stub(place, "make", '[ "$1" != test-fresh ]')
    if browser:
        stub(place, "chromium")
        stub(place, "npm")
    code, _, said = ran(place)
    assert code == 0
    assert "FRESH EXAMPLES BROKE A PROPERTY" in said
    assert ("DID NOT RUN" in said) is not browser
