"""What every embedder behind the port promises, as tests that an adapter inherits.

Takes: an embedder. Gives: one test per promise of `ports/embedder.py`. Never: judges what its vectors mean.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from dopejar.ports.embedder import Embedder

TEXTS = (
    "The ferry leaves at nine.",
    "",
    " \n\t",
    "9",
    "Über den Wolken: naïve Ideen, größer als √2",
    "明日は会議があります。",
    "👩🏽‍🚀 \u202eabc\u202c \x00 \ud800",
    "def f(x):\n    return {'a': [x] * 3}",
    "word " * 3000,
    "x" * 20_000,
)


class EmbedderContract(ABC):
    """Inherit, supply `embedder`, and every promise is tested on it."""

    @abstractmethod
    def embedder(self) -> Embedder:
        """The embedder under test, ready to embed."""

    def test_each_text_gets_one_unit_row(self) -> None:
        """Float32, one row a text, of length one: empty, strange and very long texts included."""
        import numpy as np

        subject = self.embedder()
        rows = subject.embed(TEXTS)
        assert rows.shape == (len(TEXTS), subject.identity.dimensions)
        assert rows.dtype == np.float32
        assert np.abs(np.linalg.norm(rows, axis=1) - 1.0).max() < 1e-4

    def test_no_texts_give_no_rows(self) -> None:
        """An empty list has an empty answer of the right width."""
        subject = self.embedder()
        assert subject.embed([]).shape == (0, subject.identity.dimensions)

    def test_a_row_is_its_texts_own(self) -> None:
        """Neither neighbours nor order nor repetition change a row beyond rounding."""
        import numpy as np

        subject = self.embedder()
        rows = subject.embed(TEXTS)
        again = subject.embed([*reversed(TEXTS), *TEXTS])
        assert np.abs(again[: len(TEXTS)][::-1] - rows).max() < 1e-5
        assert np.abs(again[len(TEXTS) :] - rows).max() < 1e-5

    def test_the_identity_stays(self) -> None:
        """Name and digest are there, alike before and after embedding, and alike for a second instance."""
        subject = self.embedder()
        before = subject.identity
        subject.embed(["anything"])
        assert subject.identity == before == self.embedder().identity
        assert before.name
        assert len(before.digest) >= 12
        assert before.dimensions > 0
