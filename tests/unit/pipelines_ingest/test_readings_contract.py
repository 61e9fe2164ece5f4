"""One contract for whoever reads a text in a program's place, a host or a language model: the words bear it out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.keys.given_key import require_borne_out
from dopejar.pipelines.ingest.model_reader import ModelReader
from dopejar.testing.fake_language_model import ScriptedLanguageModel, says
from dopejar.values.reading import Reading, reading_given

Accepts = Callable[[str, Reading], bool]


def by_host(text: str, reading: Reading) -> bool:
    """Whether a host may hand it over with the text."""
    try:
        given_reading = reading_given(asdict(reading), "The reading")
        require_borne_out(given_reading, text)
    except InputError:
        return False
    return True


def by_model(text: str, reading: Reading) -> bool:
    """Whether it counts when a language model gives it."""
    row = {"sentence": 0, "subject": reading.subject, "attribute": reading.attribute, "value": reading.value}
    model = ScriptedLanguageModel(script=[says({"sentences": [row]})])
    return ModelReader(GrammarReader(), model).read([text])[0].frame is not None


TEXT = "The kiln is fired at 1,240 degrees."
BOTH = pytest.mark.parametrize("accepts", [by_host, by_model])


@BOTH
@pytest.mark.parametrize(
    ("reading", "holds"),
    [
        (Reading(subject="The kiln", attribute="firing temperature", value="1,240 degrees"), True),
        (Reading(subject="kiln"), True),
        (Reading(subject="The oven", attribute="temperature", value="1,240 degrees"), False),
        (Reading(subject="The kiln", attribute="temperature", value="1,420 degrees"), False),
        (Reading(subject="The kiln", attribute="temperature", value="-1,240 degrees"), False),
        (Reading(subject="The kiln", attribute="the temperature at which it is fired"), False),
        (Reading(subject="", attribute="temperature", value="1,240 degrees"), False),
        (Reading(subject=".", attribute="temperature", value="1,240 degrees"), False),
        (Reading(subject="The kiln", attribute="x" * 300), False),
    ],
)
def test_a_reading_stands_in_the_words(accepts: Accepts, reading: Reading, holds: bool) -> None:
    """Subject and value are words of the text, signs included, and a property is a name; all else is refused."""
    assert accepts(TEXT, reading) is holds


WORDS = st.lists(st.sampled_from(TEXT.rstrip(".").split()), min_size=1, max_size=4).map(" ".join)


@BOTH
@given(WORDS, WORDS)
def test_words_in_another_order_are_others(accepts: Accepts, subject: str, value: str) -> None:
    """Of any words of the text, only those count that stand there one after the other."""
    stands = subject in TEXT and value in TEXT
    assert accepts(TEXT, Reading(subject=subject, attribute="firing", value=value)) is stands
