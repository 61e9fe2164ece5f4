"""Pasted logs, code and documents are marked; prose is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.adapters.transcripts.pasted_spans import find_pasted_spans

PARTS = [f"## Part {number}\n\nSome words.\nMore words.\nEven more." for number in range(12)]
DOCUMENT = "\n\n".join(["# Plan", *PARTS])
TRACE = "Traceback (most recent call last):\n  File \"a.py\", line 3, in <module>\nKeyError: 'x'"

CASES = [
    ("one line of prose", []),
    ("two lines\nof prose", []),
    ("please:\n- keep the port\n- drop the cache\n\nthen stop", []),
    ("1. use tabs\n2. never push\n3. ask first", []),
    ("> my own words\n> again", []),
    ("you missed this:\n> always ask first\n\ndo it now", []),
    ("look\n```\na = 1\n```\nfix it", ["```\na = 1\n```"]),
    ("look\n~~~sh\nls\n~~~", ["~~~sh\nls\n~~~"]),
    ("```py\na = 1\n``` and then stop\nplease", ["```py\na = 1\n``` and then stop"]),
    ("it fails:\n2031-01-02 10:00:00 ERROR no port\n  retrying\n2031-01-02 10:00:01 ERROR no port\n\nwhy?", None),
    (f"it fails:\n{TRACE}\n\nfix it", [TRACE]),
    ("❯ make test\nred\n\nmake it green", ["❯ make test\nred"]),
    ("import os\nfrom a import b\n\ndef f():\n    return 1;\n\nuse that", None),
    ("use this\n<document>\nlong\ntext\n</document>\nas the guide", ["<document>\nlong\ntext\n</document>"]),
    ("| a | b |\n|---|---|\n| 1 | 2 |\nsum it", ["| a | b |\n|---|---|\n| 1 | 2 |"]),
    (f"follow this:\n\n{DOCUMENT}", [DOCUMENT]),
]


@pytest.mark.parametrize(("text", "expected"), CASES)
def test_pastes_are_found_and_prose_is_left(text: str, expected: list[str] | None) -> None:
    """The ranges cover what was pasted and stop where the speaker goes on."""
    found = [text[start:end] for start, end in find_pasted_spans(text)]
    if expected is not None:
        assert found == expected
        return
    assert len(found) == 1
    assert text.splitlines()[0] not in found[0] or text.startswith("import")
    assert text.splitlines()[-1] not in found[0]


LINES = st.sampled_from(
    [
        *("some words", "", "```", "```py", "> quoted", "2031-01-02 10:00:00 INFO x", "x = f(y);", "| a | b |"),
        *("# Heading", "</file>", "<file>", "    at f (a.js:1:2)", "$ ls", "a" * 2100, "~~~", "{"),
    ]
)


@given(st.lists(LINES, max_size=60).map("\n".join))
def test_ranges_lie_in_order_inside_the_text(text: str) -> None:
    """Whatever lines are mixed, ranges are not empty, do not overlap, and begin and end at lines."""
    last = 0
    for start, end in find_pasted_spans(text):
        assert last <= start < end <= len(text)
        assert start == 0 or text[start - 1] == "\n"
        assert end == len(text) or text[end] == "\n"
        last = end
