"""Sentences that only say what is talked of next state nothing."""

from __future__ import annotations

import pytest

from dopejar.pipelines.ingest import extract
from dopejar.pipelines.ingest.extraction.meta_talk import announces_topic


@pytest.mark.parametrize(
    "text",
    [
        "Now something else, rate limits.",
        "New topic: my tax return for 2025",
        "Let's talk about something else: the garden party.",
        "OK next topic.",
        "Switching gears, the roof.",
        "Can we move on to another topic?",
        "Thanks! Another question: mortgage rates.",
        "And now to something completely different, penguins.",
    ],
)
def test_an_announced_topic_states_nothing(text: str) -> None:
    """Nor do the words that name the topic."""
    assert announces_topic(text)
    assert extract(text, at=None, speaker_is_user=True).atoms == ()


@pytest.mark.parametrize(
    "text",
    [
        "New topic: I moved to Berlin.",
        "On another note, never use eval.",
        "On another note, my sister lives in Graz.",
        "The other thing about Ana: she runs marathons.",
        "My next task is the login page.",
        "Something else broke in the parser.",
        "Another question is whether it pays.",
        "New house, new dog.",
        "Moving on was hard for her.",
    ],
)
def test_what_is_stated_beside_it_counts(text: str) -> None:
    """A sentence with a verb, or of a speaker."""
    assert not announces_topic(text)
