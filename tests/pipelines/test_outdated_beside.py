"""A statement that is newer than two memories of one thing, which stood side by side, leaves none of the two in use."""

import numpy as np
import pytest
from whole_store import believed, chain_faults, seen, unlocked, write_conversation

from dopejar import open_memory
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.values.record import Layer, Status, Sublayer
from dopejar.values.statement import FactClass, MarkedStatement, Related, Relation

RIVER = "The river gauge reads four feet."
WATER = "Water stands at five feet by the mill."
NEWEST = "The gauge at the mill reads six feet."
FERRY = "The ferry needs three feet of water."
UNSURE = {Relation.SAME: 0.25, Relation.UPDATE: 0.3, Relation.END: 0.1, Relation.CONTRADICTION: 0.1}
SURE = {Relation.UPDATE: 0.9}
FOUND = {(RIVER, WATER): UNSURE, (RIVER, NEWEST): SURE, (WATER, NEWEST): {Relation.UPDATE: 0.8}, (FERRY, NEWEST): SURE}


class GaugeEmbedder:
    """Vectors that are alike for all texts."""

    identity = EmbedderIdentity(name="gauges", dimensions=2, digest="0" * 64)

    def embed(self, texts):
        """The same direction."""
        return np.full((len(texts), 2), 0.5**0.5, dtype=np.float32)


class GaugeReader(GrammarReader):
    """A graded reader that was unsure of the second memory."""

    is_graded = True

    def relate(self, pairs):
        """The probabilities above; all else is apart."""
        return tuple(self._related(*(f"{text.rstrip('.')}." for text in pair)) for pair in pairs)

    @staticmethod
    def _related(earlier, later):
        shares = dict(FOUND.get((earlier, later), {}))
        shares[Relation.APART] = 1 - sum(shares.values())
        return Related(
            relation=max(shares, key=shares.__getitem__), shares=tuple(shares.get(kind, 0.0) for kind in Relation)
        )


class WholeMarker:
    """Every text is one statement that lasts."""

    def mark(self, texts, searched=()):
        """The whole of each text."""
        plain = {"fact_class": FactClass.PLAIN, "layer": Layer.WORLD, "sublayer": Sublayer.FACT}
        return tuple((MarkedStatement(start=0, end=len(text), certainty=1.0, **plain),) for text in texts)


@pytest.fixture
def memory(tmp_path):
    """A fresh memory with that reader."""
    with open_memory(tmp_path / "home", environment={}) as opened:
        for name, made in (("embedder", GaugeEmbedder), ("reader", GaugeReader), ("marker", WholeMarker)):
            object.__setattr__(opened._deps, name, made)
        yield opened


def learn(memory, folder, *texts):
    """Learn the texts, each in a conversation of its own, an hour after the one before."""
    paths = [write_conversation(folder, f"s{hour}", [(60 * hour, text)]) for hour, text in enumerate(texts)]
    return [result.conversations[0] for result in memory.learn(paths)]


def in_use(memory):
    """The texts of what is believed now."""
    return sorted(row[4] for row in believed(memory)[0] if row[3] == Status.ACTIVE)


def without_dot(*texts):
    """The texts as they are kept."""
    return sorted(text.rstrip(".") for text in texts)


def test_both_are_outdated_and_become_versions_of_one_chain(memory, tmp_path):
    """Of two memories of one thing none stays in use, and both belong to the history of the newest."""
    learn(memory, tmp_path, RIVER, WATER, FERRY)
    assert in_use(memory) == without_dot(RIVER, WATER, FERRY)
    learn(memory, tmp_path, RIVER, WATER, FERRY, NEWEST)
    records, waiting = believed(memory)
    assert waiting == []
    assert chain_faults(memory) == []
    assert in_use(memory) == without_dot(NEWEST, FERRY)
    keys = {row[0] for row in records if row[4] in without_dot(RIVER, WATER, NEWEST)}
    assert len(keys) == 1


def test_undoing_the_newer_statement_parts_them_again(memory, tmp_path):
    """Taking back the conversation of the newest is as never having learned it; redoing it brings all of it back."""
    by = unlocked(memory)
    learn(memory, tmp_path, RIVER, WATER, FERRY)
    before = believed(memory)
    newest = learn(memory, tmp_path, RIVER, WATER, FERRY, NEWEST)[-1]
    after = believed(memory)
    undone = memory.undo(newest, by)
    assert believed(memory) == before
    assert chain_faults(memory) == []
    redone = memory.undo(undone.act_id, by)
    assert believed(memory) == after
    memory.undo(redone.act_id, by)
    assert believed(memory) == before
    memory.verify()


def test_undoing_the_act_parts_them_again(memory, tmp_path):
    """The act of learning, too, is taken back whole."""
    by = unlocked(memory)
    learn(memory, tmp_path, RIVER, WATER)
    before = believed(memory)
    (result,) = memory.learn([write_conversation(tmp_path, "later", [(600, NEWEST)])])
    assert in_use(memory) == without_dot(NEWEST)
    memory.undo(result.act_id, by)
    assert believed(memory) == before
    assert chain_faults(memory) == []


def test_a_memory_that_a_person_approved_waits_for_a_person(memory, tmp_path):
    """A conversation does not retire what a person approved, also where it is newer than something beside it."""
    by = unlocked(memory)
    learn(memory, tmp_path, RIVER)
    memory.remember(WATER, said_by="assistant")
    memory.review.approve(list(seen(memory)), by, seen=seen(memory))
    assert in_use(memory) == without_dot(RIVER, WATER)
    memory.remember(NEWEST, said_by="user")
    assert in_use(memory) == without_dot(RIVER, WATER)
    assert [row[1] for row in believed(memory)[1]] == without_dot(NEWEST)
    memory.review.approve(list(seen(memory)), by, seen=seen(memory))
    assert in_use(memory) == without_dot(NEWEST)
    assert chain_faults(memory) == []
