"""Durability: a wish said once is proposed where it is sure to last, by its words or by a marker."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from correction_turns import exchange

from dopejar.pipelines.corrections import cluster, detect
from dopejar.pipelines.corrections.detection.durability import confirm_durability, wish_certainty
from dopejar.pipelines.corrections.exchange import Durability
from dopejar.pipelines.corrections.proposals.proposal_engine import is_lasting
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement

WISH = "Always write the commit messages in English."


class Marker:
    """Marks the matches of an expression."""

    def __init__(self, words: str) -> None:
        self._words = re.compile(words)

    def mark(self, texts):
        """A rule for every match."""
        return tuple(
            tuple(
                MarkedStatement(
                    start=found.start(),
                    end=found.end(),
                    certainty=0.9,
                    fact_class=FactClass.CONSTRAINT,
                    layer=Layer.INTENT,
                    sublayer=Sublayer.RULE,
                )
                for found in self._words.finditer(text)
            )
            for text in texts
        )


def candidate(standing):
    """A standing wish of this probability."""
    (found,) = detect([exchange(WISH)])
    return replace(found, standing=standing)


@pytest.mark.parametrize(("standing", "marked", "is_proposed"), [
    (0.9, "nothing here", True), (0.6, "commit messages", True), (0.6, "nothing here", False),
])  # fmt: skip
def test_what_is_sure_to_last_is_proposed_at_once(standing, marked, is_proposed):
    """By the words alone where they are plain, else where a marker confirms them; all else waits for a repetition."""
    settled = confirm_durability([candidate(standing)], Marker(marked))
    assert [one.durability for one in settled] == [Durability.STANDING]
    assert is_lasting(cluster(settled)[0]) is is_proposed


def test_said_twice_it_needs_no_mark():
    """A repetition shows that a wish lasts."""
    again = [replace(candidate(0.6), exchange=exchange(WISH, index=at)) for at in (1, 2)]
    assert is_lasting(cluster(confirm_durability(again, Marker("nothing here")))[0])


def test_a_wish_of_one_moment_never_becomes_standing():
    """A mark makes nothing last that was meant for now."""
    candidates = detect([exchange("No, undo that, the old name was right.")])
    settled = confirm_durability(candidates, Marker(".+"))
    assert settled == tuple(candidates)
    assert Durability.STANDING not in {one.durability for one in settled}


@pytest.mark.parametrize(("text", "marked", "lasts"), [
    ("Label the crates in Portuguese.", 0.95, True),
    ("Label the crates in Portuguese.", 0.4, False),
    (WISH, 0.95, False),
])  # fmt: skip
def test_a_mark_finds_the_wishes_that_detection_leaves_out(text, marked, lasts):
    """What no word announces lasts where a marker is sure; what is detected anyhow is left to detection."""
    certainty = wish_certainty(exchange(text, before=""), 0, len(text), marked)
    assert (certainty is not None and certainty >= 0.65) is lasts
