"""The stemmer in C and the one in Python are one: an index made with either is found with the other."""

from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer.english_stemmer import EnglishStemmer
from snowballstemmer.russian_stemmer import RussianStemmer

from dopejar.text.words import stem

english, russian = EnglishStemmer(), RussianStemmer()


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=14))
def test_english_stems_agree(word):
    """Any word of Latin letters has the stem that the pure Python stemmer gives it."""
    assert stem(word) == english.stemWord(word)


@given(st.text("абвгдежзийклмнопрстуфхцчшщъыьэюя", min_size=3, max_size=14))
def test_russian_stems_agree(word):
    """Any word of Cyrillic letters has the stem that the pure Python stemmer gives it."""
    assert stem(word) == russian.stemWord(word)
