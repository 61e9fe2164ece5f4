"""What is in the project belongs to it: no path of one machine, no registry, no secret, no index in the lock files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from house_rules import ROOT, tracked_files

FILES = tracked_files()
LOCKS = sorted((ROOT / "locks").glob("*.txt"))

# Patterns are put together from pieces, so that this file does not hold what it looks for.
PLACES = ("wo" + "rk", "ro" + "ot", "tm" + "p/work")
REGISTRIES = (r"py" + r"pi\.org", "python" + "hosted", r"npm" + r"js\.(?:org|com)", r"deb\." + "debian")
FOREIGN = {
    "a path of one machine": re.compile(rf"(?<![\w.-])/(?:{'|'.join(PLACES)})/"),
    "a package registry": re.compile("|".join(REGISTRIES)),
}
PRIVATE_KEY = re.compile("-----BEGIN " + "[A-Z ]*PRIVATE KEY-----\n[A-Za-z0-9+/=\n]{200,}")


@pytest.mark.parametrize("what", sorted(FOREIGN))
def test_no_file_names_a_foreign_place(what: str) -> None:
    """No tracked file names a path or a registry of the place where it was written."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
        for path in FILES
        for number, line in enumerate(path.read_text("utf-8", errors="replace").splitlines(), start=1)
        if FOREIGN[what].search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("what", "line"),
    [
        ("a path of one machine", "see /wo" + "rk/main/src"),
        ("a path of one machine", "cwd='/ro" + "ot/.cache/'"),
        ("a package registry", "https://files.python" + "hosted.org/x"),
    ],
)
def test_foreign_place_is_recognised(what: str, line: str) -> None:
    """The patterns find what they are for."""
    assert FOREIGN[what].search(line)


@pytest.mark.parametrize("line", ["~/network/config", "docs/work/", "https://example.com/work", "framework/"])
def test_ordinary_path_is_not_foreign(line: str) -> None:
    """The patterns leave ordinary words alone."""
    assert not any(pattern.search(line) for pattern in FOREIGN.values())


@pytest.mark.parametrize("lock", LOCKS, ids=[lock.name for lock in LOCKS])
def test_lock_is_pinned_hashed_and_names_no_index(lock: Path) -> None:
    """Every package of a lock file has one version and a hash; no address stands in it."""
    text = lock.read_text("utf-8")
    assert "://" not in text
    assert not re.search(r"^--", text, re.MULTILINE)
    entries = re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE)[1:]
    assert len(entries) >= 10
    assert [entry.splitlines()[0] for entry in entries if "==" not in entry or "--hash=sha256:" not in entry] == []


def test_core_lock_is_part_of_the_test_lock() -> None:
    """Tests run with exactly the versions that users install."""
    pins = [set(re.findall(r"^[a-z0-9][^ ]*==[^ \\]+", lock.read_text("utf-8"), re.MULTILINE)) for lock in LOCKS]
    assert [lock.name for lock in LOCKS] == ["core.txt", "test.txt"]
    assert pins[0] <= pins[1]


def test_no_private_key_is_tracked() -> None:
    """No tracked file holds a whole private key; test keys are built when they are needed."""
    assert [str(path) for path in FILES if PRIVATE_KEY.search(path.read_text("utf-8", errors="replace"))] == []
