"""References: "it", "that service", "she", resolved where only one thing can be meant.

Takes: a clause and the words before it. Gives: the clause with the name in place of the pronoun, or None where that
is not safe. Never: a guess between two candidates.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.lazy_patterns import lazy_pattern

_IT: Final = lazy_pattern(r"^(?P<p>it|its|it's|he|he's|she|she's)\b(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
EXPLETIVE: Final = lazy_pattern(
    r"^(?:'s| is| was|s)? ?(?:better|best|important|raining|snowing|cold|hot|late|early|time|possible|likely|"
    r"clear|true|fine|ok|okay|good|great|"
    r"nice|hard|easy|worth|because|been|not|so|really|very|just|like|about|all|more|a (?:good|great|bad|pity|"
    r"shame|bit|lot)|seems?|looks?|sounds?|"
    r"feels?|takes?|makes?|helps?|depends)\b",
    re.IGNORECASE,
)
_STATED: Final = lazy_pattern(
    r"^(?P<s>(?:the|our|my|this) (?!\d)[\w'-]+(?: [\w'-]+){0,2}?) (?:is|are|was|has|runs|uses|listens|lives|stores|"
    r"depends|needs|works|keeps|lasts|supports)\b",
    re.IGNORECASE,
)
_PERSON: Final = lazy_pattern(
    r"^(?:my (?:wife|husband|partner|boss|sister|brother|friend|son|daughter|mother|father)(?: [A-Z][a-zà-ž]+)?|"
    r"[A-Z][a-zà-ž]+)(?= (?:is|was|has|leads|runs|works|lives|uses|likes|loves|prefers|handles|owns|manages|"
    r"joined|moved|started)\b)"
)
_IS_CALLED: Final = lazy_pattern(
    r"(?:['’]s| is| was) (?:now |still )?"
    r"(?!(?:in|at|on|by|with|under|over|near|next|behind|from|to|for|of|up|down|out|off|not)\b)",
    re.IGNORECASE,
)
_DEMONSTRATIVE: Final = lazy_pattern(
    r"^(?:that|this|the same) (?P<noun>[a-z][\w-]{3,})\b(?P<rest>.*)$", re.IGNORECASE | re.DOTALL
)
_OPENERS: Final = frozenset(
    ["It", "This", "That", "The", "We", "They", "He", "She", "There", "Here", "What", "Which", "Everyone", "Nobody"]
)


def resolved(text: str, previous: str, before: str) -> str | None:
    """The clause with what it refers to named; `previous` is the statement before it, `before` the turn before."""
    found = _IT.match(text)
    if found:
        return _pronoun(found, previous)
    pointed = _DEMONSTRATIVE.match(text)
    return _pointed(pointed, f"{before}\n{previous}") if pointed else None


def _pronoun(found: re.Match[str], previous: str) -> str | None:
    pronoun, rest = found.group("p").casefold(), found.group("rest")
    if pronoun.startswith("it") and EXPLETIVE.match(rest):
        return None
    named = _STATED.match(previous) if pronoun.startswith("it") else _PERSON.match(previous)
    if not named:
        return None
    name = named.group("s") if pronoun.startswith("it") else named.group(0)
    if name in _OPENERS or (_IS_CALLED.match(previous, len(name)) and _IS_CALLED.match(found.group(0), 2)):
        return None  # "The client is Alder. It is new." gives the client no other name
    if pronoun == "its":
        return f"{name}'s{rest}"
    return f"{name}{' is' if pronoun.endswith(chr(39) + 's') else ''}{rest}"


def _pointed(found: re.Match[str], before: str) -> str | None:
    noun = re.escape(found.group("noun"))
    named = {
        match.casefold()
        for match in re.findall(rf"\b(?:the|our|my) (?:[\w'-]+ ){{1,2}}?{noun}\b", before, re.IGNORECASE)
    }
    return f"{named.pop()}{found.group('rest')}" if len(named) == 1 else None
