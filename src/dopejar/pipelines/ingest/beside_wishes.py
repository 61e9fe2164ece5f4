"""What somebody tells beside a wish to forget: "forget my gym, because I joined the rowing club".

Takes: a told text, and what it asks to be forgotten. Gives: the reason as a statement by itself, "" where it tells
nothing of its own. Never: a reason that speaks of the wish ("it's private"). Judges English.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.normalisation import fold

_WHY: Final = re.compile(
    r"(?:,? (?:because|since|as|now that|cos)|,(?= (?:I|we|he|she)\b)) (?P<why>\S[^?!;]*?)[.!\s]*$", re.IGNORECASE
)
_OF_THE_WISH: Final = re.compile(
    r"^(?:it|they|there)\b|\b(?:this|that|these|those|you|your|nobody|no one|anybody|anyone|private|personal|secret|"
    r"confidential|sensitive|business|wrong|mistake|error|want|wish|need|prefer|rather|shouldn|should|told|tell|said|say|"
    r"mentioned|kept|keep|known|know|remember|stored?|share[ds]?|joking|joke|kidding|lied|lying|untrue|true|honest|"
    r"embarrass\w*|asham\w*|sorry|please|uncomfortable|matters?|relevant|outdated|confus\w+)\b",
    re.IGNORECASE,
)
_THIRD: Final = re.compile(r"^(?:he|she)(?P<short>['’]s)?\b", re.IGNORECASE)
_IT: Final = re.compile(r"(?<=\w )it\b(?=$|[ ,.])", re.IGNORECASE)
_OWNER: Final = re.compile(r"^(?P<owner>.+?)['’]s ")
_THING: Final = re.compile(r"(?:the|my|our|\w+['’]s) .+?(?= (?:is|are|was|were|has|have) |$)", re.IGNORECASE)
_LEAST: Final = 3  # words


def told_beside(text: str, wish: str) -> str:
    """The reason beside the wish, its pronouns in the words of the wish; "" where it tells nothing of its own."""
    found = _WHY.search(text) if wish else None
    why = found["why"] if found else ""
    if found is None or len(why.split()) < _LEAST or _OF_THE_WISH.search(why):
        return ""
    start = fold(text).find(wish)
    subject = text[start : start + len(wish)] if len(fold(text)) == len(text) and 0 <= start < found.start() else ""
    if (third := _THIRD.match(why)) is not None:
        owner = _OWNER.match(subject)
        who = owner["owner"] if owner else subject
        if not who:
            return ""
        why = f"{who}{third['short'] or ''}{why[third.end() :]}"
    if _IT.search(why):
        if (thing := _THING.match(subject)) is None:
            return ""
        why = _IT.sub(thing[0], why, count=1)
    return f"{why[0].upper()}{why[1:]}."
