"""The one value of a statement that a later one changes: a time, a day, a date, an amount.

Takes: a statement and a later one that changes a part of it. Gives: where the changed value stands, and the statement
without it. Never: takes a value of another sort, or one of several, for the changed one; cuts where what is left would
be no statement, or where the later one names a thing or a place of its own.

"Our standup is at 9:30 on Zoom" leaves "Our standup is on Zoom" where it moved to 10.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.self_corrections import Word, values_in
from dopejar.text.circumstances import circumstance
from dopejar.text.polarity import polarity
from dopejar.text.text_values import has_digit, is_numbered
from dopejar.text.words import query_terms

_CLOCK: Final = re.compile(r"\d{1,2}[:h]\d\d(?: ?[ap]m)?|\d{1,2} ?[ap]m", re.IGNORECASE)
_MONEY: Final = re.compile(
    r"euros?|eur|dollars?|usd|bucks|pounds?|gbp|cents?|pence|p|francs?|chf|czk|crowns?", re.IGNORECASE
)
_PART_OF_DAY: Final = re.compile(r" (?:o'clock\b|in the (?:morning|afternoon|evening)\b|at night\b)", re.IGNORECASE)
_HALF: Final = re.compile(r"\b(?:half|half past|quarter past|quarter to) $", re.IGNORECASE)
_UNIT: Final = re.compile(r"[ -]?(?P<unit>[^\W\d_]+|%)(?P<each> (?:a|an|per|each|every) [^\W\d_]+)?")
_LABEL: Final = re.compile(r"\b([^\W\d_]+) $")
_PER: Final = re.compile(r" (?:per|an?(?= (?:hour|day|night|week|month|quarter|year|visit|head|person)\b)) [^\W\d_]+")
_SPELLED_ADDRESS: Final = re.compile(r"[^\W\d_]{3,}[\W_]|[\W_][^\W\d_]{3,}")
_TAIL: Final = re.compile(r"\s*,?\s*(?:in|on|at|with|by|via|through|near|to|from) ")
_NO_UNIT: Final = re.compile(
    r"(?:in|at|on|to|for|from|by|with|of|and|or|but|via|through|over|per|a|an|the|until|till|since|because|now|is|are|was|"
    r"instead|then|so|as|than|too|only|again|already|but|\w+ed|\w+ly)\b",
    re.IGNORECASE,
)
_BEFORE: Final = re.compile(
    r"(?:(?P<preposition>\b(?:on|at|in|by|of|for|from|with|to|after|before))(?: a| an| the)? )?"
    r"(?:(?:about|around|roughly|only|up to|at most|every|max) )*$",
    re.IGNORECASE,
)
_SINCE: Final = re.compile(r"\b(?:from|since|as of|until|till|by|before|after|starting|effective) $", re.IGNORECASE)
_BE: Final = re.compile(r"(?:\b(?:is|are)|'s)\s*$", re.IGNORECASE)
_IN_PLACE: Final = re.compile(r"\s*(?:in|on|at|with|via|through|to|from) (?:the )?(?=[A-Z\d]|\w*[\d._-]\w)")
_LINK: Final = re.compile(r"(?:,| and| or| &|, and) ?")
_PHRASE: Final = re.compile(
    r"\b(?P<preposition>in|on|at|to|into|near|with|by|via|through|from|against|of|as)\s+"
    r"(?P<words>[^\s,;]+(?:\s+(?!(?:in|on|at|to|into|near|with|by|via|through|from|against|of|as|for|and|is|are|was)\b)"
    r"[^\s,;]+){0,3})",
    re.IGNORECASE,
)
_HOURS: Final = re.compile(r"\b(?:open(?:s|ing)?|clos(?:es?|ed|ing)|hours)\b", re.IGNORECASE)
_CLOSED: Final = re.compile(r"\bclosed (?:on )?$", re.IGNORECASE)
_STAYS: Final = re.compile(
    r"\bsame (?:number|phone|address|e-?mail|line|price|rate|room|desk|place|times?|hours|days?)\b|"
    r"\b(?:number|address|e-?mail|line|price|rate|room|desk|place|times?|hours|days?) "
    r"(?:is|are|stays?|remains?) the same\b",
    re.IGNORECASE,
)
_ASIDE: Final = re.compile(r" (?:[-–—] |\()(?P<name>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)?)(?: [-–—](?= )|\))")
_ROLES: Final = re.compile(
    r"\b(?:is|are)(?: also)?(?: our| the| my| an?)? (?P<one>[\w-]+(?: [\w-]+)?) and (?:our |the |an? )?"
    r"(?P<other>[\w-]+(?: [\w-]+)?)(?=$|[,;.!])"
)
_TO: Final = re.compile(r"\s*,?\s*(?:to|from) ")
_OF_A_CHANGE: Final = frozenset(["now", "back", "again", "instead", "still", "more", "new"])
_PLACES: Final = frozenset({"in", "on", "at", "to", "into", "near"})
_TIMES: Final = frozenset({"number", "weekday", "month", "ordinal"})
_LONGEST_LIST: Final = 500  # characters
_LIST: Final = re.compile(
    r"(?P<items>[\w'’-]+(?:, [\w'’-]+)+),? (?P<and>and|or) (?P<last>[\w'’-]+)(?=$|[.,;!]| (?:in|on|at|for|with|to)\b)"
)


class _Value(NamedTuple):
    """A value with its unit: its range, its sort ("" where its words do not tell) and its words."""

    start: int
    end: int
    sort: str
    text: str


def changed_places(earlier: str, later: str) -> list[tuple[int, int]]:
    """Where the values stand that the later statement gives anew, one of each sort; none where several may be meant."""
    old, new = _values(earlier), _values(later)
    held = {one.text for one in old}
    fresh = [one for one in new if one.text not in held and not _SINCE.search(later[: one.start])]
    named = [one for one in old if one.text in {other.text for other in new}]
    found: set[tuple[int, int]] = set()
    for value in fresh:
        alike = [one for one in old if one.sort == value.sort and one.sort]
        alike = alike or [one for one in old if one.sort == value.sort]
        alike = alike or [one for one in old if _may_be_one_sort(one.sort, value.sort)]
        if len(alike) > 1:
            alike = [one for one in alike if one in named]  # "4200 now, 4100 was taken"
        if len(alike) > 1:
            return []
        found.update((one.start, one.end) for one in alike)
    return sorted(found)


def without_changed_values(earlier: str, later: str, whole: str = "") -> str:
    """The earlier statement, or a clause of the `whole`, without what the later one gives anew; "" if not plain."""
    places = changed_places(earlier, later)
    if not places or circumstance(earlier) or circumstance(later) or _names_more(later, whole or earlier):
        return ""
    rest = earlier
    for start, end in reversed(places):
        rest = _cut(rest, start, end)
        if not rest:
            return ""
    return rest if _tells_more(rest, later) and not _puts_elsewhere(rest, later) else ""


def is_of_other_days(earlier: str, later: str) -> bool:
    """Whether the later statement has opening hours for a day of the week of which the earlier one tells none."""
    told = [one.text for one in _values(later) if one.sort == "weekday"]
    if not (told and _HOURS.search(earlier) and _HOURS.search(later) and has_digit(later)):
        return False
    known = [one for one in _values(earlier) if one.sort == "weekday"]
    return all(_CLOSED.search(earlier, 0, one.start) and one.text not in told for one in known)


def refers_to_same(earlier: str, later: str) -> bool:
    """Whether the later statement says that a number or time of the earlier one stays, and not which."""
    is_plain = has_digit(earlier) and not has_digit(later) and not changed_places(earlier, later)
    return is_plain and _STAYS.search(later) is not None


def tells_only_values(later: str, known: AbstractSet[str]) -> bool:
    """Whether nothing in the later statement is new but values: "the paper comes on Wednesdays now"."""
    plain = later
    for one in reversed(_values(later)):
        plain = f"{plain[: one.start]} {plain[one.end :]}"
    return set(query_terms(plain)) - _OF_A_CHANGE <= known


def without_aside(earlier: str, later: str) -> str:
    """The earlier statement without the name between dashes or brackets that the later one opens with; "" without."""
    found = _ASIDE.search(earlier)
    named = frozenset(query_terms(later.partition(",")[0])) & frozenset(query_terms(found["name"])) if found else None
    return f"{earlier[: found.start()]} {earlier[found.end() :].lstrip()}" if found and named else ""


def without_role(earlier: str, later: str) -> str:
    """The earlier statement without the one of two things that somebody is which the later one names."""
    found, known = _ROLES.search(earlier), frozenset(query_terms(later))
    if found is None:
        return ""
    is_told = [bool(known.intersection(query_terms(found[each]))) for each in ("one", "other")]
    if is_told.count(True) != 1:
        return ""
    left = found["other"] if is_told[0] else found["one"]
    return f"{earlier[: found.start('one')]}{left}{earlier[found.end() :]}"


def without_member(earlier: str, later: str) -> str:
    """The earlier statement without the one member of its list that the later one denies; "" where none is."""
    is_denied = len(earlier) <= _LONGEST_LIST and polarity(earlier) != polarity(later)
    found = _LIST.search(earlier) if is_denied else None
    if found is None:
        return ""
    members, known = [*found["items"].split(", "), found["last"]], frozenset(query_terms(later))
    left = [one for one in members if not known.issuperset(query_terms(one))]
    if len(left) != len(members) - 1:
        return ""
    listed = f"{', '.join(left[:-1])} {found['and']} {left[-1]}"
    return f"{earlier[: found.start()]}{listed}{earlier[found.end() :]}"


def _values(text: str) -> list[_Value]:
    words, found, place = values_in(text), [], 0
    while place < len(words):
        first, last = place, place
        place += 1
        if words[first].type not in _TIMES or _is_address(words[first].text):
            continue
        while place < len(words) and words[place].type in _TIMES and _belongs(text, words[last], words[place]):
            last, place = place, place + 1
        found.append(_with_unit(text, words[first : last + 1]))
    return found


def _is_address(word: str) -> bool:
    return has_digit(word) and _SPELLED_ADDRESS.search(word) is not None


def _belongs(text: str, one: Word, other: Word) -> bool:
    """Whether two values are one: the parts of a date, or days in a row."""
    between = text[one.end : other.start]
    if one.type == other.type == "weekday":
        return _LINK.fullmatch(between) is not None
    return between in (" ", " of ") and {one.type, other.type} in ({"number", "month"}, {"ordinal", "month"})


def _with_unit(text: str, words: Sequence[Word]) -> _Value:
    start, end, types = words[0].start, words[-1].end, {one.type for one in words}
    if types != {"number"}:
        sort = "weekday" if types == {"weekday"} else "date"
        return _Value(start, end, sort, text[start:end].casefold())
    said, sort = text[start:end], ""
    half, part = _HALF.search(text[:start]), _PART_OF_DAY.match(text, end)
    if half or part or _CLOCK.fullmatch(said):
        return _Value(half.start() if half else start, part.end() if part else end, "clock", said.casefold())
    unit = _UNIT.match(text, end)
    if unit is not None and _NO_UNIT.match(unit["unit"]) is None:
        end, name = unit.end(), unit["unit"]
        sort = "money" if _MONEY.fullmatch(name) else " ".join(query_terms(name)[:1])
    elif (each := _PER.match(text, end)) is not None:
        end = each.end()
    elif (label := _LABEL.search(text, 0, start)) is not None and is_numbered(label[1]):
        return _Value(label.start(1), end, label[1].casefold(), said.casefold())
    if said[0] in "$€£":
        sort = "money"
    elif said.endswith("%"):
        sort = "percent"
    return _Value(start, end, sort, said.casefold())


def _may_be_one_sort(one: str, other: str) -> bool:
    """Whether two sorts may be one: words do not tell what a bare number counts, but it is no day."""
    days = ("weekday", "date")
    return (not one or not other) and one not in days and other not in days


def _names_more(later: str, earlier: str) -> bool:
    """Whether the later statement names what the earlier one does not: it may be about another one altogether."""
    known = frozenset(query_terms(earlier))
    names = [one.text for one in values_in(later) if one.type in ("name", "identifier")]
    return any(not known.issuperset(query_terms(name)) for name in names)


def _cut(text: str, start: int, end: int) -> str:
    """The text without a value and the preposition before it; "" where its verb needs it."""
    before = _BEFORE.search(text, 0, start)
    start = before.start() if before else start
    head, tail = text[:start].rstrip(" ,"), text[end:]
    is_after_be = _BE.search(head) is not None
    if not head and not tail.strip():
        return ""
    has_preposition = before is not None and before["preposition"] is not None
    is_day = text[start:end].lower().rstrip("s").endswith("day")
    if not (has_preposition or is_day) and not (_IN_PLACE.match(tail) if is_after_be else _is_behind_object(head)):
        return ""
    if circumstance(tail.strip()) or (is_after_be and not _TAIL.match(tail)):
        return ""
    if is_after_be and _TO.match(tail):
        return f"{_BE.sub('', head)}: {tail.lstrip(' ,')}"  # "Rent's 840 a month to Mrs Okafor"
    is_listed = not is_after_be and tail.lstrip()[:1] in (",", ";")
    return f"{head}{tail}" if is_listed else f"{head} {tail.lstrip(' ,')}".strip()


def _is_behind_object(head: str) -> bool:
    """Whether a verb has its object before the value: "takes amlodipine 5 mg"."""
    verbs = list(FINITE.finditer(head))
    return bool(verbs) and bool(head[verbs[-1].end() :].split())


def _tells_more(rest: str, later: str) -> bool:
    """Whether a value, a name or a circumstance is left that the later statement does not repeat."""
    known = frozenset(query_terms(later))
    said = [one.text for one in values_in(rest)] + [one["words"] for one in _PHRASE.finditer(rest)]
    return any(not known.issuperset(query_terms(one)) for one in said)


def _puts_elsewhere(rest: str, later: str) -> bool:
    """Whether the later statement says anew where, with whom or by what: "in the school hall"."""
    known = frozenset(query_terms(rest))
    told = {_kind(one["preposition"]) for one in _circumstances(rest)}
    return any(
        _kind(one["preposition"]) in told and not known.issuperset(query_terms(one["words"]))
        for one in _circumstances(later)
    )


def _circumstances(text: str) -> list[re.Match[str]]:
    """The phrases behind prepositions that are no values themselves: "on Mondays", "to room 9"."""
    found = {one.start for one in _values(text)}
    return [one for one in _PHRASE.finditer(text) if one.start("words") not in found]


def _kind(preposition: str) -> str:
    word = preposition.lower()
    return "place" if word in _PLACES else word
