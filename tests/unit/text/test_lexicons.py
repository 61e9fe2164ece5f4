"""Lexicons and the guess of a language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.text.lexicons import LANGUAGES, guess_language, lexicon, word_list
from dopejar.text.normalise import fold


@pytest.mark.parametrize("language", LANGUAGES)
def test_lexicon_is_complete(language: str) -> None:
    """Every language has every kind of entry."""
    book = lexicon(language)
    for name in (
        "negations", "reversals", "unnegations", "subordinators", "contrasts", "hedges", "intensifiers", "fluff",
        "interjections", "stops", "question_words", "months", "weekdays", "opposites", "synonyms",
    ):  # fmt: skip
        assert getattr(book, name), name
    assert set(book.months.values()) == set(range(1, 13))
    assert set(book.weekdays.values()) == set(range(1, 8))


@pytest.mark.parametrize("language", LANGUAGES)
def test_entries_are_folded(language: str) -> None:
    """Entries are found in folded text, so they are folded themselves."""
    book = lexicon(language)
    entries = [*book.negations, *book.hedges, *book.fluff, *book.stops, *book.months, *book.interjections]
    assert [entry for entry in entries if fold(entry) != entry] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_hedges_leave_part_of_the_certainty(language: str) -> None:
    """Each hedge leaves some certainty and takes some."""
    assert all(0 < certainty < 1 for certainty in lexicon(language).hedges.values())


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_stands_on_both_sides(language: str) -> None:
    """A fluff opener never denies; an opposite is never its own."""
    book = lexicon(language)
    assert not set(book.fluff) & {*book.negations, *book.reversals}
    assert all(left != right for left, right in book.opposites)


def test_lexicon_is_read_once() -> None:
    """Two askers get the same object."""
    assert lexicon("en") is lexicon("en")


def test_unknown_language_is_named() -> None:
    """A language without a lexicon is refused, with those there are."""
    with pytest.raises(InputError, match=r"'tlh'.*en, pt, es"):
        lexicon("tlh")


def test_unknown_word_list_is_named() -> None:
    """A missing list of a data file is refused by name."""
    with pytest.raises(InputError, match="no list 'xx'"):
        word_list("frequent", "xx")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "I like Python"),
        ("en", ""),
        ("en", "ok"),
        ("en", "npm run build"),
        ("en", "Always answer in French"),
        ("pt", "Prefiro usar espaços em vez de tabulações"),
        ("pt", "Não uses tabs"),
        ("es", "Siempre responde en español, por favor"),
        ("de", "Ich mag keine langen Antworten"),
        ("fr", "Je n'aime pas le café"),
        ("ru", "Всегда отвечай кратко"),
        ("cs", "Nepoužívej tabulátory, prosím"),
        ("zh", "请用简短的回答"),
        ("zh", "我用Python写代码"),
    ],
)
def test_guess_language(language: str, text: str) -> None:
    """Script, letters and everyday words tell the language; English when unsure."""
    assert guess_language(text) == language


@given(st.text(alphabet=st.characters(codec=None), max_size=80))
def test_guess_is_always_a_known_language(text: str) -> None:
    """For any text the guess has a lexicon."""
    assert guess_language(text) in LANGUAGES


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("please use tabs", "use tabs"),
        ("no, use tabs", "use tabs"),
        ("no tabs", None),
        ("so, that is it", "that is it"),
        ("so it goes", None),
        ("pleased to meet you", None),
        ("ok. go on", "go on"),
    ],
)
def test_openers_are_cut_only_where_they_say_nothing(text: str, rest: str | None) -> None:
    """The word of "no, ..." is an opener, that of "no tabs" makes a rule."""
    match = lexicon("en").fluff_opening.match(text)
    assert (text[match.end() :] if match else None) == rest
