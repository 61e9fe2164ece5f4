"""Dangling: what a statement leaves open is seen in its words, and what it does say is not taken for it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.salience.ellipsis import dangling
from dopejar.pipelines.ingest.salience.features import features

OPEN = {
    "half a sentence": [
        "My weekly letters to Wanda",
        "The lantern from the Orvo fair, to hang in the hall",
        "Mending nets, like when I had to help the yard",
        "My boat, and Wanda sold hers on May 6",
        "I own a loom, and I have to admit",
    ],
    "an amount of what": [
        "I've been reading a few lately",
        "I keep one in the shed",
        "I want to see a harbour in both towns",
        "We saw a pair nesting on the roof",
    ],
    "one of many": ["I rehearse the play every week", "I've heard the old song twice", "I met her in the class"],
    "work in hand": ["I shortened my second draft", "I moved our build to Orvo"],
    "of it, bare": ["I mended it on Monday", "I recently got her a red kettle", "I've tried one already"],
    "a choice": [
        "I like the lantern idea",
        "Let's go with Marmot",
        "I'm interested in seeing how nets are mended",
        "I'm going to start with the book on knots",
    ],
    "a reply": ["I cannot find the knot you suggested", "I'm happy to report that my boat floats", "I like olives too"],
}
SAID = {
    "half a sentence": [
        "My sister Wanda, who is a nurse, lives in Orvo",
        "The ferry leaves at nine",
        "My boat's called Marmot",
        "Mending nets takes me an hour",
        "Wanda and I share a loom",
    ],
    "an amount of what": ["I have a few lanterns", "I own two looms", "I like both tea and coffee", "I keep one goat"],
    "one of many": ["I rehearse the play of Ilva", "I've read the book Marmot", "I know the song that Wanda wrote"],
    "work in hand": ["I sold my loom", "My second boat has a red sail"],
    "of it, bare": [
        "I find it hard to park",
        "I bought a kettle and use it",
        "I love her cooking",
        "I have one sister",
    ],
    "a choice": ["I go to Orvo on Mondays", "I'm interested in old knots", "I've learned to start a fire"],
    "a reply": ["I thank nobody for the storm", "I dig a well"],
}


def seen(text: str) -> set[str]:
    """What the statement leaves open."""
    return set(dangling(text, re.findall(r"[^\W\d_][\w'-]*|\d[\w.,:%-]*", text.lower())))


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in OPEN.items() for text in texts])
def test_what_is_left_open_is_seen(name: str, text: str) -> None:
    """Half a sentence, an amount without a noun, one of many, a pronoun without a noun, a choice, a reply."""
    assert name in seen(text)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in SAID.items() for text in texts])
def test_what_is_said_is_not_taken_for_open(name: str, text: str) -> None:
    """The same words with their verb, their noun or their name leave nothing open."""
    assert name not in seen(text)


@given(st.text(max_size=60))
def test_any_words_have_features_between_none_and_one(text: str) -> None:
    """Whatever is said, features are measures from 0 to 1, and what dangles is among them."""
    found = features(text)
    assert all(0.0 <= value <= 1.0 for value in found.values())
    assert all(name in found for name in seen(text))


@pytest.mark.parametrize("text", ["I play the cello", "We keep bees in Orvo", "I usually row before work"])
def test_a_present_without_a_helper_is_a_state(text: str) -> None:
    """What is so in general is said in the plain present."""
    assert "in the form present" in features(text)


@pytest.mark.parametrize(
    "text", ["I sold my loom", "I need a new sail", "I walked home", "My boat leaks", "I'm rowing"]
)
def test_other_forms_are_no_present(text: str) -> None:
    """Neither the past, nor a want, nor what one's things do."""
    assert "in the form present" not in features(text)


@pytest.mark.parametrize(("text", "silent"), [("The ferry leaves at nine", True), ("The ferry takes me home", False)])
def test_where_nobody_speaks_that_is_seen(text: str, silent: bool) -> None:
    """A statement without a word for the speaker may be anybody's."""
    assert ("nobody speaks" in features(text)) is silent
