"""Likeness of two texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.similarity import similar

SAME = [
    ("Keep it short", "Be concise"),
    ("Keep your answers short", "Please be brief in your replies"),
    ("I like Python", "I really love Python!"),
    ("I think I like Python", "I like Python"),
    ("The quota is 60 calls/minute", "The quota is 60 calls per minute"),
    ("The server runs on port 8080", "The server is running on port 8080"),
    ("I prefer dark mode", "I'd rather have a dark theme"),
    ("Never commit to main", "Don't commit to main"),
    ("Avoid global state", "Don't use global state"),
    ("Don't enable telemetry", "Disable telemetry"),
    ("Don't be verbose", "Be concise"),
    ("The launch is on March 10, 2024", "The launch is on 2024-03-10"),
    ("Gosto de café", "Eu adoro café"),
    ("Ich mag Kaffee", "Ich liebe Kaffee"),
    ("简短回答", "请简洁地回答"),
]
OTHER_POLARITY = [
    ("I like Python", "I hate Python"),
    ("Always use tabs", "Never use tabs"),
    ("Enable telemetry", "Disable telemetry"),
    ("Use semicolons", "Don't use semicolons"),
    ("I prefer dark mode", "I prefer light mode"),
    ("Make the class public", "Make the class private"),
    ("Run the linter before merging", "Run the linter after merging"),
    ("Run it with sudo", "Run it without sudo"),
    ("Use sudo", "Run without sudo"),
    ("我喜欢咖啡", "我不喜欢咖啡"),
]
OTHER_VALUES = [
    ("The quota is 60 calls/minute", "The quota is 100 calls/minute"),
    ("The quota is 60 calls/minute", "The quota is 60 calls/hour"),
    ("I live in Porto", "I live in Lisbon"),
    ("Use Python 3.9", "Use Python 3.12"),
    ("The meeting is at 9am", "The meeting is at 9pm"),
    ("Name the branch `next`", "Name the branch `main`"),
]
OTHER_WORDS = [
    ("Run the full integration test suite before merging", "Run the full unit test suite before merging"),
    ("Use tabs", "The weather is fine"),
    ("My sister is a doctor", "My brother is a doctor"),
    ("", "Use tabs"),
]
ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=40)
PHRASES = st.sampled_from([text for pair in SAME + OTHER_POLARITY + OTHER_VALUES + OTHER_WORDS for text in pair])


@pytest.mark.parametrize(("one", "other"), SAME)
def test_near_same_wordings_mean_the_same(one: str, other: str) -> None:
    """Synonyms, hedges, openers and spellings of values do not change what is said."""
    assert similar(one, other).same_meaning


@pytest.mark.parametrize(("one", "other"), OTHER_POLARITY)
def test_opposites_never_mean_the_same(one: str, other: str) -> None:
    """A denial or an opposite is another polarity, however near the words are."""
    found = similar(one, other)
    assert not found.same_polarity
    assert not found.same_meaning


@pytest.mark.parametrize(("one", "other"), OTHER_VALUES)
def test_other_values_never_mean_the_same(one: str, other: str) -> None:
    """Another number, unit, place, version, time or quoted name is another value."""
    found = similar(one, other)
    assert not found.same_values
    assert not found.same_meaning


@pytest.mark.parametrize(("one", "other"), OTHER_WORDS)
def test_other_words_do_not_mean_the_same(one: str, other: str) -> None:
    """Where each says something the other does not, they are not the same."""
    assert not similar(one, other).same_meaning


@given(ANY_TEXT | PHRASES)
def test_a_text_means_itself(text: str) -> None:
    """Any text is the same as itself, fully."""
    found = similar(text, text)
    assert found.same_meaning
    assert found.same_polarity
    assert found.same_values
    assert found.lexical == pytest.approx(1.0)


@given(ANY_TEXT | PHRASES, ANY_TEXT | PHRASES)
def test_likeness_is_symmetric_and_bounded(one: str, other: str) -> None:
    """It does not matter which text is named first, and every figure is from 0 to 1."""
    there, back = similar(one, other), similar(other, one)
    assert there.lexical == pytest.approx(back.lexical)
    assert there.same_meaning == back.same_meaning
    assert there.same_polarity == back.same_polarity
    assert there.same_values == back.same_values
    assert 0 <= there.lexical <= 1


@given(PHRASES, PHRASES)
def test_same_meaning_needs_agreement(one: str, other: str) -> None:
    """Same meaning without same polarity and values does not exist."""
    found = similar(one, other)
    assert not found.same_meaning or (found.same_polarity and found.same_values)
