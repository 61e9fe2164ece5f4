"""A fitted reader for English, and the grammar for every other language, of which the weights know little.

Takes: sentences, and a fitted reader. Gives: statements and relations. Never: asks the fitted reader about a pair of
which either text is not English.
"""

from __future__ import annotations

from collections.abc import Sequence

from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.ports.statement_reader import StatementReader
from dopejar.text.lexicons import guess_language
from dopejar.values.statement import Related, Relation, Statement

_DECIDED = 0.5  # share from which the grammar has found a relation


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
        english = iter(self._fitted.relate([pair for pair in pairs if _are_english(pair)]))
        return tuple(
            next(english) if _are_english(pair) else _decided(self._grammar.relate([pair])[0]) for pair in pairs
        )


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
