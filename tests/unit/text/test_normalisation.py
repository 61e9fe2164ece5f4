"""Normal form, folded form and content hash."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.normalisation import content_hash, fold, normalise

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=80)  # lone surrogates included


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("  Use   tabs \t here ", "Use tabs here"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("a \n \n \n\n b", "a\n\nb"),
        ("cafe\u0301", "café"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("bell\x07 and nul\x00", "bell and nul"),
        ("", ""),
    ],
)
def test_normalise_gives_one_spelling(raw: str, expected: str) -> None:
    """Spaces, line ends, composition and control characters have one form."""
    assert normalise(raw) == expected


@given(ANY_TEXT)
def test_normalise_is_idempotent(text: str) -> None:
    """A normal form is its own normal form, for any Unicode, surrogates included."""
    once = normalise(text)
    assert normalise(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once == once.strip()


@given(ANY_TEXT)
def test_fold_is_idempotent(text: str) -> None:
    """A folded form is its own folded form."""
    once = fold(text)
    assert fold(once) == once


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Don\u2019t", "don't"),
        ("\u201cquoted\u201d", '"quoted"'),
        ("em \u2014 dash", "EM - DASH"),
        ("STRASSE", "straße"),
        ("\uff21\uff22\uff23", "abc"),
        ("\ufb01ne", "fine"),
    ],
)
def test_fold_unifies_typography_and_case(one: str, other: str) -> None:
    """Quotes, dashes, width and case do not tell texts apart."""
    assert fold(one) == fold(other)


def test_fold_keeps_diacritics() -> None:
    """`año` and `ano` are two words."""
    assert fold("año") != fold("ano")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs.", "use  tabs"),
        ("Use tabs!", "Use tabs"),
        ("Don\u2019t push\nto main", "don't push to main."),
        ("我喜欢咖啡。", "我喜欢咖啡"),
    ],
)
def test_same_text_has_same_hash(one: str, other: str) -> None:
    """Case, spacing, typography and closing punctuation leave the hash as it is."""
    assert content_hash(one) == content_hash(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Use tabs", "Use spaces"), ("You use tabs?", "You use tabs."), ("v1.2", "v12"), ("no, go", "no go")],
)
def test_other_text_has_other_hash(one: str, other: str) -> None:
    """Other words, a question, inner punctuation make another text."""
    assert content_hash(one) != content_hash(other)


@given(ANY_TEXT)
def test_hash_is_hex_of_normal_form(text: str) -> None:
    """The hash is 64 hex digits, for any Unicode, and does not see normalisation."""
    digest = content_hash(text)
    assert len(digest) == 64
    assert set(digest) <= set("0123456789abcdef")
    assert digest == content_hash(normalise(text))
