"""A text in pieces."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.sentences import sentences

MARKUP = "ab. Cd! e? `x.` > # - * 1. | ``` \n\n    \t~~~ 2024-01-01 10:00:00 ERROR: 。？"


def kinds(text: str) -> list[tuple[str, str]]:
    """Kind and text of each piece."""
    return [(piece.kind, piece.text) for piece in sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        (
            "Dr. Lund uses e.g. version v1.2.3. Then 3.14 is pi.",
            ["Dr. Lund uses e.g. version v1.2.3.", "Then 3.14 is pi."],
        ),
        ("See https://a.example/b?c=d.e. Done.", ["See https://a.example/b?c=d.e.", "Done."]),
        ("Edit src/app.py, not b/c.d. Go on.", ["Edit src/app.py, not b/c.d.", "Go on."]),
        ("Run `x. Y. z` first. Then rest.", ["Run `x. Y. z` first.", "Then rest."]),
        ("Well... maybe. Hm... Yes.", ["Well... maybe.", "Hm...", "Yes."]),
        ("i like tea. not coffee.", ["i like tea.", "not coffee."]),
        ("Das ist z.B. gut. Am 10. März ist Pause.", ["Das ist z.B. gut.", "Am 10. März ist Pause."]),
        ("The limit is 10. Never more.", ["The limit is 10.", "Never more."]),
        ("I said no. Then I left.", ["I said no.", "Then I left."]),
        ("It is rule no. 5 here.", ["It is rule no. 5 here."]),
        ("J. Smith came. So am I. Then all.", ["J. Smith came.", "So am I.", "Then all."]),
        ('He said "stop." Then he left.', ['He said "stop."', "Then he left."]),
        ("我喜欢咖啡。你呢？很好！", ["我喜欢咖啡。", "你呢？", "很好！"]),
        ("Пишу т.е. кратко. Да.", ["Пишу т.е. кратко.", "Да."]),
        ("Write to a.b@c.example. Thanks.", ["Write to a.b@c.example.", "Thanks."]),
        ("First line\nSecond line", ["First line", "Second line"]),
        (
            "This line is long enough that it was surely wrapped by an editor and\nit goes on here.",
            ["This line is long enough that it was surely wrapped by an editor and\nit goes on here."],
        ),
        ("Dates are dd.mm.yyyy. in all I send.", ["Dates are dd.mm.yyyy. in all I send."]),
        ("Ours is of 31.12.2027. and stays. Good.", ["Ours is of 31.12.2027. and stays.", "Good."]),
        ("It ends 31.12.2027. We go on.", ["It ends 31.12.2027.", "We go on."]),
        ("", []),
        (" \n\n ", []),
    ],
)
def test_prose_is_parted_at_sentence_ends(text: str, expected: list[str]) -> None:
    """Abbreviations, versions, addresses, inline code and wrapped lines do not part; ends do, in any script."""
    assert kinds(text) == [("prose", piece) for piece in expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Title\nText.", [("heading", "Title"), ("prose", "Text.")]),
        ("- one. two.\n- three\n  goes on", [("list", "one."), ("list", "two."), ("list", "three\n  goes on")]),
        ("1. first\n2) second\n- [x] done", [("list", "first"), ("list", "second"), ("list", "done")]),
        ("> said a.\n> said b.\nReply.", [("quote", "said a."), ("quote", "said b."), ("prose", "Reply.")]),
        ("| a | b |\n|---|---|\n| 1 | 2 |", [("table", "| a | b |\n|---|---|\n| 1 | 2 |")]),
        (
            "Try:\n```py\nx = 1. \n\n# no heading\n```\nOk.",
            [("prose", "Try:"), ("code", "```py\nx = 1. \n\n# no heading\n```"), ("prose", "Ok.")],
        ),
        ("```\nnever closed", [("code", "```\nnever closed")]),
        ("~~~\na\n```\nb\n~~~", [("code", "~~~\na\n```\nb\n~~~")]),
        (
            "So:\n\n    const x = 1;\n    run(x);\n\nDone.",
            [("prose", "So:"), ("code", "    const x = 1;\n    run(x);"), ("prose", "Done.")],
        ),
        (
            "def f(x):\n    return x\n\nPlease fix it.",
            [("code", "def f(x):\n    return x"), ("prose", "Please fix it.")],
        ),
        ("a\n---\nb", [("prose", "a"), ("prose", "b")]),
        ("DEBUG must be off.", [("prose", "DEBUG must be off.")]),
        ("class names should be short:", [("prose", "class names should be short:")]),
    ],
)
def test_blocks_have_kinds(text: str, expected: list[tuple[str, str]]) -> None:
    """Headings, items, quotes, tables and code are told from prose; their marks are left out."""
    assert kinds(text) == expected


@pytest.mark.parametrize(
    "log",
    [
        'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    return 1/0\nZeroDivisionError: by zero',
        "2024-03-10 12:30:01 INFO started\n2024-03-10 12:30:02 ERROR died",
        "[INFO] compiling\n[ERROR] no luck",
        "ERROR: could not connect",
        "java.lang.IllegalStateException: no\n\tat a.b.C.d(C.java:12)\n\tat a.b.E.f(E.java:3)",
        "TypeError: x is not a function\n    at run (file.js:3:9)",
        "src/a.py:12:5: E501 line too long",
        "FAILED tests/test_a.py::test_b - assert 1 == 2",
        "npm ERR! code 1",
        "error[E0308]: mismatched types\n --> src/main.rs:4:9",
    ],
)
def test_pasted_logs_are_one_piece(log: str) -> None:
    """A stretch of log or stack trace is one piece of kind log, and the words after it are prose again."""
    assert kinds(f"It fails:\n{log}\nPlease fix it.") == [
        ("prose", "It fails:"),
        ("log", log),
        ("prose", "Please fix it."),
    ]


@given(st.one_of(st.text(alphabet=st.characters(codec=None), max_size=200), st.text(alphabet=MARKUP, max_size=200)))
def test_pieces_are_slices_in_order(text: str) -> None:
    """For any text each piece is what stands between its offsets, and pieces neither overlap nor run back."""
    at = 0
    for piece in sentences(text):
        assert piece.text == text[piece.start : piece.end]
        assert piece.text.strip()
        assert at <= piece.start < piece.end
        at = piece.end


@given(st.lists(st.sampled_from(["I use tabs.", "Never push!", "Why so?", "See app.py.", "请用中文。"]), max_size=6))
def test_joined_sentences_come_apart_again(parts: list[str]) -> None:
    """Sentences joined by spaces are found again."""
    assert [piece.text for piece in sentences(" ".join(parts))] == parts


@given(st.text(alphabet="abcXYZ .!?,\n", max_size=120))
def test_no_letter_is_lost(text: str) -> None:
    """In plain prose every letter is in exactly one piece."""
    kept = "".join(piece.text for piece in sentences(text))
    assert [letter for letter in kept if letter.isalpha()] == [letter for letter in text if letter.isalpha()]


@pytest.mark.parametrize(
    "letter", ["a", "1", ".", "- ", "> ", "`", "|", "#", "=", "(", "a@", "a.", "{", " ", "...", "a-"]
)
def test_long_monotony_ends(letter: str) -> None:
    """A hundred thousand times the same is parted to the end."""
    text = letter * 100_000
    assert sum(len(piece.text) for piece in sentences(text)) <= len(text)


def _calls(text: str) -> int:
    """How many calls it takes to part the text."""
    counted = 0

    def count(*_: object) -> None:
        nonlocal counted
        counted += 1

    sys.setprofile(count)
    try:
        sentences(text)
    finally:
        sys.setprofile(None)
    return counted


@pytest.mark.parametrize("piece", ["`a`. ", "See http://a.b/c. ", "`a.b` c", "me@here.org! ", "x", "a. "])
def test_the_work_of_parting_grows_with_the_text(piece: str) -> None:
    """A text that is ten times as long takes ten times the calls, however many stops, code and addresses are in it."""
    sentences(piece * 15)  # the first text of a process loads the patterns
    assert _calls(piece * 1500) <= 11 * _calls(piece * 150)
