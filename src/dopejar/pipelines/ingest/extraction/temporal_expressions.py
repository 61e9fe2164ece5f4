"""Times in words: since when a statement holds, until when, and relative dates made absolute.

Takes: a text and when it was said. Gives: a `TimedText`. Never: reads a clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from dopejar.pipelines.ingest.cues import Cues
from dopejar.pipelines.ingest.extraction.start_expressions import begins_today, without_needless_day
from dopejar.pipelines.ingest.extraction.validity_windows import begins_later, last_day_named, read_window
from dopejar.text.measures import read_date
from dopejar.text.number_words import NUMBER_WORDS
from dopejar.values.dates import MONTH_NAMES, MONTHS, WEEKDAYS, month_after

_DAY_NAMES: Final = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
_COUNTED: Final = "|".join(sorted(NUMBER_WORDS, key=len, reverse=True))
_RELATIVE: Final = re.compile(
    rf"\b(?:(?P<day>the day (?:before yesterday|after tomorrow)|yesterday|today|tomorrow|tonight|last night|"
    rf"this morning|this afternoon|this evening)"
    rf"|(?P<which>last|next|this|this past|past) (?P<what>{_DAY_NAMES}|week(?:end)?|month|year|summer|winter|"
    rf"spring|fall|autumn)"
    rf"|(?:(?:about|around|roughly) )?(?P<count>\d+|(?:a )?few|(?:a )?couple of|{_COUNTED}) (?P<unit>day|week|month|"
    r"year)s? ago"
    rf"|in (?P<ahead>\d+|{_COUNTED}) (?P<span>day|week|month|year)s?(?= ?[.!;,]?$))"
    r"\b(?!['’]s| of\b)",
    re.IGNORECASE,
)
# days of other languages, as days from today; they take no word before the date
_DAYS_ABROAD: Final = {
    "vorgestern": -2, "gestern": -1, "heute": 0, "übermorgen": 2,
    "anteayer": -2, "ayer": -1, "hoy": 0,
    "anteontem": -2, "ontem": -1, "hoje": 0, "amanhã": 1,
    "aujourd'hui": 0, "demain": 1,
    "позавчера": -2, "вчера": -1, "сегодня": 0, "завтра": 1,
    "předevčírem": -2, "včera": -1, "dnes": 0, "zítra": 1,
}  # fmt: skip
_ABROAD: Final = re.compile(rf"\b(?:{'|'.join(_DAYS_ABROAD)})\b", re.IGNORECASE)
_TO_COME: Final = re.compile(
    r"\b(?:is|are|am|'s|'m|'re|will|shall|leaves?|fly|flies|starts?|begins?|ends?|expires?|opens?|closes?|comes?|moves?|"
    r"goes|go|have|has|get|gets)\b(?!.*\b(?:once|every|ever|done|finished|built)\b)",
    re.IGNORECASE,
)
# of whom or what it is told that something happens then: "payment follows in 60 days" is a term and dates nothing
_OF_THIS: Final = re.compile(
    r"(?:(?:so|and|but|also|well|oh|ok|okay|btw|by the way|fyi|apparently|luckily|remember that|finally|now)[\s,:]+)*"
    r"(?:(?:i|we|he|she|it|they|my|our|his|her|their|your|the|this|that|these|those)\b|[\w-]+['’]s \w"
    r"|(?<!^)(?-i:[A-Z])\w)",
    re.IGNORECASE,
)
_OF_A_TERM: Final = re.compile(
    r"\b(?:after|within|whenever|when|if|unless|upon|per|each|any|all|late|(?:is|are|be|gets?|has|have) (?:been )?"
    r"(?:paid|sent|made|[a-z]{3,}ed|payable))\b",
    re.IGNORECASE,
)
_PART: Final = re.compile(r"[;:.!?]\s+|,\s+(?:(?:and|but|so|then)\s+)?|\s(?:but|because|so|then)\s+", re.I)
# what happened on a day stays true: only what is so for the day ends with it
_DAY_OR_SO: Final = re.compile(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening|week(?:end)?|month))\b", re.IGNORECASE
)
# the occasion that is spoken of, today's or one on a day that is named
_THIS_TIME: Final = re.compile(r"\b(?:this (?:time|once)|(?:just|only) once)\b", re.IGNORECASE)
_FROM_NOW_ON: Final = re.compile(
    r"\b(?:from|since|as of|starting|effective|beginning) (?:today|tonight|this (?:morning|week|month|year))\b",
    re.IGNORECASE,
)
_PAST: Final = (
    r"(?:\w{2,}ed|ran|met|went|bought|got|saw|took|made|did|came|left|gave|found|lost|won|wrote|ate|drove|flew|began|"
    r"sold|built|sent|paid|told|heard|became|broke|fell|quit|had|was born)"
)
# by others: with what somebody got or came to; "was closed", "was delayed by snow" tell how it was that day
_PASSIVE: Final = (
    r"(?:(?:was|were|got|been) (?:\w+ly |just |also |finally )?"
    r"(?:born\b|(?:\w{2,}ed|put|given|made|taken|sent|shown|told|sold|chosen|paid|cut|found|let) "
    r"(?!(?:by|for|in|at|of|about|and|but|so|all|today|this)\b)\w))"
)
_WHO: Final = (
    r"^(?:(?:\w+ )?\w+[,:] )?(?:today,? |this \w+,? )?"
    r"(?:i|we|he|she|they|(?:my|our|his|her|their|the) (?:(?!is\b|are\b|was\b)[\w-]+ ){0,3}?"
    r"(?!is\b|are\b|was\b)[\w-]+|(?-i:[A-Z])\w+(?: and (?-i:[A-Z])\w+)?)"
)
_SOMEHOW: Final = r"(?: \w+ly| just| also| finally)*"
_HAPPENED_THEN: Final = re.compile(rf"{_WHO}{_SOMEHOW} {_PAST}\b", re.IGNORECASE)
_HAPPENED: Final = re.compile(
    rf"{_WHO}(?:{_SOMEHOW} {_PAST}\b|(?:['’](?:ve|s|d)| have| has){_SOMEHOW} (?:(?!got\b|had\b){_PAST}|put|begun|"
    rf"become|given|taken|written|driven|flown|broken|fallen)\b|(?:['’](?:ve|s)| have| has)? {_PASSIVE})",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(
    rf"\b(?:since|as of|starting(?: from| in| on)?|from|effective|beginning(?: in| on)?) "
    rf"(?:(?P<iso>\d{{4}}-\d\d-\d\d)|(?P<month>{MONTH_NAMES})(?: (?P<day>\d{{1,2}})(?:st|nd|rd|"
    rf"th)?\b)?(?:,? (?P<year>\d{{4}}))?|(?P<only>(?:19|20)\d\d))\b(?! (?:\d+\w* )?(?:to|till|until|through)\b)",
    re.IGNORECASE,
)
_WEEK: Final = re.compile(r"\b(?:this (?:week(?:end)?|sprint)|diese woche|esta semana|cette semaine)\b", re.IGNORECASE)
_MONTH: Final = re.compile(r"\b(?:this month|diesen monat|este m[eê]s|ce mois)\b", re.IGNORECASE)
_TILL: Final = r"(?:until|till|'til)"
_ORDINAL: Final = r"\d{1,2}(?:st|nd|rd|th)"
_UNTIL: Final = re.compile(
    # "until Ada is back in March", of what is so up to then
    rf"\b{_TILL} (?P<event>(?:[^\W\d][\w'’-]* ){{1,6}}?(?:on|in|at) )?"
    # a day of the month that is no number of something else: "until the 9th attempt"
    rf"(?:(?:{_DAY_NAMES},? )?the (?P<nth>{_ORDINAL})(?=$|[.,;:!)–—-]|\s(?:and|or|but|so|then|because|since|while|all"
    r"|no|the|we|i|you|he|she|it|they|my|our|your|his|her|their|please|only|every|everyone|everything|nobody|nothing)\b)"
    rf"|(?P<name>{_DAY_NAMES}|tomorrow|next (?:week|month|year))\b"
    r"|(?:the )?end of (?:the |this )?(?P<end>day|week|sprint|month|quarter|year)\b"
    rf"|(?:the )?(?P<date>\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {MONTH_NAMES}\b(?:,? \d{{4}})?"
    rf"|{MONTH_NAMES} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}})?)"
    rf"|(?P<last>(?:the )?end of )?(?P<month>{MONTH_NAMES})\b)",
    re.IGNORECASE,
)
_WAS: Final = re.compile(r"\b(?:was|were|wait(?:s|ed|ing)?)\b", re.IGNORECASE)
_CAME: Final = re.compile(rf"(?<!\bis )(?<!\bare )(?<!['’]s )\b(?:{_PAST}|was|were)\b", re.IGNORECASE)
_LASTING: Final = re.compile(
    rf"\bfor (?:the next )?(?P<count>\d+|{_COUNTED}|(?:a )?few|(?:a )?couple of) "
    r"(?P<unit>day|week|month)s?\b",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:for now|for the (?:moment|time being)|temporarily|vorerst|"
    rf"{_TILL} \w+ (?:ships?|lands?|is)|"
    r"por (?:ahora|agora|enquanto)|pour l'instant)\b",
    re.IGNORECASE,
)
_UNTIL_WHEN: Final = re.compile(rf"\b{_TILL}\b", re.IGNORECASE)
_DAY_TO_COME: Final = rf"(?:tomorrow|the day after tomorrow|(?:this|next) (?:{_DAY_NAMES}|week(?:end)?))"
_ONLY_THEN: Final = re.compile(
    rf"(?:\b{_DAY_TO_COME} only|\b(?:only|just) (?:for |on )?{_DAY_TO_COME}|^for {_DAY_TO_COME})\b(?!['’]s)",
    re.IGNORECASE,
)
_TILL_HOUR: Final = re.compile(
    rf"\b{_TILL} (?:about |around )?\d{{1,2}}(?:[:.]\d\d)?(?![\w-])(?!,? (?:of )?{MONTH_NAMES}\b)", re.IGNORECASE
)
_REGULARLY: Final = re.compile(  # hours of the day that come again
    r"\b(?:every|each|always|usually|normally|mostly|(?:week|mon|tues|wednes|thurs|fri|satur|sun)days|weekends?"
    r"|(?:mon|tue|wed|thu|fri|sat|sun)\w* (?:to|till|through) (?:mon|tue|wed|thu|fri|sat|sun)"
    r"|opens?|hours|works?|staffed|served|serves|ships?|from (?:about )?\d)\b(?!.*\b(?:today|tonight)\b)",
    re.IGNORECASE,
)
_DUE: Final = re.compile(  # until when something is to be done ends no statement
    r"\b(?:deadline|due|target|goal|saving|aside for|given? (?:myself|ourselves|us|me) until)\b", re.IGNORECASE
)
_OPEN_DAYS: Final = 30  # nobody says how long "for now" is; said again it holds on
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_NUMBERS: Final = {**NUMBER_WORDS, "few": 3, "a few": 3, "couple of": 2, "a couple of": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedText:
    """The text with its dates absolute, and the time it is about. None: from when it was said; without an end."""

    text: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    temporary: bool = False


def read_time(text: str, at: datetime, words: Cues) -> TimedText:
    """Read the times of a statement that was made `at`; one beyond the calendar is left as it was said."""
    try:
        return _read(text, at, words)
    except (OverflowError, ValueError):  # "two million days ago", or a clock that is set to the year 9999
        return TimedText(text=text)


def _read(text: str, at: datetime, words: Cues) -> TimedText:
    until = _UNTIL.search(text)
    ends = words.has("time.temporary", text) or (words.language == "en" and until is not None and _is_to_come(until))
    is_of_now = _DAY_OR_SO.search(text) or _THIS_TIME.search(text)
    temporary = ends and not (is_of_now and _HAPPENED.match(text))
    temporary = temporary and not (_UNTIL_WHEN.search(text) and _DUE.search(text))
    temporary = temporary and not (_TILL_HOUR.search(text) and _REGULARLY.search(text))
    temporary = temporary and not (_FROM_NOW_ON.search(text) and until is None)
    is_beginning = temporary and words.language == "en" and begins_today(text, words)
    temporary = temporary and not is_beginning
    only = _ONLY_THEN.search(text)
    coming = begins_later(text, at) if words.language == "en" else None
    is_window = words.language == "en" and coming is None and until is None
    window = read_window(text, at, is_past=_HAPPENED_THEN.match(text) is not None) if is_window else None
    begin: datetime | None
    end: datetime | None
    if window and not only:
        begin, end = window
    else:
        end = _day_after(only[0], at) if only else _end(text, at) if temporary else None
        begin = coming or _since(text, at) if end is None else None
    dated = _RELATIVE.sub(lambda found: _absolute(found, at), without_needless_day(text) if is_beginning else text)
    if words.language != "en":
        dated = _ABROAD.sub(lambda found: _day(at, _DAYS_ABROAD[found.group(0).casefold()]), dated)
    return TimedText(
        text=dated,
        valid_from=begin,
        valid_to=end,
        temporary=end is not None,
    )


def _is_to_come(until: re.Match[str]) -> bool:
    """Whether it names a day of the month, or a time by what happens then, and tells nothing that is past."""
    if not (until["nth"] or until["event"] or until["date"]):
        return False
    is_past = _HAPPENED_THEN.match(until.string) or _WAS.search(until.string, 0, until.start())
    return not is_past and not _CAME.search(until["event"] or "")


def _end(text: str, at: datetime) -> datetime:
    """When it ends: as the day that is named begins; "for now" after a month; else with the last day it is about."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    until = _UNTIL.search(text)
    if until:
        return midnight + timedelta(days=_days_until(until, at.date()))
    lasting = _LASTING.search(text)
    if lasting:
        count = lasting.group("count").casefold()
        days = {"day": 1, "week": 7, "month": 30}[lasting.group("unit").casefold()]
        return midnight + timedelta(days=days * (int(count) if count.isdigit() else _NUMBERS.get(count, 1)))
    if _WEEK.search(text):
        return midnight + timedelta(days=7 - at.weekday())
    if _MONTH.search(text):
        return midnight + timedelta(days=(month_after(at.date()) - at.date()).days)
    if _OPEN.search(text):
        return midnight + timedelta(days=_OPEN_DAYS)
    is_of_day = _THIS_TIME.search(text) is not None and _DAY_OR_SO.search(text) is None
    last = last_day_named(text, at.date()) if is_of_day else None
    return midnight + timedelta(days=1 + (last - at.date()).days if last else 1)


def _day_after(named: str, at: datetime) -> datetime:
    """The end of the day or week that the words name."""
    midnight = at.replace(hour=0, minute=0, second=0, microsecond=0)
    found = _RELATIVE.search(named)
    dated = _DATE.search(_absolute(found, at)) if found else None
    if dated is None:
        return midnight + timedelta(days=7 - at.weekday())
    is_week = dated.string.startswith("in the week")
    return midnight + timedelta(days=(date.fromisoformat(dated[0]) - at.date()).days + (7 if is_week else 1))


def _days_until(found: re.Match[str], today: date) -> int:
    """Days from today to the one that is named; a date without a year is the next of its kind."""
    if found.group("end"):
        return (_period_end(found.group("end").casefold(), today) - today).days
    if found.group("month"):
        month = MONTHS[found.group("month")[:3].casefold()]
        if found.group("last") or found.group("event"):  # some day in it
            month = month % 12 + 1  # the first day behind it
        return (_next_date(month, 1, today) - today).days
    if found.group("date"):
        return _days_to_date(found.group("date"), today)
    if found.group("nth"):
        day = int(re.sub(r"\D", "", found.group("nth")))
        return ((today if day > today.day else month_after(today)).replace(day=day) - today).days
    name = found.group("name").casefold()
    if name in ("next month", "next year"):
        return ((month_after(today) if name == "next month" else date(today.year + 1, 1, 1)) - today).days
    return 1 if name == "tomorrow" else 7 if name == "next week" else (WEEKDAYS[name[:3]] - today.weekday()) % 7 or 7


def _period_end(period: str, today: date) -> date:
    months = {"month": 1, "quarter": 3 - (today.month - 1) % 3, "year": 13 - today.month}
    if period in months:
        return month_after(today, months[period])
    return today + timedelta(days=1 if period == "day" else 7 - today.weekday())


def _days_to_date(written: str, today: date) -> int:
    read = read_date(written)
    *year, month, day = (int(part) for part in (read[1] if read else today.isoformat()).split("-"))
    try:
        return max(((date(year[0], month, day) if year else _next_date(month, day, today)) - today).days, 1)
    except ValueError:  # 31 February and the like: no date
        return 1


def _next_date(month: int, day: int, today: date) -> date:
    here = date(today.year, month, day)
    return here if here > today else date(today.year + 1, month, day)


def _since(text: str, at: datetime) -> datetime | None:
    found = _SINCE.search(text)
    if not found:
        return None
    try:
        day = _day_of(found, at)
    except ValueError:  # 31 February and the like: no date
        return None
    return datetime(day.year, day.month, day.day, tzinfo=at.tzinfo) if day else None


_LED: Final = re.compile(r"\b(?:from|since|until|till|by|of|after|before|for)\s+$", re.IGNORECASE)


def _day_of(found: re.Match[str], at: datetime) -> date | None:
    if found.group("iso"):
        return date.fromisoformat(found.group("iso"))
    if found.group("only"):
        return date(int(found.group("only")), 1, 1)
    month = MONTHS[found.group("month")[:3].casefold()]
    day = int(found.group("day") or 1)
    if found.group("year"):
        return date(int(found.group("year")), month, day)
    today = at.date()
    is_past = found.group(0).casefold().startswith("since") or _HAPPENED_THEN.match(found.string)
    if is_past:  # never to come: in March, "since May" means last year's
        return date(today.year if (month, day) <= (today.month, today.day) else today.year - 1, month, day)
    return min((date(today.year + shift, month, day) for shift in (-1, 0, 1)), key=lambda one: abs(one - today))


def _day(at: datetime, shift: int) -> str:
    return (at + timedelta(days=shift)).date().isoformat()


def _absolute(found: re.Match[str], at: datetime) -> str:
    """The expression as a date; after "from", "since" or "as of" it takes no further preposition."""
    dated = _dated(found, at)
    preposition, _, rest = dated.partition(" ")
    is_led = preposition in ("on", "in") and _LED.search(found.string[: found.start()])
    return rest if is_led else dated


def _dated(found: re.Match[str], at: datetime) -> str:
    if found.group("day"):
        return _named_day(found.group("day").casefold(), at)
    if found.group("span"):
        if not _tells_when(found.string[: found.start()]):
            return found.group(0)  # "finished in two weeks" is no date
        return _ago(found.group("ahead").casefold(), found.group("span").casefold(), at, -1)
    if found.group("unit"):
        return _ago(found.group("count").casefold(), found.group("unit").casefold(), at)
    return _period(found.group("which").casefold(), found.group("what").casefold(), at) or found.group(0)


def _tells_when(before: str) -> bool:
    """Whether the words tell of something in particular that it happens so far from now; a general term does not."""
    start = max((found.end() for found in _PART.finditer(before)), default=0)
    return all((_TO_COME.search(before, start), _OF_THIS.match(before, start), not _OF_A_TERM.search(before)))


def _named_day(name: str, at: datetime) -> str:
    shifts = {"yesterday": -1, "last night": -1, "tomorrow": 1}
    shifts |= {"the day before yesterday": -2, "the day after tomorrow": 2}
    return f"on {_day(at, shifts.get(name, 0))}"


def _ago(count: str, unit: str, at: datetime, sign: int = 1) -> str:
    number = sign * (int(count) if count.isdigit() else _NUMBERS.get(count, 1))
    if unit in ("day", "week"):
        day = (at - timedelta(days=number * (7 if unit == "week" else 1))).date()
        return f"on {day.isoformat()}" if unit == "day" else f"around {day.isoformat()}"
    months = at.year * 12 + at.month - 1 - number * (12 if unit == "year" else 1)
    date(months // 12, 1, 1)  # a ValueError where there is no such year
    return f"in {months // 12}" if unit == "year" else f"in {months // 12}-{months % 12 + 1:02d}"


def _period(which: str, what: str, at: datetime) -> str:
    step = 1 if which == "next" else 0 if which == "this" else -1
    if what[:3] in WEEKDAYS and what != "month":
        days = (WEEKDAYS[what[:3]] - at.weekday()) % 7
        if step < 0:
            days = days - 7
        elif step > 0 and days == 0:
            days = 7
        return f"on {(at + timedelta(days=days)).date().isoformat()}"
    if what == "year":
        return f"in {at.year + step}"
    if what == "month":
        months = at.year * 12 + at.month - 1 + step
        return f"in {months // 12}-{months % 12 + 1:02d}"
    if what.startswith("week") and step:
        monday = at - timedelta(days=at.weekday()) + timedelta(days=7 * step)
        return f"in the week of {monday.date().isoformat()}"
    if what in ("summer", "winter", "spring", "fall", "autumn") and step:
        return f"in the {what} of {at.year + (step if step > 0 or at.month < 9 else 0)}"
    return ""
