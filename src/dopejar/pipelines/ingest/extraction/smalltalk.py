"""Smalltalk around what is stated: which sentences only accompany the others, which only grant what others do.

Takes: a clause, the atoms of a text. Gives: the atoms to keep. Never: drops the last word; where nothing but smalltalk
was said, it is kept.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dopejar.pipelines.ingest.atoms import Atom, Omission, Reason
from dopejar.text.lazy_patterns import lazy_pattern

_CLOSE: Final = lazy_pattern(r"[\s.!?,;:…)\]\u2764\u263a\U0001f300-\U0001faff]+$")

_TELLING: Final = (Reason.HYPOTHETICAL, Reason.REPORT, Reason.ADDRESSEE)  # told to the memory, it is kept whole
_YOU: Final = r"(?:can|could|would|will) you (?:please |kindly |just |maybe |perhaps |also )*"
_WISH: Final = lazy_pattern(
    rf"^(?P<before>(?:[^,]+, )?)(?:so |and )?{_YOU}(?P<wish>\w.+?)(?:,? please)?$|^(?P<order>\w.+?),? please$",
    re.IGNORECASE,
)
EVER: Final = lazy_pattern(
    r"\b(?:always|never|every|each|whenever|from now on|going forward|in (?:the )?future|by default)\b", re.IGNORECASE
)
_STANDING: Final = lazy_pattern(
    rf"{EVER.pattern}|\bwhen you\b|\b{_YOU}(?:make sure|make it a habit|stick|keep to|stop|avoid|refrain|prefer|"
    r"remember to)\b",
    re.IGNORECASE,
)
_TO_TELL: Final = lazy_pattern(
    r"^(?:tell|explain|show|help|give|find|look|check|recommend|suggest|describe|list|summari[sz]e|clarify|remind|see|say|"
    r"think|confirm|compare|review|read|guess|recall|know)\b",
    re.IGNORECASE,
)
_NAMED: Final = lazy_pattern(
    r"^(?:what|where|how|who|when|why) (?:i|i'm|i've|we|we're|we've|my|our|the|a|an|he|she|they|you|it|this|that|"
    r"(?-i:[A-Z])[\w-]+)\b",
    re.IGNORECASE,
)


_SMALLTALK: Final = lazy_pattern(
    r"(?:many )?(?:thanks|thank you|thx|cheers|danke|vielen dank|gracias|merci|obrigad[oa])(?: .{0,30})?"
    r"|(?:please )?(?:keep|bear|have) (?:(?:this|that|it) )?(?:in mind|on file|noted)(?: .{0,30})?"
    r"|(?:please |just |and )*(?:remember|note|save|store|memori[sz]e|write down|don.t forget)"
    r"(?: (?:this|that|it|these|the following))?(?: (?:down|well|please|for (?:me|later|the future)))*"
    r"|(?:please |just |also )*(?:make|take) (?:yourself )?(?:a )?(?:mental )?note(?: of (?:this|that|it))?"
    r"|by the way"
    r"|(?:this|that|it)(?:.s| is) (?:really |very )?(?:important|useful|all|it|good to know)(?: .{0,20})?"
    r"|no|noted",
    re.IGNORECASE,
)
_GRANTED: Final = lazy_pattern(
    r"(?:(?:although|though|while|whereas|sure|of course|yes|granted|admittedly),? )*"
    r"(?:others?|everyone|everybody|(?:most|many|some|other) \w+|people|"
    r"(?:my |our )?(?:friends|colleagues|neighbou?rs)|i (?:know|realise|realize|understand|admit))\b",
    re.IGNORECASE,
)
_OF_ME: Final = lazy_pattern(  # what others do to the speaker is told of the speaker: "everyone calls me Han"
    r"\b(?!(?:around|near|with|about|before|besides?|behind|like|of|at|for|to|from|than|and|or) )[\w-]+ (?:me|us)\b",
    re.IGNORECASE,
)
_ASKED: Final = lazy_pattern(
    r"(?:so |and |please )*(?:can|could|would|will) you (?:please |kindly |just )*"
    r"(?:remember|note|keep in mind|bear in mind|save|record|memori[sz]e|write down)(?:,? that|:) ",
    re.IGNORECASE,
)


def is_smalltalk(text: str) -> bool:
    """Whether a sentence carries nothing but the talk around what is told: "please keep this in mind", "thanks!"."""
    said = _CLOSE.sub("", text.replace("\u2019", "'").strip(" ,;–—-"))
    return not said or _SMALLTALK.fullmatch(said) is not None


def is_concession(text: str) -> bool:
    """Whether a clause grants what others do or what may be, as is said before a "but": "most people use spaces"."""
    return _GRANTED.match(text.replace("\u2019", "'").strip(" ,;–—-")) is not None and _OF_ME.search(text) is None


def names_what(text: str) -> bool:
    """Whether a clause without a question mark names what it tells: "what I value is ...", "how I get to work: ..."."""
    return _NAMED.match(text.replace("\u2019", "'")) is not None


def statement_in_request(text: str) -> str:
    """What a question tells the memory: "could you always use tabs?" asks for nothing now; "" where it asks."""
    opener = _ASKED.match(text)
    if opener:
        return text[opener.end() :]
    found = _WISH.match(text)
    wish = (found["wish"] or found["order"]) if found else ""
    if found is None or not _STANDING.search(text) or (_TO_TELL.match(wish) and not EVER.search(text)):
        return ""
    return f"{found['before'] or ''}{wish}"


def drop_smalltalk(
    text: str, atoms: Sequence[Atom], left: Sequence[Omission]
) -> tuple[tuple[Atom, ...], tuple[Omission, ...]]:
    """The atoms without those that only accompany the others, and these as left out; all where nothing else is said."""
    tells_more = any(one.reason in _TELLING for one in left)
    if len(atoms) < 2 and not tells_more:
        return tuple(atoms), ()
    kept = tuple(one for one in atoms if not (is_smalltalk(one.text) or is_smalltalk(text[one.start : one.end])))
    if not (kept or tells_more) or len(kept) == len(atoms):
        return tuple(atoms), ()
    smalltalk = (
        Omission(start=one.start, end=one.end, text=text[one.start : one.end], reason=Reason.CHATTER)
        for one in atoms
        if one not in kept
    )
    return kept, tuple(smalltalk)
