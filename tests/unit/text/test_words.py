"""Words, stems and index terms."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.words import index_terms, query_terms, stem, words

ANY_TEXT = st.text(alphabet=st.characters(codec=None), max_size=80)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bind to 0.0.0.0:8080", ["Bind", "to", "0.0.0.0:8080"]),
        ("v1.2 is out.", ["v1.2", "is", "out"]),
        ("C++ and C# or F#", ["C++", "and", "C#", "or", "F#"]),
        ("set max_retries with --dry-run -f", ["set", "max_retries", "with", "--dry-run", "-f"]),
        ("don't, don\u2019t", ["don't", "don\u2019t"]),
        ("edit app.py now.", ["edit", "app.py", "now"]),
        ("1,200 at 12:30 on 2024-03-10", ["1,200", "at", "12:30", "on", "2024-03-10"]),
        ("我喜欢Python编程", ["我喜欢", "Python", "编程"]),
        ("dark-mode", ["dark", "mode"]),
        ("!? ...", []),
    ],
)
def test_words_keep_technical_tokens(text: str, expected: list[str]) -> None:
    """Addresses, versions, names with signs, flags and identifiers stay whole."""
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("prefers", "preferred"),
        ("databases", "database"),
        ("Ana's", "ana"),
        ("café", "cafe"),
        ("книги", "книга"),
        ("ёлка", "елка"),
        ("l'heure", "heure"),
        ("don't", "dont"),
    ],
)
def test_forms_of_a_word_share_a_stem(one: str, other: str) -> None:
    """Endings, possession, marks and elision do not hide a word."""
    assert stem(one) == stem(other)


def test_stem_does_not_depend_on_the_text_around() -> None:
    """A word has one stem, whichever language its text is guessed to be in."""
    german = index_terms("Die Konfiguration der Tests ist wichtig und nicht optional")
    english = index_terms("tests of Konfiguration")
    assert stem("Konfiguration") in german
    assert stem("Konfiguration") in english
    assert stem("Tests") in german


def test_stem_is_safe_among_threads() -> None:
    """Stemming in threads gives what stemming alone gives."""
    listed = [
        f"{root}{ending}" for root in ("prefer", "migrat", "declar", "observ") for ending in ("ing", "ed", "ation", "s")
    ]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(stem.__wrapped__, listed * 20))
    assert together == [stem(word) for word in listed] * 20


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("max_retries", {"max_retries", "max", "retri"}),
        ("parseLine", {"parselin", "pars", "line"}),
        ("app.py", {"app.py", "app", "py"}),
        ("喜欢咖啡", {"喜欢", "欢咖", "咖啡"}),
        ("茶", {"茶"}),
    ],
)
def test_index_terms_open_compounds(text: str, terms: set[str]) -> None:
    """Compounds stand whole and in parts; scripts without spaces give pairs."""
    assert set(index_terms(text)) == terms


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("What is Ana's favourite editor?", ["ana", "favourit", "editor"]),
        ("Where did we put the backup?", ["put", "backup"]),
        ("Quando é o prazo do projeto?", [stem("prazo"), stem("projeto")]),
        ("Was ist mein Lieblingseditor?", [stem("Lieblingseditor")]),
        ("我的咖啡在哪里", ["咖啡"]),
    ],
)
def test_query_terms_drop_what_asks(question: str, kept: list[str]) -> None:
    """Stop and question words of the query's language are not looked up."""
    assert query_terms(question) == kept


def test_query_of_stop_words_still_asks() -> None:
    """A query in which nothing else is left is looked up as it stands."""
    assert query_terms("who is it") == index_terms("who is it")


@given(ANY_TEXT)
def test_query_terms_are_index_terms(text: str) -> None:
    """For any text: every query term is among the index terms of it, each once; unspaced scripts aside."""
    asked = query_terms(text)
    assert len(asked) == len(set(asked))
    if text.isascii():
        assert set(asked) <= set(index_terms(text))
    assert bool(asked) == bool(index_terms(text))


PLAIN = st.one_of(
    st.characters(codec="ascii"),
    st.characters(max_codepoint=0x2FF),
    st.characters(min_codepoint=0x2000, max_codepoint=0x2FFF),
)


@given(st.text(alphabet=PLAIN, max_size=80))
def test_plain_text_has_the_same_words_beside_another_script(text: str) -> None:
    """Text of Latin letters and signs is read by a quicker expression, and to the same words."""
    assert words(f"{text} \u6e2f") == [*words(text), "\u6e2f"]


@given(ANY_TEXT)
def test_words_are_in_the_text(text: str) -> None:
    """For any text the words stand in it, in order."""
    at = 0
    for word in words(text):
        at = text.index(word, at) + len(word)
        assert word


@given(st.text(alphabet=st.characters(codec=None), min_size=1, max_size=30))
def test_stem_takes_anything(word: str) -> None:
    """Any string has a stem, the same every time."""
    assert stem(word) == stem(word)
    assert isinstance(stem(word), str)


def test_a_long_run_of_encoded_data_is_indexed_by_its_beginning() -> None:
    """The terms of base64 do not grow with it, those of the words around it are kept, and it still finds itself."""
    line = "iVBORw0KGgo/AAAANSUhEUg+"
    short, long = (index_terms(f'"picture":"{line * times}","colour":"green"') for times in (100, 1000))
    assert len(short) == len(long) < 1000
    assert {"pictur", "green"} <= set(long)
    assert set(index_terms(line * 1000)) <= set(long)


def test_a_long_text_without_spaces_keeps_its_terms() -> None:
    """What is no encoded data is indexed to its end, however long."""
    assert index_terms("word," * 400 + "harbour")[-1] == "harbour"
    assert index_terms("\u6f22\u5b57" * 1000 + "\u6d77\u6e2f")[-1] == "\u6d77\u6e2f"
