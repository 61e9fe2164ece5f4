"""What no reader may find between two statements that differ in one thing, over sentences of several domains."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statement_pairs import Pair, all_pairs

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.readers.fitted_reader import FittedReader
from dopejar.language.relations import judged
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.reader_by_language import ReaderByLanguage
from dopejar.ports.statement_reader import StatementReader
from dopejar.values.statement import Relation

PAIRS = all_pairs()
REPEATS = {Relation.SAME}
ACTS = {Relation.SAME, Relation.UPDATE, Relation.END}
# what a later statement may not do to an earlier one, by what sets them apart
NEVER = {
    "sign": REPEATS,
    "number": REPEATS,
    "unit": REPEATS,
    "name": REPEATS,
    "place": REPEATS,
    "time": REPEATS,
    "literal": REPEATS,
    "past": REPEATS,
    "same in scope": REPEATS,
    "former": ACTS,
    "several": ACTS,
    "subject": ACTS,
    "attribute": ACTS,
    "scope": ACTS,
    "rule": ACTS,
    "mood": ACTS,
}


@pytest.fixture(scope="module", params=["grammar", pytest.param("fitted", marks=pytest.mark.weights)])
def reader(request: pytest.FixtureRequest, installed_weights: Callable[[], Path]) -> StatementReader:
    """The grammar, and what reads where a model is installed."""
    if request.param == "grammar":
        return GrammarReader()
    return ReaderByLanguage(FittedReader(SentenceEmbedder(installed_weights()), "minilm-l6-v2"))


def relation(reader: StatementReader, earlier: str, later: str) -> Relation:
    """What may be acted on of what a reader finds."""
    return judged(*reader.read([earlier, later]), reader.relate([(earlier, later)])[0]).relation


def test_every_sort_of_pair_is_held_to_something():
    """No pair is made for nothing."""
    assert PAIRS.keys() == NEVER.keys()


@pytest.mark.parametrize("by", NEVER)
@settings(max_examples=60)
@given(data=st.data())
def test_another_thing_is_never_the_same_thing(reader, by, data):
    """Another sign, value or time repeats nothing; what has another subject, scope or mood retires nothing, either."""
    pair = data.draw(st.sampled_from(PAIRS[by]))
    assert relation(reader, pair.earlier, pair.later) not in NEVER[by]


ORDERLESS = [pair for by in NEVER.keys() - {"mood", "past", "former"} for pair in PAIRS[by]]


@settings(max_examples=60)
@given(pair=st.sampled_from(ORDERLESS))
def test_neither_order_repeats_what_the_other_does_not(reader, pair: Pair):
    """Which of two plain statements was said first makes them no more the same."""
    orders = (pair.earlier, pair.later), (pair.later, pair.earlier)
    assert len({relation(reader, *order) is Relation.SAME for order in orders}) == 1
