"""Corrections that name the value they take back: "the Lunds pay 520, not 500", "scratch what I said about Saturdays".

Takes: a sentence, and an earlier statement. Gives: the value taken back with what is said instead, and the earlier
statement with the new value, or what is said instead of all of it ("I take back what I said about the gate: ...").
Never: a value of another type, or of something that the earlier statement does not name.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.extraction.self_corrections import Word, values_in
from dopejar.text.words import query_terms
from dopejar.values.dates import MONTH_NAMES

_LEAD: Final = re.compile(
    r"(?:(?:oh|hm+|no|sorry|oops|wait|actually|correction|my mistake|i was wrong)[\s,.:;!–—-]+)*", re.IGNORECASE
)
_NOT: Final = re.compile(
    r"(?P<said>.+?)(?:,\s*|\s+[-–—]\s+|\s+)not (?:(?:on|at|in|to|the|for) ){0,2}(?P<old>[^\s,;]+(?: [^\s,;]+)?)[.!]*",
    re.IGNORECASE,
)
_SAID_ABOUT: Final = re.compile(
    r"(?:(?:oh|hm+|no|sorry|oops|wait|actually|and|please)[\s,]+)*(?:scratch|scrap|strike|ignore|disregard) "
    r"(?:what|the (?:bit|part|thing)) (?:that )?i (?:just )?(?:said|told you|wrote|mentioned) (?:earlier )?about "
    r"(?P<old>[^,;.:!?]{1,40}?)\s*[,;:–—-]\s*(?P<said>[^?]+)",
    re.IGNORECASE,
)
_TAKEN_BACK: Final = re.compile(
    rf"{_LEAD.pattern}i (?:(?:have|want|need) to |must )?take back (?:what|everything|all) (?:that )?"
    r"i(?:['’]ve| have)? (?:just )?(?:said|told you|wrote|mentioned) (?:earlier )?(?:about|on) "
    r"(?P<old>[^,;.:!?–—]{2,60}?)\s*[,;:.–—]\s*(?P<said>[^?]+)",
    re.IGNORECASE,
)
_SCRAPPED: Final = re.compile(  # what was only thought of: "scratch that about the van, I keep it"
    rf"{_LEAD.pattern}(?:scratch|scrap|strike|never ?mind) (?:(?:all )?(?:that|it|the (?:thing|idea|plan|offer)) )?"
    r"(?:(?:about|with|of|from) )?(?P<old>[^,;.:!?–—]{2,40}?)"
    r"\s*[,;:.–—]\s*(?=(?:i|we|it|he|she|they|the|one|my|our)\b)",
    re.IGNORECASE,
)
_THOUGHT_OF: Final = re.compile(
    r"\b(?:may|might|could|maybe|perhaps|possibly|thinking (?:of|about)|considering|plan(?:ning)? to|want to)\b",
    re.IGNORECASE,
)
_SAID_IT: Final = re.compile(  # "I said 2 December, it's the 9th"
    rf"{_LEAD.pattern}i(?:['’]ve| have|['’]d)? (?:said|told you|(?P<of>wrote|put|mentioned)) "
    r"(?:(?:that )?(?:it|they)(?:['’](?:s|re)| is| are| was| were) )?(?:(?:on|at|in|for|the) )*(?P<old>[^,;?!]{1,40}?)"
    r"(?: (?:before|earlier|last time|yesterday|(?:on )?\d{4}-\d\d-\d\d))?(?:\s*[,;:.–—-]\s*|\s+)(?:(?:but|and) )?"
    r"(?:actually,? )?(?:it|that|they)(?:['’](?:s|re)| is| are| was| were| should be) "
    r"(?:(?:actually|really|in fact|on|at|in|for|the) )*(?P<said>[^,;?!]{1,40}?)(?: (?:now|actually))?[.!]*",
    re.IGNORECASE,
)
_DATE: Final = re.compile(
    rf"(?P<day>\d{{1,2}}(?:st|nd|rd|th)?)(?: of)? (?P<month>{MONTH_NAMES})\b|(?P<alone>\d{{1,2}}(?:st|nd|rd|th))\b|"
    rf"\b(?P<first>{MONTH_NAMES}) (?P<last>\d{{1,2}}(?:st|nd|rd|th)?)\b",
    re.IGNORECASE,
)
_SUFFIX: Final = "stndrh"
_CURRENCY: Final = "£$€#"
_YEAR: Final = re.compile(r",? \d{4}\b")
_COUNTED: Final = re.compile(r"(?:times?|people|things?)[.!]*", re.IGNORECASE)  # how often or how many, not what
_LONGEST: Final = 240  # characters of a sentence that corrects a value


class TakenBackValue(NamedTuple):
    """The value that a sentence takes back, what it says instead, and whether it means what its speaker said of it.

    `is_all`: the sentence says no more than the two, and not of what they are. `unit`: the word behind the old value.
    """

    old: Word
    said: str
    means_said: bool = False
    is_all: bool = False
    unit: str = ""


def named_value(sentence: str) -> TakenBackValue | None:
    """What the sentence takes back by name; None where it takes nothing back, or something that is no value."""
    if len(sentence) > _LONGEST or sentence.rstrip().endswith("?"):
        return None
    if (it := _SAID_IT.fullmatch(sentence)) is not None and (old := _only_value(it["old"])) is not None:
        new, (value, unit) = _only_value(it["said"]), old
        if new is None or new[0].type != value.type or (it["of"] and value.type == "name"):
            return None  # whom somebody mentioned or wrote to is nothing that they said of something
        is_other = (new[0].text.casefold(), _stem(new[1])) != (value.text.casefold(), _stem(unit))
        return TakenBackValue(value, it["said"], means_said=True, is_all=True, unit=unit) if is_other else None
    about = _SAID_ABOUT.fullmatch(sentence)
    found = about or _NOT.fullmatch(sentence, _LEAD.match(sentence).end())  # type: ignore[union-attr]
    if found is None:
        return None
    values = values_in(found["old"], opens=False)
    is_whole = len(values) == 1 and values[0].end == len(found["old"].rstrip(" .!"))
    if not is_whole or not (about or values[0].start == 0):
        return None
    return TakenBackValue(values[0], found["said"].strip(" .!"), means_said=about is not None)


def stated_instead(earlier: str, sentence: str) -> str:
    """What the sentence tells in the place of the earlier statement, whose subject it names and takes back; else ""."""
    found = _TAKEN_BACK.fullmatch(sentence) if len(sentence) <= _LONGEST else None
    named = frozenset(query_terms(found["old"])) if found else frozenset()
    if found is None or not named or not named <= frozenset(query_terms(earlier)):
        return ""
    return f"{found['old'][0].upper()}{found['old'][1:]}: {found['said'].strip(' .!')}"


def scrapped(sentence: str) -> frozenset[str]:
    """The words for a plan that the sentence gives up by name before it says how things are; empty for any other."""
    found = _SCRAPPED.match(sentence) if len(sentence) <= _LONGEST else None
    return frozenset(query_terms(found["old"])) if found else frozenset()


def gives_up(earlier: str, later: str) -> bool:
    """Whether the later statement gives up by name what the earlier one only thought of."""
    named = scrapped(later)
    return bool(named) and _THOUGHT_OF.search(earlier) is not None and named <= frozenset(query_terms(earlier))


def with_value(earlier: str, correction: TakenBackValue) -> str:
    """The earlier statement with the new value in the place of the one taken back; "" where it is not surely meant.

    That value stands in it once, and so do all words of the correction, but one beside a name that both share ("the
    Lunds pay"). Where its speaker says that they had said it, one shared word is enough.
    """
    if correction.is_all:
        return _with_other(earlier, correction)
    places = _places(earlier, correction.old)
    new = _new(earlier, correction)
    if len(places) != 1 or new is None:
        return ""
    said = f"{correction.said[: new.start]}\n{correction.said[new.end :]}"
    before, behind = said.split("\n")
    start, end = places[0]
    if not _is_of_one(earlier, before, earlier[end:], behind, means_said=correction.means_said):
        return ""
    value = new.text.lstrip(_CURRENCY)
    value += "s" if correction.old.type == "weekday" and earlier[end - 1] == "s" != value[-1] else ""
    return f"{earlier[:start]}{value}{earlier[end:]}"


def _only_value(words: str) -> tuple[Word, str] | None:
    """The date or the value that the words are, and its unit, "" without one; None for others and for several."""
    if (date := _DATE.fullmatch(words)) is not None:
        return Word(0, len(words), date[0], "date"), ""
    values = values_in(words, opens=False)
    if len(values) != 1 or values[0].start != 0:
        return None
    unit = words[values[0].end :].strip()
    is_whole = not unit or not (values[0].type == "name" or " " in unit or _COUNTED.fullmatch(unit))
    return (values[0], unit) if is_whole else None


def _with_other(earlier: str, correction: TakenBackValue) -> str:
    """The earlier statement with another value in the only place of the old one, which has the same unit there.

    Of a date, what is said of it; "" where the statement holds the new value too.
    """
    instead = _only_value(correction.said)
    if instead is None:
        return ""
    new, unit = instead
    if new.type == "date":
        return _with_date(earlier, correction.old.text, new.text)
    places = _places(earlier, correction.old)
    if len(places) != 1 or _places(earlier, new):
        return ""
    ((start, end),) = places
    written = earlier[start - 1] if start and earlier[start - 1] in _CURRENCY else ""
    if any(one.text[0] in _CURRENCY and one.text[0] != written for one in (correction.old, new)):
        return ""  # of another currency, or of none
    behind = re.match(r" ?([^\W\d_]+|[%°€£$])", earlier[end:])
    if said := correction.unit or unit:
        if behind is None or _stem(behind[1]) != _stem(said):
            return ""
        end += behind.end() if unit else 0
    return f"{earlier[:start]}{correction.said.strip().lstrip(_CURRENCY)}{earlier[end:]}"


def _stem(unit: str) -> str:
    return unit.casefold().rstrip(".!").removesuffix("s")


def _with_date(earlier: str, old: str, new: str) -> str:
    said, instead = _DATE.fullmatch(old), _DATE.fullmatch(new)
    if said is None or instead is None:
        return ""
    dates = list(_DATE.finditer(earlier))
    found = [one for one in dates if _is_same_day(one, said)]
    if len(found) != 1 or any(_is_same_day(one, instead) for one in dates):
        return ""
    (date,) = found
    if _month(instead):
        is_of_year = _YEAR.match(earlier, date.end()) is not None and _month(instead) != _month(date)
        return "" if is_of_year else f"{earlier[: date.start()]}{new}{earlier[date.end() :]}"  # of which year?
    start, end = date.span(_day(date))
    day = new.rstrip(_SUFFIX) if earlier[start:end].isdigit() else new
    return f"{earlier[:start]}{day}{earlier[end:]}"


def _day(date: re.Match[str]) -> str:
    """The name of the group that holds the day."""
    return next(group for group in ("day", "alone", "last") if date[group])


def _is_same_day(one: re.Match[str], other: re.Match[str]) -> bool:
    is_one = one[_day(one)].rstrip(_SUFFIX) == other[_day(other)].rstrip(_SUFFIX)
    return is_one and len({_month(one), _month(other)} - {""}) <= 1


def _month(date: re.Match[str]) -> str:
    return (date["month"] or date["first"] or "")[:3].casefold()


def _is_of_one(earlier: str, before: str, earlier_behind: str, behind: str, *, means_said: bool) -> bool:
    """Whether the words around the new value are about what the earlier statement is about."""
    known = frozenset(query_terms(earlier))
    terms, more = query_terms(before), query_terms(behind)
    own = [term for term in terms if term not in known]
    if len(own) == len(terms) or not known.issuperset(more):
        return False
    if more and not means_said and query_terms(earlier_behind)[:1] != more[:1]:
        return False  # 14 cats are no 12 pupils
    names = frozenset(query_terms(" ".join(word for word in before.split()[1:] if word[0].isupper())))
    if not names <= known:
        return False
    if means_said:
        return True
    return not own or (len(own) == 1 and (bool(names) or _is_name(earlier, terms[0])))


def _is_name(earlier: str, term: str) -> bool:
    """Whether a word that opens the correction is written as a name in the earlier statement."""
    return any(word[0].isupper() and term in query_terms(word) for word in earlier.split()[1:])


def _places(earlier: str, old: Word) -> list[tuple[int, int]]:
    """Where the statement holds the value; of a weekday also as one of every week."""
    bare = old.text.strip().lstrip(_CURRENCY)
    days = "s?" if old.type == "weekday" else ""
    bare = bare.removesuffix("s") if days else bare
    pattern = rf"(?<![\w.,:]){re.escape(bare)}{days}(?!\w|[.,:]\d)"
    return [found.span() for found in re.finditer(pattern, earlier, re.IGNORECASE)]


def _new(earlier: str, correction: TakenBackValue) -> Word | None:
    """The only value of that type in what is said instead that the earlier statement does not hold."""
    opens = correction.old.type == "name"
    values = [one for one in values_in(correction.said, opens=opens) if one.type == correction.old.type]
    held = earlier.casefold()
    fresh = [one for one in values if one.text.lstrip(_CURRENCY).casefold() not in held]
    return fresh[0] if len(fresh) == 1 else None
