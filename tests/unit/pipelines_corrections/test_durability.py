"""Durability: a wish lasts only where a marker finds something lasting in its words."""

from __future__ import annotations

import re

from correction_turns import exchange

from dopejar.pipelines.corrections import detect
from dopejar.pipelines.corrections.detection.durability import settle_durability
from dopejar.pipelines.corrections.exchange import Durability
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


def test_a_wish_that_is_marked_stays_standing():
    """The marker agrees: nothing changes."""
    candidates = detect([exchange(WISH)])
    assert [one.durability for one in candidates] == [Durability.STANDING]
    assert settle_durability(candidates, Marker("commit messages in English")) == tuple(candidates)


def test_a_wish_without_a_mark_waits():
    """Where nothing in its words lasts, the wish is of one moment."""
    candidates = detect([exchange(WISH)])
    settled = settle_durability(candidates, Marker("nothing here"))
    assert [one.durability for one in settled] == [Durability.ONE_OFF]
    assert [one.wish for one in settled] == [one.wish for one in candidates]


def test_a_wish_of_one_moment_never_becomes_standing():
    """A mark makes nothing last that was meant for now."""
    candidates = detect([exchange("No, undo that, the old name was right.")])
    settled = settle_durability(candidates, Marker(".+"))
    assert [one.durability for one in settled] == [one.durability for one in candidates]
    assert Durability.STANDING not in {one.durability for one in settled}
