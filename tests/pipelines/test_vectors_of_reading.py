"""The vectors that a pass of the model made while turns were read are stored with those turns, and made only once."""

import json
from pathlib import Path

import numpy as np
import pytest
from test_order_with_a_reader import TopicMarker, TopicReader

from dopejar import Memory, open_memory
from dopejar.ports.embedder import EmbedderIdentity
from dopejar.values.recall import Source

SAID = ["The archive is kept in the cellar.", "Our choir rehearses on Mondays.", "The ferry takes an hour."]
SECRET = "The ferry takes an hour. My password is hunter2-Tr0ub4dor."


class LetterEmbedder:
    """Vectors of letters, and which texts it was asked for."""

    identity = EmbedderIdentity(name="letters", dimensions=26, digest="1" * 64)

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts):
        """How often each letter stands in a text, as a row of length 1."""
        self.embedded += texts
        return np.array([self.row(text) for text in texts], dtype=np.float32).reshape(-1, 26)

    @staticmethod
    def row(text):
        """The row of one text."""
        counts = np.array([text.lower().count(chr(ord("a") + at)) for at in range(26)], dtype=np.float32)
        return counts / np.linalg.norm(counts)


class MakingMarker(TopicMarker):
    """Marks nothing of a secret, and makes the vectors of what is searched for, but for what it cannot read whole."""

    def __init__(self, unread: str = "") -> None:
        self.made, self._unread = {}, unread

    def mark(self, texts, searched=()):
        """The whole of each text."""
        self.made |= {text: LetterEmbedder.row(text) for text in searched if text != self._unread}
        return tuple(() if "password" in text else super(MakingMarker, self).mark([text])[0] for text in texts)


def learned(home: Path, turns: list[str], marker: MakingMarker, embedder: LetterEmbedder) -> Memory:
    """A store that learned these turns of one conversation."""
    path = home / "talk.jsonl"
    rows = [
        {"conversation": "talk", "index": at, "role": "user", "text": text, "at": f"2026-03-02T09:{at:02}:00Z"}
        for at, text in enumerate(turns)
    ]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    memory = open_memory(home / "home", environment={})
    given = {"embedder": lambda: embedder, "reader": TopicReader, "marker": lambda: marker}
    for name, make in {
        **given,
        "at_hand": lambda texts: {one: marker.made[one] for one in texts if one in marker.made},
    }.items():
        object.__setattr__(memory._deps, name, make)
    list(memory.learn(path))
    return memory


def stored(memory: Memory) -> dict[str, np.ndarray]:
    """The vectors of turns by their texts."""
    with memory.store.read() as view:
        (row,) = view.conversations(9)
        turns = {turn.id: turn.text for turn in view.turns(row.id)}
        rows = view.vectors_of(LetterEmbedder.identity, Source.EPISODE, list(turns))
        return {turns[one]: vector for one, vector in rows.items()}


@pytest.mark.parametrize("then", [lambda memory: memory.recall("choir"), lambda memory: memory.maintenance.maintain()])
@pytest.mark.parametrize("unread", ["", SAID[1]])
def test_what_was_read_has_its_vector_and_is_not_embedded_again(tmp_path, unread, then):
    """Each turn has the vector of its own text; what was not read whole waits, and gets the same one."""
    embedder = LetterEmbedder()
    with learned(tmp_path, SAID, MakingMarker(unread), embedder) as memory:
        assert set(stored(memory)) == set(SAID) - {unread}
        then(memory)
        found = stored(memory)
        assert all(np.allclose(found[text], LetterEmbedder.row(text), atol=1e-3) for text in SAID)
        assert set(found) == set(SAID)
        assert [text for text in SAID if embedder.embedded.count(text)] == ([unread] if unread else [])


def test_a_secret_is_in_no_vector(tmp_path):
    """What is read, and what its vector is of, is the turn as it is kept."""
    marker = MakingMarker()
    with learned(tmp_path, [SECRET], marker, LetterEmbedder()) as memory:
        (text,) = stored(memory)
        assert "hunter2" not in text
        assert all("hunter2" not in one for one in marker.made)
