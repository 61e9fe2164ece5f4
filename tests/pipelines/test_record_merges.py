"""Two records of one thing come together once a statement says them both, and part again when it is undone."""

from dataclasses import replace

import pytest
from whole_store import chain_faults

from dopejar import Memory, open_memory
from dopejar.ports.embedder import EmbedderIdentity

SECRET = "correct horse " + "battery"
FIRST = "Lanterns hang over our porch"
SECOND = "The porch is lit up at night"
BOTH = "At night it is lanterns that light up the porch"
OTHER = "The shed roof leaks"


class Placed:
    """An embedder that places the first two texts apart, the third between them, and all others elsewhere."""

    identity = EmbedderIdentity(name="placed", dimensions=4, digest="d", lexical=False)

    def embed(self, texts):
        """A unit vector for every text."""
        import numpy as np

        known = {FIRST: (0.84, 0.543), SECOND: (0.84, -0.543), BOTH: (1.0, 0.0)}
        rows = [(*known[one.rstrip(".")], 0.0, 0.0) if one.rstrip(".") in known else (0, 0, 1, 0) for one in texts]
        return np.array(rows, dtype=np.float32)


@pytest.fixture
def memory(tmp_path):
    """An empty memory with these vectors and a reviewer."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        opened.reviewers.add("ana", SECRET)
        yield Memory(replace(opened._deps, embedder=Placed, paraphrase_embedder=Placed), opened.project)


def standing(memory):
    """Texts and access counts of what is in force."""
    return sorted((one.text, one.access_count) for one in memory.list_records())


def test_a_statement_of_both_makes_one_of_two(memory):
    """The one record carries the evidence of all three wordings; the other points to it; undone, both stand again."""
    for words in (FIRST, SECOND, OTHER):
        memory.remember(words)
    before = standing(memory)
    assert len(before) == 3
    told = memory.remember(BOTH)
    assert [count for text, count in standing(memory) if text != OTHER] == [3]
    assert chain_faults(memory) == []
    assert not memory.review.queue()
    ana = memory.reviewers.unlock(SECRET)
    memory.undo(told.act_id, ana)
    assert standing(memory) == before
    assert chain_faults(memory) == []


class Alike:
    """An embedder that finds everything alike."""

    identity = EmbedderIdentity(name="alike", dimensions=4, digest="d", lexical=False)

    def embed(self, texts):
        """The same vector for every text."""
        import numpy as np

        return np.full((len(texts), 4), 0.5, dtype=np.float32)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("I love olives", "I hate olives"),
        ("I prefer dark mode", "I switched to light mode"),
        ("The gateway listens on port 7070", "The gateway listens on port 7071"),
        ("My sister lives in Oslo", "My sister no longer lives in Oslo"),
    ],
)
def test_another_value_is_no_wording_however_alike_it_sounds(memory, before, after):
    """Where vectors tell nothing apart, a turned attitude, value, number or end still replaces what was believed."""
    alike = Memory(replace(memory._deps, embedder=Alike, paraphrase_embedder=Alike), memory.project)
    alike.remember(before)
    alike.remember(after)
    assert standing(memory) == [(after, 1)]
