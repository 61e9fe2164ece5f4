"""Aider's chat history, `.aider.chat.history.md`.

Takes: a growing Markdown file: `# aider chat started at`, `#### ` before user input, `> ` before program output, the
rest is the assistant's. Gives: one conversation per start, named by its time, so that a file that grew reads the same
up to where it grew. Never: takes a confirmation or a watched code comment for the user's words, or calls the user's
turns proven: a heading of the assistant may look just the same.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from dopejar.adapters.transcripts.file_decoder import decode, head_lines, plain_lines
from dopejar.adapters.transcripts.import_draft import THINKING, ConversationDraft, FileDraft, TurnHeader
from dopejar.adapters.transcripts.reasoning_blocks import strip_reasoning
from dopejar.values.dates import parse_timestamp
from dopejar.values.episode import EpisodeKind, Origin
from dopejar.values.transcript import SourceFile

_START = re.compile(r"# aider chat started at (?P<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$")
_USER = "####"
_TOOL = ">"
_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_FILE_NAME = ".aider.chat.history.md"
_UNDO = re.compile(r"/undo\b")


class AiderFormat:
    """Markdown with `#### ` before user input."""

    name = "aider"

    def recognises(self, path: Path, head: bytes) -> float:
        """Nearly certain where a start line stands at the beginning; likely by the file's name alone."""
        lines = head_lines(head)
        first = next((line for line in lines if line.strip()), "")
        if _START.match(first):
            return 0.97
        if any(_START.match(line) for line in lines):
            return 0.8
        if path.name == _FILE_NAME and any(line.startswith(_USER) for line in lines):
            return 0.7
        return 0.0

    def read(self, path: Path, data: bytes) -> SourceFile:
        """The whole file; see `ports/transcripts.py`. Raises InputError where nobody speaks in it."""
        decoded = decode(data)
        lines = plain_lines(decoded.text)
        draft = FileDraft(self.name, path, decoded.damaged, proves_origin=False)
        reader = _Reader(draft, path, is_marked=_is_marked(lines))
        for line in lines:
            reader.line(line)
        return reader.done()


def _is_marked(lines: list[str]) -> bool:
    """Whether lines still end in the two spaces that Aider writes; editors strip them."""
    user = [line for line in lines if line.startswith(f"{_USER} ")]
    return 2 * sum(line.endswith("  ") for line in user) > len(user)


@dataclass(slots=True)
class _Run:
    """Consecutive lines of one speaker."""

    voice: str
    lines: list[str]


class _Reader:
    """Collects the lines of one speaker until another one starts."""

    def __init__(self, draft: FileDraft, path: Path, *, is_marked: bool) -> None:
        self._draft = draft
        self._path = path
        self._is_marked = is_marked
        self._starts: Counter[str] = Counter()
        self._conversation: ConversationDraft | None = None
        self._run = _Run(voice="", lines=[])
        self._said = 0
        self._has_user = False
        self._fence = ""

    def line(self, line: str) -> None:
        """Reads one line."""
        start = _START.match(line)
        if start:
            self._flush("")
            self._begin(start.group("time"))
            return
        voice = self._voice(line)
        if voice != self._run.voice:
            self._flush(voice)
        self._run.lines.append(line)

    def done(self) -> SourceFile:
        """The file, after its last line."""
        self._flush("")
        return self._draft.done()

    def _begin(self, time: str) -> None:
        self._draft.tally.known += 1
        self._starts[time] += 1
        count = self._starts[time]
        self._open(time if count == 1 else f"{time} ({count})", parse_timestamp(time))

    def _open(self, name: str, started_at: datetime | None) -> ConversationDraft:
        opened = self._draft.conversation(name)
        opened.started(started_at)
        if self._path.name == _FILE_NAME and self._path.is_absolute():
            opened.cwd = str(self._path.parent)
        self._conversation = opened
        self._said, self._has_user, self._fence = 0, False, ""
        return opened

    def _voice(self, line: str) -> str:
        """The speaker of a line: `u`ser, `t`ool, `a`ssistant; a blank line continues the previous one."""
        stripped = line.strip()
        if not stripped:
            return self._run.voice
        if self._is_user(line, stripped):
            self._fence = ""
            return "u"
        if line.startswith(_TOOL) and self._is_program(line):
            return "t"
        self._follow_fence(line)
        return "a"

    def _is_user(self, line: str, stripped: str) -> bool:
        if not line.startswith(f"{_USER} ") and stripped != _USER:
            return False
        if self._is_marked:  # the assistant's own fourth-level headings have no such ends
            return line.endswith("  ") or stripped == _USER
        return not self._fence

    def _is_program(self, line: str) -> bool:
        return line.endswith("  ") if self._is_marked else not self._fence

    def _follow_fence(self, line: str) -> None:
        fence = _FENCE.match(line)
        if not fence:
            return
        if not self._fence:
            self._fence = fence.group(1)
        elif line.strip().startswith(self._fence) and not line.strip().strip(self._fence[0]):
            self._fence = ""

    def _flush(self, voice: str) -> None:
        run, self._run = self._run, _Run(voice=voice, lines=[])
        if not run.voice:
            return
        if run.voice == "a" and not "".join(run.lines).strip():
            return
        conversation = self._conversation
        if conversation is None:
            conversation = self._open("before the first start", None)
        place = TurnHeader(source_id=f"{conversation.name} {self._said}", speaker=_SPEAKERS[run.voice])
        self._said += 1
        text = _text(run)
        if run.voice == "u":
            self._user(conversation, place, text)
        elif run.voice == "t":
            self._program(conversation, place, text)
        else:
            text, thoughts = strip_reasoning(text)
            if thoughts:
                self._draft.tally.left_out[THINKING] += thoughts
            conversation.add(place, Origin.ASSISTANT, text)

    def _user(self, conversation: ConversationDraft, place: TurnHeader, text: str) -> None:
        self._draft.tally.known += 1
        self._has_user = True
        outcome = "rejected" if _UNDO.match(text) else ""
        conversation.add_user_turn(TurnHeader(source_id=place.source_id, speaker=place.speaker, outcome=outcome), text)

    def _program(self, conversation: ConversationDraft, place: TurnHeader, text: str) -> None:
        if self._has_user:
            printed = TurnHeader(source_id=place.source_id, speaker=place.speaker, kind=EpisodeKind.TOOL_RESULT)
            conversation.add(printed, Origin.TOOL, text)
        else:
            banner = TurnHeader(source_id=place.source_id, speaker=place.speaker, note="harness: start-up")
            conversation.add(banner, Origin.SYSTEM, text)


_SPEAKERS = {"u": "user", "t": "aider", "a": "assistant"}


def _text(run: _Run) -> str:
    """The text of a run without its line prefixes."""
    if run.voice == "a":
        return "\n".join(run.lines)
    mark = _USER if run.voice == "u" else _TOOL
    return "\n".join(line.removeprefix(mark).removeprefix(" ").rstrip() for line in run.lines)
