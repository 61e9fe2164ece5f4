"""Readable keys from frames: what holds for every frame, and what a person reads."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.keys.frame_title import BANNED, LONGEST_TITLE, fitted, frame_title
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, Frame

WORDS = st.lists(st.text("abcdefghäß", min_size=1, max_size=18), min_size=1, max_size=4)


def frame(subject: str, attribute: str, value: str = "", certainty: float = 0.9) -> Frame:
    """A frame of a plain fact."""
    return Frame(
        subject=subject,
        attribute=attribute,
        attribute_certainty=certainty,
        value=value,
        guides=0.0,
        fact_class=FactClass.PLAIN,
        class_certainty=0.9,
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
        layer_certainty=0.9,
        private=0.0,
        leans=0.0,
        takes_back=0.0,
        several=0.0,
    )


@pytest.mark.parametrize(
    ("text", "found", "sublayer", "parts"),
    [
        ("Logs stay for 30 days", frame("Logs", "retention", "30 days"), Sublayer.FACT, ("Logs", "Fact", "Retention")),
        ("My dog is called Rex", frame("My dog", "name", "Rex"), Sublayer.IDENTITY, ("Self", "Dog", "Name")),
        ("I live in Porto", frame("I", "home", "in Porto"), Sublayer.IDENTITY, ("Self", "Id", "Home")),
        ("We deploy on Mondays", frame("We", "weekday", "on Mondays"), Sublayer.FACT, ("Project", "Fact", "Weekday")),
        (
            "A mill was founded in 1898",
            frame("A mill", "job", "1898", 0.01),
            Sublayer.FACT,
            ("Mill", "Fact", "Founded"),
        ),
    ],
)
def test_a_title_names_the_thing_its_sort_and_its_property(text, found, sublayer, parts):
    """The speaker is Self, a group is the project, and an unsure property gives way to the words of the sentence."""
    layer = Layer.SELF if sublayer is Sublayer.IDENTITY else Layer.WORLD
    assert tuple(map(str.casefold, frame_title(text, found, layer, sublayer))) == tuple(map(str.casefold, parts))


@given(subject=WORDS, aspect=WORDS, qualifier=WORDS)
def test_the_parts_always_fit(subject, aspect, qualifier):
    """Whatever the words are, the parts leave room for a digest, and subject and qualifier are never empty."""
    parts = fitted(list(subject), list(aspect), list(qualifier))
    assert len("-".join(parts)) <= LONGEST_TITLE
    assert parts[0]
    assert parts[2]
    assert not BANNED & set(map(str.casefold, parts))
