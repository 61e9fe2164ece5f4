"""Bytes become text and records whatever state they are in, and each damage is told with its place."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.transcripts.file_decoder import decode, json_lines, parse_json, plain_lines, storable

TEXT = "Größe: 4 µm – 日本\nsecond line\n"


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"], ids=lambda name: name
)
def test_every_unicode_encoding_is_read(encoding: str) -> None:
    """With or without its mark, a text in any Unicode encoding is the same text, undamaged."""
    words = "plain words first, so that the encoding shows\n" + TEXT
    assert decode(words.encode(encoding)).text == words
    assert decode(words.encode(encoding)).damaged == ()


def test_bad_bytes_are_replaced_counted_and_placed() -> None:
    """Bytes that are not UTF-8 become U+FFFD; how many and on which line is told."""
    read = decode(b"good\nb\xe4d and \xff\xfe\n")
    assert read.text == "good\nb\ufffdd and \ufffd\ufffd\n"
    assert read.damaged == (
        "3 places hold bytes that are not valid UTF-8, the first on line 2; each was replaced by U+FFFD",
    )


def test_nuls_are_taken_out_and_counted() -> None:
    """NULs, as a crash leaves them, are taken out and told."""
    read = decode(b"words\n" + b"\0" * 3 + b"more than words, so that this is no UTF-16\n")
    assert read.text == "words\nmore than words, so that this is no UTF-16\n"
    assert read.damaged == ("3 NUL characters were taken out, the first on line 2",)


@given(st.binary(max_size=400))
def test_any_bytes_decode_to_storable_text(data: bytes) -> None:
    """No bytes raise, and the text can be stored."""
    text = decode(data).text
    text.encode()
    assert "\0" not in text


def test_line_ends_are_all_the_same() -> None:
    """Unix, Windows and old Macintosh line ends give the same lines."""
    assert plain_lines("a\nb\n") == plain_lines("a\r\nb\r\n") == plain_lines("a\rb\r") == ["a", "b", ""]


def test_a_line_separator_inside_a_string_ends_no_line() -> None:
    """U+2028 and its like are letters of a JSON string."""
    line = json.dumps({"text": "a\u2028b\u0085c\x0bd"}, ensure_ascii=False)
    assert [found.value for found in json_lines(line)] == [{"text": "a\u2028b\u0085c\x0bd"}]


PROBLEMS = [
    ('{"a": 1', "not JSON"),
    ("[1, 2]", "not an object"),
    ('"words"', "not an object"),
    ("[" * 100_000, "nested deeper"),
    ('{"a":' * 100_000, "nested deeper"),
    ('{"a": ' + "9" * 5000 + "}", "too long"),
    ("{'a': 1}", "not JSON"),
]


@pytest.mark.parametrize(("raw", "problem"), PROBLEMS, ids=[problem for _, problem in PROBLEMS])
def test_what_is_no_record_comes_with_its_problem(raw: str, problem: str) -> None:
    """A line that is no JSON object is given with what is wrong with it, and its number."""
    good, bad = json_lines('{"a": 1}\n' + raw + "\n")
    assert good.value == {"a": 1}
    assert bad.value is None
    assert bad.number == 2
    assert problem in bad.problem
    assert not bad.is_unfinished


def test_only_a_last_line_without_its_end_is_unfinished() -> None:
    """A cut last line is told from a bad line; blank lines are none."""
    lines = list(json_lines('{"a": 1}\n\n  \n{"a": 2\n{"a": 3'))
    assert [(line.number, line.is_unfinished) for line in lines] == [(1, False), (4, False), (5, True)]


def test_numbers_that_are_none_are_read() -> None:
    """NaN and infinities, which some programs write, are no damage."""
    assert isinstance(parse_json("[NaN, Infinity, -Infinity, 1e999]"), list)


@given(st.text(st.characters(codec=None, exclude_categories=[]), max_size=50))
def test_storable_text_is_storable_and_no_shorter(text: str) -> None:
    """Lone surrogates and NULs are replaced one by one; all else stays."""
    kept = storable(text)
    kept.encode()
    assert len(kept) == len(text)
    assert "\0" not in kept
    assert storable(kept) == kept
