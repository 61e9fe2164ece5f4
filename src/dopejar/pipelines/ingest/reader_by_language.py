"""A fitted reader for English, and the grammar for every other language, of which the weights know little.

Takes: sentences, and a fitted reader. Gives: statements and relations. Never: lets the fitted reader find a repetition
in another language, or a change where the two have fewer than half of their words in common.
"""

from __future__ import annotations

from collections.abc import Sequence

from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.lexicons import guess_language
from dopejar.text.words import query_terms
from dopejar.values.statement import Related, Relation, Statement

_DECIDED = 0.5  # share from which the grammar has found a relation
_SURELY = 0.8  # probability of a change from which the weights are asked in another language
_COMMON = 2  # words


class ReaderByLanguage:
    """`ports.statement_reader.StatementReader` over two readers."""

    def __init__(self, fitted: StatementReader) -> None:
        self.name = fitted.name
        self.knows_dates = fitted.knows_dates
        self.finds_frames = fitted.finds_frames
        self.is_graded = fitted.is_graded
        self._fitted, self._grammar = fitted, GrammarReader()

    def read(self, sentences: Sequence[str]) -> tuple[Statement, ...]:
        """What each sentence states; without a frame where it is not English. Raises as the fitted reader does."""
        english = iter(self._fitted.read([text for text in sentences if _is_english(text)]))
        return tuple(next(english) if _is_english(text) else self._grammar.read([text])[0] for text in sentences)

    def relate(self, pairs: Sequence[tuple[str, str]]) -> tuple[Related, ...]:
        """What the later sentence of each pair does to the earlier one. Raises as the fitted reader does."""
        fitted = self._fitted.relate(pairs)
        return tuple(
            found if _are_english(pair) else self._of_another_language(pair, found)
            for pair, found in zip(pairs, fitted, strict=True)
        )

    def rests(self, pairs: Sequence[tuple[str, str]]) -> tuple[str | None, ...]:
        """What is left of the earlier sentence of each pair; None where one is not English."""
        english = iter(self._fitted.rests([pair for pair in pairs if _are_english(pair)]))
        return tuple(next(english) if _are_english(pair) else None for pair in pairs)

    def _of_another_language(self, pair: tuple[str, str], fitted: Related) -> Related:
        """What the grammar decides, or where that is nothing a change that the weights see in much the same words."""
        decided = _decided(self._grammar.relate([pair])[0])
        changes = fitted.share(Relation.UPDATE, Relation.END) >= _SURELY
        return fitted if decided.relation is Relation.APART and changes and _has_its_words(*pair) else decided


def _has_its_words(earlier: str, later: str) -> bool:
    """Whether the two have half of their telling words in common, two at least, or all of the shorter one."""
    mine, known = set(query_terms(later)), set(query_terms(earlier))
    common, least = len(mine & known), min(len(mine), len(known))
    return common > 0 and (common == least or (common >= _COMMON and 2 * common >= least))


def _is_english(text: str) -> bool:
    return guess_language(text) == "en"


def _are_english(pair: tuple[str, str]) -> bool:
    """Whether both texts are: of two short ones, either may be the one that tells."""
    return all(map(_is_english, (*pair, "\n".join(pair))))


def _decided(found: Related) -> Related:
    """The relation as one without a doubt, or none: what words tell is not weighed with other versions."""
    relation = found.relation if found.share(found.relation) >= _DECIDED else Relation.APART
    shares = tuple(float(kind is relation) for kind in Relation)
    return Related(relation=relation, shares=shares, reason=found.reason)
