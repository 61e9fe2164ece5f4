"""Cue words: what is skipped holds no name of a secret."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.governance.redaction import cue_words
from dopejar.governance.redaction.cue_words import CueFlag, CueWords, windows
from dopejar.governance.redaction.redactor import redact

_SIGNS = st.sampled_from([" ", "_", "-", ":", '"', "1", "(", "\n"])


@pytest.mark.parametrize(
    ("word", "cue"),
    [
        ("password", CueFlag.NAMED | CueFlag.PASSWORD),
        ("密码", CueFlag.NAMED | CueFlag.PASSWORD | CueFlag.CODE),
        ("пароль", CueFlag.NAMED | CueFlag.PASSWORD),
        ("pin", CueFlag.CODE),
        ("apikey", CueFlag.NAMED | CueFlag.KEY),
        ("iban", CueFlag.IDENTITY),
    ],
)
@given(before=_SIGNS, behind=_SIGNS)
def test_cue_is_found_between_signs_and_within_data(word: str, cue: int, before: str, behind: str) -> None:
    """A cue counts with any sign beside it, alone and in a long text without spaces, and a window holds it."""
    for around in ("", "/x" * 2000):
        text = f"{around}{before}{word}{behind}{around}"
        words = CueWords(text, max(map(len, text.split())))
        assert words.cues & cue == cue
        assert any(word in text[start:end] for start, end in words.windows(cue & -cue, 5, 5))


def test_words_with_digits_are_not_remembered() -> None:
    """No word with a digit stays in memory, as most secrets have one."""
    redact("my password is Qwtz77!rhb or ärger７７, honestly")
    assert not [word for word in cue_words._CODES if any(map(str.isnumeric, word))]
    assert "honestly" in cue_words._CODES


@given(st.lists(st.tuples(st.integers(0, 90), st.integers(1, 9)), max_size=8))
def test_windows_cover_their_spans_in_order(pairs: list[tuple[int, int]]) -> None:
    """Each span lies within a window, and no window touches the next."""
    text = "word " * 20
    spans = sorted((start, start + length) for start, length in pairs)
    parts = windows(text, spans, 3, 3)
    assert all(any(first <= start and end <= last for first, last in parts) for start, end in spans)
    assert all(left[1] < right[0] for left, right in pairwise(parts))
