"""Dates and times are parsed in every spelling that options and transcripts use, and nothing else is accepted."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.values.dates import parse_file_name_time, parse_moment, parse_timestamp, parse_utc

CASES = [
    ("2031-02-13T01:43:49.413Z", "2031-02-13T01:43:49.413000+00:00"),
    ("2031-02-13T01:43:49", "2031-02-13T01:43:49+00:00"),
    ("2031-02-13T03:43:49+02:00", "2031-02-13T01:43:49+00:00"),
    ("2031-02-13 01:43:49-0700", "2031-02-13T08:43:49+00:00"),
    ("2031-10-14 22:25Z", "2031-10-14T22:25:00+00:00"),
    ("2031/04/28 (Mon) 14:53", "2031-04-28T14:53:00+00:00"),
    ("started at 2031-07-15 11:38:37", "2031-07-15T11:38:37+00:00"),
    ("model brew-2 2031-07-13 13:42:30Z", "2031-07-13T13:42:30+00:00"),
    ("2031-03-15", "2031-03-15T00:00:00+00:00"),
    ("1:56 pm on 8 May, 2031", "2031-05-08T13:56:00+00:00"),
    ("12:05 am on 8 May 2031", "2031-05-08T00:05:00+00:00"),
    ("8 May 2031", "2031-05-08T00:00:00+00:00"),
    ("May 8, 2031, 1:56 PM", "2031-05-08T13:56:00+00:00"),
    ("11/30/2031, 11:38:19 PM", "2031-11-30T23:38:19+00:00"),
    (1930000000, "2031-02-27T23:06:40+00:00"),
    (1930000000.5, "2031-02-27T23:06:40.500000+00:00"),
    (1930000000123, "2031-02-27T23:06:40.123000+00:00"),
    ("1930000000", "2031-02-27T23:06:40+00:00"),
]


@pytest.mark.parametrize(("value", "expected"), CASES)
def test_every_known_spelling_is_read(value: object, expected: str) -> None:
    """Each spelling gives the same moment, in UTC where no zone is told."""
    found = parse_timestamp(value)
    assert found is not None
    assert found.isoformat() == expected


NO_TIMES = [
    *("", "soon", "started at", "2031-13-40", "2031-02-30 10:00", "0001-01-01", "9999-12-31T23:59:59Z", "12:30"),
    *("v2.1.0", "1", "99999999999999999999", "06/07/2031", "x" * 5000, "model brew-2, mode Agent"),
    *(None, True, 0, -5, 1, float("nan"), float("inf"), 10**400, [], {}, b"2031-01-01"),
]


@pytest.mark.parametrize("value", NO_TIMES, ids=lambda value: repr(value)[:30])
def test_nothing_else_is_a_time(value: object) -> None:
    """Text, impossible dates, numbers from no time of ours and other types give None."""
    assert parse_timestamp(value) is None


@given(st.datetimes(min_value=datetime(1991, 1, 1), max_value=datetime(2099, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - bounds of the strategy must be naive
def test_iso_times_come_back_as_they_were(moment: datetime) -> None:
    """An ISO time is read back as the same moment."""
    assert parse_timestamp(moment.isoformat()) == moment


@given(st.one_of(st.text(max_size=60), st.integers(), st.floats(), st.booleans(), st.none()))
def test_any_value_gives_an_aware_time_or_none(value: object) -> None:
    """No value raises, and what is found is aware."""
    found = parse_timestamp(value)
    assert found is None or found.utcoffset() is not None


def test_a_file_name_tells_its_time() -> None:
    """The time in a file's name is found; a name without one gives None."""
    assert parse_file_name_time("2031-10-14_22-20Z-porch.md") == datetime(2031, 10, 14, 22, 20, tzinfo=UTC)
    assert parse_file_name_time("porch.md") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2031-02-13T01:43+02:00", "2031-02-13T01:43:00+02:00"),
        ("2031-02-13 01:43:49Z", "2031-02-13T01:43:49+00:00"),
        ("2031-02-13T01:43", "2031-02-13T01:43:00"),
        ("2031-02-13", "2031-02-13T23:59:59.999999"),
        ("20310213", "2031-02-13T23:59:59.999999"),
    ],
)
def test_moment_of_an_option(text: str, expected: str) -> None:
    """A date is the end of its day; without an offset the machine's time zone applies."""
    wanted = datetime.fromisoformat(expected)
    assert parse_moment(text) == (wanted if wanted.tzinfo else wanted.astimezone())


@pytest.mark.parametrize("text", ["", "someday", "2031-02-30", "2031-02-13T25:00", "13.02.2031", "tomorrow"])
def test_other_text_is_no_moment(text: str) -> None:
    """Any other text is a ValueError."""
    with pytest.raises(ValueError, match=r"."):
        parse_moment(text)


@given(st.datetimes(timezones=st.none() | st.just(UTC)))
def test_utc_is_assumed_without_an_offset(moment: datetime) -> None:
    """An ISO time comes back as the same moment, in UTC where it had no offset."""
    assert parse_utc(moment.isoformat()) == moment.replace(tzinfo=UTC)


@given(st.dates(min_value=date(1971, 1, 2), max_value=date(2199, 12, 30)))
def test_a_date_means_the_end_of_its_day(day: date) -> None:
    """The last microsecond of the day, in the machine's time zone."""
    moment = parse_moment(day.isoformat())
    assert (moment.date(), moment.microsecond) == (day, 999_999)
    assert moment.utcoffset() is not None
