"""Polarity: what is denied."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.text.lexicons import LANGUAGES
from dopejar.text.polarity import polarity

ENGLISH = [
    (1, "Use tabs"),
    (-1, "Don't use tabs"),
    (-1, "Don\u2019t use tabs"),
    (-1, "dont use tabs"),
    (-1, "No tabs, please."),
    (1, "No, use tabs"),
    (-1, "No, don't use tabs"),
    (-1, "Please never commit secrets"),
    (1, "Never forget to run the tests"),
    (1, "I like not only Python but also Go"),
    (1, "Ask me if you don't know"),
    (-1, "I don't like it because it's not fast"),
    (-1, "If the build fails, do not push"),
    (1, "If it isn't green, wait"),
    (1, "Use tabs and don't use spaces"),
    (-1, "Tabs and spaces are not allowed"),
    (-1, "I don't like rain and I don't like snow"),
    (-1, "In Python, never use globals"),
    (-1, "For tests never use mocks, use fakes"),
    (1, "Don't avoid globals"),
    (-1, "Avoid globals"),
    (-1, "Disable telemetry"),
    (-1, "Don't enable telemetry"),
    (1, "Use pnpm instead of npm"),
    (1, "Use tabs, not spaces"),
    (-1, "I can't eat peanuts"),
    (1, "I can't wait to see it"),
    (1, "It's not impossible"),
    (-1, "We no longer use Jenkins"),
    (-1, "Stop adding comments"),
    (1, "The bus stop is near"),
    (1, "Run it without sudo"),
    (-1, "Don't commit without tests"),
    (-1, "Don't add steps that were not asked for"),
    (1, "Use a library that does not need a server"),
    (-1, "I think that we should not use mocks"),
    (-1, "I'm not sure, but we don't use Redis"),
    (1, "Not sure if we use Redis"),
    (1, "There is no reason not to use it"),
    (1, "No doubt Redis is faster"),
    (-1, "I hate cats"),
    (-1, "Why do you sign the commits? Don't do that."),
    (1, "Knots and notes are fine"),
    (1, ""),
]
OTHERS = [
    ("pt", -1, "Nunca uses tabs"),
    ("pt", -1, "Não uso nada disso nunca"),
    ("pt", 1, "Não só Python mas também Go"),
    ("pt", 1, "Gosto de café"),
    ("es", -1, "No uses nunca tabs"),
    ("es", -1, "No, no uses tabs"),
    ("es", 1, "No, usa tabs"),
    ("de", -1, "Ich mag Python nicht"),
    ("de", 1, "Vergiss nicht, Tests zu schreiben"),
    ("de", -1, "Benutze niemals Tabs"),
    ("de", -1, "Ich glaube, dass Tabs nicht gut sind"),
    ("pt", 1, "Faz isso sem perguntar"),
    ("de", 1, "Wenn es nicht geht, ruf an"),
    ("fr", -1, "N'utilise jamais de tabs"),
    ("fr", -1, "Je n'aime pas le café"),
    ("fr", 1, "J'aime le café"),
    ("ru", -1, "Никогда не используй табы"),
    ("ru", 1, "Используй табы"),
    ("ru", 1, "Не забудь запустить тесты"),
    ("cs", -1, "Nepoužívej taby"),
    ("cs", 1, "Používej taby nebo mezery"),
    ("cs", 1, "Nejlepší je káva"),
    ("cs", -1, "Nikdy nic nemaž"),
    ("zh", -1, "不要使用制表符"),
    ("zh", 1, "请使用制表符"),
    ("zh", 1, "我不得不同意"),
    ("zh", -1, "我不喜欢咖啡"),
    ("zh", 1, "我特别喜欢咖啡"),
    ("zh", -1, "我从来没有去过北京"),
    ("zh", -1, "避免使用全局变量"),
]


@pytest.mark.parametrize(("sign", "text"), ENGLISH)
def test_english_polarity(sign: int, text: str) -> None:
    """The main clause decides; denials of one clause cancel out."""
    assert polarity(text) == sign


@pytest.mark.parametrize(("language", "sign", "text"), OTHERS)
def test_polarity_of_other_languages(language: str, sign: int, text: str) -> None:
    """Each language denies in its own way; some deny twice and mean it once."""
    assert polarity(text, language) == sign


@given(st.text(alphabet=st.characters(codec=None), max_size=80), st.sampled_from(LANGUAGES))
def test_polarity_takes_anything(text: str, language: str) -> None:
    """Any text in any language is affirmed or denied."""
    assert polarity(text, language) in (1, -1)


@given(st.sampled_from(["use tabs", "run the linter", "open a ticket", "answer in German", "sign the commits"]))
def test_never_turns_an_instruction_round(instruction: str) -> None:
    """What "X" and "Always X" state, "Never X" and "Don't X" deny."""
    assert polarity(instruction) == polarity(f"Always {instruction}") == polarity(f"Please {instruction}.") == 1
    assert (
        polarity(f"Never {instruction}")
        == polarity(f"Don't {instruction}")
        == polarity(f"Ok, do not {instruction}")
        == -1
    )


def test_unknown_language_is_refused() -> None:
    """A language without a lexicon is an input error, not a guess."""
    with pytest.raises(InputError):
        polarity("no", "xx")
