"""Ends of rules that are told of the rule itself: "the structlog rule is history", "forget the no-utils rule".

Takes: the words of a statement, and those of a rule. Gives: whether the statement says that a rule is over, and whether
it is this one. Never: takes an exception or an end for a time for one. Judges English.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import count
from typing import Final

from dopejar.text.normalisation import fold
from dopejar.text.words import query_terms

ENDED: Final = "says that the rule is over"
_BEGIN: Final = (
    r"(?:^|(?<=[.!?;:,(] )|(?<= [-–—] )|(?<=\b(?:and|but) )|(?<=\bso )|(?<=\bthat ))"
    r"(?:(?:also|and|so|but|ok|okay|oh|hm+|ah|please|just|now|well|actually|then|btw|fyi|yes|yeah|right|by the way|"
    r"from now on|one more thing)[,:]? ){0,4}"  # a long row of such words is looked through once
)
_END: Final = (
    r"(?=\s*(?:[,;:.!…)]|$|\s[-–—]\s)|\s(?:now|because|since|as of|as from|then|too|again|for good|altogether|"
    r"completely|entirely|anyway|from (?:now|today|here)|so|and|but|please|thanks|already|any ?more|last \w+|today|"
    r"yesterday|instead|in the week of|on \d)\b)"
)
_THE: Final = r"(?:(?:the|that|this|our|my|your|those|these|all|both|any|an?)(?: of our| the| our)? )"
_RULE: Final = (
    r"(?P<what>(?:[\w'/+.#*`@-]+ ){0,6}?)(?:rule|ban|policy|policies|convention|guideline|requirement|restriction|veto)"
    r"s?(?: (?:about|on|of|for|against|regarding|that|not to|to) (?P<about>[^,;:!?()]+?))?"
)
_GONE: Final = (
    r"(?:(?: is| are|'s|'re| was| were| has been| have been)(?: (?:now|officially|finally|just|all|also|hereby))* "
    r"(?:history|gone|over|dead|obsolete|outdated|void|moot|lifted|dropped|abolished|scrapped|revoked|repealed|"
    r"withdrawn|cancell?ed|retired|removed|off(?: the table)?|no more|past|finished|a thing of the past|"
    r"(?:no longer|not) (?:a thing|valid|needed|necessary|in force|in effect|required|binding)(?: any ?more)?)"
    r"| (?:is|are)n't (?:a thing|valid|needed|necessary|in force|in effect|required|binding)(?: any ?more)?"
    r"| (?:no longer |(?:does|do)(?:n't| not) )(?:hold|appl(?:y|ie)|count|stand|matter|exist)s?"
    r"(?: any ?(?:more|longer))?"
    r"| can go)"
)
_DROP: Final = (
    r"(?:(?:you|we) (?:can|may|should|could)(?: (?:now|just|safely))* |let's |let us |feel free to )?"
    r"(?:forget(?: about)?|drop|scrap|ignore|lift|retire|kill|ditch|abandon|cancel|revoke|repeal|abolish|remove|delete|"
    r"discard|disregard|get rid of|do away with|throw (?:out|away)|give up|let go of|stop (?:following|applying|using))"
)
_DROPPED: Final = (
    r"(?:(?!nobody\b|never\b|who\b)[\w-]+|the team)(?:'ve|'d|'s| have| had| has)?(?: (?:just|now|also|finally|all))* "
    r"(?:dropped|scrapped|lifted|retired|killed|ditched|abandoned|cancell?ed|revoked|repealed|abolished|removed|deleted|"
    r"discarded|got(?:ten)? rid of|did away with|done away with|threw out|gave up|given up|"
    r"stopped (?:following|applying|using))"
)
_NO_LONGER: Final = r"(?:i|we|you) no longer (?:have|need|follow|want|apply|use|keep)"
_NOT_ANY_MORE: Final = r"(?:i|we|you) (?:do not|don't) (?:have|need|follow|want|apply|use|keep)"
_NONE: Final = r"(?:there(?:'s| is| are) )?(?:no longer|no more)"
_NONE_ANY_MORE: Final = r"there(?:'s| is| are) no"
_FOR_NOW: Final = re.compile(
    r"\b(?:this|that|just|only) (?:one|once|time)\b|\bfor (?:now|once|today|this|the moment)\b|\b(?:un)?till?\b"
)


@lru_cache(maxsize=1)
def _forms() -> re.Pattern[str]:
    """Compiled at first use: each way to say that a rule is over, where a clause begins."""
    forms = (
        rf"{_THE}{_RULE}{_GONE}",
        rf"(?:{_DROP}|{_DROPPED}|{_NO_LONGER}) {_THE}{_RULE}",
        rf"{_NOT_ANY_MORE} {_THE}{_RULE} any ?(?:more|longer)",
        rf"{_NONE} {_THE}?{_RULE}",
        rf"{_NONE_ANY_MORE} {_RULE} any ?(?:more|longer)",
    )
    number = count()
    return re.compile(re.sub(r"\(\?P<\w+>", lambda _: f"(?P<x{next(number)}>", f"{_BEGIN}(?:{'|'.join(forms)}){_END}"))


@lru_cache(maxsize=1024)
def _ended(text: str) -> frozenset[str] | None:
    """The stems of what the rule is about that the words say to be over; None where they end none."""
    said = fold(text).replace("\u2019", "'")
    found = _forms().search(said)
    if found is None or _FOR_NOW.search(said, found.start()):
        return None
    return frozenset(query_terms(" ".join(part for part in found.groups() if part)))


def tells_rule_ended(text: str) -> bool:
    """Whether the words say of a rule that it is over."""
    return _ended(text) is not None


def ends_rule(rule: str, later: str) -> bool:
    """Whether the later words say that this rule is over: all that they name it by stands in it."""
    named = _ended(later)
    return named is not None and bool(named) and named <= frozenset(query_terms(rule))
