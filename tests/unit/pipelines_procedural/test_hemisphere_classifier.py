"""The classifier: decided examples, properties, and floors on a labelled set of our own."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.procedural.bullets import BulletType
from dopejar.pipelines.procedural.classifier import HemisphereClassifier
from dopejar.values.scope import Side

OURS = Path(__file__).parents[3] / "benchmarks" / "data" / "bullets.jsonl"
classify = HemisphereClassifier().classify

LEFT = [
    "Always validate schema before API call",
    "Check authentication token expiry",
    "Ensure required fields are present",
    "Verify response status code is 200",
    "When API fails, try backoff",
    "When API call fails, try exponential backoff",
    "If the upload times out, try again once.",
    "When the token expires, try to renew it.",
]
RIGHT = [
    "Try exponential backoff when stuck",
    "Consider alternative API endpoints",
    "Explore edge cases first",
    "Explore edge cases",
    "What if we reframe the problem?",
    "When stuck, try analogies",
    "When unsure which cause it is, try several.",
]


@pytest.mark.parametrize("text", LEFT)
def test_rules_and_named_events_are_left(text):
    """A rule, a check, and an action on a named event are left and sure enough to pass for it, even with a `try`."""
    found = classify(text)
    assert found.side is Side.LEFT
    assert not found.is_flagged


@pytest.mark.parametrize("text", RIGHT)
def test_trying_and_being_stuck_are_right(text):
    """An opening trial, a question, and a search when stuck are right."""
    found = classify(text)
    assert found.side is Side.RIGHT
    assert not found.is_flagged


@pytest.mark.parametrize("text", ["Use retry logic", "Handle errors gracefully", "Write good code", ""])
def test_what_could_be_either_is_flagged_and_not_forced(text):
    """A vague principle has no side, and a person looks at it."""
    found = classify(text)
    assert found.side is Side.NONE
    assert found.is_flagged


@pytest.mark.parametrize("text", ["Maybe try analogies when stuck", "Maybe try analogies?", "Perhaps ask the cook."])
def test_a_hedge_is_right_and_flagged(text):
    """A hedge opens, but a person looks at it: its confidence is below automatic assignment."""
    found = classify(text)
    assert found.side is Side.RIGHT
    assert found.is_flagged
    assert 0.6 <= found.confidence < 0.8 or text.startswith("Perhaps")


def test_the_reasoning_names_what_spoke_for_it():
    """A person reads why a side is suggested."""
    found = classify("Never push to the release branch.")
    assert "prohibition" in found.reasoning
    assert found.fired


@given(st.text(max_size=300), st.sampled_from([Side.NONE, Side.LEFT, Side.RIGHT]), st.sampled_from(BulletType))
def test_any_text_gets_one_answer(text, hint, kind):
    """The classifier is total and gives the same answer twice; a confidence lies between 0 and 1."""
    found = classify(text, source_hint=hint, bullet_type=kind)
    assert found == classify(text, source_hint=hint, bullet_type=kind)
    assert 0.0 <= found.confidence <= 1.0
    assert found.side in (Side.NONE, Side.LEFT, Side.RIGHT)
    assert found.side is not Side.NONE or found.is_flagged


@pytest.mark.parametrize("text", LEFT + RIGHT)
def test_the_source_alone_turns_no_clear_bullet_round(text):
    """A misleading source does not change the side of a clear bullet."""
    plain = classify(text).side
    assert {classify(text, source_hint=side).side for side in (Side.LEFT, Side.RIGHT)} == {plain}


def test_tags_and_type_lean_where_the_words_say_nothing():
    """Where the words are even, a checklist leans left and a question leans right."""
    words = "Night answers for the harbour office"
    plain = classify(words)
    as_check = classify(words, bullet_type=BulletType.CHECKLIST, tags=("validation",))
    as_question = classify(words, bullet_type=BulletType.QUESTION, tags=("exploration",))
    assert plain.side is Side.NONE
    assert as_check.side is Side.LEFT
    assert as_question.side is Side.RIGHT


def predictions():
    """Our own labelled bullets with what the classifier says of them."""
    rows = [json.loads(line) for line in OURS.read_text("utf-8").splitlines()]
    return [(row["label"], classify(row["text"])) for row in rows]


def test_floors_on_our_own_bullets():
    """On our own labelled bullets: .85 of the clear ones right, macro-F1 .7, and .9 of what would be assigned."""
    pairs = [(label, found.side.value or "ambiguous", found.confidence) for label, found in predictions()]
    clear = [(label, side) for label, side, _ in pairs if label != "ambiguous"]
    assert sum(label == side for label, side in clear) / len(clear) >= 0.85
    scores = []
    for name in ("left", "right", "ambiguous"):
        hits = sum(label == side == name for label, side, _ in pairs)
        said = sum(side == name for _, side, _ in pairs)
        meant = sum(label == name for label, _, _ in pairs)
        scores.append(2 * hits / (said + meant))
    assert sum(scores) / 3 >= 0.7
    taken = [label == side for label, side, sure in pairs if side != "ambiguous" and sure >= 0.8]
    assert sum(taken) / len(taken) >= 0.9
    assert len(taken) / len(pairs) >= 0.3


@pytest.mark.parametrize("least", [0.5, 0.6, 0.7, 0.8, 0.9])
def test_confidence_keeps_its_promise_on_our_own_bullets(least):
    """Of what is classified with at least so much confidence, at least that share is right."""
    right = [label == (found.side.value or "ambiguous") for label, found in predictions() if found.confidence >= least]
    assert sum(right) / len(right) >= least
