"""Times in questions."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.dates import TimeWindow, parse_time_windows

ASKED = date(2024, 5, 15)  # a Wednesday


@pytest.mark.parametrize(
    ("question", "inside", "outside"),
    [
        ("what broke on 3 March 2024?", date(2024, 3, 3), date(2024, 3, 20)),
        ("what broke on March 3rd, 2024?", date(2024, 3, 5), date(2023, 3, 3)),
        ("what broke on 2024-03-03?", date(2024, 3, 3), date(2024, 4, 3)),
        ("which cake did we bake in August?", date(2021, 8, 30), date(2021, 9, 1)),
        ("which cake did we bake in August 2023?", date(2023, 8, 1), date(2022, 8, 1)),
        ("where did I live in 2019?", date(2019, 12, 31), date(2020, 1, 1)),
        ("what did I say yesterday?", date(2024, 5, 14), date(2024, 5, 10)),
        ("what did I say two weeks ago?", date(2024, 5, 1), date(2024, 5, 14)),
        ("what did I say last week?", date(2024, 5, 8), date(2024, 4, 20)),
        ("what did I say last Monday?", date(2024, 5, 13), date(2024, 5, 6)),
        ("who came for New Year, on 31 December?", date(2022, 1, 2), date(2022, 6, 30)),
    ],
)
def test_window_holds_the_days_that_are_meant(question: str, inside: date, outside: date) -> None:
    """A time expression holds the days it means and no others."""
    windows, _ = parse_time_windows(question, ASKED)
    assert len(windows) == 1
    assert windows[0].contains(inside)
    assert not windows[0].contains(outside)


@pytest.mark.parametrize(
    "question", ["may I ask you something?", "is 31 June a date?", "who is April?", "version 2024.1"]
)
def test_what_is_no_time_names_none(question: str) -> None:
    """Words that only look like dates make no window."""
    windows, rest = parse_time_windows(question, ASKED)
    assert windows == ()
    assert rest == question


def test_words_of_the_time_leave_the_rest() -> None:
    """What is left to look for holds no date, and keeps all else."""
    _, rest = parse_time_windows("which cake did we bake in August 2023?", ASKED)
    assert "2023" not in rest
    assert "cake" in rest


@given(st.text(max_size=200), st.dates())
def test_any_text_is_read(text: str, asked: date) -> None:
    """No text and no day of asking makes the reading fail, and no window ends before it begins."""
    windows, _ = parse_time_windows(text, asked)
    assert all(window.first <= window.last for window in windows)


@given(st.integers(0, 9999), st.sampled_from(["day", "week", "month", "year"]), st.dates(), st.dates())
def test_relative_windows_end_when_asked(count: int, unit: str, asked: date, other: date) -> None:
    """What was so long ago does not lie ahead, however long ago it is."""
    windows, _ = parse_time_windows(f"what happened {count} {unit}s ago", asked)
    assert all(not window.contains(other) for window in windows if other > asked)


@given(st.dates(date(1990, 1, 1), date(2090, 12, 31)))
def test_yearly_window_fits_any_year(day: date) -> None:
    """A window without a year holds its day in every year."""
    window = TimeWindow(first=date(2000, 1, 1), last=date(2000, 12, 31), is_yearly=True)
    assert window.contains(day)
