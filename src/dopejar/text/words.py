"""Words, stems and index terms.

Takes: any Unicode string. Gives: words as written, stems, and the terms that index and query share. Never: lets the
guessed language of a text decide a stem: the script alone decides, so that index and query agree.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Final, Protocol

from dopejar.text.lexicons import dropped_in_queries, guess_language, unspaced_stops, word_list
from dopejar.text.normalisation import fold

if TYPE_CHECKING:
    from collections.abc import Iterator

# Scripts written without spaces; Hangul is here because its particles cling to the words.
UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3100-\u312f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)


@lru_cache(maxsize=1)
def _run() -> re.Pattern[str]:
    """A run of a script written without spaces; built at first use, for its sets are large."""
    return re.compile(f"[{UNSPACED}]+")


@lru_cache(maxsize=2)
def _word(*, is_plain: bool) -> re.Pattern[str]:
    """One word of a text; built at first use. A plain text needs none of the large sets."""
    letter = r"\w" if is_plain else rf"(?:[^\W{UNSPACED}]|[\u0300-\u036f])"
    unspaced = "" if is_plain else f"| [{UNSPACED}]+"
    return re.compile(
        rf"""
    (?<![\w-])--?[^\W\d_][\w-]*              # --flag, -f
    {unspaced}
    | \d+(?:[.,:/-]\d+)+(?:[^\W_]+)?         # 0.0.0.0, 3.11, 1,200, 12:30, 2024-03-10
    | [cCfF]\#(?!\w) | [cC]\+\+(?:\d\d)?     # C#, F#, C++
    | \.[A-Z]+(?!\w)                         # .NET
    | {letter}+(?:['\u2019.](?=[^\W_]){letter}+)*
    """,
        re.VERBOSE,
    )


_PARTS: Final = re.compile(r"[^\W\d_]+|\d+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ELISION: Final = re.compile(r"^(?:[ldjmtsnc]|qu|jusqu|lorsqu|puisqu)'(?=\w{2})")
_CYRILLIC: Final = re.compile("[\u0400-\u04ff]")
_LATIN_WORD: Final = re.compile("[a-z]+$")
_OPENING: Final = '("*'
_CLOSING: Final = '.,;:!?)"*'
_REPEATING: Final = 40  # characters; what is longer is rarely said twice and not worth keeping
_STRETCHES: Final = 65536  # remembered with their terms
_ENCODED: Final = re.compile("[A-Za-z0-9+/=_-]+")  # what base64 and hexadecimal data are written in
_LONGEST: Final = 1000  # characters of it that are indexed: a longer run is encoded data, found by its beginning
_LEAST: Final = 3  # letters that have a stem
_KEPT: Final = 2  # first letters of a word, which are those of its stem
_KEY_SEPARATORS: Final = re.compile(r"[-_.:#/]+")


class _Stemmer(Protocol):
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - the library's name


_stemmers: dict[str, _Stemmer] = {}
_lock = threading.Lock()  # a Snowball stemmer keeps its state in itself and is no thread's own


def words(text: str) -> list[str]:
    """The words of the text as written; `0.0.0.0`, `v1.2`, `C++`, `snake_case`, `--flag` stay whole.

    A run of a script written without spaces (Chinese, Japanese, Thai) is one word.
    """
    return _word(is_plain=text.isascii() or _is_plain(text)).findall(text)


@lru_cache(maxsize=4096)
def folded_words(text: str) -> tuple[str, ...]:
    """The words of a folded text; remembered, as one recall asks for those of a memory many times."""
    return tuple(words(fold(text)))


def _is_plain(text: str) -> bool:
    """Whether a text has only Latin letters and signs, such as curly quotation marks and dashes."""
    return all(sign < "\u0300" or "\u2000" <= sign < "\u3000" for sign in set(text))


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of one word: Russian Snowball for Cyrillic, English Snowball for Latin letters, else the folded word.

    English for every Latin word, whatever the language: the same word then has one stem in index and query. Latin
    diacritics are dropped, so that a hurried query finds the careful text.
    """
    folded = fold(word)
    if folded.isascii():
        if folded.isalpha():  # as most are
            return _snowball("english", folded) if len(folded) >= _LEAST else folded
    elif _CYRILLIC.search(folded):
        return _snowball("russian", folded.replace("ё", "е"))
    else:
        folded = unicodedata.normalize(
            "NFC", "".join(mark for mark in unicodedata.normalize("NFD", folded) if not "\u0300" <= mark <= "\u036f")
        )
    plain = _ELISION.sub("", folded) if "'" in folded else folded
    plain = plain.removesuffix("'s").replace("'", "")
    if len(plain) < _LEAST or not _LATIN_WORD.match(plain):
        return plain or folded
    return _snowball("english", plain)


@lru_cache(maxsize=1)
def _frequent() -> frozenset[str]:
    return word_list("frequent", "en") | word_list("frequent", "short")


@lru_cache(maxsize=1024)
def is_frequent(term: str) -> bool:
    """Whether a term is the stem of a word that is frequent in English; a stem changes only the end of a word."""
    return any(word.startswith(term[:_KEPT]) and stem(word) == term for word in _frequent())


def _snowball(algorithm: str, word: str) -> str:
    with _lock:
        stemmer = _stemmers.get(algorithm)
        if stemmer is None:
            import snowballstemmer

            stemmer = _stemmers[algorithm] = snowballstemmer.stemmer(algorithm)
        return stemmer.stemWord(word)


@lru_cache(maxsize=16384)
def _terms_of(word: str) -> tuple[str, ...]:
    """The terms of one word: its stem, and the stems of its parts where it is compound; bigrams of unspaced scripts."""
    if not word.isascii() and _run().match(word):
        folded = fold(word)
        return tuple(folded[i : i + 2] for i in range(len(folded) - 1)) or (folded,)
    whole = stem(word)
    parts = [piece for part in _PARTS.findall(word) for piece in _CAMEL.split(part)]
    if len(parts) < 2 or "'" in word or "\u2019" in word:
        return (whole,)
    return (whole, *(stem(part) for part in parts))


def index_terms(text: str) -> list[str]:
    """What the full-text index stores for the text, in order, repeats kept; nothing is dropped as a stop word.

    Words are stemmed; compounds (`max_retries`, `app.py`, `parseLine`) stand whole and in their parts; scripts without
    spaces give overlapping pairs of characters.
    """
    # no word reaches over a space, and most stretches repeat
    return list(chain.from_iterable(map(_known_terms.__getitem__, text.split())))


class _Terms(dict[str, tuple[str, ...]]):
    """The terms of what stands between two spaces; shorter stretches are remembered."""

    def __missing__(self, stretch: str) -> tuple[str, ...]:
        variants = _cut(stretch)
        if len(stretch) <= _REPEATING:
            if len(self) >= _STRETCHES:
                self.clear()
            self[stretch] = variants
        return variants


def _cut(stretch: str) -> tuple[str, ...]:
    if len(stretch) > _LONGEST:
        stretch = _ENCODED.sub(lambda run: run[0][:_LONGEST], stretch)
    plain = stretch.lstrip(_OPENING).rstrip(_CLOSING)
    if plain[1:].islower() and plain.isascii() and plain.isalpha():
        return (stem(plain),)  # nine of ten are one plain word
    return tuple(term for word in words(stretch) for term in _terms_of(word))


_known_terms = _Terms()


def record_terms(text: str, key: str) -> list[str]:
    """The full-text terms of a record: those of its text and of the words of its key; none where it has no text."""
    if not text:
        return []
    return index_terms(f"{text} {_KEY_SEPARATORS.sub(' ', key)}" if key else text)


def episode_terms(text: str) -> list[str]:
    """The full-text terms of an episode."""
    return index_terms(text)


def query_terms(text: str) -> list[str]:
    """The index terms of a query without stop and question words, each once, in order.

    Where nothing else is left, the plain terms are returned: a query of stop words still asks for something.
    """
    kept = dict.fromkeys(term for word in _asked(text) for term in _terms_of(word))
    return list(kept) or list(dict.fromkeys(index_terms(text)))


def content_words(text: str) -> list[str]:
    """The words of the text as written, without stop and question words."""
    return list(_asked(text))


def _asked(text: str) -> Iterator[str]:
    language = guess_language(text)
    dropped = dropped_in_queries(language)
    for word in words(text):
        if not word.isascii() and _run().match(word):
            yield from _run().findall(unspaced_stops(language).sub(" ", word))
        elif fold(word) not in dropped:
            yield word
