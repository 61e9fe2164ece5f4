"""Bad command lines: one clear sentence on stderr, the right exit code, no traceback, nothing written."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from dopejar.compose import open_memory
from store_digest import store_digest

BAD = """
2 | recall | %empty
2 | recall | %blank
2 | recall | x | --budget | -1
2 | recall | x | --budget | many
2 | recall | x | --as-of | yesterday
2 | recall | x | --as-of | 2026-02-31
2 | recall | x | --believed-at | 99999-01-01
2 | recall | x | --kind | wish
2 | recall | x | --limit | 0
2 | recall | x | --namespace | live
5 | recall | x | --project | nowhere
2 | remember | %empty
2 | remember | %blank
2 | remember | x | --no-such
2 | list | --limit | -3
2 | list | --scope | galaxy
2 | list | --status | gone
2 | list | --view | stars
5 | list | --conversation | nowhere
5 | show | m_zzzz
5 | show | %crab
5 | show | %control
2 | undo | %empty
5 | undo | --conversation | nowhere
5 | undo | a_zzzz
5 | undo | nowhere
5 | forget | m_zzzz
5 | bring-back | m_zzzz
5 | store | restore | nope.db
5 | erase | m_zzzz | --yes
5 | erase | --episode | e_nothing | --yes
2 | erase
5 | review | approve | 99
5 | review | reject | 0
2 | review | edit | p_zzzz
5 | review | show | 1-
5 | learn | nope.jsonl
2 | learn | binary
2 | learn | empty
2 | learn | other.jsonl
2 | learn | half.jsonl
2 | learn | long
2 | learn | folder
2 | learn | other.jsonl | --format | klingon
5 | relearn | nowhere
2 | check | --tool | Bash | --input | nope
2 | check | --tool | Bash | --input | []
2 | check | --tool | %empty | --input | {}
2 | graph | %empty
5 | graph | Nobody
2 | log | --limit | 0
1 | log | --verify | --head | xyz
5 | trace | t_zzzz
2 | config | get | no.such
2 | config | set | no.such | 1
5 | models | install | no-such
2 | maintain | --seconds | -1
5 | garden | b_zzzz
2 | store
2 | store | backup | -
2 | store | backup | missing/x.db
2 | store | export | missing/x.jsonl
5 | store | import | nope.jsonl
2 | store | import | binary
2 | store | import | other.jsonl
5 | bullets | show | zzzz
2 | bullets | import | binary
5 | instructions | --from | nope.md
2 | instructions | --from | binary
2 | instructions | --budget | 1
2 | instructions | --into | folder
5 | session | end | nowhere
2 | connect | nobody
2 | disconnect | nobody
2 | completion | tcsh
2 | bench | nothing
2 | nonsense
2 | --nonsense
2 | help | nonsense
2 | status | --home | binary
2 | status | --home | %empty
2 | recall | x | --home | %blank
2 | remember | %marks
2 | remember | %half
2 | recall | %half | --as-of | %marks
5 | show | %marks
2 | list | --scope | %half
1 | remember | The door is red. | --home | /proc/none
1 | status | --home | damaged
1 | mcp | --home | damaged
1 | remember | The door is red. | --home | damaged
2 | learn | damaged/dopejar.db
"""
WORDS = {
    "%empty": "",
    "%blank": "   ",
    "%crab": "Ünïcode 🦀",
    "%control": "\x1b[31m\x00",
    "%marks": "\u200b\u202e",
    "%half": "a \udcff b",
}
CASES = [line.split(" | ") for line in BAD.strip().splitlines()]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a fact."""
    home = tmp_path_factory.mktemp("filled") / "home"
    with open_memory(home) as memory:
        memory.remember("The mirror host is elder.", said_by="user")
    return home


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with files that are not what they should be."""
    place = tmp_path / "files"
    (place / "folder").mkdir(parents=True)
    (place / "damaged").mkdir()
    (place / "damaged" / "dopejar.db").write_bytes(b"not a database" * 1000)
    (place / "binary").write_bytes(bytes(range(256)) * 40)
    (place / "empty").write_text("")
    (place / "other.jsonl").write_text('{"foo": 1}\n')
    (place / "half.jsonl").write_text('{"store": "a"}\nnope\n')
    (place / "long").write_text("x" * 10_000_000)
    monkeypatch.chdir(place)
    return place


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case[1:]))
def test_a_bad_command_line_ends_with_a_sentence(
    cli: Any, home: Path, filled: Path, files: Path, case: list[str]
) -> None:
    """The code says what kind of mistake it is, stderr says it in words, stdout stays empty and the store as it is."""
    shutil.copytree(filled, home)
    before, held = sorted(files.rglob("*")), store_digest(home)
    code, *words = case
    ran = cli(*(WORDS.get(word, word) for word in words))
    assert ran.code == int(code), ran.err
    assert ran.out == ""
    assert ran.err.rstrip()[-1] in ".?"
    assert len(ran.err.splitlines()) <= 2
    assert not any(word in ran.err for word in ("Traceback", "Unexpected error"))
    assert "\x1b" not in ran.err
    assert sorted(files.rglob("*")) == before
    assert store_digest(home) == held
