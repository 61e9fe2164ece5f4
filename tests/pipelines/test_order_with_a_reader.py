"""With a reader of statements, too, what is believed depends on what was said and when, not on the order of arrival."""

import random
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from whole_store import believed, chain_faults, write_conversation

from dopejar import open_memory
from dopejar.adapters.embedders.sentence_embedder import SentenceEmbedder
from dopejar.compose.readers import make_change_reader, make_marker, make_reader
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.values.record import Layer, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement, Related, Relation

TOPICS = {  # words by what they are about; those of one topic and place say the same
    "The archive is kept in the cellar.": ("archive", "cellar"),
    "Our archive is down in the cellar.": ("archive", "cellar"),
    "The archive is kept in the attic.": ("archive", "attic"),
    "We moved the archive to the annex.": ("archive", "annex"),
    "Our choir rehearses on Mondays.": ("choir", "monday"),
    "The choir rehearses on Thursdays.": ("choir", "thursday"),
    "The ferry takes forty minutes.": ("ferry", "forty"),
    "The ferry takes an hour.": ("ferry", "hour"),
    "My neighbour keeps two geese.": ("geese", "two"),
}
NAMES = sorted({topic for topic, _ in TOPICS.values()})
YEAR = {  # what is said on a day
    0: ["I live in Lisbon and I work as a nurse.", "My dentist is Dr Novak."],
    20: ["Our cat is called Mimi.", "The ledger service listens on port 8080."],
    55: ["I take Metformin twice a day.", "Can you draft a note to the landlord?"],
    90: ["I moved to Porto.", "We deploy the ledger service on Fridays."],
    130: ["The ledger service listens on port 9090 now.", "The archive is kept in the cellar."],
    170: ["I stopped taking Metformin.", "Mimi is on a diet of wet food."],
    210: ["We deploy the ledger service on Mondays now.", "We moved the archive to the attic."],
    260: ["I live in Porto.", "I switched from nursing to teaching."],
}
DOUBTS = {  # what the order of separate imports decides: the doubtful waits only where it comes after the sure
    10: ["I think our cat is called Momo.", "The ledger service might listen on port 7070."],
    300: ["I think I live in Faro.", "Perhaps my dentist is Dr Blum."],
}
turns = st.lists(  # nothing is said at the same minute as anything else
    st.tuples(st.integers(0, 500), st.sampled_from(sorted(TOPICS)), st.integers(0, 3)),
    min_size=2,
    max_size=9,
    unique_by=lambda turn: turn[0],
)


def topic_of(text):
    """What a text is about, and what it says of it."""
    return TOPICS[text.strip().rstrip(".") + "."]


class TopicEmbedder:
    """Vectors that are alike where texts are about one thing."""

    identity = EmbedderIdentity(name="topics", dimensions=len(NAMES), digest="0" * 64)

    def embed(self, texts):
        """One axis a topic."""
        return np.array([[float(topic_of(text)[0] == name) for name in NAMES] for text in texts], dtype=np.float32)


class TopicReader(GrammarReader):
    """A reader that is sure: a later word about one thing repeats or updates the earlier one."""

    def relate(self, pairs):
        """The relation of each pair."""
        return tuple(self._relation(topic_of(earlier), topic_of(later)) for earlier, later in pairs)

    @staticmethod
    def _relation(earlier, later):
        known = earlier[0] == later[0]
        found = Relation.APART if not known else Relation.SAME if earlier == later else Relation.UPDATE
        shares = tuple(float(relation is found) for relation in Relation)
        return Related(relation=found, shares=shares, cosine=float(known))


class TopicMarker:
    """Every text is one statement that lasts."""

    def mark(self, texts, searched=()):
        """The whole of each text."""
        plain = {"fact_class": FactClass.PLAIN, "layer": Layer.WORLD, "sublayer": Sublayer.FACT}
        return tuple((MarkedStatement(start=0, end=len(text), certainty=1.0, **plain),) for text in texts)


TOPIC_MODELS = {"embedder": TopicEmbedder, "reader": TopicReader, "marker": TopicMarker}


def learned(paths, models=TOPIC_MODELS, *, together=False):
    """The state of a fresh store with these models after the files, one by one or in one call, without names."""
    with tempfile.TemporaryDirectory() as home, open_memory(home, environment={}) as memory:
        for name, make in models.items():
            object.__setattr__(memory._deps, name, make)
        for given in [paths] if together else [[path] for path in paths]:
            list(memory.learn(given))
        assert chain_faults(memory) == []
        records, waiting = believed(memory)
        return sorted(record[3:] for record in records), waiting


@settings(max_examples=20)
@given(turns, st.randoms(use_true_random=False))
def test_any_order_ends_in_the_same_beliefs(said, chance):
    """Words, times, evidence and states are the same in any order; only keys are those of what came first."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [
            write_conversation(Path(folder), f"s{session}", sorted(turn[:2] for turn in said if turn[2] == session))
            for session in sorted({turn[2] for turn in said})
        ]
        shuffled = list(paths)
        chance.shuffle(shuffled)
        assert learned(paths) == learned(shuffled)


def test_what_was_said_before_a_change_and_again_after_it_is_no_news_of_then(tmp_path):
    """An older file that tells a value which was left and came back leaves the last word in force."""
    back = [(1, "The archive is kept in the attic."), (2, "The archive is kept in the cellar.")]
    files = [back, [(0, "Our archive is down in the cellar.")]]
    paths = [write_conversation(tmp_path, f"s{place}", turns) for place, turns in enumerate(files)]
    records, waiting = learned(paths)
    assert (records, waiting) == learned(paths[::-1])
    assert [record[1] for record in records if record[0] == "active"] == ["The archive is kept in the cellar"]


@pytest.mark.parametrize("apart", [True, False])
def test_a_later_conversation_updates_an_earlier_one(apart, tmp_path):
    """What a reader finds to be newer takes the place of what was said before, in two files or in one."""
    said = [(0, "The archive is kept in the attic."), (60, "We moved the archive to the annex.")]
    files = [[turn] for turn in said] if apart else [said]
    paths = [write_conversation(tmp_path, f"s{place}", turns) for place, turns in enumerate(files)]
    records, waiting = learned(paths)
    assert waiting == []
    assert sorted((record[0], record[1]) for record in records) == [
        ("active", "We moved the archive to the annex"),
        ("superseded", "The archive is kept in the attic"),
    ]


def packaged_models(weights):
    """The packaged readers over the installed model."""
    embedder = SentenceEmbedder(weights)
    reader, marker, changes = make_reader(embedder), make_marker(embedder), make_change_reader(embedder)
    return {
        "embedder": lambda: embedder,
        "reader": lambda: reader,
        "marker": lambda: marker,
        "changes": lambda: changes,
    }


def written(folder, year):
    """A conversation of each day as a file."""
    days = [[(day * 1440 + minute, words) for minute, words in enumerate(said)] for day, said in sorted(year.items())]
    return [write_conversation(folder, f"s{place}", turns) for place, turns in enumerate(days)]


@pytest.mark.slow
@pytest.mark.weights
def test_fifty_orders_with_the_fitted_reader(installed_weights, tmp_path):
    """What is believed of a year's conversations is the same in every order of import, with the packaged readers."""
    models, paths = packaged_models(installed_weights()), written(tmp_path, YEAR)
    in_time = learned(paths, models)
    chance = random.Random(5)  # noqa: S311  an order, no secret
    for _ in range(50):
        assert learned(chance.sample(paths, len(paths)), models) == in_time


@pytest.mark.weights
def test_files_of_one_call_are_learned_in_the_order_of_time(installed_weights, tmp_path):
    """With the packaged readers, too, the order of the files in one call decides nothing, not even of doubts."""
    models, paths = packaged_models(installed_weights()), written(tmp_path, {**YEAR, **DOUBTS})
    in_time = learned(paths, models, together=True)
    chance = random.Random(7)  # noqa: S311  an order, no secret
    for _ in range(3):
        assert learned(chance.sample(paths, len(paths)), models, together=True) == in_time
