"""Dates in words: one table of what each expression names, whoever reads it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.temporal_expressions import read_time
from dopejar.text.dates import Toward, named_days

WEDNESDAY = date(2026, 3, 4)


@pytest.mark.parametrize(
    ("words", "first", "days"),
    [
        ("today", "2026-03-04", 1),
        ("this evening", "2026-03-04", 1),
        ("tomorrow", "2026-03-05", 1),
        ("the day before yesterday", "2026-03-02", 1),
        ("Friday", "2026-03-06", 1),
        ("next Friday", "2026-03-06", 1),
        ("this Wednesday", "2026-03-04", 1),
        ("Wednesday", "2026-03-11", 1),
        ("last Wednesday", "2026-02-25", 1),
        ("this week", "2026-03-02", 7),
        ("next week", "2026-03-09", 7),
        ("last week", "2026-02-23", 7),
        ("this month", "2026-03-01", 31),
        ("next month", "2026-04-01", 30),
        ("this quarter", "2026-01-01", 90),
        ("next year", "2027-01-01", 365),
        ("the new year", "2027-01-01", 365),
        ("3 days ago", "2026-03-01", 1),
        ("a couple of weeks ago", "2026-02-18", 1),
        ("in two weeks", "2026-03-18", 1),
        ("five months ago", "2025-10-01", 31),
        ("in a year", "2027-01-01", 365),
        ("the 9th", "2026-03-09", 1),
        ("the 4th", "2026-03-04", 1),
        ("the 2nd", "2026-04-02", 1),
        ("the 31st", "2026-03-31", 1),
        ("2 December", "2026-12-02", 1),
        ("2nd of Dec", "2026-12-02", 1),
        ("December 2nd, 2025", "2025-12-02", 1),
        ("2 March", "2027-03-02", 1),
        ("29 February", "2028-02-29", 1),
        ("March", "2026-03-01", 31),
        ("February", "2027-02-01", 28),
        ("May 2027", "2027-05-01", 31),
        ("2027", "2027-01-01", 365),
        ("2026-11", "2026-11-01", 30),
        ("2026-11-02", "2026-11-02", 1),
    ],
)
def test_an_expression_names_its_days(words: str, first: str, days: int) -> None:
    """Without a year, the next ones that are not over."""
    named = named_days(words, WEDNESDAY)
    assert (str(named.first), (named.behind - named.first).days) == (first, days)


@pytest.mark.parametrize(
    ("words", "toward", "first"),
    [
        ("March", "ahead", "2027-03-01"),
        ("March", "past", "2026-03-01"),
        ("May", "past", "2025-05-01"),
        ("December", "near", "2025-12-01"),
        ("2 November", "past", "2025-11-02"),
        ("November 2", "near", "2025-11-02"),
        ("29 February", "near", "2028-02-29"),
        ("29 February", "past", "2024-02-29"),
        ("the 9th", "past", "2026-02-09"),
        ("the 4th", "ahead", "2026-04-04"),
        ("Friday", "past", "2026-02-27"),
        ("4 March", "ahead", "2027-03-04"),
    ],
)
def test_a_date_without_a_year_is_looked_for_in_one_direction(words: str, toward: Toward, first: str) -> None:
    """Until when something holds lies ahead, since when it does in the past; a plain date may be either."""
    assert str(named_days(words, WEDNESDAY, toward).first) == first


@pytest.mark.parametrize("words", ["12/3", "31 February", "the 40th", "2026-02-30", "week", "May's", "soon", ""])
def test_what_names_no_day_is_an_error(words: str) -> None:
    """Nothing is guessed: "12/3" is a day in March for some and in December for others."""
    with pytest.raises(ValueError, match=r"day|date|month"):
        named_days(words, WEDNESDAY)


@given(st.dates(date(1900, 1, 1), date(2200, 1, 1)), st.dates(date(1900, 1, 1), date(2200, 1, 1)))
def test_a_spelled_date_is_found_again(day: date, today: date) -> None:
    """Each spelling of a date names it, whenever it is read."""
    for words in (f"{day.day} {day:%B} {day.year}", f"{day:%B} {day.day}, {day.year}", day.isoformat()):
        assert named_days(words, today) == (day, day + timedelta(days=1))


@given(st.dates(date(1900, 1, 1), date(2200, 1, 1)), st.sampled_from(["Monday", "9 May", "October", "the 7th"]))
def test_directions_agree_with_their_names(today: date, words: str) -> None:
    """What is ahead begins after today, what is past has begun, and what is running is not over."""
    assert named_days(words, today, "ahead").first > today
    assert named_days(words, today, "past").first <= today
    assert named_days(words, today, "running").behind > today


@pytest.mark.parametrize("written", ["2 November", "November 2", "2nd of November", "Nov 2nd"])
@pytest.mark.parametrize(
    ("said", "begin", "end"),
    [
        ("We use Linear since {}", "2025-11-02", None),
        ("As of {} we use Linear", "2025-11-02", None),
        ("The rent goes up to 900 on {}", "2026-11-02", None),
        ("Use the spare key until {}", None, "2026-11-02"),
        ("We close at four on {} only", "2026-11-02", "2026-11-03"),
    ],
)
def test_both_orders_of_a_date_are_read_alike(written: str, said: str, begin: str | None, end: str | None) -> None:
    """Whether the day or the month comes first is no difference."""
    read = read_time(said.format(written), datetime(2026, 3, 4, 10, 30, tzinfo=UTC), cues("en"))
    found = [one and str(one.date()) for one in (read.valid_from, read.valid_to)]
    assert found == [begin, end]
