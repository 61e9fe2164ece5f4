"""Whether two texts say the same.

Takes: two texts, and their cosine where vectors are at hand. Gives: a `Similarity`. Never: calls two texts the same
whose polarity or values differ.
"""

from __future__ import annotations

from dataclasses import dataclass

from dopejar.text.lexicons import guess_language
from dopejar.text.normalise import content_hash
from dopejar.text.polarity import polarity
from dopejar.text.values_in import values_in
from dopejar.text.words import query_terms


@dataclass(frozen=True, kw_only=True, slots=True)
class Similarity:
    """How like two texts are; `lexical`, `cosine` and `score` from 0 to 1."""

    lexical: float
    cosine: float | None
    score: float
    same_polarity: bool
    same_values: bool
    same_meaning: bool


def similar(a: str, b: str, cosine: float | None = None) -> Similarity:
    """Compare two texts by words, by vectors where `cosine` is given, by polarity and by values."""
    mine, theirs = set(query_terms(a)), set(query_terms(b))
    total = len(mine) + len(theirs)
    lexical = 2 * len(mine & theirs) / total if total else float(content_hash(a) == content_hash(b))
    score = lexical if cosine is None else (lexical + max(0.0, min(1.0, cosine))) / 2
    same_polarity = polarity(a, guess_language(a)) == polarity(b, guess_language(b))
    same_values = values_in(a) == values_in(b)
    return Similarity(
        lexical=lexical,
        cosine=cosine,
        score=score,
        same_polarity=same_polarity,
        same_values=same_values,
        same_meaning=same_polarity and same_values and score >= 0.8,
    )
