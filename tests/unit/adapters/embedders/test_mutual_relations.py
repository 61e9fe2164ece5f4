"""What two pieces of advice, or two wishes, are to each other as each reader finds, over pairs of several domains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.adapters.readers.fitted_reader import FittedReader
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.pipelines.ingest.reader_by_language import ReaderByLanguage
from dopejar.pipelines.mutual_relations import mutual_relations
from dopejar.ports.statement_reader import StatementReader
from dopejar.values.statement import Relation

LINES = Path(__file__).with_name("mutual_pairs.txt").read_text("utf-8").splitlines()
ROWS = [tuple(line.split("|")) for line in LINES if not line.startswith("#")]
PAIRS = [(one, other) for _, one, other in ROWS]
# of 30 each; a new reader may find more
LEAST = {
    "grammar": {"same": 15, "opposite": 27, "value": 12, "apart": 30},
    "fitted": {"same": 24, "opposite": 30, "value": 20, "apart": 30},
}
MEANT = {"same": Relation.SAME, "apart": Relation.APART}


@pytest.fixture(scope="module", params=["grammar", pytest.param("fitted", marks=pytest.mark.weights)])
def named(request: pytest.FixtureRequest, installed_weights: Callable[[], Path]) -> tuple[str, StatementReader]:
    """The grammar, and what reads where a model is installed, with the name of its bounds."""
    if request.param == "grammar":
        return "grammar", GrammarReader()
    return "fitted", ReaderByLanguage(FittedReader(SentenceEmbedder(installed_weights()), "minilm-l6-v2"))


def test_most_pairs_are_read_as_they_are_meant(named):
    """Repetitions, opposites and other values are told from each other, and other matters from all of them."""
    name, reader = named
    found = zip(ROWS, mutual_relations(reader, PAIRS), strict=True)
    right = Counter(sort for (sort, *_), relation in found if relation is MEANT.get(sort, Relation.CONTRADICTION))
    assert {sort: least for sort, least in LEAST[name].items() if right[sort] < least} == {}


@pytest.mark.parametrize("rule", ["Always close valve {} at night.", "Never deploy to server {} on Fridays."])
def test_rules_about_two_things_of_a_kind_stand_apart(named, rule):
    """A number that names a thing is no other value."""
    _, reader = named
    assert mutual_relations(reader, [(rule.format(3), rule.format(14))]) == (Relation.APART,)


def test_the_order_of_two_does_not_matter(named):
    """Neither of the two is the later one."""
    _, reader = named
    assert mutual_relations(reader, [(other, one) for one, other in PAIRS]) == mutual_relations(reader, PAIRS)


def test_the_very_same_words_say_the_same(named):
    """Whatever a text is, it says what it says."""
    _, reader = named
    texts = {text for pair in PAIRS for text in pair}
    assert set(mutual_relations(reader, [(text, text) for text in texts])) == {Relation.SAME}
