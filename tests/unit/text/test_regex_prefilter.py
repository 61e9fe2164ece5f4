"""Needles of regular expressions."""

from __future__ import annotations

import re
from typing import SupportsIndex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dopejar.text.regex_prefilter.required_literals import alternatives, may_match, prefilter_pattern, required
from dopejar.text.regex_prefilter.rule_filter import RulePrefilter


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (r"\bold barn\b", [{"old barn"}]),
        (r"(?:oak|elm|ash) trees?", [{"oak", "elm", "ash"}, {" tree"}]),
        (r"mills? (?:near|by) the river", [{"mill"}, {"near", "by"}, {" the river"}]),
        (r"harbou?r", [{"harbo"}]),
        (r"go+d", [{"go"}, {"od"}]),
        (r"barn|barns|mill", [{"barn", "barns", "mill"}]),
        (r"(?:the )?(?:red|blue)", [{"red", "blue"}]),
        (r"[\\/]", [{"/", "\\"}]),
        (r"a\.k\.a\.", [{"a.k.a."}]),
        (r"quay(?! wall)", [{"quay"}]),
        (r"(?:barn|\w+)", []),
        (r"(?:barn)?", []),
        (r"(?:barn){0,2}", []),
        (r"[a-z]+\d", []),
        (r"\u2019\x41", []),
        (r"i", []),
        (r"(?=barn)\w+", []),
        (r"", []),
    ],
)
def test_pieces_that_a_match_cannot_lack(expression: str, expected: list[set[str]]) -> None:
    """What may be missing is not asked for, and of several choices each has its piece."""
    assert [set(pieces) for pieces in required(expression)] == expected


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
def test_a_sieve_passes_over_no_match(expression: str, data: st.DataObject) -> None:
    """A text that the expression matches is found, also among rules about other words."""
    parts = alternatives(expression)
    prefilter = RulePrefilter([*parts, "lighthouse", r"old \w+"])
    rule = prefilter.rule(parts)
    text = data.draw(st.from_regex(expression))
    marks = prefilter.marks(text)
    found = re.search(expression, text)
    assert found
    assert required(expression)
    assert rule.is_in(text, marks)
    first = rule.first(text, marks)
    assert first
    assert first.start() == found.start()


class _OneWord(str):
    """A text of one word, which counts how many of its letters are looked at."""

    __slots__ = ("seen",)
    seen: int

    def split(self, *_: object) -> list[str]:  # type: ignore[override]
        self.seen = 0
        return [self]

    def __getitem__(self, at: SupportsIndex | slice) -> str:
        piece = super().__getitem__(at)
        self.seen += len(piece)
        return piece


@pytest.mark.parametrize("letters", ["x", "\u00e9", "barn\u00e9", "ba"])
def test_each_letter_of_a_long_word_is_looked_at_a_few_times(letters: str) -> None:
    """No more letters are looked at than the longest piece has, times those of the word."""
    prefilter = RulePrefilter(["barn door", "barns", "mill"])
    word = _OneWord(letters * 5000)
    prefilter.marks(word)
    assert word.seen <= (len("barns") + 1) * len(word)


def test_encoded_data_matches_no_rule_and_the_words_beside_it_do() -> None:
    """A word of more than a thousand ASCII letters holds no mark, and takes none from the words around it."""
    prefilter = RulePrefilter(["barn", "mill"])
    text = "the barn " + "xmillx" * 300
    marks = prefilter.marks(text)
    assert prefilter.rule(["barn"]).is_in(text, marks)
    assert not prefilter.rule(["mill"]).is_in(text, marks)


def test_a_rule_without_sure_pieces_is_tried_on_every_text() -> None:
    """Where nothing is sure, no text is passed over; where something is, a text without it is."""
    prefilter = RulePrefilter([r"\w+ing", r"[a-z]+\d", "barn (?:door|roof)", "^mill"])
    marks = prefilter.marks("a5 barn wall by the mill")
    assert prefilter.rule([r"[a-z]+\d"]).is_in("a5 barn wall by the mill", marks)
    assert not prefilter.rule(["barn (?:door|roof)"]).is_in("a5 barn wall by the mill", marks)
    assert not prefilter.rule(["^mill"]).is_in("a5 barn wall by the mill", marks)
    assert not prefilter.rule([]).is_in("a5 barn wall by the mill", marks)


@pytest.mark.parametrize("expression", _WRITTEN)
@given(data=st.data())
@settings(max_examples=60)
def test_what_is_sought_is_found_as_without_needles(expression: str, data: st.DataObject) -> None:
    """Looking for literals first finds the same place as trying the expression, in letters of any case."""
    text = data.draw(st.from_regex(expression) | st.from_regex(expression).map(str.upper) | st.text())
    found, plain = prefilter_pattern(expression).search(text, text.lower()), re.search(expression, text, re.IGNORECASE)
    assert (found and found.span()) == (plain and plain.span())


def test_a_capital_stays_a_capital_in_what_is_sought() -> None:
    """Case is ignored but for classes of capitals."""
    named = prefilter_pattern(r"named ([A-Z][a-z]+)")
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
