"""A statement that may end a memory, and is not sure to, retires nothing; recall tells it with that memory."""

import numpy as np
import pytest
from whole_store import believed, unlocked

from dopejar import open_memory
from dopejar.pipelines.ingest.grammar_reader import GrammarReader
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.values.edge import EdgeKind
from dopejar.values.record import Status
from dopejar.values.statement import Related, Relation

STALL = "The corner stall is Ottilie's."
PITCH = "The pitch by the church is Ottilie's."
GONE = "Ottilie packed up and went."
BACK = "Ottilie took up her pitch again."
MARK = 'but said since: "Ottilie packed up and went"'


class NearEmbedder:
    """Vectors that are alike for all texts."""

    identity = EmbedderIdentity(name="near", dimensions=2, digest="0" * 64)

    def embed(self, texts):
        """The same direction."""
        return np.full((len(texts), 2), 0.5**0.5, dtype=np.float32)


class EndingReader(GrammarReader):
    """A graded reader that gives what it is told for an end of the stall by the departure."""

    is_graded = True

    def __init__(self, end):
        self._end = end

    def relate(self, pairs):
        """The probability of the end of the stall, and of the departure by the return; all else is apart."""
        return tuple(self._related(*(f"{text.rstrip('.')}." for text in pair)) for pair in pairs)

    def _related(self, earlier, later):
        ends = {(STALL, GONE): self._end, (PITCH, GONE): 0.95, (GONE, BACK): 0.95}
        end = ends.get((earlier, later), 0.0)
        shares = tuple({Relation.END: end, Relation.APART: 1 - end}.get(kind, 0.0) for kind in Relation)
        return Related(relation=Relation.END if end > 0.5 else Relation.APART, shares=shares)


def opened(tmp_path, end):
    """A memory whose reader finds the end this likely, and who may decide in it."""
    memory = open_memory(tmp_path / "home", environment={})
    object.__setattr__(memory._deps, "embedder", NearEmbedder)
    object.__setattr__(memory._deps, "reader", lambda: EndingReader(end))
    return memory, unlocked(memory)


def tell(memory, by, *texts):
    """Remember each text; the receipts of the last one."""
    return [memory.remember(text, said_by="user", by=by) for text in texts][-1]


def in_use(memory):
    """The texts of what is believed now."""
    return sorted(row[4] for row in believed(memory)[0] if row[3] == Status.ACTIVE)


def about_stall(memory):
    """What recall says of the stall."""
    return memory.recall("whose is the corner stall?").text


@pytest.mark.parametrize(
    ("end", "stays", "is_told"),
    [(0.0, True, False), (0.44, True, False), (0.45, True, True), (0.55, True, True), (0.95, False, False)],
)
def test_what_may_end_a_memory_is_told_with_it_and_only_what_surely_does_retires_it(tmp_path, end, stays, is_told):
    """Between "apart" and "ended" both statements stay, and recall tells the later one with the earlier one."""
    memory, by = opened(tmp_path, end)
    with memory:
        tell(memory, by, STALL, GONE)
        assert (STALL.rstrip(".") in in_use(memory)) is stays
        assert GONE.rstrip(".") in in_use(memory)
        assert (MARK in about_stall(memory)) is is_told


def test_a_statement_that_surely_ends_one_memory_raises_no_doubt_of_another(tmp_path):
    """It is about that one: what else it may end is mostly another thing of the same person."""
    memory, by = opened(tmp_path, 0.5)
    with memory:
        tell(memory, by, STALL, PITCH, GONE)
        assert PITCH.rstrip(".") not in in_use(memory)
        assert STALL.rstrip(".") in about_stall(memory)
        assert MARK not in about_stall(memory)


def _undone(memory, by, told):
    memory.undo(told.receipts[0].act_id, by=by)


def _over(memory, by, _told):
    tell(memory, by, BACK)


def _said_again(memory, by, _told):
    tell(memory, by, STALL)


@pytest.mark.parametrize("settle", [_undone, _over, _said_again])
def test_a_doubt_ends_with_the_statement_that_raised_it_and_where_the_memory_is_said_again(tmp_path, settle):
    """Nothing is told of a doubt whose statement is out of use, or older than the last telling of the memory."""
    memory, by = opened(tmp_path, 0.5)
    with memory:
        told = tell(memory, by, STALL, GONE)
        assert MARK in about_stall(memory)
        settle(memory, by, told)
        assert STALL.rstrip(".") in about_stall(memory)
        assert MARK not in about_stall(memory)


def test_an_erased_statement_leaves_no_doubt_behind(tmp_path):
    """With the statement goes the edge to what it may have ended."""
    memory, by = opened(tmp_path, 0.5)
    with memory:
        told = tell(memory, by, STALL, GONE)
        stall = next(row for row in memory.list() if row.text == STALL.rstrip("."))
        memory.erase(by, records=[told.receipts[0].records[0].id])
        assert MARK not in about_stall(memory)
        with memory.store.read() as view:
            assert view.edges([stall.id], (EdgeKind.MAY_END,)) == ()
