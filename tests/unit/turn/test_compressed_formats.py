"""Compressed formats: nothing is lost on the way back, whatever texts hold; codes cost less than their texts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.errors import InputError
from dopejar.text.tokens import count_tokens
from dopejar.turn.compressed_formats import FORMATS, Field, Row, RowFormat


def _values(field: Field) -> st.SearchStrategy[object]:
    if field.kind is float:
        return st.integers() | st.floats(allow_nan=False)
    codes = field.codes or {}
    awkward = [
        *codes,
        *codes.values(),
        *(f"={code}" for code in codes),
        "",
        "=",
        "\\",
        "\\e",
        "a|b",
        "a,b",
        "a\nb",
        ",",
    ]
    texts = st.text() | st.sampled_from(awkward)
    return texts if field.kind is str else st.lists(texts, max_size=4).map(tuple)


def _rows(row_format: RowFormat) -> st.SearchStrategy[list[Row]]:
    fields = {field.name: _values(field) for field in row_format.fields}
    return st.lists(st.fixed_dictionaries({}, optional=fields), max_size=5)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(FORMATS))
@given(data=st.data())
def test_nothing_is_lost_on_the_way_back(name: str, data: st.DataObject) -> None:
    """Decoding gives exactly the rows that were encoded, with any texts, codes, empty and missing fields."""
    row_format = FORMATS[name]
    rows = data.draw(_rows(row_format))
    assert list(row_format.decode(row_format.encode(rows))) == rows


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_codes_are_unambiguous_and_in_the_legend(name: str) -> None:
    """Within a field no two codes share a text, no code needs an escape, and the legend tells each of them."""
    row_format = FORMATS[name]
    legend = row_format.legend()
    for field in row_format.fields:
        codes = field.codes or {}
        assert field.name in legend
        assert len(set(codes.values())) == len(codes)
        for code, text in codes.items():
            assert code.isalpha()
            assert len(code) == 1 or field.kind is str  # in a list they stand side by side
            assert f"{code}={text}" in legend
            assert count_tokens(code) <= count_tokens(text)


def test_the_legend_of_rows_has_their_codes_alone() -> None:
    """The legend of some rows tells the codes that stand in their lines, and no other."""
    people = FORMATS["people"]
    row = {"name": "Ana", "traits": ("friend", "answers slowly"), "times": 5}
    assert people.encode([row]) == "Ana|Fs|5\n"
    assert people.legend([row]) == "name|traits|times\ntraits: F=friend; s=answers slowly"
    assert people.legend([{"name": "friend"}]) == "name|traits|times"


def test_wrong_rows_and_lines_are_refused() -> None:
    """An unknown field, a wrong type, too many fields, a number that is none, an unknown escape, a cut line."""
    people = FORMATS["people"]
    for row in ({"age": 3}, {"name": 3}, {"traits": "sl"}, {"times": "3"}, {"times": True}):
        with pytest.raises(InputError):
            people.encode([row])  # type: ignore[list-item]
    for text in ("a|b|c|1|2\n", "a|||many\n", "a\\q\n", "a\\\n", "cut", "a|zz\n"):
        with pytest.raises(InputError):
            people.decode(text)
