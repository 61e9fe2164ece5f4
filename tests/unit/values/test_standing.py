"""What of a session is worth asking a person about, by a reader's probabilities."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, Frame, SpeechAct, Statement, Tense, stands

FRAME = Frame(
    subject="",
    attribute="",
    attribute_certainty=0.0,
    value="",
    guides=0.9,
    fact_class=FactClass.CONSTRAINT,
    class_certainty=0.9,
    layer=Layer.INTENT,
    sublayer=Sublayer.RULE,
    layer_certainty=0.9,
    private=0.0,
    leans=0.0,
    takes_back=0.0,
    several=0.0,
)
READ = Statement(
    text="Knead for ten minutes",
    act=SpeechAct.RULE,
    act_certainty=0.9,
    tense=Tense.NOW,
    tense_certainty=0.9,
    denied=0.1,
    durable=0.8,
)
SHARES = st.floats(0, 1)


@given(durable=SHARES, share=SHARES, more=SHARES)
def test_what_is_likelier_to_stand_is_never_left_out_before_the_rest(durable, share, more):
    """Where words are worth keeping, they are so with any greater probability that they are, or that they last."""
    low, high = sorted((share, more))

    def kept(stays: float, lasts: float) -> bool:
        return stands(replace(READ, durable=lasts, frame=replace(FRAME, stands=stays)))

    assert kept(low, durable) <= kept(high, durable)
    assert kept(durable, low) <= kept(durable, high)


@pytest.mark.parametrize(("durable", "kept"), [(0.2, False), (0.8, True)])
def test_without_a_frame_what_lasts_stands(durable, kept):
    """A reader that finds no frames tells only how likely something lasts."""
    assert stands(replace(READ, durable=durable)) is kept
