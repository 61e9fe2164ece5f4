"""The right format is picked, and what cannot be read is refused with one clear sentence."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dopejar.adapters.transcripts import file_decoder
from dopejar.adapters.transcripts.registry import format_named, formats, read_file, recognise
from dopejar.compose import transcript_format
from dopejar.errors import InputError, NotFoundError

TURN = b'{"role": "user", "content": "use tabs"}\n'


@pytest.mark.parametrize("more", [b"", TURN * 3])
def test_a_first_line_of_any_length_is_recognised(tmp_path: Path, more: bytes) -> None:
    """A transcript that begins with a pasted book is recognised like any other, by reading and by looking."""
    path = tmp_path / "long.jsonl"
    path.write_bytes(b'{"role": "user", "content": "' + b"use tabs. " * 30_000 + b'"}\n' + more)
    assert read_file(path).report.turns == 1 + len(more.splitlines())
    assert transcript_format(path) == "neutral"


def test_names_are_unique_and_resolve() -> None:
    """Each format is found by its name."""
    names = [known.name for known in formats()]
    assert len(set(names)) == len(names)
    assert [format_named(name).name for name in names] == names


def test_an_unknown_name_lists_the_names() -> None:
    """Naming a format that is not there tells which ones are."""
    with pytest.raises(InputError, match=r"no transcript format 'word'.*claude-code.*neutral"):
        format_named("word")


def test_an_unrecognised_file_tells_how_to_name_its_format() -> None:
    """The refusal names the file, the option and every format."""
    with pytest.raises(InputError) as refusal:
        recognise(Path("notes.txt"), b"some notes of mine\n")
    for word in ("notes.txt", "--format", *(known.name for known in formats())):
        assert word in str(refusal.value)


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", b"\xef\xbb\xbf"], ids=["nothing", "blanks", "mark"])
def test_an_empty_file_is_refused(tmp_path: Path, data: bytes) -> None:
    """A file without content is refused, also when its format is named."""
    path = tmp_path / "empty.jsonl"
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"empty\.jsonl"):
        read_file(path)
    with pytest.raises(InputError, match=r"empty\.jsonl"):
        read_file(path, "neutral")


def test_a_missing_file_is_not_found(tmp_path: Path) -> None:
    """A path without a file is an error of its own."""
    with pytest.raises(NotFoundError, match="no such file"):
        read_file(tmp_path / "gone.jsonl")


def test_a_directory_is_refused(tmp_path: Path) -> None:
    """A directory is told to be one."""
    with pytest.raises(InputError, match="not a file"):
        read_file(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    """A named pipe, which would never end, is not opened."""
    pipe = tmp_path / "pipe.jsonl"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="not a file"):
        read_file(pipe)


def test_a_file_over_the_limit_is_refused_and_one_at_the_limit_is_read(tmp_path: Path) -> None:
    """The size limit is exact, and its refusal tells the limit."""
    path = tmp_path / "large.jsonl"
    path.write_bytes(TURN)
    assert read_file(path, limit=len(TURN)).report.turns == 1
    with pytest.raises(InputError, match="larger than 0 MiB"):
        read_file(path, limit=len(TURN) - 1)


def test_a_named_format_is_taken_at_its_word(tmp_path: Path) -> None:
    """Naming a format reads the file as that, and refuses it when nothing in it is."""
    path = tmp_path / "turns.jsonl"
    path.write_bytes(TURN)
    assert read_file(path, "neutral").report.format == "neutral"
    with pytest.raises(InputError, match="nothing in it is in the format codex"):
        read_file(path, "codex")


def test_a_huge_line_and_a_deep_one_do_not_stop_the_rest(tmp_path: Path) -> None:
    """Records around an enormous or bottomless line are read; the line is told."""
    path = tmp_path / "odd.jsonl"
    huge = b'{"role": "user", "content": "' + b"a " * 2_000_000 + b'"}\n'
    path.write_bytes(TURN + huge + b'{"x": ' * 50_000 + b"\n" + TURN)
    report = read_file(path).report
    assert report.user_turns == 3
    assert len(report.damaged) == 1
    assert "line 3" in report.damaged[0]


def test_damage_is_listed_up_to_a_point_and_then_counted(tmp_path: Path) -> None:
    """A thousand broken lines give a report that a person can read."""
    path = tmp_path / "broken.jsonl"
    path.write_bytes(TURN + b"{broken\n" * 1000)
    report = read_file(path).report
    assert len(report.damaged) == 51
    assert report.damaged[-1] == "and 950 more places like these"


def test_a_line_too_long_to_parse_is_said_to_be_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The report claims of no line that its text was kept unless it was, and the turns around it are read."""
    monkeypatch.setattr(file_decoder, "_LONGEST_LINE", 1000)
    path = tmp_path / "long.jsonl"
    path.write_bytes(TURN + b'{"role": "user", "content": "' + b"y" * 2000 + b'"}\n' + b"{broken\n" + TURN)
    read = read_file(path, "neutral")
    (too_long, broken) = read.report.damaged
    assert "line 2" in too_long
    assert "left out" in too_long
    assert "kept" not in too_long
    assert "kept as text" in broken
    assert [turn.text for turn in read.conversations[0].turns] == ["use tabs", "{broken", "use tabs"]
