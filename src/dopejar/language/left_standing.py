"""What a later statement leaves as it is by its words, and what the departure of a person ends.

Takes: the words of two statements. Gives: whether the later one says nothing of the earlier one's matter: another event,
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
from dopejar.text.words import query_terms

# what is done or happens once and brings no new state of a thing: neither "moved" nor "switched"
_HAPPENED: Final = lazy_pattern(
    r"\b(?:released|shipped|c[ao]me out|went out|appeared|ran|finished|completed|won|lost|played|passed|failed|flew|sailed|"
    r"travell?ed|visited|walked|hiked|climbed|swam|cycled|held|hosted|took place|performed|sang|spoke|published|printed|"
    r"planted|sold|died|hatched|arrived|joined|crashed|broke down)\b",
    re.IGNORECASE,
)
_IS_NOW: Final = lazy_pattern(
    r"\b(?:now|current(?:ly)?|latest|newest|last|next|instead|any ?more|no longer|every|each|usually|always|"
    r"actually|correction|replac\w+)\b|\b(?:is|are|am|has|have|runs?|takes?) (?!(?:been|now) )(?!\w+ed\b)",
    re.IGNORECASE,
)
_NUMBER: Final = rf"(?:\d+|{'|'.join(NUMBER_WORDS)}|another|some|several)"
_COMES_OR_GOES: Final = lazy_pattern(  # "two hens died", "we bought three more hives"
    rf"^(?:{_NUMBER} (?:more |new |of (?:the|our|my) )?[\w-]+(?: [\w-]+)? (?:(?:have|has|were|was|are|is|got) )?(?:died|joined|left|"
    r"hatched|arrived|escaped|sold|born|stolen|removed|quit|broke|retired|added|bought|donated)\b|"
    rf"(?:I|we|they|[A-Z]\w+)(?:['’]ve| have| has)?(?: just)? (?:bought|added|got|sold|lost|gave (?:away|back|up)|donated|hired|"
    rf"removed|returned|planted|adopted|took on) {_NUMBER} )",
    re.IGNORECASE,
)
_COUNT: Final = lazy_pattern(r"\b\d[\d.,]*(?= [a-z])|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b")
_VERSION: Final = lazy_pattern(r"^(?:[a-z]+[ -]?\d|\d+\.\d)")
_DOSE: Final = (  # "takes ramipril 5 mg", "his ramipril is 10 mg now"
    lazy_pattern(r"\b(?P<drug>[a-z]{5,}) \d[\d.,]* ?(?:mg|mcg|µg|ml|micrograms?|milligrams?)\b", re.IGNORECASE),
    lazy_pattern(
        r"\b(?P<drug>[a-z]{5,}) (?:dose )?(?:is|was|has been|went) (?:\w+ )?(?:to |up to |down to )?\d[\d.,]* ?(?:mg|mcg|µg|ml)\b",
        re.IGNORECASE,
    ),
)
_IN_PLACE: Final = lazy_pattern(r"\b(?:instead|switched|replac\w+|swapped|changed (?:from|to)|stopped|no longer)\b", re.I)
_LEFT: Final = lazy_pattern(  # who left, and what
    r"^(?P<who>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*)(?: has| have|['’]s)?(?: just| now| since)? "
    r"(?:(?P<home>moved out|moved away)|left(?! (?:for|to|a|an|his|her|their|my|it)\b)|quit|resigned|retired|stepped down|"
    r"dropped out|g(?:ave|iven) up)\b(?P<what>[^.;]*)"
)
_GROUP: Final = (
    "club company firm team band choir orchestra board committee council association union office department school "
    "project group party practice agency crew"
)
_TIES: Final = lazy_pattern(  # what somebody is or has in a group
    r"\b(?:is|are) (?:our|the|one of (?:our|the)) (?P<role>[\w -]+)|^(?:desk|locker|plot|seat|office|parking \w+) \w+ is [A-Z]"
)
_OWN: Final = lazy_pattern(  # what a departure from a group leaves
    r"\b(?:liv(?:es?|ing)|born|birthday|number|phone|e-?mail|address|allerg\w+|married|wife|husband|partner|son|daughters?|"
    r"sons|kids|children|twins|mother|father|brother|sister|cousin|uncle|aunt|niece|nephew|friend|neighbour|neighbor|"
    r"landlord|landlady|plumber|electrician|doctor|dentist|vegetarian|vegan|speaks|drives|comes from|is from|age|years old|"
    r"dogs?|cats?|boat|car|bike|instrument|likes|loves|hates)\b",
    re.IGNORECASE,
)
_HOME: Final = lazy_pattern(
    r"\b(?:rents?|lodges?|lodger|tenant|flatmate|housemate|roommate|room|flat|apartment|attic|studio|floor|basement|house|"
    r"lives?|living|annexe?|let to)\b",
    re.IGNORECASE,
)
_OF: Final = lazy_pattern(r"\b(?:of|in|for|at|on) (?:the|our|a) (?P<group>[\w' -]+)")


def leaves(earlier: str, later: str) -> bool:
    """Whether the later statement, however alike, changes nothing of the earlier one."""
    return _is_another_event(earlier, later) or _is_another_dose(earlier, later) or _departs_from(earlier, later) is False


def ends_with_departure(earlier: str, later: str) -> bool:
    """Whether somebody's departure ends what the earlier statement tells of them, if it is about the same at all."""
    return _departs_from(earlier, later) is True


def changes_count(earlier: str, later: str) -> bool:
    """Whether the later one tells of some that came or went, and the earlier one how many there were."""
    tells_total = _IS_NOW.search(later) is not None
    return _COMES_OR_GOES.match(later) is not None and not tells_total and _COUNT.search(earlier) is not None


def _is_another_event(earlier: str, later: str) -> bool:
    if _COMES_OR_GOES.match(earlier) and _COUNT.search(later) and not _HAPPENED.search(later):
        return True  # how many there are now is no other event
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
    """Whether a departure ends what is told of that person; False where it leaves that, None where words do not tell."""
    left = _LEFT.match(later)
    if left is None or not set(query_terms(left["who"])) <= set(query_terms(earlier)):
        return None
    what = set(query_terms(left["what"]))
    if what & (set(query_terms(earlier)) - set(query_terms(left["who"]))):
        return None  # it names what it ends
    if left["home"] or what & set(query_terms("flat room house apartment studio attic")):
        return _HOME.search(earlier) is not None
    if _OWN.search(earlier):
        return False
    other = _OF.search(earlier)
    if other and what:
        return False  # of another group
    tie = _TIES.search(earlier)
    return True if tie and not other and (not what or what & set(query_terms(_GROUP))) else None
