"""Policies: what a statement says of a policy, a limit or a quota, and which revision of it.

Takes: a text, and the names of its subject. Gives: the mention. Never: tells which of several revisions holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.normalisation import fold
from dopejar.text.words import index_terms, stem

_NEAR: Final = ".{0,400}"  # at most a long sentence: a line of figures may be as long as the text
_NOUN: Final = lazy_pattern(
    r"(?P<before>(?:[\w'-]+ ){0,3})\b"
    r"(?P<noun>polic(?:y|ies)|limit|quota|cap|ceiling|threshold|allowance|budget|retention|sla)\b"
    r"(?: (?:period|rule))?(?: (?:on|for|of) (?:the |our |all |every )?(?P<after>[\w-]+))?"
)
_RULES: Final = lazy_pattern(
    r"(?P<before>(?:[\w'-]+ ){0,3})\b(?P<noun>rules?|rulebook|terms|guidelines?|regulations?|standard)\b(?P<after>)"
)
_ORDINALS: Final = (
    *("first", "second", "third", "fourth", "fifth", "sixth"),
    *("seventh", "eighth", "ninth", "tenth", "eleventh", "twelfth"),
)
_CARDINALS: Final = (
    *("one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_VALUES: Final = {word: place for words in (_ORDINALS, _CARDINALS) for place, word in enumerate(words, 1)}
_REVISION: Final = r"(?:revision|version|rev|ver|edition|issue|amendment|iteration|r|v)"
_NUMBER: Final = (
    rf"(?:(?:policy )?{_REVISION}[.,]? ?(?:no\.? ?|number )?#?|policy (?:no\.? |number |nr\.? |#)?#?)"
    rf"(\d{{1,4}}|{'|'.join(_CARDINALS)})\b(?!\.\d| ?%|,\d)"
    rf"|\b(\d{{1,3}}(?=st|nd|rd|th)|{'|'.join(_ORDINALS)})(?:st|nd|rd|th)? (?:policy )?{_REVISION}\b"
)
_NUMBERED: Final = lazy_pattern(rf"\b(?:{_NUMBER})")
_REPLACED: Final = lazy_pattern(
    rf"\b(?:replac\w+|supersed\w+|overrid\w+|retir\w+|instead of|in place of|revok\w+|withdr\w+|rescind\w+|repeal\w+"
    rf"|follows on from|takes over from|up from|down from|was) (?:the |our |old |previous )*(?:{_NUMBER})"
)
_REVOKED: Final = lazy_pattern(
    rf"\b(?:{_NUMBER})(?: of [\w ]{{1,40}}?)? (?:is|was|has been|got) "
    r"(?:revoked|withdrawn|rescinded|repealed|scrapped|retired|superseded|replaced)"
)
_PLANNED: Final = lazy_pattern(
    r"\b(?:drafts?|drafted|proposed|proposes|proposal|propose|consider\w*|might|could|would|may become|if|perhaps|maybe"
    r"|not yet|under discussion|rejected|never adopted)\b"
)
_PAST: Final = lazy_pattern(
    r"\b(?:used to|previously|formerly|originally|back (?:then|in)|at the time"
    rf"|under (?:the )?(?:revision|version|policy|v)\b{_NEAR} (?:was|were))\b"
)
_RATE: Final = lazy_pattern(
    r"\d[\d.,]*(?P<unit>(?: [a-z-]+){0,2}?) ?(?:/ ?|(?:\b(?:per|a|an|each|every) ))"
    r"(?:second|minute|hour|day|night|week|month|year|user|tenant|customer|account|client|key)\b"
    r"|\d[\d.,]*(?P<regular>(?: [a-z-]+){0,2}?) (?:daily|hourly|weekly|monthly|yearly)\b"
    rf"|\b(?:daily|hourly|weekly|monthly|yearly)\b{_NEAR}?\d|\d{_NEAR} per \w+"
)
_WORDS: Final = """
the a an our my its this that new current latest old each every per of for on in by at to and is now under with from
revision version rev ver policy rule raised set maximum total as out off up down over since see about into than more
has have been be was are no number amendment edition daily weekly monthly hourly follow adopt ship
"""
_EMPTY: Final = frozenset(map(stem, _WORDS.split()))
_LIMITS: Final = frozenset({"limit", "quota", "cap", "ceiling"})
_MEASURES: Final = frozenset(
    map(stem, ("policy", "policies", "limit", "quota", "cap", "ceiling", "threshold", "allowance", "budget"))
)


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyMention:
    """What a statement says of a policy: its topic, the revision it states, and those that it takes out of force.

    `is_limit`: it gives a limit, a quota or a rate. `has_amount`: with a figure. `noun` says what it is, "limit" also
    for a quota, a cap or a ceiling; "" where no noun does.
    """

    topic: frozenset[str]
    noun: str = ""
    is_limit: bool = False
    has_amount: bool = False
    number: int | None = None
    ended: frozenset[int] = frozenset()
    is_planned: bool = False
    is_past: bool = False


def read_policy(text: str, names: Iterable[str] = ()) -> PolicyMention | None:
    """The policy that a statement about a subject with these names is about; None where it is about none."""
    plain = fold(text)
    ended = frozenset(_value(found) for pattern in (_REPLACED, _REVOKED) for found in pattern.finditer(plain))
    numbers = [_value(found) for found in _NUMBERED.finditer(plain)]
    rate = _RATE.search(plain)
    noun = _NOUN.search(plain) or (_RULES.search(plain) if numbers else None)
    if noun is None and not (numbers and ("revision" in plain or rate)):
        return None
    own = {part for name in names for part in index_terms(name.replace("-", " "))}
    said = _modifiers(noun["before"]) + (noun["after"] or "").split() if noun else []
    topic = _terms(said) - own or _terms(_counted(rate)) - own
    return PolicyMention(
        topic=frozenset(topic - _MEASURES),
        noun="limit" if noun and noun["noun"] in _LIMITS else stem(noun["noun"]) if noun else "",
        is_limit=rate is not None or (noun is not None and stem(noun["noun"]) in _MEASURES - {"polici"}),
        has_amount=rate is not None,
        number=next((number for number in numbers if number not in ended), None),
        ended=ended,
        is_planned=_PLANNED.search(plain) is not None,
        is_past=_PAST.search(plain) is not None,
    )


def states_policy(text: str) -> bool:
    """Whether a text lays down a policy: a revision by its number, or a limit with its figure."""
    found = read_policy(text)
    return found is not None and (found.number is not None or found.has_amount)


def states_revision(text: str) -> bool:
    """Whether a text says what figure a numbered revision of a policy gives, as in force."""
    found = read_policy(text)
    is_whole = found is not None and found.number is not None and found.has_amount
    return is_whole and not (found is None or found.is_planned or found.is_past)


def _value(found: re.Match[str]) -> int:
    said = next(group for group in found.groups() if group)
    return int(said) if said.isdigit() else _VALUES[said]


def _modifiers(before: str) -> list[str]:
    """The words before a noun that belong to it: back to the first that says nothing of a topic."""
    found: list[str] = []
    for word in reversed(before.split()):
        if stem(word) in _EMPTY:
            break
        found.append(word)
    return found


def _counted(rate: re.Match[str] | None) -> list[str]:
    """What a rate counts: "800 uploads a day"."""
    return ((rate["unit"] or rate["regular"] or "").split() if rate else [])[-1:]


def _terms(words: Iterable[str]) -> set[str]:
    return {term for word in words for term in index_terms(word.removesuffix("'s")) if word.isalpha()} - _EMPTY
