"""Questions that two statements answer together: the one that tells a name, and the one that the name leads to."""

from datetime import UTC, datetime

import pytest

from dopejar import open_memory
from dopejar.adapters.embedders.hashed_embedder import HashedEmbedder
from dopejar.pipelines.recall.recall import recall
from dopejar.text.words import query_terms
from dopejar.values.ids import TraceId
from dopejar.values.recall import Query

SAID = ["My boss is Karin.", "Karin was born in Aarhus.", "My cat was born in the barn.", "My cat is Kim."]
NOW = datetime(2100, 1, 1, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path):
    """A memory of a few statements, with hashed vectors."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "hashed"}, said_by="user") as opened:
        for text in SAID:
            opened.remember(text)
        opened.recall("Karin")  # which makes the vectors that wait
        yield opened


def told(memory, question, asked=None):
    """What is told, and in `asked` what was read for; a text answers where it has every word of the question."""
    embedder = HashedEmbedder()

    def answers(text, said):
        if asked is not None:
            asked.append(text)
        return [5.0 if set(query_terms(text)) <= set(query_terms(one)) else -3.0 for one in said]

    with memory.store.read() as view:
        pack = recall(
            Query(text=question),
            view,
            embed=lambda text: embedder.embed([text])[0],
            embedder=embedder.identity,
            answers=answers,
            now=NOW,
            trace_id=TraceId("t_test"),
        )
    return [item.text for item in pack.items]


def test_the_answer_comes_first_and_then_who_is_meant(memory):
    """The name is shown with what it led to, so that a reader sees whose it is."""
    assert told(memory, "Where was my boss born?")[:2] == ["Karin was born in Aarhus", "My boss is Karin"]


def test_nothing_is_looked_up_again_where_the_first_answers(memory):
    """The second look-up costs as much as the first."""
    asked = []
    assert told(memory, "Where was my cat born?", asked)[0] == "My cat was born in the barn"
    assert set(asked) == {"Where was my cat born?"}


def test_what_does_not_answer_by_the_name_is_not_added(memory):
    """The place of birth is no birthday."""
    asked = []
    assert "Karin was born in Aarhus" not in told(memory, "Which car does my boss drive?", asked)
    assert "Which car does Karin drive?" in asked
