"""Needles of regular expressions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dopejar.text.needles import alternatives, may_match, needles, sought


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (r"\bold barn\b", ("old barn",)),
        (r"(?:oak|elm|ash) trees?", (" tree",)),
        (r"(?:oak|elm|ash)s?", ("ash", "elm", "oak")),
        (r"mills? (?:near|by) the river", (" the river",)),
        (r"harbou?r", ("harbo",)),
        (r"go+d", ("go",)),
        (r"barn|barns|mill", ("barn", "mill")),
        (r"(?:the )?(?:red|blue)", ("red", "blue")),
        (r"[\\/]", ("/", "\\")),
        (r"a\.k\.a\.", ("a.k.a.",)),
        (r"quay(?! wall)", ("quay",)),
        (r"(?:barn|\w+)", ()),
        (r"(?:barn)?", ()),
        (r"(?:barn){0,2}", ()),
        (r"[a-z]+\d", ()),
        (r"i", ()),
        (r"(?=barn)\w+", ()),
        (r"", ()),
    ],
)
def test_pieces_that_a_match_cannot_lack(expression: str, expected: tuple[str, ...]) -> None:
    """What may be missing gives no needle, and of several choices the longest pieces are taken."""
    assert needles(expression) == expected


_WRITTEN = (
    r"\b(?:oak|elm) (?:trees?|wood)\b",
    r"(?:^|\s)(?:mill|ferry)s?(?: (?:near|by))? the (?:old )?river",
    r"(?:no|not) (?:more )?(?:barns?|sheds?)|quay[- ]?side|[\\/]\w+[\\/]",
    r"it(?:'s| is| was)? (?:too |very )*(?:cold|hot)[,.!]*",
    r"a{2,3}bc|c{0,2}dd|(?:ee|f?gg)+",
    r"(?:bake|boil)(?:d|ing|s)? [^,]{2,9} for \d+ (?:minutes|hours?)",
)


@pytest.mark.parametrize("expression", _WRITTEN)
@given(data=st.data())
@settings(max_examples=60)
def test_every_match_holds_a_needle(expression: str, data: st.DataObject) -> None:
    """A text that the expression matches is never passed over."""
    text = data.draw(st.from_regex(expression))
    pieces = needles(expression)
    assert pieces
    assert may_match(pieces, text)


@pytest.mark.parametrize("expression", _WRITTEN)
@given(data=st.data())
@settings(max_examples=60)
def test_what_is_sought_is_found_as_without_needles(expression: str, data: st.DataObject) -> None:
    """Looking for needles first finds the same place as trying the expression, in letters of any case."""
    text = data.draw(st.from_regex(expression) | st.from_regex(expression).map(str.upper) | st.text())
    found, plain = sought(expression).search(text, text.lower()), re.search(expression, text, re.IGNORECASE)
    assert (found and found.span()) == (plain and plain.span())


def test_a_capital_stays_a_capital_in_what_is_sought() -> None:
    """Case is ignored but for classes of capitals."""
    named = sought(r"named ([A-Z][a-z]+)")
    assert named.search("NAMED Rye", "named rye")
    assert named.search("named rye", "named rye") is None


def test_an_expression_without_needles_may_match_anything() -> None:
    """Where nothing is sure, every text has to be tried."""
    assert may_match((), "anything")
    assert not may_match(("barn",), "a mill by the river")


@pytest.mark.parametrize("expression", _WRITTEN)
def test_alternatives_are_the_expression_in_parts(expression: str) -> None:
    """Joined again they are what was written, and each of them can be compiled alone."""
    parts = alternatives(expression)
    assert "|".join(parts) == expression
    assert all(re.compile(part) for part in parts)
