"""A model's opinion: it is heard, and decides nothing."""

import pytest

from dopejar.errors import LanguageModelError, ModelReplyError, ModelTimeoutError, SettingError, SpendCapError
from dopejar.pipelines.procedural.classifier import HemisphereClassifier
from dopejar.pipelines.procedural.second_opinion import second_opinion
from dopejar.ports.language_model import Reply
from dopejar.values.scope import Side

RULE = "Never push to the release branch."


class Scripted:
    """A model that says one thing, or fails in one way."""

    name = "scripted"

    def __init__(self, reply):
        self.reply = reply
        self.asked = []

    def ask(self, ask):
        """The one reply."""
        self.asked.append(ask)
        if isinstance(self.reply, LanguageModelError):
            raise self.reply
        return Reply(value={"side": self.reply, "confidence": 1.0, "reasoning": "It reads so."}, tokens=9)


def opined(text, reply, **more):
    """The classification of a text with the opinion of a model that replies so."""
    return second_opinion(text, HemisphereClassifier().classify(text), Scripted(reply), **more)


def test_agreement_changes_nothing_but_the_reasoning():
    """Where the model agrees, the words' own confidence stands."""
    plain, found = HemisphereClassifier().classify(RULE), opined(RULE, "left")
    assert (found.side, found.confidence, found.is_flagged) == (plain.side, plain.confidence, plain.is_flagged)
    assert "It reads so." in found.reasoning


@pytest.mark.parametrize("side", ["right", "ambiguous"])
def test_disagreement_sends_it_to_a_person(side):
    """Where the model differs, the bullet is flagged below every threshold and keeps its side."""
    found = opined(RULE, side)
    assert found.side is Side.LEFT
    assert found.is_flagged
    assert found.confidence < 0.6


def test_an_opinion_on_what_is_unclear_is_a_suggestion():
    """What suited neither side gets the model's side as a suggestion, flagged and below every threshold."""
    found = opined("Use retry logic", "left")
    assert found.side is Side.LEFT
    assert found.is_flagged
    assert found.confidence < 0.6


@pytest.mark.parametrize("reply", [ModelTimeoutError("late"), ModelReplyError("no JSON"), SpendCapError("spent")])
def test_a_model_that_cannot_answer_changes_nothing(reply):
    """The result without the model stands, and says that it could not be asked."""
    plain, found = HemisphereClassifier().classify(RULE), opined(RULE, reply)
    assert (found.side, found.confidence, found.is_flagged) == (plain.side, plain.confidence, plain.is_flagged)
    assert "could not be asked" in found.reasoning


@pytest.mark.parametrize("template", ["Where does it go?", "$other", "${bullet"])
def test_a_template_without_its_place_is_refused(template):
    """A prompt of one's own says where the words go."""
    with pytest.raises(SettingError, match="bullet"):
        opined(RULE, "left", template=template)


def test_the_words_reach_the_model_as_data():
    """The bullet stands between marks, under the purpose that the spend log names."""
    model = Scripted("left")
    second_opinion(RULE, HemisphereClassifier().classify(RULE), model, temperature=0.1, template="Sort: $bullet")
    (ask,) = model.asked
    assert ask.prompt == f"Sort: {RULE}"
    assert (ask.purpose, ask.temperature) == ("procedural.classifier", 0.1)
