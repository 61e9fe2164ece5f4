"""What a statement states: one value in any form meets itself, and two values never meet."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.paraphrase.numbers_and_names import names_in, number_met, numbers_in, plainly
from dopejar.pipelines.ingest.paraphrase.statement_features import Said, name_met

ONE_VALUE = [
    ["up at 5:30", "up at 5.30 a.m.", "up at 05:30", "up at half past five", "up at half five", "up at five thirty",
     "up at 5:30 in the morning", "up at half past five in the morning"],
    ["gone by 16:30", "gone by 4:30 pm", "gone by 16.30", "gone by half four", "gone by 4:30 in the afternoon",
     "gone by half past four on Friday afternoons"],
    ["at 14:00", "at 2 pm", "at two o'clock on Friday afternoons", "at two in the afternoon", "at 14h", "at two"],
    ["at 6 a.m.", "at six", "at 06:00", "at six in the morning", "at six o'clock every weekday morning"],
    ["until noon", "until midday", "until 12:00", "until 12 pm", "until twelve"],
    ["closed at ten at night", "closed at 22:00", "closed past 22h", "closed at 10 pm", "closed at ten"],
    ["um halb sechs bin ich auf und nicht später", "um 5:30 bin ich auf", "ich bin um 5.30 Uhr auf und nicht später"],
    ["due 15 March", "due 15.03.", "due March 15th", "due on the fifteenth of March", "due 2026-03-15", "due 15/03",
     "due March the 15th: no later"],
    ["due 30/01", "due on the thirtieth of January", "due 30 January", "due 2027-01-30"],
    ["on the fourth floor", "on the 4th floor", "on floor 4", "on level four"],
    ["120 euros a week", "one hundred and twenty euros a week", "€120 per week", "120 EUR/week", "120 a week"],
    ["at most 400 lines", "at most four hundred lines"],
    ["it listens on 7421", "it listens on seven-four-two-one", "it listens on seven four two one"],
    ["3x a week", "three times a week", "3 mornings a week", "three days each week"],
    ["twice a day", "2 times a day", "two times a day"],
    ["every third week", "every three weeks", "every 3 weeks"],
    ["90 minutes", "an hour and a half", "1.5 hours"],
    ["a quarter of an hour", "15 minutes"],
    ["half an hour", "30 minutes", "30 min"],
    ["24 hours", "24h", "24 more hours"],
    ["48 hours", "two full days", "2 days"],
    ["in under two hours", "in 2:00:00", "in sub-2:00"],
    ["coverage of 85 %", "coverage of 0.85", "coverage of eighty-five percent"],
    ["the under-12 team", "the team under twelve"],
    ["15 %", "15 percent", "fifteen percent", "15%"],
    ["a salary of 60k", "a salary of 60,000"],
    ["half a dozen eggs", "six eggs", "6 eggs"],
    ["her birthday: 14.3.", "her birthday: 14/3", "her birthday is on 14 March"],
    ["half a year of savings", "six months of savings", "6 months of savings"],
    ["a year and a half of fixes", "18 months of fixes"],
    ["kept for 14d", "kept for 14 days", "kept for two weeks"],
    ["on Python 3.9", "on Python three point nine"],
    ["UUIDs of version-7", "UUIDs of version 7"],
    ["at 6 am I'm out", "at six I'm out"],
]  # fmt: skip
OTHER_VALUES = [
    ["at 14:00", "at 02:00", "at 2:30 pm", "at 15:00"],
    ["at 6 a.m.", "at six in the evening"],
    ["noon", "midnight"],
    ["up at half five", "up at half past four", "up at half six"],
    ["due 15 March", "due 16 March", "due 15 May"],
    ["due 2026-03-15", "due 2027-03-15"],
    ["due 15.03.", "due 15.04."],
    ["on Python 3.12", "on Python 3.1", "on Python 3.10", "on Python 3.13"],
    ["we are on 3.10", "we are on 3.1", "we are on 3.12"],
    ["port 5432", "port 5433", "port 543"],
    ["it runs in eu-west-1", "it runs in eu-central-1", "it runs in us-west-1", "it runs in eu-west-2"],
    ["24 hours", "24 minutes", "24 days"],
    ["120 euros", "120 dollars", "£120"],
    ["fifty-two", "fifty", "two"],
    ["twice a day", "three times a day"],
    ["two hours", "at 2 pm"],
    ["one hundred and twenty", "one hundred", "twenty"],
    ["15%", "15 minutes"],
    ["14/3", "14/4", "13/3"],
    ["six months", "half a month", "6 weeks"],
]


def meets(one: str, other: str) -> bool:
    """Whether a number of one text is a number of the other."""
    return any(number_met(number, numbers_in(other)) for number in numbers_in(one))


@pytest.mark.parametrize("forms", ONE_VALUE, ids=lambda forms: forms[0])
def test_one_value_meets_itself_in_every_form(forms: list[str]) -> None:
    """However a time, a date, an amount is put, it is one number, and no text has another besides."""
    assert [(one, other) for one, other in permutations(forms, 2) if not meets(one, other)] == []
    assert [one for one in forms if len(numbers_in(one)) != 1] == []


@pytest.mark.parametrize("values", OTHER_VALUES, ids=lambda values: values[0])
def test_two_values_never_meet(values: list[str]) -> None:
    """Another hour, half of the day, day, year, version, port, region, unit or currency is another value."""
    assert [(one, other) for one, other in permutations(values, 2) if meets(one, other)] == []


EVERYTHING = sorted({form for forms in (*ONE_VALUE, *OTHER_VALUES) for form in forms})


def test_meeting_is_symmetric() -> None:
    """Whichever is told first, two values meet or do not."""
    assert [(a, b) for a, b in combinations(EVERYTHING, 2) if meets(a, b) != meets(b, a)] == []


@given(st.integers(0, 23), st.integers(0, 59), st.integers(0, 23), st.integers(0, 59))
def test_times_meet_where_they_are_the_same(hour: int, minute: int, other_hour: int, other_minute: int) -> None:
    """A time of 24 hours meets itself in twelve hours, and no other time does."""
    told = f"at {other_hour % 12 or 12}:{other_minute:02} {'pm' if other_hour >= 12 else 'am'}"
    full = f"at {hour:02}:{minute:02}"
    doubtful = hour in (10, 11) and (hour + 12, minute) == (other_hour, other_minute)  # "10:30" may be either
    assert meets(full, told) == ((hour, minute) == (other_hour, other_minute) or doubtful)


@given(st.dates(), st.dates())
def test_dates_meet_where_they_are_the_same(one: object, other: object) -> None:
    """Day and month meet with and without a year; another day, or another year, does not."""
    mine, theirs = str(one), str(other)
    assert meets(f"due {mine}", f"due {theirs}") == (mine == theirs)
    assert meets(f"due {mine}", f"due {mine[8:]}/{mine[5:7]}")


@pytest.mark.parametrize(
    "text",
    [
        "I get up at 5:30, seven days a week",
        "she is one of those who rise at 5:30",
        "the two of us rise at 5:30",
        "since 2015 I rise at 5:30",
    ],
)
def test_what_says_nothing_of_the_matter_is_no_value(text: str) -> None:
    """Every day of the week, one of many, the two of us, and since when, are no numbers of what is said."""
    assert len(numbers_in(text)) == 1


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("it takes five to ten minutes", "it takes 5 to 10 minutes"),
        ("3 on Monday mornings", "3 on Monday mornings"),
        ("Mon-Fri at six", "weekdays at 6"),
        ("Mondays through Fridays", "weekdays"),
        ("on workdays", "on weekdays"),
        ("Tue/Thu", "Tuesday/Thursday"),
        ("I sat in the sun", "I sat in the sun"),
        ("Mon chat dort", "Mon chat dort"),
        ("two o'clock on Friday afternoons", "14:00 on Friday afternoons"),
    ],
)
def test_times_and_days_have_one_spelling(text: str, read: str) -> None:
    """Times, spans and weekdays are read where they are meant, and other words are left."""
    assert plainly(text) == read


@pytest.mark.parametrize(
    ("name", "said", "is_met"),
    [
        ("vs code", "I write in VSCode", True),
        ("vscode", "I write in VS Code", True),
        ("certified kubernetes administrator", "I passed the CKA", True),
        ("marit solvang", "ask Marit Solvang's team", True),
        ("postgres", "on port 5432", False),
        ("marit solvang", "ask Marit Brandl", False),
        ("anna", "ask Hanna", False),
    ],
)
def test_a_name_is_met_in_another_form(name: str, said: str, is_met: bool) -> None:
    """Run together, apart, as a possessive or by its initials it is one name; half of it, or a similar one, is not."""
    assert name_met(name, Said(said, "en").spoken) is is_met


def test_a_colour_is_one_name() -> None:
    """Digits and letters that make a colour or a digest are read as a whole."""
    assert names_in("our accent is #0F6E5C", "en") == names_in("the accent tone is 0f6e5c", "en") == {"0f6e5c"}


def test_a_region_can_be_refused() -> None:
    """A value of several parts is refused as a whole."""
    assert Said("it runs in eu-central-1, not eu-west-1", "en").refused == {"eu-west-1"}


def test_shortened_words_name_nothing() -> None:
    """What stands for "that is" and "for example" is no name."""
    assert names_in("we keep it short, i.e. brief, e.g. one line", "en") == frozenset()


@given(st.text(alphabet="0123456789.,:/-$€% hamp'oclkfstwn", max_size=60))
def test_any_disorder_is_read(text: str) -> None:
    """Numbers, marks and half words in any order have numbers, and each meets itself."""
    assert all(number_met(one, numbers_in(text)) for one in numbers_in(text))


@pytest.mark.parametrize(
    "piece", ["half ", "5 ", "1:", "12:30 ", "a-", "Mon-", "05/", "5 days a week, ", "quarter to "]
)
def test_long_monotony_ends(piece: str) -> None:
    """Tens of thousands of pieces are read to the end."""
    assert isinstance(numbers_in(piece * 10_000), frozenset)
