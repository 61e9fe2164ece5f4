"""Programming languages a text is about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dopejar.text.code_languages import code_languages

CASES = [
    ("", ()),
    ("This is important, go ahead with the changes", ()),
    ("Use Python for this", ("python",)),
    ("In Go, handle errors at once", ("go",)),
    ("I write Go code", ("go",)),
    ("run go test ./...", ("go",)),
    ("edit src/app.py", ("python",)),
    ("Use npm here", ("javascript",)),
    ("I like C++", ("c++",)),
    ("C# and .NET", ("c#",)),
    ("Rust code is fun", ("rust",)),
    ("the rust on my car", ()),
    ("Vitamin C is good", ()),
    ("He got a C in maths", ()),
    ("Write it in C", ("c",)),
    ("I use R for statistics", ("r",)),
    ("Swift reply please", ()),
    ("Julia lives here", ()),
    ("We use Java", ("java",)),
    ("JavaScript is fine", ("javascript",)),
    ("TypeScript only", ("typescript",)),
    ("written in Ruby", ("ruby",)),
    ("Ms. Ruby called", ()),
    ("Let's go to the cinema", ()),
    ("Go to the store", ()),
    ("explain it to me", ()),
    ("a bash script", ("shell",)),
    ("write SQL in capitals", ("sql",)),
    ("from Python to Rust", ("python", "rust")),
    ("Python, Go, and Rust", ("go", "python", "rust")),
    ("*.py files", ("python",)),
    ("the node of a graph", ()),
    ("Node.js 18", ("javascript",)),
    ("C'est la vie", ()),
    ("A lua está linda", ()),
    ("I love poetry and pandas", ()),
]


@pytest.mark.parametrize(("text", "languages"), CASES)
def test_languages_are_found_as_whole_words(text: str, languages: tuple[str, ...]) -> None:
    """Names, tools and endings count as words of their own; everyday words only beside words of the trade."""
    assert code_languages(text) == languages


@given(st.text(alphabet=st.characters(codec=None), max_size=100))
def test_languages_take_anything(text: str) -> None:
    """Any text gives sorted names, each once."""
    found = code_languages(text)
    assert list(found) == sorted(set(found))


@given(st.text(alphabet="aeioxq", min_size=1, max_size=6), st.sampled_from(["python", "golang", "typescript", "sql"]))
def test_a_name_inside_a_word_is_no_name(around: str, name: str) -> None:
    """A language's name grown into a longer word does not count."""
    assert code_languages(f"the {around}{name} thing and the {name}{around} thing") == ()
