"""Replacements of rules: words that direct something else, or a complaint that a rule was broken.

Takes: what somebody says, and a rule that it differs from. Gives: whether it may replace the rule. Never:
takes a complaint for a wish. Judges English.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.pipelines.corrections.wording.memory_text import blames, directs
from dopejar.pipelines.ingest.integrity.rule_endings import ends_rule
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import fold
from dopejar.text.text_values import extract_values, has_digit
from dopejar.text.words import query_terms

_CHANGES: Final = re.compile(
    r"\b(?:from (?:now|here|today) on|going forward|in (?:the )?future|no longer|any ?more|instead|rather|new rule|"
    r"(?:is|are|was|were|'s|'re) (?:now |totally |perfectly |also )?(?:fine|ok|okay|al(?:l |)right|allowed|permitted|"
    r"acceptable|optional|good|welcome|possible|enough|lifted|revoked|waived)|"
    r"(?:you|we|they|it|i) (?:may|can|could|should|must|want|prefer|need|decided|agreed|switched)|let's|please|"
    r"feel free)\b",
    re.IGNORECASE,
)
_OURS: Final = re.compile(
    r"(?:[\w ]{2,40}:\s+)?(?:(?:and|so|ok|okay|but)[,\s]+)*(?:we|i)\b", re.IGNORECASE
)  # what the speakers did themselves, perhaps behind a label: "the mails: we dropped the footer"
_OF_THIS_WORK: Final = re.compile(r"(?:that|this|those|these|it|yours?|you)\b", re.IGNORECASE)
_FORBIDS: Final = re.compile(r"\b(?:no|zero|without)(?: more)? (?P<what>[^,.;:()]+)")
_AGAIN: Final = re.compile(r"\b(?:again|still|yet another|another)\b", re.IGNORECASE)


def may_replace(said: str, sentence: str, rule: str) -> bool:
    """Whether what is said may replace the rule: it directs, permits, tells a change or another number.

    Who only names what a rule forbids ("inline styles", "you did a default export again") complains. `sentence` is all
    of the sentence that it is said in. A rule that itself directs nothing may be replaced by words like its own.
    """
    if blames(said) or blames(sentence):
        return False
    if _CHANGES.search(sentence.replace("\u2019", "'")) or _tells_another_number(said, rule) or ends_rule(rule, said):
        return True
    is_again = _AGAIN.search(sentence) is not None
    if _names_forbidden(said, rule, is_again=is_again):
        return False
    if _OURS.match(said) and not is_again:
        return True
    return guess_language(rule) != "en" or directs(said) or directs(sentence) or not directs(rule)


def _tells_another_number(said: str, rule: str) -> bool:
    """Whether both tell a number, and each one that the other does not: evidence for the old one it never is.

    What a piece of work has ("that was twenty lines") is no other limit.
    """
    if _OF_THIS_WORK.match(said):
        return False
    mine, theirs = (frozenset(filter(has_digit, extract_values(text))) for text in (said, rule))
    return bool(mine - theirs) and bool(theirs - mine)


def _names_forbidden(said: str, rule: str, *, is_again: bool) -> bool:
    """Whether the words name what follows a "no" in the rule, and nothing else or that it is there again."""
    named = frozenset(query_terms(said))
    forbidden = (frozenset(query_terms(found["what"])) for found in _FORBIDS.finditer(fold(rule)))
    return any(what and what <= named and (is_again or what == named) for what in forbidden)
