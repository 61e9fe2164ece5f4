"""What a later statement leaves as it is by its words, and what the departure of a person ends.

Takes: the words of two statements. Gives: whether the later one says nothing of that matter: another event,
another medicine, the departure of somebody from something else; whether it ends what the earlier one tells of a person.
Never: takes a new state ("I moved to Ghent") for an event beside others. Judges English.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.number_words import NUMBER_WORDS
from dopejar.text.text_values import extract_values, has_digit
from dopejar.text.words import query_terms, words

# what is done or happens once and brings no new state of a thing: neither "moved" nor "switched"
_HAPPENED: Final = lazy_pattern(
    r"\b(?:released|shipped|c[ao]me out|went out|appeared|ran|finished|completed|won|lost|played|passed|failed|"
    r"flew|sailed|"
    r"travell?ed|visited|walked|hiked|climbed|swam|cycled|held|hosted|took place|performed|sang|spoke|published|"
    r"printed|"
    r"planted|sold|died|hatched|arrived|crashed|broke down)\b",
    re.IGNORECASE,
)
_IS_NOW: Final = lazy_pattern(
    r"\b(?:now|current(?:ly)?|latest|newest|last|next|instead|any ?more|no longer|every|each|usually|always|"
    r"actually|only|"
    r"correction|replac\w+|is|are|am|runs?|takes?)\b|\b(?:has|have) (?!been )(?!\w+ed\b)",
    re.IGNORECASE,
)
_NUMBER: Final = rf"(?:\d+|{'|'.join(word for word in NUMBER_WORDS if len(word) > len('an'))}|another)"
_COMES_OR_GOES: Final = lazy_pattern(  # "two hens died", "we bought three more hives"
    rf"^(?:{_NUMBER} (?:more |new |of (?:the|our|my) )?[\w-]+(?: [\w-]+)? (?:(?:have|has|were|was|got) )?"
    r"(?:died|joined|left (?=the |us |at )|hatched|arrived|escaped|sold|born|stolen|removed|quit|retired|added|"
    r"donated)\b|"
    rf"(?:I|we|they|[A-Z]\w+)(?:['’]ve| have| has)?(?: just)? (?:bought|added|got (?=\w+ more )|sold|lost|"
    rf"gave (?:away|back|up)|"
    rf"donated|hired|removed|returned|planted|adopted|took on) {_NUMBER} )",
    re.IGNORECASE,
)
_COUNT: Final = lazy_pattern(rf"\b(?:\d[\d.,]*(?= [a-z])|{_NUMBER}\b)", re.IGNORECASE)
_VERSION: Final = lazy_pattern(r"^(?:[a-z]+[ -]?\d|\d+\.\d)")
_DOSE: Final = (  # "takes ramipril 5 mg", "his ramipril is 10 mg now"
    lazy_pattern(r"\b(?P<drug>[a-z]{5,}) \d[\d.,]* ?(?:mg|mcg|µg|ml|micrograms?|milligrams?)\b", re.IGNORECASE),
    lazy_pattern(
        r"\b(?P<drug>[a-z]{5,}) (?:dose )?(?:is|was|has been|went) (?:\w+ )?(?:to |up to |"
        r"down to )?\d[\d.,]* ?(?:mg|mcg|µg|ml)\b",
        re.IGNORECASE,
    ),
)
_IN_PLACE: Final = lazy_pattern(
    r"\b(?:instead|switched|replac\w+|swapped|changed (?:from|to)|stopped|no longer)\b", re.I
)
_LEFT: Final = lazy_pattern(  # who left, and what
    r"^(?P<who>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*)(?: has| have|['’]s)?(?: just| now| since)? "
    r"(?:(?P<home>moved out|moved away)|left(?= (?:the|our|us)\b|[.\s]*$)|quit|resigned|retired|stepped down)\b"
    r"(?P<what>[^.,;]*)"
)
_OWN: Final = lazy_pattern(
    r"^(?:(?i:no|wait|oh|sorry|actually|correction|fix(?:ed)?|and)[,:]? )*"
    r"(?P<who>[A-Z][\w-]*)['’]s (?:is (?:now )?)?(?=\S*\d)"
)
_OF_ONE: Final = lazy_pattern(r"(?:he|she|they|his|her|their)\b", re.IGNORECASE)
_WORK: Final = frozenset(
    ["company", "firm", "team", "office", "department", "project", "agency", "crew", "school", "practice"]
)
_GROUPS: Final = _WORK | frozenset(
    ["club", "band", "choir", "orchestra", "board", "committee", "council", "association", "union", "party"]
)
_TIE: Final = lazy_pattern(
    r"\b(?:is|are) (?:our|the|one of (?:our|the)) [a-z]|^(?:desk|locker|plot|seat) \w+ is [A-Z]", re.IGNORECASE
)
_ROLE: Final = (  # in any group, and at work
    lazy_pattern(
        r"^(?:locker|plot|seat) |\b(?:is|are) (?:our|the|one of (?:our|the)) (?:[\w-]+ ){0,2}(?:treasurer|secretary|"
        r"chair(?:man|woman|person)?|(?:vice[- ])?president|captain|coach|trainer|leader|lead|head|director|"
        r"organi[sz]er|"
        r"coordinator|conductor|members?|delegate|representative|spokes\w+|volunteer|drummer|bassist|guitarist|"
        r"singer|soprano|alto|tenor|goalkeeper|keeper)\b",
        re.IGNORECASE,
    ),
    lazy_pattern(
        r"^desk |\b(?:is|are) (?:our|the|one of (?:our|the)) (?:[\w-]+ ){0,2}(?:colleague|boss|managers?|supervisor|"
        r"foreman|engineers?|developers?|programmers?|designers?|testers?|analyst|architect|admin(?:istrator)?|officer|"
        r"intern|trainee|apprentice|receptionist|assistant|editor|maintainer|owner|contact|teachers?|vet|c[eft]o|expert)\b",
        re.IGNORECASE,
    ),
)
_PERSONAL: Final = lazy_pattern(  # what no departure ends
    r"\b(?:born|birthday|number|phone|e-?mail|allerg\w+|married|wife|husband|partner|kids|"
    r"children|twins|"
    r"(?:grand|god|step)?(?:mother|father|brother|sister|son|daughter|child|parent)s?|grand(?:ma|pa)|"
    r"cousin|uncle|aunt|niece|nephew|(?:boy|girl)?friend|fianc[ée]e?|plumber|electrician|doctor|dentist|"
    r"vegetarian|vegan|"
    r"speaks|comes from|is from|years old|plays the)\b",
    re.IGNORECASE,
)
_LIVES: Final = lazy_pattern(r"\b(?:lives?|address|neighbou?r|landlord|landlady)\b", re.IGNORECASE)
_HOME: Final = lazy_pattern(
    r"\b(?:rents?|lodges?|lodger|tenant|(?:flat|house|room)mate|room|flat|apartment|attic|studio|floor|basement|"
    r"house|annexe?|"
    r"let to)\b",
    re.IGNORECASE,
)


def leaves(earlier: str, later: str) -> bool:
    """Whether the later statement, however alike, changes nothing of the earlier one."""
    return (
        _is_another_event(earlier, later)
        or _is_another_dose(earlier, later)
        or _departs_from(earlier, later) is False
        or _is_of_somebody_else(earlier, later)
    )


def _is_of_somebody_else(earlier: str, later: str) -> bool:
    """Whether the later one tells somebody's own number ("No wait, Ivo's is 555 0138"), whom the earlier one lacks."""
    found = _OWN.match(later)
    return found is not None and not {found["who"].lower()} & set(query_terms(earlier)) and not _OF_ONE.match(earlier)


def ends_with_departure(earlier: str, later: str) -> bool:
    """Whether somebody's departure ends what the earlier statement tells of them, if it is about the same at all."""
    return _departs_from(earlier, later) is True


def changes_count(earlier: str, later: str) -> bool:
    """Whether the later one tells of some that came or went, and no more; the earlier one how many there were."""
    return _tells_some(later) and not _IS_NOW.search(later) and _COUNT.search(earlier) is not None


def _tells_some(text: str) -> bool:
    """Whether it tells that some came or went, without how many that makes."""
    return _COMES_OR_GOES.match(text) is not None and len(_COUNT.findall(text)) == 1


def _is_another_event(earlier: str, later: str) -> bool:
    if _tells_some(earlier) and not _HAPPENED.search(later) and set(query_terms(earlier)) & set(query_terms(later)):
        counts = [{found[0].lower() for found in _COUNT.finditer(text)} for text in (earlier, later)]
        return bool(counts[1]) and counts[0].isdisjoint(counts[1])  # how many there are now is no other event
    if not all(_HAPPENED.search(text) and not _IS_NOW.search(text) for text in (earlier, later)):
        return False
    mine, theirs = _named(later), _named(earlier)
    return bool(mine - theirs) and bool(theirs - mine)


@lru_cache(maxsize=1024)
def _named(text: str) -> frozenset[str]:
    """The names and versions of a text, without times and amounts."""
    return frozenset(one for one in extract_values(text) if not has_digit(one) or _VERSION.search(one))


def _is_another_dose(earlier: str, later: str) -> bool:
    mine, theirs = _drugs(later), _drugs(earlier)
    if not mine or not theirs or _IN_PLACE.search(later):
        return False
    return mine.isdisjoint(query_terms(earlier)) and theirs.isdisjoint(query_terms(later))


def _drugs(text: str) -> frozenset[str]:
    return frozenset(term for one in _DOSE for found in one.finditer(text) for term in query_terms(found["drug"]))


def _departs_from(earlier: str, later: str) -> bool | None:
    """Whether a departure ends what is told of who left; False where it leaves that, None where words do not tell."""
    left = _LEFT.match(later)
    if left is None:
        return None
    what, known = set(query_terms(left["what"])), set(query_terms(earlier)) - set(query_terms(left["who"]))
    is_known = set(query_terms(left["who"])) <= set(query_terms(earlier))
    if not is_known or what & known:
        return None  # it is about another one, or names what it ends
    is_subject = earlier.startswith(left["who"])
    if _PERSONAL.search(earlier) or (not left["home"] and _LIVES.search(earlier)):
        return False if is_subject else None
    if left["home"]:
        return None if _LIVES.search(earlier) or not _HOME.search(earlier) or _HOME.search(left["what"]) else True
    return _departs_from_group(earlier, left, is_subject=is_subject)


def _departs_from_group(earlier: str, left: re.Match[str], *, is_subject: bool) -> bool | None:
    """The same of somebody who left a group, or does not say what: it ends what they were there."""
    groups = [_GROUPS.intersection(words(text.lower())) for text in (earlier, left["what"])]
    if all(groups) and not all(group & _WORK for group in groups):
        return False if is_subject else None  # of another group
    if groups[0] or not _TIE.search(earlier) or not (is_subject or earlier.endswith("'s")):
        return None
    of_any, at_work = (role.search(earlier) is not None for role in _ROLE)
    if of_any or (at_work and groups[1] <= _WORK):
        return True if groups[1] or not query_terms(left["what"]) else None
    return False if groups[1] and is_subject else None  # a vet who left the choir
