"""Times of day, spans and days of the week as people say them, in one spelling each.

Takes: a text with its number words in digits. Gives: the same text with "half past 4" as 4:30, "2 in the afternoon"
as 14:00, "an hour and a half" as 1.5 hours, "Mon-Fri" as weekdays; the readings of a time. Never: guesses which half
of the day is meant; 4:30 then has two readings.
"""

from __future__ import annotations

import re
from typing import Final

_PAST: Final = {"half": 30, "quarter": 15, "viertel": 15}
_HALVES: Final = {
    "a": 0, "p": 12, "morning": 0, "afternoon": 12, "evening": 12, "night": 18, "morgen": 0, "morgens": 0, "früh": 0,
    "nachmittag": 12, "nachmittags": 12, "abend": 12, "abends": 12, "nachts": 18, "mañana": 0, "tarde": 12,
    "noche": 18, "manhã": 0, "noite": 18, "matin": 0, "après-midi": 12, "soir": 12,
}  # fmt: skip
_NIGHT: Final = 18  # a late hour before midnight, an early one after it
_DIGIT: Final = re.compile(r"\d")
_UNIT: Final = r"(minute|hour|day|week|month|year)s?"
_SPANS: Final = re.compile(
    rf"\b(?:(?P<number>\d+|an?) {_UNIT} and a half\b|(?P<whole>\d+) and a half\b|half an? {_UNIT}\b"
    r"|(?:an? )?quarter(?: of an |[ -])hour\b|3 quarters of an hour\b)",
    re.IGNORECASE,
)
_HALF_OF_DAY: Final = (
    r"(?:\s?(?P<m>p(?=\.?\s?m\b)|a(?=\.?\s?m\b(?! I\b(?!['’]m))))\.?\s?m\b\.?"
    r"| (?:in the|at) (?P<part>morning|afternoon|evening|night)s?\b"
    r"|(?=(?: sharp)?,? (?:on|every|each)(?: \w+day)? (?P<kept>morning|afternoon|evening|night)s?\b)"
    r"| (?:de la |da |du |de l'|am )?(?P<abroad>morgens|früh|nachmittags?|abends?|nachts|mañana|tarde|noche|manhã|"
    r"noite|matin|après-midi|soir)\b)"
)
_CLOCK: Final = re.compile(
    r"(?<![\w.:/$€£-])(?:(?P<past>half|quarter|viertel|25|20|10|5)(?: minutes?)? (?P<way>past|nach)"
    r"|(?P<to>quarter|viertel|(?<=at )(?:25|20|10|5)) (?:to|vor)|(?P<half>half|halb))? ?(?<![\w.:/-])"
    r"(?P<hour>\d{1,2})(?:(?:[:.]|h(?=\d))(?P<minute>[0-5]\d)(?!\d))?"
    rf"(?P<clock> ?(?:o[’']?clock|uhr|heures?|horas?)\b)?(?P<tail> (?:y media|e meia|et demie)\b)?{_HALF_OF_DAY}?"
    r"(?![\w%€$£]|[.:,/-]\d)",
    re.IGNORECASE,
)
_HALVES_JOINED: Final = re.compile(r"(?<=\d[ap]m)[-–](?=\d)|(?<=\d [ap]m)[-–](?=\d)")
_HOUR: Final = re.compile(  # what comes after 12h may be a time that has passed
    r"\b(?:(?:by|at|à|às|las) \d{1,2}|(?:after|past|until|till|before|from|vers|bis|ab|gegen) (?:1[3-9]|2[0-3]))h\b",
    re.IGNORECASE,
)
_NOON: Final = re.compile(r"\b(?:12 )?(?:noon|midday|(midnight))\b", re.IGNORECASE)
_COUNTS: Final = re.compile(
    r" ?(?:%|percent|minutes?|hours?|days?|weeks?|months?|years?|euros?|dollars?)\b", re.IGNORECASE
)
_TIME: Final = re.compile(r"(?<![\w.:/])(sub-)?(\d{1,2})[:h]([0-5]\d)(?::([0-5]\d))?( am\b)?(?!\w|:\d)")
_DAYS: Final = {
    "mon": "Monday", "tue": "Tuesday", "wed": "Wednesday", "thu": "Thursday", "fri": "Friday", "sat": "Saturday",
    "sun": "Sunday",
}  # fmt: skip
_SHORT_DAYS: Final = tuple(day.capitalize() for day in _DAYS)
_SHORT_DAY: Final = re.compile(  # the sun, what sat, and French "mon" are no days
    r"\b(?:(?:Tues?|Wed|Thu(?:rs?)?|Fri)\b\.?|(?<=[/-])(?:Mon|Sat|Sun)\b|(?:Mon|Sat|Sun)(?=[/–-]|:? ?\d))"
)
_WEEKDAYS: Final = re.compile(
    r"\b(?:(?:5 days a week,? )?Mondays? ?(?:to|through|till|until|[-–]) ?Fridays?"
    r"|(?:every |each )?(?:work(?:ing)? ?|business )days?)\b",
    re.IGNORECASE,
)
_MORE: Final = re.compile(
    r"(?<=\d) (?:full|whole|entire|more|extra|further)(?= (?:minute|hour|day|week|month|year)s?\b)", re.IGNORECASE
)
_POINT: Final = re.compile(r"(?<=\d) point (?=\d)", re.IGNORECASE)  # a version as it is spoken
_DAYS_SHORT: Final = re.compile(r"(?<=\d)d\b")
_EVERY_DAY: Final = re.compile(r"\b7 days (?:a|per|each|every|of the) week\b|\b24/7\b", re.IGNORECASE)
_OFTEN: Final = {"twice": 2, "thrice": 3}
_TIMES: Final = re.compile(  # once a week is left: it says how often, and seldom what else could be
    r"\b(?:twice|thrice|\d+ ?[x×])(?= ?(?:an? |per |each |every |daily|weekly|monthly|/))", re.IGNORECASE
)


def clocks_read(text: str) -> str:
    """The text with its times of day, spans, weekdays and how often in one spelling each."""
    low = text.lower()
    if "half" in low or "quarter" in low:
        text = _SPANS.sub(_span, text)
    if "noon" in low or "mid" in low:
        text = _NOON.sub(lambda found: "00:00" if found[1] else "12:00", text)
    if any(map(text.__contains__, _SHORT_DAYS)):
        text = _SHORT_DAY.sub(lambda found: _DAYS[found[0][:3].lower()], text)
    if _DIGIT.search(text):
        text = _CLOCK.sub(_clock, _HALVES_JOINED.sub(" to ", text) if "m-" in low or "m–" in low else text)
        text = _HOUR.sub(lambda found: f"{found[0][:-1]}:00", text)
        text = _DAYS_SHORT.sub(" days", _POINT.sub(".", _MORE.sub("", text)))
        if "7" in text:
            text = _EVERY_DAY.sub("every day", text)
    if ("onday" in text and "riday" in text) or "work" in low or "business" in low:
        text = _WEEKDAYS.sub("weekdays", text)
    if "ice" in low or "x" in low or "×" in low:
        text = _TIMES.sub(_times, text)
    return text


def times_in(text: str) -> tuple[str, list[str]]:
    """The text without its times, and each time in all its readings: see `stated.number_met`."""
    found: list[str] = []

    def one(match: re.Match[str]) -> str:
        below, hour, minute, second, is_early = match.groups()
        is_sure = bool(is_early) or hour[0] == "0"
        time = readings(int(hour), minute, is_sure=is_sure, said=hour)
        if below or second:  # how long it takes
            time += f"|={int(hour) * 3600 + int(minute) * 60 + int(second or 0)}s"
        found.append(time)
        return " , "

    return _TIME.sub(one, text), found


def readings(hour: int, minute: str, *, is_sure: bool, said: str) -> str:
    """`16:30`; `4:30|04:30|16:30` where the half of the day is not told; `14:00|!14|!2` meets a lone 2 or 14."""
    if hour > 24:
        return f"{said}:{minute}"
    hours = (hour % 24,) if is_sure or hour >= 12 or hour == 0 else (hour, hour + 12)
    forms = [f"{said}:{minute}", *(f"{one:02}:{minute}" for one in hours)]
    if minute == "00":
        forms += [f"!{bare}" for one in hours for bare in (one, one % 12 or 12)]
    return "|".join(dict.fromkeys(forms))


def _times(found: re.Match[str]) -> str:
    said = found[0].lower()
    return f"{_OFTEN.get(said) or said.rstrip('x× ')} times"


def _span(found: re.Match[str]) -> str:
    _, unit, whole, of = found["number"], found[2], found["whole"], found[4]
    if found["number"]:
        number = found["number"]
        return f"{number if number.isdigit() else 1}.5 {unit}s"
    if whole:
        return f"{whole}.5"
    if of:
        return f"0.5 {of}s"
    return "45 minutes" if found[0].startswith("3") else "15 minutes"


def _clock(found: re.Match[str]) -> str:
    """A time as it is written everywhere: 4:30 in doubt, 04:30, 16:30, and "10:30 am" where 10:30 would be in doubt."""
    said, hour, minute = found[0], int(found["hour"]), int(found["minute"] or 0)
    part = (found["m"] or found["part"] or found["kept"] or found["abroad"] or "").lower()
    spoken = found["past"] or found["to"] or found["half"]
    if not (part or spoken or found["clock"] or found["tail"]) or hour > 24 or (spoken and found["minute"]):
        return said
    if spoken and not (part or found["clock"]) and _COUNTS.match(found.string, found.end()):
        return said
    if found["kept"] and not (found["clock"] or spoken or found["minute"]):
        return said  # "3 on Monday mornings" may be runs
    hour, minute = _spoken(found, hour, minute)
    opening = " " if said.startswith(" ") else ""
    if not part and not (found["clock"] and hour > 12):
        return f"{opening}{hour}:{minute:02}"
    return opening + _sure(_of_day(hour, _HALVES[part]) if part else hour, minute)


def _spoken(found: re.Match[str], hour: int, minute: int) -> tuple[int, int]:
    """The hour and minute that "half past", "quarter to", British "half five", German "halb sechs" make of an hour."""
    way = (found["past"] or found["to"] or found["half"] or "").lower()
    if found["past"]:
        return hour, _PAST.get(way) or int(way)
    if found["to"]:
        return (hour - 1) or 12, 60 - (_PAST.get(way) or int(way))
    if way == "halb":
        return (hour - 1) or 12, 30
    return hour, 30 if way or found["tail"] else minute


def _of_day(hour: int, half: int) -> int:
    if half == _NIGHT:
        return hour % 24 if hour < 5 or hour > 12 else (hour + 12) % 24
    return hour % 12 + half if hour <= 12 else hour


def _sure(hour: int, minute: int) -> str:
    return f"{hour:02}:{minute:02}" + (" am" if hour in (10, 11) else "")
