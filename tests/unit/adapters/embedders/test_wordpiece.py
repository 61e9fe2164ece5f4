"""WordPiece: cleaning, folding, splitting and the longest pieces."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.embedders.wordpiece import MAX_TOKENS, WordPiece, split_words
from dopejar.errors import WeightsDamagedError, WeightsMissingError

PIECES = (
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "a",
    "b",
    "c",
    "##a",
    "##b",
    "##c",
    "ab",
    "##bc",
    "cab",
    "un",
    "##able",
    "!",
)
IDS = {piece: number for number, piece in enumerate(PIECES)}
VOCABULARY = WordPiece(IDS)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", ["hello", ",", "world", "!"]),
        ("don't", ["don", "'", "t"]),
        ("v1.2-rc_3", ["v1", ".", "2", "-", "rc", "_", "3"]),
        ("$5 + 3^2 = `x` | ~y", ["$", "5", "+", "3", "^", "2", "=", "`", "x", "`", "|", "~", "y"]),
        ("Café NIÑO Ångström", ["cafe", "nino", "angstrom"]),
        ("naïve cafe\u0301", ["naive", "cafe"]),
        ("Straße İstanbul", ["straße", "istanbul"]),
        ("ΟΔΟΣ", ["οδοσ"]),
        ("Привет, ёж", ["привет", ",", "еж"]),
        ("東京 tower的x", ["東", "京", "tower", "的", "x"]),
        ("がギ", ["かキ"]),
        ("\ud558", ["\u1112\u1161"]),
        ("¿qué? «tú» — “so”…", ["¿", "que", "?", "«", "tu", "»", "—", "“", "so", "”", "…"]),
        ("€ 5 × 3", ["€", "5", "×", "3"]),
        ("zero\u200bwidth soft\u00adhyphen", ["zerowidth", "softhyphen"]),
        ("no\u00a0break\u3000wide\u2003em", ["no", "break", "wide", "em"]),
        ("nul\x00bell\x07 form\x0cfeed", ["nulbell", "formfeed"]),
        ("a\ufffdb", ["ab"]),
        ("tab\tline\r\nend", ["tab", "line", "end"]),
        ("👍🏽 ok", ["👍🏽", "ok"]),
        ("", []),
        (" \u200b\t", []),
    ],
)
def test_texts_are_split_into_folded_words(text, words):
    """White space, punctuation and Chinese characters separate; accents, case and invisible characters go."""
    from dopejar.adapters.embedders.wordpiece import _CHUNK

    found = [word for chunk in _CHUNK.findall(text) for word in split_words(chunk)]
    assert found == words


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("ab", ["ab"]),
        ("abc", ["ab", "##c"]),
        ("aabc", ["a", "##a", "##bc"]),
        ("cab unable!", ["cab", "un", "##able", "!"]),
        ("abx b", ["[UNK]", "b"]),
        ("a" * 100, ["a", *["##a"] * 99]),
        ("a" * 101, ["[UNK]"]),
        ("[SEP]", ["[UNK]", "[UNK]", "[UNK]"]),
        ("", []),
    ],
)
def test_words_are_cut_into_the_longest_known_pieces(text, pieces):
    """Greedy from the left; a word with an unknown part, or a very long one, is unknown as a whole."""
    assert VOCABULARY.encode(text) == [IDS["[CLS]"], *(IDS[piece] for piece in pieces), IDS["[SEP]"]]


@given(st.text(alphabet="abcxéの!\u200b \n", max_size=700), st.integers(2, 40))
def test_a_limit_cuts_the_same_ids_short(text, limit):
    """With a limit the ids are a beginning of all ids, between the two marks, and never more than the limit."""
    whole = VOCABULARY.encode(text, limit=10_000)
    short = VOCABULARY.encode(text, limit=limit)
    assert short == [*whole[:-1][: limit - 1], IDS["[SEP]"]]
    assert len(short) <= limit


@given(st.text(max_size=300))
def test_any_text_can_be_encoded_twice_alike(text):
    """What is remembered from the first time changes nothing."""
    fresh = WordPiece(IDS)
    assert fresh.encode(text) == fresh.encode(text)
    assert len(fresh.encode(text)) <= MAX_TOKENS


def test_a_long_text_is_cut_at_256():
    """The default limit is the one that the model was trained for."""
    ids = VOCABULARY.encode("a " * 5000)
    assert len(ids) == 256
    assert (ids[0], ids[-1]) == (IDS["[CLS]"], IDS["[SEP]"])


def test_the_file_numbers_its_lines(tmp_path: Path):
    """A piece's id is its line, also where lines hold separators that other readers would split at."""
    path = tmp_path / "vocab.txt"
    path.write_text("[UNK]\n[CLS]\n[SEP]\n\u2028\nx\n", encoding="utf-8")
    vocabulary = WordPiece.read(path)
    assert len(vocabulary) == 5
    assert vocabulary.encode("x") == [1, 4, 2]


@pytest.mark.parametrize(
    ("content", "error"),
    [(None, WeightsMissingError), (b"a\nb\n", WeightsDamagedError), (b"\xff\xfe", WeightsDamagedError)],
)
def test_an_unusable_file_is_refused_by_name(tmp_path: Path, content, error):
    """A missing file, one without the marks and one that is no text each get their own error, with the next step."""
    path = tmp_path / "vocab.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(error, match=r"[Ii]nstall"):
        WordPiece.read(path)


@given(st.text(alphabet="aAbé9 .,-'(`\n中文", max_size=80))
def test_units_share_out_the_tokens_of_a_text(text):
    """Read by units, a text has the same tokens; the units lie in it in order, each with tokens of its own."""
    ids, units = VOCABULARY.encode_units(text, limit=10_000)
    assert ids == VOCABULARY.encode(text, limit=10_000)
    first, start = 1, 0
    for unit in units:
        assert unit.first == first < unit.last
        assert start <= unit.start < unit.end <= len(text)
        first, start = unit.last, unit.end
    assert first == len(ids) - 1


def test_units_stop_at_the_limit():
    """The first unit that does not fit ends the text."""
    ids, units = VOCABULARY.encode_units("a " * 50, limit=10)
    assert len(ids) <= 10
    assert len(units) == len(ids) - 2
