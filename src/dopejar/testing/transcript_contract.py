"""What every transcript format promises, as tests that an adapter inherits.

Takes: a format and a sample of it. Gives: one test per promise of `ports/transcripts.py`. Never: knows a format.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

from dopejar.errors import InputError
from dopejar.ports.transcripts import TranscriptFormat
from dopejar.testing.transcript_faults import transcript_faults
from dopejar.values.episode import Origin
from dopejar.values.transcript import SourceConversation, SourceFile


class TranscriptContract(ABC):
    """Inherit, supply the three things below, and every promise is tested on them."""

    @abstractmethod
    def format(self) -> TranscriptFormat:
        """The format under test."""

    @abstractmethod
    def path(self) -> Path:
        """The sample's path: its name may tell the format."""

    @abstractmethod
    def data(self) -> bytes:
        """A sample in UTF-8 with at least one turn of the user and one of the assistant."""

    def cuts(self) -> Iterator[int]:
        """Lengths that the file had while it grew; by default all line ends."""
        data = self.data()
        place = data.find(b"\n")
        while place != -1:
            yield place + 1
            place = data.find(b"\n", place + 1)

    def read(self, data: bytes | None = None) -> SourceFile:
        """Reads the sample, or other bytes under its name."""
        return self.format().read(self.path(), self.data() if data is None else data)

    def test_a_sample_is_recognised_and_certainty_is_a_probability(self) -> None:
        """A format knows its own kind, and is never more than certain or less than ignorant."""
        subject = self.format()
        assert subject.recognises(self.path(), self.data()[:65536]) >= 0.35
        for head in (b"", b"\xff\xfe\x00", b"{", b"[]", b"plain words", self.data()[:7], b"\x00" * 64):
            assert 0.0 <= subject.recognises(Path("unknown"), head) <= 1.0

    def test_both_voices_are_told_apart(self) -> None:
        """The sample's user and assistant are both there, under their origins."""
        origins = {turn.origin for conversation in self.read().conversations for turn in conversation.turns}
        assert {Origin.USER, Origin.ASSISTANT} <= origins

    def test_the_promises_of_values_hold(self) -> None:
        """No gaps in indexes, unique ids, aware times, storable texts, pastes inside the text, counts that agree."""
        assert transcript_faults(self.read()) == ()

    def test_reading_is_repeatable(self) -> None:
        """The same bytes give the same value."""
        assert self.read() == self.read()

    def test_a_file_that_grew_keeps_what_it_had(self) -> None:
        """Turns read from a shorter file come first, with the same ids, in the longer one; so a re-import adds only."""
        whole = {conversation.name: conversation for conversation in self.read().conversations}
        for cut in self.cuts():
            try:
                shorter = self.read(self.data()[:cut])
            except InputError:
                continue
            for conversation in shorter.conversations:
                if conversation.name in whole or _has_voice(conversation):
                    assert_grows(conversation, whole[conversation.name])

    def test_line_ends_and_encodings_do_not_matter(self) -> None:
        """CRLF, a byte order mark and UTF-16 change nothing of what is read."""
        expected = _texts(self.read())
        text = self.data().decode()
        for other in (
            text.replace("\n", "\r\n").encode(),
            b"\xef\xbb\xbf" + text.encode(),
            text.encode("utf-16"),
            b"\xfe\xff" + text.encode("utf-16-be"),
        ):
            assert _texts(self.read(other)) == expected

    def test_what_is_not_of_the_format_is_refused_by_name(self) -> None:
        """Bytes without one record of the format are refused with a sentence that names the file and the format."""
        for data in (b"\x89PNG\r\n\x1a\n\x00\x00", b"words, and nothing else\n", b"[[[[", b'{"a": 1}\n', b"\x00" * 64):
            assert str(self.path()) in self._refusal(data)

    def test_a_file_cut_anywhere_is_read_or_refused(self) -> None:
        """However a file is cut, it is read with all promises kept, or refused as input; nothing else is raised."""
        data = self.data()
        for cut in range(0, len(data), max(1, len(data) // 150)):
            try:
                shorter = self.read(data[:cut])
            except InputError:
                continue
            assert transcript_faults(shorter) == ()

    def _refusal(self, data: bytes) -> str:
        try:
            read = self.read(data)
        except InputError as refusal:
            return str(refusal)
        return f"{data!r} was read as {read.report}"


def assert_grows(shorter: SourceConversation, longer: SourceConversation) -> None:
    """Asserts that all but the end of the shorter conversation stands unchanged at the beginning of the longer one.

    The end may differ: its last turn may have been cut, and words that were not delivered yet stand there for the time.
    """
    after = [turn.source_id for turn in longer.turns]
    kept = [turn.source_id for turn in shorter.turns if turn.source_id in set(after)]
    assert kept == after[: len(kept)], f"{shorter.name}: {kept} is no beginning of {after}"
    assert [turn.source_id for turn in shorter.turns][: len(kept)] == kept
    for before, now in zip(shorter.turns[: max(0, len(kept) - 1)], longer.turns, strict=False):
        assert (before.text, before.origin, before.index) == (now.text, now.origin, now.index)


def _has_voice(conversation: SourceConversation) -> bool:
    """Whether anyone speaks: a file may begin with records that do not tell yet which conversation it is."""
    return any(turn.origin is not Origin.SYSTEM for turn in conversation.turns)


def _texts(file: SourceFile) -> list[tuple[str, str, str]]:
    return [
        (turn.source_id, turn.origin.value, turn.text)
        for conversation in file.conversations
        for turn in conversation.turns
    ]
