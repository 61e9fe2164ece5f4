"""The floor: where nothing is relevant enough, nothing is the answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from recall_values import ranked, turn

from dopejar.pipelines.recall.floor import floor_of, is_acknowledgement, relevant
from dopejar.pipelines.recall.question import parse_question
from dopejar.ports.embedder import EmbedderIdentity

MINILM = EmbedderIdentity(name="minilm-l6-v2", dimensions=384, digest="x")
OTHER = replace(MINILM, name="other")
LAMP = replace(ranked(turn(1, "The lamp is in the hall."), 1.0), cosine=0.3)


@pytest.mark.parametrize("text", ["ok", "Thanks a lot!", "8", ".", "", "go on", "Sure, sounds good."])
def test_acknowledgements_tell_nothing(text: str) -> None:
    """Words that keep a talk going, single characters, and no words at all."""
    assert is_acknowledgement(text)


@pytest.mark.parametrize("text", ["42", "ok, use tabs", "no shellfish", "好", "thanks for the port"])
def test_content_is_no_acknowledgement(text: str) -> None:
    """One word that says something is enough."""
    assert not is_acknowledgement(text)


def test_words_in_common_reach_the_floor_and_a_low_cosine_does_not() -> None:
    """With a calibrated embedder; a higher cosine is enough without words."""
    question = parse_question("Where is the lamp?", date(2024, 5, 6))
    other = parse_question("Who plays the cello?", date(2024, 5, 6))
    assert relevant(question, [LAMP], MINILM)[0] == [LAMP]
    assert relevant(other, [replace(LAMP, lexical=0.0)], MINILM)[0] == []
    near = replace(LAMP, lexical=0.0, cosine=floor_of(MINILM).floor)
    assert relevant(other, [near], MINILM)[0] == [near]


def test_what_is_not_near_ends_the_pack() -> None:
    """Behind an item that answers, one without a common word, a neighbour or a near vector is left out."""
    question = parse_question("Where is the lamp?", date(2024, 5, 6))
    far = replace(ranked(turn(2, "It rains."), 0.5), lexical=0.0, cosine=0.0)
    assert relevant(question, [LAMP, far], MINILM)[0] == [LAMP]


def test_an_embedder_without_calibration_has_no_floor() -> None:
    """Nothing is cut by a number that was measured with other vectors."""
    far = replace(LAMP, lexical=0.0, cosine=-0.1)
    assert relevant(parse_question("Who plays the cello?", date(2024, 5, 6)), [far], OTHER)[0] == [far]


def test_a_situation_has_no_floor() -> None:
    """Of a long text, memory cannot be expected to hold most words."""
    words = " ".join(f"{letter}ield{letter}" for letter in "bcdfghjklmnpqrstv")
    assert relevant(parse_question(words, date(2024, 5, 6)), [LAMP], None)[0] == [LAMP]
