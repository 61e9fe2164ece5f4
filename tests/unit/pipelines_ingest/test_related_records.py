"""Statements as they are given to a reader that relates them."""

from datetime import UTC, datetime

import pytest

from dopejar.pipelines.ingest.related_records import with_spoken_dates, without_doubt

AT = datetime(2026, 3, 12, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The cast came off on 2026-03-12", "The cast came off today"),
        ("We left the co-op on 2026-03-11", "We left the co-op yesterday"),
        ("The toll is 4 euros from 2026-03-12 on", "The toll is 4 euros from today on"),
        ("The rehearsal is in the barn since 2026-03", "The rehearsal is in the barn since this month"),
        ("The choir moved in 2026-02", "The choir moved last month"),
        ("The choir has met here since 2026-02", "The choir has met here since last month"),
        ("The choir moved in the week of 2026-03-02", "The choir moved last week"),
        ("The choir moved in the week of 2026-02-16", "The choir moved in the week of 2026-02-16"),
        ("The audit ended on 2026-01-30", "The audit ended on 2026-01-30"),
        ("Part 2026-03-12-7 is on order", "Part 2026-03-12-7 is on order"),
        ("The lease runs until 2027-03", "The lease runs until 2027-03"),
    ],
)
def test_near_dates_are_said_as_people_say_them(text, said):
    """Today, yesterday, last week, this and last month are words again; every other date stays as it is."""
    assert with_spoken_dates(text, AT) == said


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("I think our ferry leaves at nine", "Our ferry leaves at nine"),
        ("Perhaps our ferry leaves at nine", "Our ferry leaves at nine"),
        ("Our ferry probably leaves at nine", "Our ferry leaves at nine"),
        ("Our ferry leaves at nine, I think", "Our ferry leaves at nine"),
        ("If I remember right our ferry leaves at nine", "Our ferry leaves at nine"),
        ("I'm not sure, but our ferry might be late", "Our ferry is late"),
        ("Ich glaube, unsere Fähre fährt um neun", "Unsere Fähre fährt um neun"),
        ("Our ferry really leaves at nine", "Our ferry really leaves at nine"),
        ("I believe in small boats", "I believe in small boats"),
    ],
)
def test_doubt_is_left_out_of_what_is_compared(text, plain):
    """Without doubt, the words are as though said surely; words without any stay as they are."""
    assert without_doubt(text) == plain
