"""Qualifiers: a place, a condition or an exception that one statement has and another one lacks.

Takes: two texts. Gives: whether one of them holds only there or then. Never: takes a missing qualifier for a denial.
"""

from __future__ import annotations

import re
from typing import Final

from dopejar.text.normalisation import fold
from dopejar.text.similarity import similar
from dopejar.text.words import content_words, index_terms, query_terms

_ANYBODY: Final = frozenset({"user", "somebody", "someone", "anybody", "anyone", "people"})
_CONDITIONS: Final = (
    "when|whenever|if|while|until|unless|before|after|once|wenn|falls|während|bevor|nachdem|quand|lorsque|avant|après|"
    "cuando|quando|si|antes|después|depois|když|pokud|před|během|когда|если|перед|после"
)
_PLACES: Final = (
    "in|on|at|for|from|with|without|within|under|during|inside|outside|except|besides|but|only|never|not|"
    "im|auf|bei|für|mit|ohne|außer|nie|niemals|nur|nicht|dans|sur|pour|avec|sans|sauf|jamais|"
    "en|para|con|sin|salvo|excepto|exceto|nunca|em|com|sem|ve|na|při|pro|bez|kromě|nikdy|в|во|на|при|для|без|кроме|никогда"
)
_GENERAL: Final = "future|general|principle|fact|order|any case|every case|all cases|all times"
_QUALIFIER: Final = re.compile(rf"\b(?:({_CONDITIONS})|{_PLACES})\b(?! (?:{_GENERAL})\b)|[,.;:!?](?!\w)|[—–]")


def is_qualified_otherwise(one: str, other: str) -> bool:
    """Whether either text has a place, an exception or a "never" that the other lacks, or they have two conditions."""
    mine, theirs = _phrases(one), _phrases(other)
    conditions = [" ".join(phrase for phrase, is_condition in both if is_condition) for both in (mine, theirs)]
    if all(conditions):
        if _has_own_word(conditions[0], other) and _has_own_word(conditions[1], one):
            return True
        mine, theirs = ([row for row in both if not row[1]] for both in (mine, theirs))
    return any(_is_foreign(phrase, other) for phrase, _ in mine) or any(
        _is_foreign(phrase, one) for phrase, _ in theirs
    )


def _has_own_word(phrase: str, text: str) -> bool:
    return any(_is_foreign(word, text) for word in content_words(phrase) if word not in _ANYBODY)


def _is_foreign(phrase: str, text: str) -> bool:
    if not phrase.isascii() and fold(phrase) in fold(text):
        return False  # scripts without spaces are cut otherwise within other words
    terms = query_terms(phrase)
    return bool(terms) and frozenset(terms).isdisjoint(index_terms(text)) and not similar(phrase, text).lexical


def _phrases(text: str) -> list[tuple[str, bool]]:
    """What stands behind each qualifier, up to the next one or a stop, and whether it is a condition."""
    folded = fold(text)
    found = [*_QUALIFIER.finditer(folded)]
    ends = [one.start() for one in found[1:]] + [len(folded)]
    return [
        (folded[one.end() : end].strip(), one[1] is not None)
        for one, end in zip(found, ends, strict=False)
        if one[0][0].isalpha()
    ]
