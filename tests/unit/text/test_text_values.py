"""Values that must agree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.text_values import extract_values

CASES = [
    ("The quota is 60 calls/minute", {"60 call/minute"}),
    ("60 calls per minute is the limit", {"60 call/minute"}),
    ("at most 60 calls a minute", {"60 call/minute"}),
    ("Meet on March 10, 2024", {"2024-03-10"}),
    ("due 2024-03-10", {"2024-03-10"}),
    ("due 10th of March 2024", {"2024-03-10"}),
    ("Termin ist der 10. März 2024", {"2024-03-10"}),
    ("reunião em 10 de março de 2024", {"2024-03-10"}),
    ("2024年3月10日开会", {"2024-03-10"}),
    ("I moved in May 2021", {"2021-05"}),
    ("my birthday is March 10", {"03-10"}),
    ("Use Python 3.9", {"python 3.9"}),
    ("I like Python", {"python"}),
    ("we need 1,200 items", {"1200 item"}),
    ("we need 1200 items", {"1200 item"}),
    ("es kostet nur 1.200 Euro und nicht mehr", {"1200 eur"}),
    ("run it on port 8080", {"port 8080"}),
    ('call it "Blue Fox"', {"blue fox"}),
    ("call it \u201cBlue Fox\u201d", {"blue fox"}),
    ("Branches are named <type>/<ticket>-<slug>.", {"<type>/<ticket>-<slug>"}),
    ("no ticket any more, just <type>/<slug>", {"<type>/<slug>"}),
    ("use `pytest -x`", {"pytest -x"}),
    ("it costs $20", {"20 usd"}),
    ("it costs 20 dollars", {"20 usd"}),
    ("15 % off", {"15%"}),
    ("15 percent off", {"15%"}),
    ("at 2:30 pm", {"14:30"}),
    ("at 14:30", {"14:30"}),
    ("at 9am", {"09:00"}),
    ("Use 4 spaces", {"4 space"}),
    ("use four spaces", {"4 space"}),
    ("v1.2.3 of the tool", {"1.2.3"}),
    ("listen on 127.0.0.1", {"127.0.0.1"}),
    ("We deploy on Fridays", {"weekday 5"}),
    ("timeout is 30s", {"30 second"}),
    ("a 30 second timeout", {"30 second"}),
    ("max 10k requests", {"10000 request"}),
    ("edit src/app.py and max_retries", {"src/app.py", "max_retries"}),
    ("with --verbose", {"--verbose"}),
    ("ask Ana Silva about it", {"ana silva"}),
    ("NEVER push to main", set()),
    ("The tests are slow", set()),
    ("Mein Hund mag keinen Kuchen", set()),
    ("we may 10 times fail", {"10 time"}),
    ("", set()),
]


@pytest.mark.parametrize(("text", "values"), CASES)
def test_values_have_one_spelling(text: str, values: set[str]) -> None:
    """Numbers with units, dates, times, money, versions and names are read into one form."""
    assert extract_values(text) == values


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("60 calls/minute", "60 calls/hour"),
        ("port 8080", "port 8081"),
        ("Use Python 3.9", "Use Python 3.10"),
        ("it costs $20", "it costs €20"),
        ("March 10, 2024", "March 11, 2024"),
        ("at 2:30 pm", "at 2:30 am"),
    ],
)
def test_other_values_differ(one: str, other: str) -> None:
    """Another unit, number, version, currency, day or half of the day is another value."""
    assert extract_values(one) != extract_values(other)


@given(st.text(alphabet=st.characters(codec=None), max_size=120))
def test_values_take_anything(text: str) -> None:
    """Any text has values; none is empty."""
    assert all(extract_values(text))


@given(st.text(alphabet="0123456789.,:/-$€% kmhapvAPM\n'\"`", max_size=60))
def test_values_take_numbers_in_any_disorder(text: str) -> None:
    """Numbers, marks and units in any order are read without a fault."""
    assert isinstance(extract_values(text), frozenset)


@given(st.integers(min_value=0, max_value=10**12))
def test_thousands_separators_do_not_matter(number: int) -> None:
    """`1,200` is `1200`, for any number."""
    assert extract_values(f"we have {number:,} of them") == extract_values(f"we have {number} of them")


@pytest.mark.parametrize("letter", ["a", "1", ".", "a+", "_1", "A", "1.", "@", "/", "-", "'", "a@", "\u0430", "1,111"])
def test_long_monotony_ends(letter: str) -> None:
    """A hundred thousand times the same is read to the end; patterns that wander would not come back."""
    assert isinstance(extract_values(letter * 100_000), frozenset)
