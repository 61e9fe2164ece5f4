"""Talk about the talk: "ignore that last one", "actually, make that three", "I mixed that up".

Takes: a clause. Gives: whether it only says what shall become of words just said, without saying which. Never: takes a
clause that names a thing for one ("ignore the deprecation warnings").
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.ingest.extraction.clause_groups import FINITE
from dopejar.pipelines.ingest.extraction.redacted_values import is_redacted_value
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.regex_prefilter.required_literals import prefilter_pattern
from dopejar.values.episode import REDACTED

_OPENING: Final = lazy_pattern(
    r"(?:(?:oh|ah|wait|no|nope|sorry|oops|hang on|hold on|actually|ok(?:ay)?|please|just|well|hm+|and|then)"
    r"[\s,.!…-]+)*",
    re.IGNORECASE,
)
_WORDS: Final = (  # what was just said, by no word of its own
    r"(?:it|that|this|them|those|these|(?:the|that|this|my|your) (?:very )?(?:last|latest|previous|first|second|third|"
    r"earlier)(?: (?:one|two|three|few))?(?: (?:bit|part|thing|message|line|statement|sentence|remark|point|note)s?)?|"
    r"(?:that|this|the) (?:one|bit|part|thing|message|sentence|line)|"
    r"(?:everything|all|what)(?: that)? i(?:'ve| have)? (?:just )?(?:said|told you|wrote|typed|written)|the above)"
)
_CLOSING: Final = r"(?:,? (?:please|sorry|again|then|instead|now|for now|after all|altogether))?[\s.!…]*"
_ORDERS: Final = (
    r"(?:ignore|scratch|strike|scrap|drop|undo|cancel|forget|disregard|skip|delete|remove|erase|retract|correct|change|"
    rf"redo|repeat|revert)(?: about)? {_WORDS}",
    r"(?:keep|leave|do|try|take|say|send|put|add|show|run|have|use|read) (?:it|that|this|them)"
    r"(?: (?:anyway|like that|as (?:it )?(?:is|was)|back|out|in|up))?",
    r"do the same\b.{0,40}",
    r"make (?:it|that|this|them|those) (?!.*\b(?:every|each|always|daily|weekly|monthly|never)\b)"
    r"(?!a (?:habit|rule|point|policy|priority)\b|so\b|sure\b)\S+(?: [^\s,;]+){0,3}",
    r"(?:i meant|that should(?: have)?(?: been| be| say| read))\b"
    r"(?! (?:for|business|well\b|the world|a lot|to (?!say|write|type|ask))).{1,60}",
)
_UNTRUE: Final = (  # of what was said before, in the languages that are read
    r"(?:that|this|it)(?: last)?(?: one)?(?:(?:'s| is| was)(?: (?:just|simply|plain|completely))* "
    r"(?:wrong|false|untrue|incorrect|a lie|nonsense|not (?:at all |quite )?(?:true|right|correct|so|the case))|"
    r" (?:isn't|wasn't) (?:at all |quite )?(?:true|right|correct|so|the case))|not true|"
    r"das (?:stimmt (?:so )?nicht|ist (?:falsch|nicht (?:wahr|richtig)))|c'est faux|ce n'est pas (?:vrai|exact)|"
    r"(?:eso|esto) (?:no es (?:verdad|cierto|así)|es (?:falso|mentira))|"
    r"(?:isso|isto) (?:não é verdade|é (?:falso|mentira))|to není pravda|není to pravda|"
    r"это (?:неправда|не так|не правда|неверно)|[这那]?(?:不对|不是真的|是错的)"
)
_RETRACTIONS: Final = (
    r"(?:never ?mind|nvm|my (?:mistake|bad|error)|same (?:again|as (?:before|above|last time))|as you were|"
    r"wrong (?:window|chat|person|tab))(?: (?:about )?(?:that|this|it))?",
    rf"i (?:mixed|messed|muddled) {_WORDS} up",
    rf"i got {_WORDS} (?:wrong|mixed up|backwards|the wrong way round)",
    r"i take (?:that|it|this) back",
    r"(?:that|this|it)(?: last)?(?: one)?(?:'s| is| was) (?:an? (?:mistake|error|typo|joke|slip)|"
    r"(?:meant )?for (?:someone|somebody) else)",
    _UNTRUE,
    r"(?:that|this|it)(?: last)?(?: one)? wasn'?t (?:meant )?for you",
)
_TALK: Final = lazy_pattern(rf"{_OPENING.pattern}(?:{'|'.join((*_ORDERS, *_RETRACTIONS))}){_CLOSING}", re.IGNORECASE)
_TAKEN_BACK: Final = lazy_pattern(
    rf"[\s,;.!…–—-]+{_OPENING.pattern}(?:{'|'.join(_RETRACTIONS)}){_CLOSING}$", re.IGNORECASE
)
_DENIAL: Final = prefilter_pattern(rf"{_OPENING.pattern}(?:{_UNTRUE})\s?[,;:，]\s*(?=\S+\s\S|[\u3400-\u9fff]{{2}})")
_TAKES_BACK: Final = lazy_pattern(
    rf"{_OPENING.pattern}(?:scratch|strike|scrap) that\s?[,;:.!…–—-]+\s*(?=\S+\s\S)", re.IGNORECASE
)
_LONGEST: Final = 120  # characters


_TOPIC: Final = lazy_pattern(
    r"(?:(?:ok(?:ay)?|so|now|and|right|well|great|thanks|thank you|anyway|then|alright)[,.!]* )*"
    r"(?:(?:let's|let us|can we|could we|shall we|i'd like to|i want to) "
    r"(?:talk about|move on to|switch to|turn to|discuss|go on to) )?"
    r"(?:on to |to |about |on |for )?(?:(?:an?|the|my|one) )?(?:(?:completely|totally|entirely|whole) )?"
    r"(?:(?:new|next|another|different|other|separate|unrelated) "
    r"(?:topic|subject|question|task|item|matter|theme|point|thing|note)|"
    r"something (?:else|(?:(?:completely|totally|entirely) )?(?:different|new|unrelated))|change of (?:topic|subject)|"
    r"changing (?:the )?(?:topic|subject)s?|switching (?:topics|subjects|gears)|moving on)"
    r"(?: (?:please|now|then|here))?(?P<named>[:,.;!?–—-]+.*)?$",
    re.IGNORECASE,
)
_NAMED: Final = 10  # words in which a topic is named
_SPEAKER: Final = lazy_pattern(
    r"\b(?:i|i'm|i've|we|we're|we've|he|she|they|it|you|never|always|don't|please)\b", re.IGNORECASE
)


def announces_topic(text: str) -> bool:
    """Whether a sentence only says what is talked of next: "New topic: the tax return for 2025"."""
    found = _TOPIC.match(text.replace("\u2019", "'").strip())
    named = (found["named"] or "") if found else ""
    is_stated = FINITE.search(named) is not None or _SPEAKER.search(named) is not None
    return found is not None and not is_stated and len(named.split()) <= _NAMED


def is_about_the_talk(text: str) -> bool:
    """Whether the clause only speaks of words just said, which it does not name."""
    said = text.replace("\u2019", "'").strip()
    return len(said) <= _LONGEST and (_TALK.fullmatch(said) or _OPENING.fullmatch(f"{said} ")) is not None


def end_of_denial(text: str, start: int) -> int:
    """Where a denial of words before ends that the text begins with there, and something is told after it.

    "That's wrong, the port is not 8080" tells what the port is not. Else `start`.
    """
    said = text.replace("\u2019", "'")
    head = _DENIAL.pattern.match(said, start) if _DENIAL.may_match(said.lower()) else None
    return head.end() if head else start


def is_redacted(text: str) -> bool:
    """Whether a clause only says what was taken out, and may take it back: "..., oh no, that wasn't meant for you"."""
    if REDACTED not in text:
        return False
    return is_redacted_value(text if len(text) > _LONGEST else _TAKEN_BACK.sub("", text.replace("\u2019", "'")))


def without_opening_retraction(text: str) -> str:
    """The statement without what takes words before it back: "Scrap that, the band meets on Fridays"."""
    head = _TAKES_BACK.match(text)
    return f"{text[head.end()].upper()}{text[head.end() + 1 :]}" if head else text
