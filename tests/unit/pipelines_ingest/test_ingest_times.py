"""Times in words: relative dates become absolute, what is for a time ends when it says, and no date breaks reading."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.pipelines.ingest.cues import cues
from dopejar.pipelines.ingest.extraction.temporal_expressions import begins_after, read_time

WEDNESDAY = datetime(2026, 3, 4, 10, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("I went to Bergen last month", "I went to Bergen in 2026-02"),
        ("We fly to Bergen next month", "We fly to Bergen in 2026-04"),
        ("I went to Bergen last Monday", "I went to Bergen on 2026-03-02"),
        ("I went to Bergen yesterday", "I went to Bergen on 2026-03-03"),
        ("The ferry leaves the day after tomorrow", "The ferry leaves on 2026-03-06"),
        ("We met a couple of weeks ago", "We met around 2026-02-18"),
        ("My exam is in 3 days", "My exam is on 2026-03-07"),
        ("We fly in two weeks", "We fly around 2026-03-18"),
        ("I finished it in two weeks", "I finished it in two weeks"),
        ("Our guests come in 4 days", "Our guests come on 2026-03-08"),
        ("by the way, Ines flies in 5 days", "by the way, Ines flies on 2026-03-09"),
        ("Tom's graduation is in 9 days", "Tom's graduation is on 2026-03-13"),
        ("Fines start in 21 days", "Fines start in 21 days"),
        ("payment follows in 60 days", "payment follows in 60 days"),
        ("Our terms are strict, payment is due in 60 days", "Our terms are strict, payment is due in 60 days"),
        ("Delivery starts in 5 days", "Delivery starts in 5 days"),
        ("The deposit is returned in 14 days", "The deposit is returned in 14 days"),
        ("If you cancel late, the account closes in 7 days", "If you cancel late, the account closes in 7 days"),
        ("We have terms: interest starts in two weeks", "We have terms: interest starts in two weeks"),
        ("The fair is in the last week of May", "The fair is in the last week of May"),
        ("Today's build is red", "Today's build is red"),
    ],
)
def test_relative_dates_become_absolute(said: str, read: str) -> None:
    """From when it was said; what is no date stays as it is."""
    assert read_time(said, WEDNESDAY, cues("en")).text == read


@pytest.mark.parametrize(
    "said",
    [
        "Our Joost is in his last year of college",
        "Edda spends her savings, and her last month here is May",
        "It is her last week on the ward",
        "That was my very last summer in the caravan",
        "Grandpa spent the last year in a home",
        "Karim's last week at the depot was quiet",
        "The twins' last spring at nursery went fast",
        "We pay rent every last Friday",
        "The first and last week are free",
        "My next month is full",
        "In that last month he hardly ate",
        "For the past year I have worn a brace",
    ],
)
@pytest.mark.parametrize("at", [WEDNESDAY, datetime(2027, 12, 31, 23, tzinfo=UTC)])
def test_the_last_of_something_is_no_date(said: str, at: datetime) -> None:
    """A week, month or year behind a possessive or an article belongs to what stands before it: it may be the final."""
    assert read_time(said, at, cues("en")).text == said


@pytest.mark.parametrize(
    "said",
    [
        "I met her last Friday",
        "It's next week that we move",
        "The fair's next month",
        "We left Tom's and last year we sold",
    ],
)
def test_a_date_behind_what_only_looks_like_a_possessive_is_read(said: str) -> None:
    """The object of a verb and a shortened "is" own nothing."""
    assert any(year in read_time(said, WEDNESDAY, cues("en")).text for year in ("2025", "2026"))


@pytest.mark.parametrize(
    ("said", "at", "read"),
    [
        ("I left last month", datetime(2026, 1, 31, 23, 30, tzinfo=timezone(timedelta(hours=13))), "I left in 2025-12"),
        ("I left yesterday", datetime(2026, 1, 1, 0, 10, tzinfo=timezone(timedelta(hours=9))), "I left on 2025-12-31"),
        ("We open tomorrow", datetime(2026, 12, 31, 23, tzinfo=UTC), "We open on 2027-01-01"),
        ("We open next month", datetime(2026, 12, 31, 23, tzinfo=UTC), "We open in 2027-01"),
        ("I left a month ago", datetime(2026, 3, 31, tzinfo=UTC), "I left in 2026-02"),
        ("I left a year ago", datetime(2028, 2, 29, tzinfo=UTC), "I left in 2027"),
    ],
)
def test_ends_of_months_and_years(said: str, at: datetime, read: str) -> None:
    """The speaker's own day counts, across months, years and leap days."""
    assert read_time(said, at, cues("en")).text == read


@pytest.mark.parametrize(
    ("language", "said", "read"),
    [
        ("de", "Gestern war ich in Bergen", "2026-03-03 war ich in Bergen"),
        ("es", "Ayer estuve en Bergen", "2026-03-03 estuve en Bergen"),
        ("pt", "Amanhã vou a Bergen", "2026-03-05 vou a Bergen"),
        ("fr", "Je pars demain", "Je pars 2026-03-05"),
    ],
)
def test_days_of_other_languages(language: str, said: str, read: str) -> None:
    """The everyday words for days are dates there, too."""
    assert read_time(said, WEDNESDAY, cues(language)).text == read


@pytest.mark.parametrize(
    ("said", "last"),
    [
        ("I use light mode today", "2026-03-05"),
        ("We stay in Bergen this week", "2026-03-09"),
        ("We stay in Bergen this month", "2026-04-01"),
        ("Use port 9090 until Friday", "2026-03-06"),
        ("I'm on leave until 3 May", "2026-05-03"),
        ("I'm on leave until March 2nd", "2027-03-02"),
        ("I'm on leave until 2026-03-20", "2026-03-20"),
        ("We freeze until May", "2026-05-01"),
        ("We freeze until the end of May", "2026-06-01"),
        ("Only hotfixes until the 27th", "2026-03-27"),
        ("Until the 2nd all parcels go to the back door", "2026-04-02"),
        ("Use the spare key until Monday the 23rd", "2026-03-23"),
        ("The pool is closed till the 21st of April, all of it", "2026-04-21"),
        ("Until Ada is back on April 7th, reviews go to Rolf", "2026-04-07"),
        ("Until she's back in May, questions go to Rolf", "2026-06-01"),
        ("Send the drafts to Mia until I'm here again on Monday", "2026-03-09"),
        ("We don't ship until the audit is done in April", "2026-05-01"),
        ("We freeze till end of December", "2027-01-01"),
        ("Use port 9090 till Friday", "2026-03-06"),
        ("The lift is booked until 3", "2026-03-05"),
        ("We freeze until the end of the month", "2026-04-01"),
        ("We freeze until the end of the year", "2027-01-01"),
        ("I'm in Bergen for a few days", "2026-03-07"),
        ("For now we use SQLite", "2026-04-03"),
        ("Breakfast is at ten on Sunday, just this once", "2026-03-09"),
        ("The ferry leaves at six tomorrow, only this time", "2026-03-06"),
        ("Another choir, from Graz this time, has booked the hall for 28 to 30 May", "2026-05-31"),
        ("This time the concert is in the church, on April 6th", "2026-04-07"),
        ("Just this once, use the blue cups", "2026-03-05"),
        ("Tonight we eat late, just this once, the ferry is on Friday", "2026-03-05"),
        ("I'm on leave until 31 February", "2026-03-05"),
        ("The permit holds until 2027", "2027-01-01"),
        ("The licence is valid until the end of 2029", "2030-01-01"),
        ("Our lease runs until May 2029", "2029-05-01"),
        ("She has the post until the end of May 2029", "2029-06-01"),
        ("I'm in Ghent until next Friday", "2026-03-06"),
        ("I'm in Delft today, with the children at the moment", "2026-03-05"),
        ("Our guests are out this afternoon", "2026-03-05"),
        ("Don't push to main at the moment", "2026-04-03"),
        ("Skip the slow tests at the moment", "2026-04-03"),
        ("At present, never deploy the worker", "2026-04-03"),
        ("If a parcel comes at the moment, please ring me", "2026-04-03"),
    ],
)
def test_what_is_for_a_time_ends_when_it_says(said: str, last: str) -> None:
    """A named day ends it; "for now" holds a month; what names nothing ends with its day."""
    span = read_time(said, WEDNESDAY, cues("en"))
    assert span.temporary
    assert span.valid_to is not None
    assert span.valid_to.date() == date.fromisoformat(last)


@pytest.mark.parametrize(
    "said",
    [
        "Retry until the 3rd attempt succeeds",
        "Nobody scored until the 9th inning",
        "Only hotfixes until the release",
        "Use the old account until the new one works",
        "We were closed until the 27th",
        "Wait until the 20th",
        "We planned in Excel until Ada came in April",
        "I used vim until I moved to Bergen in May",
        "The grant is due until the 20th",
        "Keep polling until the job is done in CI",
        "The counter is open until late on Fridays",
        "We use SQLite until further notice",
        "I passed the exam this time",
        "The swallows leave around this time of the year",
        "By this time next year we live in Oslo",
        "I lived in Ghent until 2019",
        "Until May 2023 we had a dog",
        "I have the flat until the end of the season",
    ],
)
def test_what_names_no_day_to_come_ends_nothing(said: str) -> None:
    """A number of something, an event without a date, and what is past give no end."""
    assert read_time(said, WEDNESDAY, cues("en")).valid_to is None


def test_a_name_that_is_a_month_is_no_beginning() -> None:
    """Where something is from ("from May's book") does not say since when it holds."""
    assert read_time("The recipe is from May's book", WEDNESDAY, cues("en")).valid_from is None
    assert read_time("From May the shop is open", WEDNESDAY, cues("en")).valid_from is not None


@pytest.mark.parametrize(
    "said",
    [
        "I have two lodgers at the moment, Ada and Tom",
        "At the moment I'm learning Dutch",
        "I'm currently in my second year of nursing school",
        "The archive is currently in the cellar",
        "My knee hurts at the moment",
        "Right now I share a desk with Ines",
        "At present the bakery has no card reader",
        "I don't own a car at the moment",
        "We don't take new patients at the moment",
        "The office is closed on Mondays at the moment",
        "I've loved it from the moment I saw it",
        "The moment the bell rings the gate closes",
    ],
)
def test_a_state_of_the_present_lasts(said: str) -> None:
    """What is so "at the moment" is so until something else is said; nor does a moment that is told of end anything."""
    span = read_time(said, WEDNESDAY, cues("en"))
    assert not span.temporary
    assert span.valid_to is None


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("deploys: we're on render.com today, prod is kiln", "deploys: we're on render.com, prod is kiln"),
        ("Today we use Bazel 7", "we use Bazel 7"),
        ("Our wiki is hosted on Heroku today", "Our wiki is hosted on Heroku"),
        ("the invoices are stored in S3 today", "the invoices are stored in S3"),
        ("today, our backend runs on Elixir", "our backend runs on Elixir"),
        ("We're all on Node 22 today, and we might move on", "We're all on Node 22, and we might move on"),
        ("They still use Jenkins today", "They still use Jenkins"),
        ("prod is hosted at Hetzner today", "prod is hosted at Hetzner"),
    ],
)
def test_a_state_of_nowadays_lasts(said: str, read: str) -> None:
    """How a team works and where a thing runs "today" is so until something else is said."""
    span = read_time(said, WEDNESDAY, cues("en"))
    assert not span.temporary
    assert span.valid_to is None
    assert span.text == read


@pytest.mark.parametrize(
    "said",
    [
        "The counter is open until 5",
        "Ruben works until 1 every day",
        "The lab is staffed from 9 until 3",
        "We ship Monday to Friday until 4",
        "Kiln heating: evenings 5 till 9, same temperature",
        "The twins are at Ruben's alternate weekends, Saturday morning till Sunday tea",
    ],
)
def test_hours_that_come_again_end_nothing(said: str) -> None:
    """An hour until which something is so on each day is no end of it."""
    assert read_time(said, WEDNESDAY, cues("en")).valid_to is None


@pytest.mark.parametrize(
    "said",
    [
        "I'm off today, back on Friday",
        "Deploy from the hotfix branch this week, from main on Monday",
        "The office is closed from 3 today",
        "Ben is at home, exhausted today",
        "The depot is on Mill Street, closed today",
        "Today I'm busy 2 till 5",
        "I'm in meetings 2 till 5",
        "Two nights without sleep, I'm in bed till 11",
        "Every second Friday I see mum, but I'm away Saturday till Tuesday",
    ],
)
def test_what_is_so_for_a_while_ends_whatever_else_is_named(said: str) -> None:
    """A later day, an hour or a participle beside it does not make it last."""
    assert read_time(said, WEDNESDAY, cues("en")).temporary


@pytest.mark.parametrize(
    "said",
    [
        "I met Ines today",
        "Today I bought a kiln",
        "I ran a race this morning",
        "Ravi was put on insulin today",
        "We've bought a barge and moved in today",
        "I was offered the foreman's job today",
        "Ines has been diagnosed with asthma this morning",
        "They've put Tom on the night shift today",
        "The landlord has sold the barge today",
        "Tom got promoted to foreman today",
        "Good news: we were given the keys today",
        "Her uncle was taken to hospital this morning",
        "Ravi is being moved to insulin pens today",
        "The ferry goes up to 12 in May, the letter came today",
        "The parser is in Rust, released today",
        "Filter change every 10 weeks, did it today",
    ],
)
def test_what_happened_on_a_day_stays_true(said: str) -> None:
    """An event is no state of the day: it does not end with it."""
    span = read_time(said, WEDNESDAY, cues("en"))
    assert not span.temporary
    assert "2026-03-04" in span.text


@pytest.mark.parametrize(
    ("said", "begin"),
    [
        ("The kiln is broken since May", "2025-05-01"),
        ("We use Linear since February", "2026-02-01"),
        ("Starting April we use Linear", "2026-04-01"),
        ("As of December we use Linear", "2025-12-01"),
    ],
)
def test_a_month_without_a_year_is_the_one_that_is_meant(said: str, begin: str) -> None:
    """What is so since then never lies ahead; else the nearest one is meant."""
    span = read_time(said, WEDNESDAY, cues("en"))
    assert span.valid_from is not None
    assert span.valid_from.date() == date.fromisoformat(begin)


@pytest.mark.parametrize(
    ("said", "begin"),
    [
        ("The bus pass goes up to 34 in May", "2026-05-01"),
        ("My hours drop to 20 on 1 April", "2026-04-01"),
        ("We move to Ghent in February", "2027-02-01"),
        ("The team is moving to Zulip next month", "2026-04-01"),
        ("I start at Brandt in September", "2026-09-01"),
        ("Broadband will be 38 a month from the new year", "2027-01-01"),
        ("I'm being promoted to foreman in June", "2026-06-01"),
        ("Starting next week I work from the annex", "2026-03-09"),
        ("From Monday I'm on days", "2026-03-09"),
        ("Our standup moves to 10:30 from tomorrow", "2026-03-05"),
        ("We're moving the backups to S3 in two weeks", "2026-03-18"),
        ("As of 1 May the office opens at eight", "2026-05-01"),
        ("My salary goes up to 32,000 on the 1st", "2026-04-01"),
        ("In April, our broadband changes from Orla to Fonn", "2026-04-01"),
    ],
)
def test_an_announced_change_holds_from_its_day(said: str, begin: str) -> None:
    """The day is the next of its kind, whatever words tell of the change."""
    span = read_time(said, WEDNESDAY, cues("en"))
    assert span.valid_from is not None
    assert span.valid_from.date() == date.fromisoformat(begin)
    assert (span.temporary, span.valid_to) == (False, None)


@pytest.mark.parametrize(
    "said",
    [
        "My exam is on 25 November",
        "We're going to Crete in July",
        "I'm getting married in June",
        "I'm seeing the dentist on Tuesday",
        "Tom wants to move to Ghent next year",
        "We might move to Ghent in May",
        "We plan to switch to Zulip in May",
        "The rent went up to 950 in February",
        "The rent goes up to 950 in January every year",
        "The rent does not go up to 950 in May",
        "If the rent goes up to 950 in May, we leave",
        "The exam moves to 25 November",
        "The party is moving to next Friday",
        "We complete on the 27th",
        "The course starts on 3 May",
        "The lease ends in May",
        "I have the notes from Monday",
        "I work from Monday to Friday",
        "The season runs from May to September",
        "I'm going to four weddings in June",
    ],
)
def test_what_announces_no_new_value_is_dated_by_its_telling(said: str) -> None:
    """Events, wishes, plans, habits, denials, conditions, and dates that are the value."""
    span = read_time(said, WEDNESDAY, cues("en"))
    assert (span.valid_from, span.valid_to, span.temporary) == (None, None, False)


@pytest.mark.parametrize(
    ("said", "begin", "end"),
    [
        ("For March and April I'm doing four days", None, "2026-05-01"),
        ("Tom is ill so for July I'm covering his round", "2026-07-01", "2026-08-01"),
        ("For the rest of March we open at ten", None, "2026-04-01"),
        ("For November to February we close at four", "2026-11-01", "2027-03-01"),
        ("Next week I'm on nights", "2026-03-09", "2026-03-16"),
        ("Next month the office opens at ten", "2026-04-01", "2026-05-01"),
        ("I'm on days for the next two weeks", None, "2026-03-18"),
        ("We're living in Delft from 28 May to 3 June", "2026-05-28", "2026-06-04"),
        ("I'm working in Ghent between 3 and 17 April", "2026-04-03", "2026-04-18"),
        ("From May to July I'm working in Ghent", "2026-05-01", "2026-08-01"),
    ],
)
def test_a_window_has_a_beginning_and_an_end(said: str, begin: str | None, end: str) -> None:
    """A value for months, dates, or the time right ahead is for them alone."""
    span = read_time(said, WEDNESDAY, cues("en"))
    assert span.temporary
    assert span.valid_to is not None
    assert (span.valid_from and span.valid_from.date().isoformat(), span.valid_to.date().isoformat()) == (begin, end)


@pytest.mark.parametrize(
    "said",
    [
        "Next week I'm flying to Crete",
        "I have an exam next week",
        "The deadline is next week",
        "I lived in Ghent from May to July",
        "I worked there for July and August",
        "Every year from May to July I'm working in Ghent",
        "I've lived here for two years",
        "We're open from nine to five",
        "The book is for June",
        "I'm saving for May's holiday",
    ],
)
def test_events_habits_and_what_is_past_are_no_windows(said: str) -> None:
    """They do not end with the time that they name."""
    assert not read_time(said, WEDNESDAY, cues("en")).temporary


@given(
    st.integers(0, 10**12),
    st.sampled_from(["days ago", "weeks ago", "months ago", "years ago"]),
    st.datetimes(timezones=st.just(UTC)),
)
def test_no_number_and_no_clock_breaks_reading(number: int, unit: str, at: datetime) -> None:
    """A date beyond the calendar is left as it was said."""
    for said in (
        f"It is so since {number} {unit}",
        f"I am away today, {number} {unit}",
        f"I am away for {number} days",
        f"We meet in {number} weeks",
        f"It holds until {number % 99} May {number % 9999:04}",
        f"It was red {number} {unit}",
    ):
        span = read_time(said, at, cues("en"))
        assert span.valid_to is None or span.valid_to > at


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("Ines is thirty today", "Ines is thirty"),
        ("Today my little brother is 12!", "my little brother is 12!"),
        ("Our cat Miso is two today", "Our cat Miso is two"),
        ("I'm forty-one today", "I'm forty-one"),
        ("The bakery is ten years old today", "The bakery is ten years old"),
        ("Ines turns thirty today", "Ines turns thirty on 2026-03-04"),
        ("Our lodger moves in tonight", "Our lodger moves in on 2026-03-04"),
        ("My lease starts today", "My lease starts on 2026-03-04"),
        ("Ravi starts at Bosch today", "Ravi starts at Bosch on 2026-03-04"),
        ("I'm starting a new job today", "I'm starting a new job on 2026-03-04"),
        ("The timetable takes effect today", "The timetable takes effect on 2026-03-04"),
        ("We are moving to Ghent today", "We are moving to Ghent on 2026-03-04"),
        ("I become an uncle today", "I become an uncle on 2026-03-04"),
        ("I quit my job today", "I quit my job on 2026-03-04"),
    ],
)
def test_what_begins_today_lasts(said: str, read: str) -> None:
    """A state that begins on the day has no end; an age needs no date beside the time from which it holds."""
    span = read_time(said, WEDNESDAY, cues("en"))
    assert (span.text, span.temporary, span.valid_to) == (read, False, None)


@pytest.mark.parametrize(
    "said",
    [
        "I'm in Bergen today",
        "The office was closed today",
        "The train was delayed by snow today",
        "I was tired today",
        "I've got a headache today",
        "The shop was closed for a wedding today",
        "The children were off school today",
        "The car is being serviced today",
        "We're on the beach today",
        "We use the small room today",
        "Today we're on call",
        "The ferry runs on time today",
        "Just for today we use Bazel 7",
        "Our plumber runs late today, we use Slack",
        "I use Vim today",
        "The pool is closed today",
        "The price is five euros today",
        "There are five of us today",
        "The queue is two weeks old and long today",
        "Standup starts at ten today",
        "Lunch starts a bit later today",
        "We start with the report today",
        "Start the server on port 9090 today",
        "You start with the tests today",
        "My shift does not start today",
        "I start at the other desk just for today",
        "Ravi moves in today until Friday",
        "I join the call from home today",
    ],
)
def test_what_is_for_the_day_ends_with_it(said: str) -> None:
    """A place, a condition, a clock time, a request or a stated end makes no lasting state of the day."""
    span = read_time(said, WEDNESDAY, cues("en"))
    assert span.temporary
    assert span.valid_to is not None


@given(st.integers(1, 99), st.sampled_from(["today", "tonight", "this morning"]))
def test_every_age_lasts(years: int, day: str) -> None:
    """An age told on the day on which it begins is read as the same age told on any day."""
    for who in ("Ines is", "My daughter is", "I'm", "Our dog Pip is"):
        assert read_time(f"{who} {years} {day}", WEDNESDAY, cues("en")).text == f"{who} {years}"
        assert not read_time(f"{who} {years} {day}", WEDNESDAY, cues("en")).temporary


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("Ada runs the shop until May, then Ben", "Ada runs the shop until May, then Ben"),
        ("The clinic is in Dock Lane until Friday, then in Mill Street",
         "The clinic is in Dock Lane until 2026-03-06, then in Mill Street"),
        ("We bake at four until the 14th and after that at five",
         "We bake at four until 2026-03-14 and after that at five"),
        ("The fee is 40 until June, 45 afterwards", "The fee is 40 until June, 45 afterwards"),
        ("The course is on Mondays until the end of the month, from then on on Tuesdays",
         "The course is on Mondays until 2026-03-31, from then on on Tuesdays"),
    ],
)  # fmt: skip
def test_what_holds_after_a_day_does_not_end_with_it(said: str, read: str) -> None:
    """A statement that tells what comes then is needed from then on; its days become dates."""
    found = read_time(said, WEDNESDAY, cues("en"))
    assert (found.text, found.valid_to, found.temporary) == (read, None, False)


@pytest.mark.parametrize(
    "said",
    [
        "The clinic is in Dock Lane until Friday",
        "I'm in Ghent until Friday, then back home",
        "The shop is closed until Friday, then it's as usual",
        "The shop is closed until Friday and we are glad",
        "If the shop is closed until Friday, then we bake at home",
    ],
)
def test_what_only_ends_or_goes_back_ends(said: str) -> None:
    """Nothing new is told of the time behind the day."""
    assert read_time(said, WEDNESDAY, cues("en")).temporary


@pytest.mark.parametrize(
    ("before", "behind", "begin"),
    [
        ("I'm in the old office until May, ", "then I move to Ghent", "2026-05-01"),
        ("I'm in the old office until May, then ", "I move to Ghent", "2026-05-01"),
        ("I'm in the old office until Friday and after that ", "I work from home", "2026-03-06"),
        ("I'm in the old office until May. ", "I like it", None),
        ("I'm in the old office, then ", "I move to Ghent", None),
    ],
)
def test_a_clause_behind_an_end_begins_with_it(before: str, behind: str, begin: str | None) -> None:
    """Only behind "until ..., then"."""
    found = begins_after(before + behind, len(before), WEDNESDAY, cues("en"))
    assert (found.date().isoformat() if found else None) == begin


@pytest.mark.parametrize(
    "said",
    [
        "No jargon in my letters, please remember it this time",
        "Remember this time that the tea is decaf",
        "Listen this time: oat milk, not soy",
        "Get it right this time, prices are with VAT",
        "I mean it this time, no glitter",
        "This time please remember: we close at six",
    ],
)
def test_this_time_of_being_heeded_is_no_occasion(said: str) -> None:
    """It is the telling that is meant, and not the rule."""
    assert not read_time(said, WEDNESDAY, cues("en")).temporary


@pytest.mark.parametrize("said", ["Skip the glaze this time", "Breakfast is at ten this time"])
def test_this_time_of_the_thing_is_one(said: str) -> None:
    """What is so this time is so for an occasion."""
    assert read_time(said, WEDNESDAY, cues("en")).temporary


@pytest.mark.parametrize(
    ("said", "begin", "end"),
    [
        ("Choir is at five on 24 December only", "2026-12-24", "2026-12-25"),
        ("Only on 3 May the ferry goes to Moss", "2026-05-03", "2026-05-04"),
    ],
)
def test_an_exception_holds_for_its_days_alone(said: str, begin: str, end: str) -> None:
    """What is limited to one date begins with it, and ends with it."""
    time = read_time(said, WEDNESDAY, cues("en"))
    assert (str(time.valid_from)[:10], str(time.valid_to)[:10], time.temporary) == (begin, end, True)


@pytest.mark.parametrize(
    "said",
    [
        "We eat goose only at Christmas",
        "Every Easter week only the family comes",
        "Only Karim works on 24 December",
        "I pay only on the 1st of the month",
        "The Christmas market is only small",
        "The shop opens at eleven over Easter",
        "I want just a kiln for Christmas",
    ],
)
def test_habits_and_feasts_end_nothing(said: str) -> None:
    """Only what is limited to one date ends with it."""
    assert read_time(said, WEDNESDAY, cues("en")).valid_to is None


@pytest.mark.parametrize(
    "said",
    [
        "It's a Nabertherm, 200 litres, electric, from 2014",
        "Our tractor is a Fendt from 1972 and leaks oil",
        "Karim wears a watch from May 1960",
        "The licence from 2016 still holds",
        "My laptop is from 2019",
    ],
)
def test_a_year_of_make_is_no_beginning(said: str) -> None:
    """How old a thing is does not date what is told of it."""
    assert read_time(said, WEDNESDAY, cues("en")).valid_from is None


@pytest.mark.parametrize(
    ("said", "year"),
    [
        ("From 2014 we lived in Leer", 2014),
        ("Edda has worked there from 2016", 2016),
        ("I'm a member from 2018 onwards", 2018),
        ("The kiln has been in use since 2014", 2014),
        ("The rent is 900 from 2027", 2027),
    ],
)
def test_a_year_from_which_something_is_so_is_its_beginning(said: str, year: int) -> None:
    """What somebody does, what goes on, what is to come, and what a clause begins with."""
    begin = read_time(said, WEDNESDAY, cues("en")).valid_from
    assert begin is not None
    assert begin.year == year
