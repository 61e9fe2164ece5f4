"""The model alone, beside which plain questions are asked: what it answers with."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from benchmarks.plain_questions import counts_of, nearest
from dopejar.ports.embedder import EmbedderIdentity


class Letters:
    """An embedder that counts letters."""

    identity = EmbedderIdentity(name="letters", dimensions=26, digest="0")

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """How often each letter stands in a text, as a unit vector."""
        rows = np.array([[text.casefold().count(chr(97 + at)) for at in range(26)] for text in texts], np.float32)
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_the_nearest_texts_come_first_and_fill_the_budget() -> None:
    """Statements and turns of chats by their names, the nearest first; what is over the budget is left out."""
    person = {
        "told": ["xxxx", ["2026-03-01", "abc"]],
        "chats": [["2026-03-02", [["user", "abcx"], ["user", "zz " * 2000]]]],
    }
    assert [*nearest(person, Letters(), 1024)("abc")] == [{"1"}, {"0:0"}, {"0"}]


def test_a_question_for_several_needs_them_all_and_in_order() -> None:
    """An answer with a piece too few is not whole, and one with all of them may be out of order."""
    person = {
        "told": [["2026-01-02", "a"], ["2026-01-01", "b"], ["2026-01-03", "c"]],
        "asked": [{"question": "?", "answers": [0, 1], "in_order": True}],
        "unanswered": [],
    }
    for lines, whole, in_order in (([{"0"}], 0, 0), ([{"0"}, {"1"}], 1, 0), ([{"2"}, {"1"}, {"0"}], 1, 1)):
        counts = counts_of(person, lambda _, lines=lines: lines)
        assert (counts["in_pack"], counts["whole"], counts["in_order"]) == (1, whole, in_order)
