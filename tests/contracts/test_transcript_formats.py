"""Every transcript format keeps the promises of its port, on a sample with every kind of record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from dopejar.adapters.transcripts.registry import format_named, formats, recognise
from dopejar.ports.transcripts import TranscriptFormat
from dopejar.testing.transcript_contract import TranscriptContract

FIXTURES = Path(__file__).parent.parent / "fixtures" / "transcripts"

SAMPLES = {
    "neutral-session.jsonl": "neutral",
    "neutral-turns.jsonl": "neutral",
    "claude-code.jsonl": "claude-code",
    "rollout-2031-04-05T08-00-00-kettle.jsonl": "codex",
    "chatgpt-export.json": "chatgpt-export",
    "claude-export.json": "claude-export",
    "specstory-plain.md": "specstory",
    "2031-09-10_07-30Z-porch.md": "specstory",
    "specstory-headings.md": "specstory",
    "specstory-bold.md": "specstory",
    ".aider.chat.history.md": "aider",
    "aider-stripped.md": "aider",
    "chatgpt-dialogue.md": "chatgpt-markdown",
}
WHOLE_ONLY = {"chatgpt-export", "claude-export"}  # one JSON document: it is written anew, it does not grow


@pytest.fixture(params=SAMPLES.items(), ids=lambda sample: sample[0])
def sample(request: pytest.FixtureRequest) -> tuple[str, str]:
    """A fixture file and the format it is in."""
    return request.param


class TestTranscriptFormats(TranscriptContract):
    """The contract, over every sample."""

    @pytest.fixture(autouse=True)
    def _take(self, sample: tuple[str, str]) -> None:
        self._name, self._format = sample

    def format(self) -> TranscriptFormat:
        """The format that the sample is in."""
        return format_named(self._format)

    def path(self) -> Path:
        """The sample's path."""
        return FIXTURES / self._name

    def data(self) -> bytes:
        """The sample's bytes."""
        return self.path().read_bytes()

    def cuts(self) -> Iterator[int]:
        """Line ends; for Markdown those before a turn begins, when everything before it was complete."""
        if self._format in WHOLE_ONLY:
            return iter(())
        cuts = list(super().cuts())
        if self._name.endswith(".jsonl"):
            return iter(cuts)
        return (cut for cut in cuts if self.data()[cut:].startswith((b"_**User", b"## User", b"# aider", b"**User")))


def test_every_format_has_a_sample() -> None:
    """No format escapes the contract."""
    assert set(SAMPLES.values()) == {known.name for known in formats()}


def test_every_sample_is_recognised_as_its_own_format(sample: tuple[str, str]) -> None:
    """With all formats asked, the right one is the surest."""
    name, expected = sample
    assert recognise(FIXTURES / name, (FIXTURES / name).read_bytes()[:65536]).name == expected


def test_contents_alone_tell_the_format(sample: tuple[str, str]) -> None:
    """A file that was given another name is recognised all the same."""
    name, expected = sample
    assert recognise(Path("renamed.txt"), (FIXTURES / name).read_bytes()[:65536]).name == expected
