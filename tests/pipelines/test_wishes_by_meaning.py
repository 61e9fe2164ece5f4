"""A wish to forget in other words than the memory has: the one that stands out in meaning is proposed, and no other."""

import numpy as np
import pytest

from dopejar import open_memory
from dopejar.ports.embedder import EmbedderIdentity

MONEY, HOME = "I take home 2,150", "The cat sleeps in the hall"


class PlaneEmbedder:
    """Places a text on a plane by one word in it; what it does not know is far from everything."""

    identity = EmbedderIdentity(name="plane", dimensions=3, digest="0" * 64)
    places = (("salary", (1, 0, 0)), ("take home", (0.6, 0.8, 0)), ("cat", (0.1, 0.99, 0)), ("bonus", (0.59, 0, 0.81)))

    def embed(self, texts):
        """A unit vector for each."""
        found = [next((at for word, at in self.places if word in text), (0, 0, 1)) for text in texts]
        rows = np.array(found, dtype=np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("known", "wish", "proposed"),
    [
        ((MONEY, HOME), "Forget what I said about the salary.", {MONEY}),
        ((MONEY, "The bonus is 3,000"), "Forget what I said about the salary.", set()),
        ((HOME,), "Forget what I said about the salary.", set()),
    ],
)
def test_one_that_stands_out_is_proposed(tmp_path, known, wish, proposed):
    """Of two that are as near nobody knows which is meant, and what is far is not."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as memory:
        object.__setattr__(memory._deps, "embedder", PlaneEmbedder)
        for text in known:
            memory.remember(text)
        memory.remember(wish)
        assert {item.text for item in memory.review.queue()} == proposed
        assert {record.text for record in memory.list()} == set(known)
