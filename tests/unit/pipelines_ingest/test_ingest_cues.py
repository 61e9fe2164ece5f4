"""The cues that data files hold."""

from __future__ import annotations

import pytest

from dopejar.pipelines.corrections import correction_cues as corrections
from dopejar.pipelines.ingest import cues as ingest
from dopejar.text.lexicons import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cue_of_ingest_compiles(language: str) -> None:
    """A cue is compiled when it is first tried; none of them is broken."""
    mine = ingest.cues(language)
    assert mine.names
    assert all(callable(part.find) for name in mine.names for _, part in mine.known[name].rule.parts)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cue_of_corrections_compiles(language: str) -> None:
    """A cue is compiled when it is first tried; none of them is broken."""
    book = corrections.cues(language)
    groups = [book.names(group) for group in book.groups()]
    assert any(groups)
    assert all(callable(part.find) for group in groups for one in group.values() for _, part in one.rule.parts)
