"""Polarity: whether a statement affirms or denies.

Takes: a text and its language. Gives: +1 or -1. Never: measures sentiment ("I hate Mondays" is a denial).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.lexicons import Lexicon, alternatives, joined, lexicon
from dopejar.text.normalisation import fold

_CLAUSE: Final = lazy_pattern(r"((?<![;:.!?,…])[;:.!?,…]+(?=\s|$)|[。！？；：，…]+|\s-+\s|\n+)")
_ASKED: Final = lazy_pattern("[?？]")
_WORD: Final = lazy_pattern(r"[^\W_]+(?:'[^\W_]+)*")
_LONGEST_ADJUNCT: Final = 4  # words; "In the tests directory"


class _Denials(NamedTuple):
    """The patterns of one language, compiled once."""

    book: Lexicon
    triggers: frozenset[str]
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]
    affirming: re.Pattern[str]
    negation: re.Pattern[str]
    reversal: re.Pattern[str]
    subordinate: re.Pattern[str]
    adjunct: re.Pattern[str]
    cut: re.Pattern[str]
    conjunction: re.Pattern[str]

    def may_deny(self, folded: str) -> bool:
        """Whether any word could deny: the cheap question first, most statements end here."""
        if not self.triggers:
            return True
        if any(suffix in folded for suffix in self.suffixes):
            return True
        spoken = _WORD.findall(folded)
        return not self.triggers.isdisjoint(spoken) or any(word.startswith(self.prefixes) for word in spoken)

    def count(self, clause: str) -> int:
        """How often the clause turns round; in a language with concord all negations together turn it once."""
        negations = len(self.negation.findall(clause))
        return (min(negations, 1) if self.book.has_concord else negations) + len(self.reversal.findall(clause))


@lru_cache(maxsize=16)
def _denials(language: str) -> _Denials:
    book = lexicon(language)
    spaced = language != "zh"
    firsts = {entry.split()[0] for entry in (*book.negations, *book.reversals)}
    gap = r"(?<=\S)\s+" if spaced else r"(?<=\S)"
    close = r"(?!\w)" if spaced else ""
    openers, cuts = joined(book.subordinators), joined((*book.subordinators, *book.contrasts))
    return _Denials(
        book=book,
        triggers=frozenset(first for first in firsts if "*" not in first) if spaced else frozenset(),
        prefixes=tuple(first[:-1] for first in firsts if first.endswith("*")),
        suffixes=tuple(first[1:] for first in firsts if first.startswith("*")),
        affirming=alternatives(book.unnegations, is_spaced=spaced),
        negation=alternatives(book.negations, is_spaced=spaced),
        reversal=alternatives(book.reversals, is_spaced=spaced),
        subordinate=re.compile(rf"\s*(?:{openers}){close}"),
        adjunct=re.compile(rf"\s*(?:{joined(book.adjuncts)}){close}"),
        cut=re.compile(rf"{gap}(?:{cuts}){close}"),
        conjunction=re.compile(rf"{gap}(?:{joined(book.conjunctions)}){close}\s*"),
    )


@lru_cache(maxsize=2048)
def polarity(text: str, language: str = "en") -> int:
    """-1 where the main clause is denied, else +1.

    The first clause that states something decides: questions, openers ("no, ..."), conditions ("if it fails, ...") and
    places ("in tests, ...") are passed over, and what follows "but", "because", "instead of" is left out. Two denials
    of one clause cancel out, except in languages where they strengthen each other; "not only" and its like deny
    nothing. Raises InputError for a language without a lexicon.
    """
    known = _denials(language)
    folded = fold(text)
    if not known.may_deny(folded):
        return 1
    folded = known.affirming.sub(" ", folded)
    return _sign(_main_clause(folded, known), known)


def _main_clause(folded: str, known: _Denials) -> str:
    """The first clause that states something; where there is none, the first that is left."""
    clauses: list[tuple[str, str]] = []  # with the mark that ends it
    parts = [*_CLAUSE.split(folded), ""]
    for part, mark in zip(parts[::2], parts[1::2], strict=True):
        clause = part.strip() if clauses else _without_openers(part, known.book)
        if clause:
            clauses.append((clause, mark))
    for place, (clause, _) in enumerate(clauses):
        if known.subordinate.match(clause) or _is_question(clauses[place:]):
            continue
        is_place = known.adjunct.match(clause) and len(clause.split()) <= _LONGEST_ADJUNCT
        if not is_place or known.count(clause):
            return clause
    return clauses[0][0] if clauses else folded


def _is_question(clauses: list[tuple[str, str]]) -> bool:
    """Whether the sentence that these clauses open ends in a question mark."""
    ending = next((mark for _, mark in clauses if not mark.startswith(",")), "")
    return _ASKED.search(ending) is not None


def _without_openers(clause: str, book: Lexicon) -> str:
    rest = clause.strip()
    while rest:
        opener = book.fluff_opening.match(rest) or book.hedging.match(rest)
        if not opener or not opener.end():
            break
        rest = rest[opener.end() :].lstrip()
    return rest


def _head(clause: str, known: _Denials) -> str:
    """The clause up to where it turns to a reason, a contrast, or what a thing is like."""
    cut = known.cut.search(clause)
    head = clause[: cut.start()] if cut else clause
    before, that, _ = head.partition(" that ")
    if that and known.book.reporting:
        last = before.rsplit(maxsplit=1)[-1:]
        if last and last[0] not in known.book.reporting:
            return before
    return head


def _sign(clause: str, known: _Denials) -> int:
    """-1 for an odd number of denials before the clause turns to something else."""
    head = clause if known.subordinate.match(clause) else _head(clause, known)
    first, *more = known.conjunction.split(head, maxsplit=1)
    denials = known.count(first)
    if more and denials % 2 == 0 and not (known.negation.match(more[0]) or known.reversal.match(more[0])):
        denials = known.count(head)  # "tabs and spaces are not allowed": the denial belongs to both
    return -1 if denials % 2 else 1
