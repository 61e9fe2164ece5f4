"""What somebody tells beside a wish to forget: "forget my gym, because I joined the rowing club".

Takes: a told text, and what it asks to be forgotten. Gives: the reason as a statement by itself, "" where it tells
nothing of its own. Never: a reason that speaks of the wish ("it's private"), or that says again what is forgotten.
Judges English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from dopejar.text.normalisation import fold
from dopejar.text.text_values import has_digit
from dopejar.text.words import query_terms

_WHY: Final = re.compile(
    r"(?:,? (?:because|since|as|now that|cos)|,(?= (?:I|we|he|she)\b)) (?P<why>\S[^?!;]*?)[.!\s]*$", re.IGNORECASE
)
_OF_SPEAKER: Final = re.compile(r"\b(?:that|what|how) (?:i|we)\b", re.IGNORECASE)  # a reason there is part of it
_OF_THE_WISH: Final = re.compile(
    r"^(?:it|they|there)\b|\b(?:this|that|these|those|you|your|nobody|no one|anybody|anyone|private|personal|secret|"
    r"confidential|sensitive|business|wrong|mistake|error|want|wish|need|prefer|rather|shouldn|should|told|tell|said|say|"
    r"mentioned|kept|keep|known|know|remember|stored?|share[ds]?|joking|joke|kidding|lied|lying|untrue|true|honest|"
    r"embarrass\w*|asham\w*|sorry|please|uncomfortable|matters?|relevant|outdated|confus\w+|"
    r"privacy|might|(?-i:may)|see[ns]?|seeing|saw|look\w*|watch\w*|reads?|reading|hears?|heard|overhear\w*|peek\w*|"
    r"snoop\w*|spy\w*|spies|show\w*|finds? out|found out|notic\w+)\b",
    re.IGNORECASE,
)
_THIRD: Final = re.compile(r"^(?:he|she)(?P<short>['’]s)?\b", re.IGNORECASE)
_IT: Final = re.compile(r"(?<=\w )it\b(?=$|[ ,.])", re.IGNORECASE)
_OWNER: Final = re.compile(r"^(?P<owner>.+?)['’]s ")
_THING: Final = re.compile(r"(?:the|my|our|\w+['’]s) .+?(?= (?:is|are|was|were|has|have) |$)", re.IGNORECASE)
_LEAST: Final = 3  # words


def forget_reason(text: str, wish: str, forgotten: Iterable[str] = ()) -> str:
    """The reason beside the wish, its pronouns in the words of the wish; "" where it tells nothing of its own.

    One that holds a figure, or a word of what is forgotten but its owner, may bring it back.
    """
    found = _WHY.search(text)
    why = found["why"] if found else ""
    if found is None or len(why.split()) < _LEAST or _OF_THE_WISH.search(why) or has_digit(why):
        return ""
    if _OF_SPEAKER.search(text, 0, found.start()):
        return ""
    start = fold(text).find(wish)
    subject = text[start : start + len(wish)] if len(fold(text)) == len(text) and 0 <= start < found.start() else ""
    owner = _OWNER.match(subject)
    again = {term for one in (wish, *forgotten) for term in query_terms(one)}
    if again.difference(query_terms(owner["owner"]) if owner else ()).intersection(query_terms(why)):
        return ""
    if (third := _THIRD.match(why)) is not None:
        who = owner["owner"] if owner else subject
        if not who:
            return ""
        why = f"{who}{third['short'] or ''}{why[third.end() :]}"
    if _IT.search(why):
        if (thing := _THING.match(subject)) is None:
            return ""
        why = _IT.sub(thing[0], why, count=1)
    return f"{why[0].upper()}{why[1:]}."
