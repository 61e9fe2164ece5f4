"""Times in words: since when a statement holds, and until when.

Takes: a text and when it was said. Gives: a `TimedText`. Never: reads a clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from dopejar.pipelines.ingest.cues import Cues
from dopejar.pipelines.ingest.extraction.orders import holds_order, is_order
from dopejar.pipelines.ingest.extraction.relative_dates import with_dates
from dopejar.pipelines.ingest.extraction.start_expressions import begins_today, without_needless_day
from dopejar.pipelines.ingest.extraction.validity_windows import begins_later, last_day_named, read_window
from dopejar.text.dates import COUNT, DATE, MONTH, NTH, WEEKDAY, days_long, named_days
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.values.dates import MONTH_NAMES

# what happened on a day stays true: only what is so for the day ends with it
_DAY_OR_SO: Final = lazy_pattern(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening|week(?:end)?|month))\b", re.IGNORECASE
)
# the occasion that is spoken of, today's or one on a day that is named
_THIS_TIME: Final = lazy_pattern(r"\b(?:this (?:time|once)|(?:just|only) once)\b", re.IGNORECASE)
_FROM_NOW_ON: Final = lazy_pattern(
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
_HAPPENED_THEN: Final = lazy_pattern(rf"{_WHO}{_SOMEHOW} {_PAST}\b", re.IGNORECASE)
_HAPPENED: Final = lazy_pattern(
    rf"{_WHO}(?:{_SOMEHOW} {_PAST}\b|(?:['’](?:ve|s|d)| have| has){_SOMEHOW} (?:(?!got\b|had\b){_PAST}|put|begun|"
    rf"become|given|taken|written|driven|flown|broken|fallen)\b|(?:['’](?:ve|s)| have| has)? {_PASSIVE})",
    re.IGNORECASE,
)
# told of what was named before: "it's Go now, released today"
_DONE: Final = lazy_pattern(
    r"(?:(?:and|but|just|finally) )*(?:(?:[\w-]+ )?(?:came|arrived)|released|launched|shipped|migrated|deployed|merged|"
    r"signed|started|changed|agreed|passed|did|bought|sold|paid|sent)\b"
    r"(?: [\w'’-]+){0,3} (?:today|this (?:morning|afternoon|evening))\b",
    re.IGNORECASE,
)
_SINCE: Final = lazy_pattern(
    rf"\b(?:since|as of|starting(?: from| in| on)?|from|effective|beginning(?: in| on)?) "
    rf"(?P<time>{DATE}|{MONTH}|(?:19|20)\d\d)\b(?!['’]s)"
    r"(?! (?:\d+\w* )?(?:to|till|until|through)\b)",
    re.IGNORECASE,
)
# what somebody does or is from a year on; a thing "from 2014" was made then
_LASTS_FROM: Final = lazy_pattern(
    r"\b(?:been|work(?:s|ed|ing)?|liv(?:es?|ed|ing)|teach(?:es|ing)?|taught|stud(?:y|ies|ied)|rent(?:s|ed|ing)?|runs?|ran|"
    r"le(?:ad|ads|d)|manag(?:es?|ed)|serv(?:es?|ed)|stay(?:s|ed)|belong(?:s|ed)?|attend(?:s|ed)?|member)\b"
    r"(?!.*\ban? (?:[\w-]+ ){1,3}$)",
    re.IGNORECASE,
)
_GOES_ON: Final = lazy_pattern(
    r",? on(?:wards?)?\b|,? (?:i|we|he|she|they|it|you|the|my|our|his|her|their)\b", re.IGNORECASE
)
_WEEK: Final = lazy_pattern(
    r"\b(?:this (?:week(?:end)?|sprint)|diese woche|esta semana|cette semaine)\b", re.IGNORECASE
)
_MONTH: Final = lazy_pattern(r"\b(?:this month|diesen monat|este m[eê]s|ce mois)\b", re.IGNORECASE)
_TILL: Final = r"(?:until|till|'til)"
_UNTIL: Final = lazy_pattern(
    # "until Ada is back in March", of what is so up to then
    rf"\b{_TILL} (?P<event>(?:[^\W\d][\w'’-]* ){{1,6}}?(?:on|in|at) )?"
    # a day of the month that is no number of something else: "until the 9th attempt"
    rf"(?:(?:{WEEKDAY},? )?(?P<nth>the {NTH})(?=$|[.,;:!)–—-]|\s(?:and|or|but|so|then|because|since|while|all"
    r"|no|the|we|i|you|he|she|it|they|my|our|your|his|her|their|please|only|every|everyone|everything|nobody|nothing)\b)"
    rf"|(?P<name>(?:next )?{WEEKDAY}|tomorrow|next (?:week|month|year))\b"
    r"|(?:the )?end of (?:the |this )?(?P<end>day|week|sprint|month|quarter|year)\b"
    rf"|(?:the )?(?P<date>{DATE})|(?P<last>(?:the )?end of )?(?P<period>{MONTH}|20\d\d\b))",
    re.IGNORECASE,
)
# what comes after holds on; how it was before is no news of what comes then
_THEN: Final = lazy_pattern(
    r"(?:[,;]|\s[–—-])?\s+(?:(?:and|but) )?(?:then|after that|after which|afterwards|thereafter|from then on)\b",
    re.IGNORECASE,
)
_AND_THEN: Final = lazy_pattern(
    rf"{_THEN.pattern}(?!,? (?:i'm |we're |it's |all |everything |things |goes? |comes? )*"
    r"(?:back|again|home|as (?:usual|before)|normal)\b)",
    re.IGNORECASE,
)
# behind a figure, a property of it that has an end: "640 a month with Erste, fixed until 2029"
_OF_A_PART: Final = lazy_pattern(
    r"\b(?:is|are|costs?|pays?|have|has)\b.*\d.*[,;] (?:(?:and|but) )?"
    r"(?!(?:closed|cancelled|suspended|blocked|replaced)\b)(?:\w{2,}ed|frozen|bound|under \w+)(?: \w+)? $",
    re.IGNORECASE,
)
_CONDITION: Final = lazy_pattern(r"(?:(?:and|but|so) )?(?:if|when|whenever|unless|as long as)\b", re.IGNORECASE)
_AFTERWARDS: Final = lazy_pattern(r",? [^.;!?]* (?:afterwards|after that|thereafter|from then on)[.!]?$", re.IGNORECASE)
_WAS: Final = lazy_pattern(r"\b(?:was|were|wait(?:s|ed|ing)?)\b", re.IGNORECASE)
_CAME: Final = lazy_pattern(rf"(?<!\bis )(?<!\bare )(?<!['’]s )\b(?:{_PAST}|was|were)\b", re.IGNORECASE)
_LASTING: Final = lazy_pattern(rf"\bfor (?:the next )?(?P<count>{COUNT}) (?P<unit>day|week|month)s?\b", re.IGNORECASE)
# what is so at present holds until it changes; what is asked for at present is meant for a while
_AT_PRESENT: Final = lazy_pattern(r"\bat (?:the moment|present)\b", re.IGNORECASE)
# an order that is limited to one occasion; "this repo" and "this summer" go on
_THIS_ALONE: Final = lazy_pattern(
    r"\b(?P<only>(?:just|only) )?for this (?!(?:\w+ )?(?:projects?|repo(?:sitory)?|codebase|code|workspace|monorepo|"
    r"reason|purpose|year|quarter|season|spring|summer|autumn|fall|winter|term|semester)\b)"
    r"[\w-]+(?(only)|(?: [\w-]+)? (?:only|alone))\b",
    re.IGNORECASE,
)
_OPEN: Final = lazy_pattern(
    r"\b(?:for now|for the (?:moment|time being)|temporarily|vorerst|"
    rf"{_TILL} \w+ (?:ships?|lands?|is)|"
    r"por (?:ahora|agora|enquanto)|pour l'instant)\b",
    re.IGNORECASE,
)
_UNTIL_WHEN: Final = lazy_pattern(rf"\b{_TILL}\b", re.IGNORECASE)
_DAY_TO_COME: Final = rf"(?:tomorrow|the day after tomorrow|(?:this|next) (?:{WEEKDAY}|week(?:end)?))"
_ONLY_THEN: Final = lazy_pattern(
    rf"(?:\b{_DAY_TO_COME} only|\b(?:only|just) (?:for |on )?{_DAY_TO_COME}|^for {_DAY_TO_COME})\b(?!['’]s)",
    re.IGNORECASE,
)
_TILL_HOUR: Final = lazy_pattern(
    rf"\b{_TILL} (?:about |around )?\d{{1,2}}(?:[:.]\d\d)?(?![\w-])(?!,? (?:of )?{MONTH_NAMES}\b)", re.IGNORECASE
)
_REGULARLY: Final = lazy_pattern(  # hours of the day that come again
    r"\b(?:every|each|always|usually|normally|mostly|(?:week|mon|tues|wednes|thurs|fri|satur|sun)days|weekends?"
    r"|(?:morning|afternoon|evening)s"
    r"|(?:mon|tue|wed|thu|fri|sat|sun)\w* (?:to|till|through) (?:mon|tue|wed|thu|fri|sat|sun)"
    r"|opens?|hours|works?|staffed|served|serves|ships?|from (?:about )?\d)\b(?!.*\b(?:today|tonight)\b)",
    re.IGNORECASE,
)
_IN_TURNS: Final = lazy_pattern(  # days that come again: "alternate weekends, Saturday till Sunday"
    rf"\b(?:alternate|every (?:other|second)) \w+,? (?:from )?{WEEKDAY} (?:\w+ )?{_TILL} {WEEKDAY}", re.IGNORECASE
)
_DUE: Final = lazy_pattern(  # until when something is to be done ends no statement
    r"\b(?:deadline|due|target|goal|saving|aside for|given? (?:myself|ourselves|us|me) until)\b", re.IGNORECASE
)
_OPEN_DAYS: Final = 30  # nobody says how long "for now" is; said again it holds on


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedText:
    """The text with its dates absolute, and the time it is about. None: from when it was said; without an end."""

    text: str
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    temporary: bool = False


def read_time(text: str, at: datetime | None, words: Cues) -> TimedText:
    """Read the times of a statement that was made `at`; one beyond the calendar, or of any, is left as it was said."""
    if at is None:
        return TimedText(text=text, temporary=words.has("time.temporary", text))
    try:
        return _read(text, at, words)
    except (OverflowError, ValueError):  # "two million days ago", or a clock that is set to the year 9999
        return TimedText(text=text)


def _read(text: str, at: datetime, words: Cues) -> TimedText:
    until = _UNTIL.search(text)
    if until is not None and _goes_on(until):
        return TimedText(text=with_dates(_with_day(until, at), at, words.language), valid_from=_since(text, at))
    ends = words.has("time.temporary", text) or (words.language == "en" and _ends_besides(text, until, words))
    is_of_now = _DAY_OR_SO.search(text) or _THIS_TIME.search(text)
    temporary = ends and not (is_of_now and until is None and _tells_what_happened(is_of_now))
    temporary = temporary and not (_UNTIL_WHEN.search(text) and _DUE.search(text))
    temporary = temporary and not (_TILL_HOUR.search(text) and _REGULARLY.search(text))
    temporary = temporary and not _IN_TURNS.search(text)
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
        end = _midnight(_day_after(only[0], at.date()), at) if only else _end(text, at) if temporary else None
        end = None if end is not None and end <= at else end  # "until 2019", told of what was
        begin = coming or _since(text, at) if end is None else None
    dated = with_dates(without_needless_day(text) if is_beginning else text, at, words.language)
    return TimedText(
        text=dated,
        valid_from=begin,
        valid_to=end,
        temporary=end is not None,
    )


def has_limit(text: str, words: Cues) -> bool:
    """Whether the words name how long something holds."""
    return bool(words.has("time.temporary", text) or _UNTIL.search(text) or _OPEN.search(text) or _LASTING.search(text))


def begins_after(text: str, start: int, at: datetime, words: Cues) -> datetime | None:
    """When what is told from `start` on begins, behind until when something else is so: "until May, then ..."."""
    until = next(reversed(list(_UNTIL.finditer(text, 0, start))), None)
    then = _THEN.match(text, until.end()) if until else None
    if until is None or then is None or text[then.end() : start].strip():
        return None
    return read_time(text[until.start() : until.end()], at, words).valid_to


def _tells_what_happened(then: re.Match[str]) -> bool:
    """Whether the clause with this time tells what happened then, which stays so."""
    clause = _clause_with(then)
    return _HAPPENED.match(clause) is not None or (clause != then.string and _DONE.match(clause) is not None)


def _clause_with(found: re.Match[str]) -> str:
    """The words from the comma before what was found on: what happened then may stand beside what is so."""
    return found.string[found.string.rfind(", ", 0, found.start()) + 1 :].lstrip()


def _goes_on(until: re.Match[str]) -> bool:
    """Whether what is told holds after that day: "until December, then Yuki"; or "at 3 %, fixed until December"."""
    rest = until.string[until.end() :]
    if not rest.strip(" .!") and _OF_A_PART.search(until.string, 0, until.start()):
        return True
    if _CONDITION.match(until.string):  # "then" tells what follows from it
        return False
    return _AND_THEN.match(rest) is not None or _AFTERWARDS.fullmatch(rest) is not None


def _with_day(until: re.Match[str], at: datetime) -> str:
    """The text with the date of the day that it names, which tells nothing any more once that day is past."""
    part = next((one for one in ("nth", "name", "end") if until[one]), None)
    if part is None:
        return until.string
    day = str(_day_until(until, at.date()) - timedelta(days=part == "end"))
    start = re.compile(rf"{_TILL}\s+", re.IGNORECASE).match(until[0])
    return until.string[: until.start() + (start.end() if start else 0)] + day + until.string[until.end() :]


def _ends_besides(text: str, until: re.Match[str] | None, words: Cues) -> bool:
    """Whether a time to come ends it, or it is an order for the present or one occasion."""
    alone = _THIS_ALONE.search(text)
    is_passing = alone is not None or _AT_PRESENT.search(text) is not None
    return (
        (until is not None and _is_to_come(until))
        or (is_passing and (is_order(text, words) or holds_order(text, words)))
        or (alone is not None and not alone.start() and is_order(text[alone.end() :].lstrip(" ,:"), words))
    )


def _is_to_come(until: re.Match[str]) -> bool:
    """Whether it names a day of the month, or a time by what happens then, and tells nothing that is past."""
    if not (until["nth"] or until["event"] or until["date"]):
        return False
    is_past = _HAPPENED_THEN.match(until.string) or _WAS.search(until.string, 0, until.start())
    return not is_past and not _CAME.search(until["event"] or "")


def _end(text: str, at: datetime) -> datetime | None:
    """When it ends: as the day that is named begins; "for now" after a month; else with the last day it is about.

    None where the words name an end that nobody can date: "until the end of the season".
    """
    today = at.date()
    if until := _UNTIL.search(text):
        return _midnight(_day_until(until, today), at)
    if lasting := _LASTING.search(text):
        return _midnight(today + timedelta(days=days_long(lasting["count"], lasting["unit"])), at)
    if (is_week := _WEEK.search(text)) or _MONTH.search(text):
        return _midnight(named_days("this week" if is_week else "this month", today).behind, at)
    names_day = _DAY_OR_SO.search(text) is not None
    if _OPEN.search(text) or (_AT_PRESENT.search(text) and not names_day):
        return _midnight(today + timedelta(days=_OPEN_DAYS), at)
    if _UNTIL_WHEN.search(text) and not (names_day or _THIS_TIME.search(text) or _TILL_HOUR.search(text)):
        return None
    last = last_day_named(text, today) if _THIS_TIME.search(text) and not names_day else None
    return _midnight((last or today) + timedelta(days=1), at)


def _midnight(day: date, at: datetime) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=at.tzinfo)


def _day_after(only: str, today: date) -> date:
    """The day behind the day or week to which a statement is limited."""
    named = re.search(_DAY_TO_COME, only, re.IGNORECASE)
    return named_days(named[0], today).behind if named else today + timedelta(days=1)


def _day_until(until: re.Match[str], today: date) -> date:
    """The day with which it ends: the one that is named, or behind a time of which some day or the last is meant."""
    if until["end"]:
        return named_days(f"this {until['end']}", today).behind
    is_within = until["period"] and (until["last"] or until["event"])
    name = until["nth"] or until["name"] or until["date"] or until["period"]
    try:
        days = named_days(name, today, "running" if is_within else "ahead")
    except ValueError:  # 31 February and the like: no date
        return today + timedelta(days=1)
    if until["date"]:  # of this day, or written of one that is past
        return max(days.first, today + timedelta(days=1))
    return days.behind if is_within else days.first


def _since(text: str, at: datetime) -> datetime | None:
    found = _SINCE.search(text)
    if not found:
        return None
    is_past = found[0].casefold().startswith("since") or _HAPPENED_THEN.match(text)
    try:
        day = named_days(found["time"], at.date(), "past" if is_past else "near").first
    except ValueError:  # 31 February and the like: no date
        return None
    return None if day < at.date() and _is_of_make(found) else _midnight(day, at)


def _is_of_make(found: re.Match[str]) -> bool:
    """Whether a past time tells how old a thing is, and not since when something is so."""
    if not (found[0].casefold().startswith("from") and re.search(r"\d{4}$", found["time"])):
        return False
    text, start = found.string, found.start()
    return not (_GOES_ON.match(text, found.end()) or _LASTS_FROM.search(text[:start]))
