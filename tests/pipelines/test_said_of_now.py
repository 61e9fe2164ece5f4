"""What is told to the memory and is not meant to last as it stands: requests, jokes, dreams, and what ends a fact."""

from dataclasses import replace

import numpy as np
import pytest

from dopejar import Status, open_memory
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.values.statement import Related, Relation, SpeechAct


class OneTopicEmbedder:
    """Every text is near every other."""

    identity = EmbedderIdentity(name="one-topic", dimensions=2, digest="0" * 64)

    def embed(self, texts):
        """The same vector for each."""
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32)


class LaughingReader(GrammarReader):
    """A reader that believes everything but what begins with "haha" and speaks of a goat; that it takes for a joke."""

    def read(self, sentences):
        """An assertion or a joke of each."""
        return tuple(replace(one, act=_act(one.text), act_certainty=0.95) for one in super().read(sentences))


def _act(text):
    return SpeechAct.JOKE if text.lower().startswith("haha") and "goat" in text else SpeechAct.ASSERTION


class EndingReader(LaughingReader):
    """A reader that finds an end in one short clause alone, and nothing in a longer sentence."""

    is_graded = True

    def relate(self, pairs):
        """An end, where the later statement is short and tells one."""
        return tuple(_ends(later) for _, later in pairs)


def _ends(later):
    relation = Relation.END if later.endswith(("is over", "is gone")) else Relation.APART
    shares = tuple(float(one is relation) for one in Relation)
    return Related(relation=relation, shares=shares, cosine=1.0)


@pytest.fixture
def memory(tmp_path):
    """A fresh memory of a user, with a reader that believes nearly everything."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        for name, made in (("embedder", OneTopicEmbedder), ("reader", EndingReader)):
            object.__setattr__(opened._deps, name, made)
        yield opened


def told(memory, *texts):
    """The results of telling the memory these words in turn."""
    return [memory.remember(text) for text in texts]


@pytest.mark.parametrize(
    "said",
    [
        "Can you look up the ferry to Korsør for Friday?",
        "Could you please order new towels?",
        "Would you check the train to Brno?",
        "Please send Ada the invoice for May?",
        "Show me the way to the lake, please?",
        "Tell me the weather in Porto?",
    ],
)
def test_a_request_that_is_put_as_a_question_is_no_memory(memory, said):
    """Whatever a reader makes of it: nothing becomes of it, and the result says that it is a request."""
    (result,) = told(memory, said)
    assert (result.receipts, result.left_out) == ((), (f"{said} (request)",))


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("Can you always answer in English from now on?", "Always answer in English from now on"),
        ("Would you avoid long answers in future, please?", "Avoid long answers in future"),
        ("Always round the prices, please?", "Always round the prices"),
        ("Could you note that the ferry leaves at six?", "The ferry leaves at six"),
    ],
)
def test_a_question_that_wishes_for_good_is_kept(memory, said, kept):
    """A standing wish, and what is to be noted, are told in the form of a question as well."""
    (result,) = told(memory, said)
    assert [record.text for receipt in result.receipts for record in receipt.records] == [kept]


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("Haha, our goat is the mayor now.", False),
        ("hahaha our goat wants a wage", False),
        ("Haha, the car broke down in Brno again.", True),
        ("Our goat is called Ida.", True),
    ],
)
def test_what_a_reader_takes_for_a_joke_with_its_laughter_is_left_out(memory, said, is_kept):
    """The laughter before a statement is read with it; laughter alone makes no joke."""
    (result,) = told(memory, said)
    assert bool(result.receipts) is is_kept
    assert is_kept or result.left_out == (f"{said} (irony)",)


@pytest.mark.parametrize(
    "said",
    [
        "I dreamed that the barge was full of geese.",
        "Last night I dreamt we had moved to Oslo.",
        "Ada had a nightmare where the school had no doors.",
        "In my dream the kiln could talk.",
    ],
)
def test_a_dream_is_no_memory(memory, said):
    """What was only dreamed is so for nobody."""
    assert told(memory, said)[0].receipts == ()


@pytest.mark.parametrize(
    "said",
    [
        "I've always dreamed of a house by the sea.",
        "My dream is to sail to Oslo.",
        "I never dreamed that the barge would sell.",
        "I dreamed up a new glaze.",
        "Ada has nightmares since the fire.",
    ],
)
def test_a_wish_that_is_called_a_dream_is_kept(memory, said):
    """Wishes, and sentences about dreaming, tell something."""
    assert told(memory, said)[0].receipts


@pytest.mark.parametrize(
    ("later", "ends"),
    [
        ("The pottery course is over, the kiln was too small, Ada paints now.", True),
        ("The pottery course is over because the kiln was too small.", True),
        ("The pottery course is over.", True),
        ("The pottery course is over, but only for the boys who came late.", False),
        ("When the pottery course is over, Ada paints.", False),
        ("The pottery course was fun, and the kiln is gone.", False),
    ],
)
def test_an_end_with_its_reason_ends_what_the_end_alone_ends(memory, later, ends):
    """The first clause is read by itself, unless what follows limits it or it is a condition."""
    told(memory, "Ada takes the pottery course on Mondays.", later)
    active = {record.text for record in memory.list() if record.status is Status.ACTIVE}
    assert ("Ada takes the pottery course on Mondays" not in active) is ends
