"""Rules come before a tool call: by the language of its file, its path, its kind of work or its command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dopejar import Memory, open_memory

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
PASSPHRASE = "correct horse battery"
SQL = "In SQL, write keywords in upper case"
DOWN = "Every migration gets a down step"
SHORT = "Functions have at most 30 lines"
BRITISH = "Use British spelling"
LETTERS = "Sign letters with my full name"
COMMIT = "Write commit messages in the imperative"
STAGING = "Deploy only after the staging check"
PUSH = "Ask Tomas before you push"
CHECKED = "Never push to main"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory with rules of several kinds of work, one that calls are checked against, and one that waits."""
    with open_memory(tmp_path / "home", environment=QUIET, said_by="user") as opened:
        opened.reviewers.add("ana", PASSPHRASE)
        reviewer = opened.reviewers.unlock(PASSPHRASE)
        for said in (SQL, DOWN, SHORT, BRITISH, LETTERS, COMMIT, STAGING, PUSH, CHECKED):
            assert opened.remember(f"{said}.", by=reviewer).took_effect
        assert opened.remember("In SQL, never use tabs.").waits
        yield opened


def told(memory: Memory, tool: str, given: str, **options: object) -> list[str]:
    """The rules that are told before a call."""
    name = "command" if tool == "Bash" else "file_path"
    options = {"place": "/srv/push", **options}
    return [rule.text for rule in memory.surveys.rules_of_call(tool, {name: given}, **options)]


@pytest.mark.parametrize(
    ("tool", "given", "rules"),
    [
        ("Edit", "/srv/push/db/migrations/0005_index.sql", [SQL, DOWN, SHORT]),
        ("Edit", "/srv/push/ferry/parse.py", [SHORT]),
        ("Write", "/srv/push/README.md", [BRITISH]),
        ("Write", "/srv/push/letters/landlord.md", [BRITISH]),
        ("Edit", "/srv/push/package.json", []),
        ("Read", "/srv/push/db/migrations/0005_index.sql", []),
        ("Bash", "git add -A && git commit -m 'deploy the letters'", [COMMIT]),
        ("Bash", "gh pr create --fill", [COMMIT]),
        ("Bash", "make deploy", [STAGING]),
        ("Bash", "npm run deploy -- --now", [STAGING]),
        ("Bash", "git push origin main", [PUSH]),
        ("Bash", "git log migrations/0005.sql", []),
        ("Bash", "cat db/migrations/0005_index.sql", []),
        ("Bash", "python3 letters.py", []),
    ],
)
def test_a_call_brings_its_rules(memory: Memory, tool: str, given: str, rules: list[str]) -> None:
    """What names it comes first; what reads, what a message says and where the work lies bring none."""
    assert told(memory, tool, given) == rules


@pytest.mark.parametrize(
    ("place", "file", "rules"),
    [
        ("/migrations", "/migrations/package.json", []),
        ("/migrations/", "/migrations/package.json", []),
        ("C:\\migrations", "C:\\migrations\\package.json", []),
        ("/", "/migrations/package.json", [DOWN]),
        ("/srv/ferry", "/srv/ferry/migrations/a/b/package.json", [DOWN]),
        ("/srv/ferry", "migrations/a/b/package.json", [DOWN]),
        ("/srv/ferry", "/srv/ferrymigrations/a/b/package.json", []),
        ("/srv/ferry", "/home/migrations/a/b/package.json", []),
        ("/srv/ferry", "/home/ana/migrations/b/package.json", [DOWN]),
        ("", "/home/migrations/a/b/package.json", []),
        ("", "~/migrations/a/b/package.json", []),
        ("", "/home/ana/migrations/b/package.json", [DOWN]),
    ],
)
def test_a_path_tells_what_lies_below_the_place(memory: Memory, place: str, file: str, rules: list[str]) -> None:
    """Whole folders are cut off; of a file elsewhere, or without a place, the last two folders tell of the work."""
    assert told(memory, "Edit", file, place=place) == rules


def test_few_rules_are_told_and_none_that_is_known(memory: Memory) -> None:
    """At most as many as asked for, within the budget, and others in the place of what the host has at hand."""
    file = "/srv/push/db/migrations/0005_index.sql"
    assert told(memory, "Edit", file, limit=1) == [SQL]
    assert told(memory, "Edit", file, budget=0) == []
    (known,) = [record.id for record in memory.list() if record.text == SQL]
    assert told(memory, "Edit", file, known=[known], limit=1) == [DOWN]
