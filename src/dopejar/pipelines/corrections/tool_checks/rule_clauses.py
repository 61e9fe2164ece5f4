"""The clause of a rule that says what is wanted, without the words that say where it holds and who says so.

Takes: the text of a rule. Gives: its clause. Never: drops a condition ("when deploying") or a place inside the project
("in tests"): a rule that holds only there stays as it is.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final

from dopejar.pipelines.corrections.proposals.scope_inference import languages_of

_PLACE: Final = (
    r"(?:(?:in|for|inside|within|across|on|of|throughout) (?:all of )?(?:this|our|my|the (?:current|whole|entire))"
    r"(?: [\w.+#-]+){0,2}? (?:project|repo|repository|codebase|code base|workspace|monorepo|checkout|package)"
    r"|(?:over |around |in )?here|everywhere|anywhere)"
)
_WHO: Final = r"(?:you|we|i|one|(?:the |an? |all )?(?:agent|assistant|bot|ai|llm|model|claude|copilot)s?)"
_LEADS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_PLACE}(?:,|:| -)? (?=\S)",
        r"(?:ok(?:ay)?|yes|yeah|right|well|but|please|also|and|so|again"
        r"|remember|note|important|rule|reminder|from now on|going forward|in general"
        r"|as a rule|at all times)(?:,|:| -)? (?:that )?(?=\S)",
        rf"{_WHO}(?: (?:must|should|shall|will|may|can|do))? (?=(?:never|always|avoid)\b)",
        r"(?:i|we) (?:said|told you|meant?)(?:,|:| -)? (?:to )?(?=\S)",
        r"(?:(?:this|our|the) (?:repo|repository|project|codebase|workspace|monorepo|app|service) (?:uses|is on)"
        r"|(?:we are|we'?re) on) (?=\S)",
        rf"{_WHO} (?=(?:do not|don'?t|use|run|prefer|stay on|stay with|stick to|stick with)\b)",
        r"(?:make sure|be sure|take care|remember)(?: you| that you)?(?: to)? "
        r"(?=(?:never|always|avoid|do not|don'?t)\b)",
    )
)
_MODAL: Final = re.compile(
    rf"(?:{_WHO} )?"
    r"(?:(?:always )?ask(?: (?:me|us))?(?: first)? before(?: you)?"
    r"|(?:must|should|shall|may|can) not|mustn'?t|shouldn'?t|can'?t|cannot|(?:are|is) not(?: allowed)? to|not to) "
    r"(?:ever )?(?=\S)",
    re.IGNORECASE,
)
_LANGUAGE: Final = re.compile(
    r"(?:in|for|with) (?P<name>[\w.+#-]+)(?: (?:code|files?|projects?|sources?))?(?:,|:) (?=\S)", re.IGNORECASE
)
_TRAIL: Final = re.compile(
    rf",? (?:{_PLACE}|please|again|anymore|any more|any longer|at all|ever"
    r"|without (?:asking(?: me)?(?: first)?|my (?:permission|approval|consent)|permission|approval))$",
    re.IGNORECASE,
)


_BETWEEN: Final = re.compile(
    r"(?<=[\w`)])(?:[.!;] | [–—] | - |, (?=(?:never|don'?t|do not|avoid|no|use|always|prefer|only|we)\b))(?=\S)",
    re.IGNORECASE,
)
_CONDITIONAL: Final = re.compile(
    r"(?:when|whenever|if|unless|until|in|on|for|during|while|before|after|once|with|as|where)\b", re.IGNORECASE
)


def clauses_of(rule: str) -> tuple[str, ...]:
    """The clauses of a rule that may each forbid a thing: the whole, then its parts up to one with a condition."""
    parts = takewhile(lambda part: not _CONDITIONAL.match(clause_of(part)), _BETWEEN.split(rule.strip()))
    return tuple(dict.fromkeys(clause_of(part) for part in (rule, *parts)))


def clause_of(rule: str) -> str:
    """The clause of a rule: "In this project, you must never run npm here" gives "never run npm"."""
    clause, before = rule.strip().rstrip(".! "), ""
    while clause != before:
        before = clause
        for lead in _LEADS:
            clause = clause[found.end() :] if (found := lead.match(clause)) else clause
        if (named := _LANGUAGE.match(clause)) and languages_of(named["name"]):
            clause = clause[named.end() :]
        clause = _MODAL.sub("never ", clause, count=1) if _MODAL.match(clause) else clause
        clause = _TRAIL.sub("", clause).rstrip(",;: ")
    return clause
