"""All transcript formats, and the choice of the right one.

Takes: a path, and what the user says of its format. Gives: the file, read. Never: guesses without a sign of the format,
or reads a file that is too large to hold.
"""

from __future__ import annotations

from pathlib import Path

from dopejar.adapters.transcripts.aider import AiderFormat
from dopejar.adapters.transcripts.chatgpt_export import ChatGptExportFormat
from dopejar.adapters.transcripts.claude_code import ClaudeCodeFormat
from dopejar.adapters.transcripts.claude_export import ClaudeExportFormat
from dopejar.adapters.transcripts.codex import CodexFormat
from dopejar.adapters.transcripts.markdown_dialogue import DialogueFormat
from dopejar.adapters.transcripts.neutral import NeutralFormat
from dopejar.adapters.transcripts.specstory import SpecStoryFormat
from dopejar.errors import InputError, NotFoundError
from dopejar.ports.transcripts import TranscriptFormat
from dopejar.values.transcript import SourceFile

HEAD = 64 * 1024  # bytes that a format is recognised by
LONGEST_LINE = 64 * 1024 * 1024  # bytes of a first line of JSON that is read whole to recognise it
LIMIT = 256 * 1024 * 1024  # bytes of one transcript; months of daily work in one file stay far below
_ENOUGH = 0.35  # how sure the surest format must be
_CERTAIN = 0.94  # no other format is asked when one is this sure


def formats() -> tuple[TranscriptFormat, ...]:
    """All formats; where two are equally sure, the earlier one is taken."""
    return (
        ClaudeCodeFormat(),
        CodexFormat(),
        AiderFormat(),
        SpecStoryFormat(),
        ChatGptExportFormat(),
        ClaudeExportFormat(),
        DialogueFormat(),
        NeutralFormat(),
    )


def recognise(path: Path, head: bytes) -> TranscriptFormat:
    """The format of a file by its name and its first bytes.

    Raises InputError, which lists the formats and says how to name one, where none is recognised.
    """
    if not head.strip():
        raise InputError(f"{path}: the file is empty. There is nothing to learn from it.")
    surest: TranscriptFormat | None = None
    highest = 0.0
    for known in formats():
        certainty = known.recognises(path, head)
        if certainty > highest:
            surest, highest = known, certainty
        if highest >= _CERTAIN:
            break
    if surest is None or highest < _ENOUGH:
        raise InputError(f"{path}: its format is not recognised. Name it with --format, one of: {_names()}.")
    return surest


def format_named(format_name: str) -> TranscriptFormat:
    """The format with this name. Raises InputError, which lists the names, where there is none."""
    for known in formats():
        if known.name == format_name:
            return known
    raise InputError(f"There is no transcript format {format_name!r}. The formats are: {_names()}.")


def read_file(path: Path, format_name: str | None = None, *, limit: int = LIMIT) -> SourceFile:
    """Reads a transcript of at most `limit` bytes, in the format named or recognised.

    Raises NotFoundError where there is no such file, and InputError where it cannot be opened, is no file, is empty, is
    too large, or holds nothing in that format.
    """
    known = format_named(format_name) if format_name else None
    data = _bytes(path, limit)
    if not data.strip():
        raise InputError(f"{path}: the file is empty. There is nothing to learn from it.")
    return (known or recognise(path, head_of(data))).read(path, data)


def head_of(data: bytes) -> bytes:
    """The bytes that a file is recognised by: its beginning, with a first record of JSON whole, however long."""
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return data[:HEAD]
    end = data.find(b"\n", HEAD, LONGEST_LINE) if b"\n" not in data[:HEAD] else HEAD
    return data[: LONGEST_LINE if end < 0 else end]


def _bytes(path: Path, limit: int) -> bytes:
    if not path.exists():
        raise NotFoundError(f"{path}: there is no such file. Check the path.")
    if not path.is_file():
        raise InputError(f"{path} is not a file. Name the transcripts in it one by one, or with a pattern.")
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as fault:
        raise InputError(f"{path}: the file cannot be read ({fault.strerror}). Check its permissions.") from fault
    if len(data) > limit:
        raise InputError(
            f"{path}: the file is larger than {limit // (1024 * 1024)} MiB, the most that is read at once. "
            "Split it, or import the parts of it that matter."
        )
    return data


def _names() -> str:
    return ", ".join(known.name for known in formats())
