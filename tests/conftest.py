"""What every test shares: a fast disk, cheap passphrases, a model, hypothesis profiles, the order and how it is told.

Takes: the options of pytest. Gives: `fixed` examples for `make test`, `fresh` random ones for `make test-fresh`, and a
summary of what these found. Never: a deadline; tests measure no time.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

_MEMORY_DISK = Path("/dev/shm")  # noqa: S108  every commit is synced; a disk in memory makes that cheap where there is one
_NEEDED = 2 * 1024**3  # bytes; containers often have a small one, which the tests would fill
_REPRODUCTION = re.compile(r"@reproduce_failure\(.*?\)(?=\s|$)")

_is_usable = _MEMORY_DISK.is_dir() and os.access(_MEMORY_DISK, os.W_OK)
if "TMPDIR" not in os.environ and _is_usable and shutil.disk_usage(_MEMORY_DISK).free >= _NEEDED:
    tempfile.tempdir = str(_MEMORY_DISK)
    os.environ["TMPDIR"] = str(_MEMORY_DISK)

_common = settings(deadline=None, max_examples=100, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("fixed", _common, derandomize=True, database=None)
settings.register_profile("fresh", _common, derandomize=False, database=None)
settings.load_profile("fixed")  # pytest's --hypothesis-profile=fresh takes its place


@pytest.fixture(scope="session", autouse=True)
def _cheap_passphrases() -> Iterator[None]:
    """Hash passphrases with little work in this process; a hash names its parameters, so that others verify, too."""
    from dopejar.governance import reviewer_credentials

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reviewer_credentials, "_LOG2_N", 4)
        yield


@pytest.fixture(scope="session")
def installed_weights() -> Callable[[], Path]:
    """The folder of real weights, or a skip that says why. `DOPEJAR_MODELS` names the models directory."""

    def find() -> Path:
        from platformdirs import user_data_path

        from dopejar.adapters.embedders.weights import find_weights

        home = os.environ.get("DOPEJAR_HOME")
        data = Path(home) if home else user_data_path("dopejar", appauthor=False)
        models = Path(os.environ["DOPEJAR_MODELS"]) if "DOPEJAR_MODELS" in os.environ else data / "models"
        folder = find_weights(models)
        if folder is None:
            pytest.skip(f"no model weights in {models}: run `dopejar models install`, or set DOPEJAR_MODELS")
        return folder

    return find


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put slow tests first, after the shuffle: no worker is left alone with one at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the order that failed, and after fresh examples each failing test with the line that reproduces it."""
    failed = terminalreporter.getreports("failed")
    is_fresh = config.getoption("--hypothesis-profile") == "fresh"
    if not failed:
        if is_fresh:
            terminalreporter.write_line("Fresh examples: no property failed.")
        return
    if is_fresh:
        terminalreporter.section("Fresh examples: properties that failed")
        for report in failed:
            terminalreporter.write_line(report.nodeid)
            for reproduction in dict.fromkeys(_REPRODUCTION.findall(report.longreprtext)):
                terminalreporter.write_line(f"    {reproduction}")
    seed = config.getoption("randomly_seed", default=None)
    if seed is not None:
        terminalreporter.write_line(f"The order of this run: pytest --randomly-seed={seed}")
