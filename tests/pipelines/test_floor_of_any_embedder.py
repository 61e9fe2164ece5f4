"""A question about nothing finds nothing, whatever the embedder and whatever its cosines are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar import Memory, open_memory
from dopejar.engine.ingest.related_record_search import embed_known
from dopejar.ports.embedder import EmbedderIdentity

TOLD = (
    "Our boat is moored at pier 4",
    "The shed key hangs behind the door",
    "Mara teaches the cello on Tuesdays",
    "The staging database listens on port 5433",
    "We buy flour from the mill in Olde",
    "My sister Ida moved to Bergen",
    "The tax return is due in June",
    "Our cat is afraid of thunder",
)
ELSEWHERE = ("volcano", "sonata", "passport", "hedgehog", "turbine", "glacier", "saffron", "violin", "ledger", "orbit")


@dataclass(frozen=True)
class OwnEmbedder:
    """An embedder of somebody's own: each text has a direction of its own beside the one that all share."""

    shared: float  # the cosine of any two texts

    @property
    def identity(self) -> EmbedderIdentity:
        """A name that DoPeJar does not know."""
        return EmbedderIdentity(name="own", dimensions=64, digest=f"{self.shared:064.3f}")

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Unit rows, the same for the same text."""
        rows = np.stack([np.random.default_rng(crc32(text.encode())).normal(size=64) for text in texts])
        rows[:, 0] = 0.0
        rows *= np.sqrt(1 - self.shared) / np.linalg.norm(rows, axis=1, keepdims=True)
        rows[:, 0] = np.sqrt(self.shared)
        return rows.astype(np.float32)


@contextmanager
def told(home: Path | str, embedder: OwnEmbedder | None, kind: str = "none") -> Iterator[Memory]:
    """A memory of what was told, every text of it with a vector."""
    with open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": kind}, said_by="user") as memory:
        if embedder is not None:
            object.__setattr__(memory._deps, "embedder", lambda: embedder)
        for text in TOLD:
            memory.remember(text)
        embed_known(memory._deps, records_only=False)
        yield memory


@pytest.fixture(scope="module", params=[0.0, 0.5, 0.9, 1.0, "hashed"])
def memory(request: pytest.FixtureRequest) -> Iterator[Memory]:
    """By vectors of somebody's own that are far from each other, near, or all the same, and by hashed words."""
    own = None if request.param == "hashed" else OwnEmbedder(request.param)
    with told(":memory:", own, "none" if own else "hashed") as opened:
        yield opened


@given(st.lists(st.sampled_from(ELSEWHERE), min_size=1, max_size=4, unique=True))
def test_a_question_about_nothing_finds_nothing(memory: Memory, things: list[str]) -> None:
    """No word of it was told: the pack is empty."""
    assert not memory.recall(f"Where is the {' and the '.join(things)}?").items


@pytest.mark.parametrize(("question", "answer"), [("Where is the boat moored?", TOLD[0]), ("Who is Ida?", TOLD[5])])
def test_a_question_in_the_words_of_its_answer_finds_it(memory: Memory, question: str, answer: str) -> None:
    """First, and vectors that tell nothing bring little beside it."""
    items = memory.recall(question).items
    assert items[0].text == answer
    assert len(items) <= 2
