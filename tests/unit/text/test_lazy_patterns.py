"""Expressions that are compiled when they are first used."""

from __future__ import annotations

import re

import pytest

from dopejar.text.lazy_patterns import lazy_pattern

TEXTS = ("", "One, two", "ONE two one", "nothing")


@pytest.mark.parametrize("text", TEXTS)
def test_it_finds_what_the_compiled_expression_finds(text: str) -> None:
    """Every method answers as that of the compiled expression."""
    lazy, compiled = lazy_pattern(r"\b(one)\b", re.IGNORECASE), re.compile(r"\b(one)\b", re.IGNORECASE)
    assert lazy.findall(text) == compiled.findall(text)
    assert lazy.sub("1", text) == compiled.sub("1", text)
    assert lazy.subn("1", text) == compiled.subn("1", text)
    assert lazy.split(text) == compiled.split(text)
    assert [found.span() for found in lazy.finditer(text)] == [found.span() for found in compiled.finditer(text)]
    for method in ("search", "match", "fullmatch"):
        one, other = getattr(lazy, method)(text), getattr(compiled, method)(text)
        assert (one and one.span()) == (other and other.span())


def test_it_is_compiled_when_it_is_used() -> None:
    """A mistake in an expression is found at its first use, and not before: until then nothing was compiled."""
    lazy = lazy_pattern("(")
    assert lazy.pattern == "("
    with pytest.raises(re.error):
        lazy.search("")
