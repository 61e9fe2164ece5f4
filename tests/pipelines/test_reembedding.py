"""Another embedder: its vectors come by one command, which may be interrupted, and are compared with no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from dopejar import Memory, open_memory
from dopejar.errors import EmbedderError
from dopejar.ports.embedder import EmbedderIdentity

TURNS = 100  # more than are embedded together


class CountingEmbedder:
    """Counts what it embeds; after `most` texts it fails."""

    def __init__(self, name: str, dimensions: int) -> None:
        self.identity = EmbedderIdentity(name=name, dimensions=dimensions, digest=name * 8)
        self.embedded, self.most = 0, 1000

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The same direction for each text. Raises EmbedderError."""
        self.embedded += len(texts)
        if self.embedded > self.most:
            raise EmbedderError("interrupted")
        return np.full((len(texts), self.identity.dimensions), self.identity.dimensions**-0.5, dtype=np.float32)


FIRST, SECOND = ("first", 4), ("second", 6)


def use(memory: Memory, embedder: CountingEmbedder) -> CountingEmbedder:
    """Let the memory embed with this one from now on."""
    object.__setattr__(memory._deps, "embedder", lambda: embedder)
    return embedder


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory of turns that one embedder has embedded."""
    with open_memory(tmp_path, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as opened:
        use(opened, CountingEmbedder(*FIRST))
        turns = [{"role": "assistant", "content": f"The lamp of room {place} is lit."} for place in range(TURNS)]
        opened.add(turns, conversation="lamps")
        opened.maintenance.maintain()
        yield opened


def vectors_of(memory: Memory) -> list[str]:
    """The names of the embedders whose vectors are in the store."""
    with memory.store.read() as view:
        return [identity.name for identity in view.embedders()]


def asks_with_vectors(memory: Memory) -> bool:
    """Whether a search compares vectors."""
    return "no vectors" not in "\n".join(memory.recall("Which lamp is lit?", explain=True).explanation)


def test_vectors_of_another_embedder_are_not_searched(memory: Memory) -> None:
    """Until there are its own, words alone decide."""
    assert asks_with_vectors(memory)
    use(memory, CountingEmbedder(*SECOND))
    assert vectors_of(memory) == ["first"]
    assert not asks_with_vectors(memory)


def test_an_interrupted_change_goes_on_where_it_stopped(memory: Memory) -> None:
    """No vector of the former embedder is left, and no text is embedded twice."""
    second = use(memory, CountingEmbedder(*SECOND))
    second.most = TURNS - 1
    with pytest.raises(EmbedderError, match="interrupted"):
        memory.maintenance.reembed()
    second.most = 1000
    assert vectors_of(memory) == ["second"]
    assert asks_with_vectors(memory)
    left = memory.maintenance.backlog()
    assert 0 < left < TURNS
    again = use(memory, CountingEmbedder(*SECOND))
    assert memory.maintenance.reembed() == again.embedded == left
    assert memory.maintenance.backlog() == 0
    assert vectors_of(memory) == ["second"]
