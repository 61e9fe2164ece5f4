"""Counting which rules of language act: each alternative by what matched, also of what must not stand somewhere."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from benchmarks.unused_rules import CountedPattern, Register, Rule, turns_of, unused


def counted(expression: str, *texts: str) -> dict[str, int]:
    """How often each part of an expression matched in the texts."""
    rule = Rule(expression, 0)
    pattern = CountedPattern(re.compile(expression), rule)
    for text in texts:
        assert bool(pattern.search(text)) == bool(re.search(expression, text))
    assert rule.is_told
    return {expression[slice(*span)]: rule.counts.get(number, 0) for number, (span, _) in rule.alternatives.items()}


@pytest.mark.parametrize(
    ("expression", "texts", "matched"),
    [
        ("foo|bar", ("a bar", "bar b"), {"foo": 0, "bar": 2}),
        ("x (?:foo|b[|)]r) z", ("x b|r z",), {"foo": 0, "b[|)]r": 1}),
        (r"\w+ (?!foo|bar)\w+", ("a bar",), {"foo": 0, "bar": 1}),
        (r"(?<!not )foo", ("not foo",), {"not ": 1}),
        (r"(?<!not )foo", ("a foo",), {"not ": 0}),
        (r"(a|b)\1", ("bb",), {"a": 0, "b": 1}),
    ],
)
def test_an_alternative_counts_where_it_matched(
    expression: str, texts: tuple[str, ...], matched: dict[str, int]
) -> None:
    """What is denied counts where it alone kept the expression from matching."""
    assert matched.items() <= counted(expression, *texts).items()


def test_a_counted_expression_replaces_as_the_real_one() -> None:
    """Substitution, splitting and iteration give what the expression itself gives."""
    real = re.compile("a(b)?")
    pattern = CountedPattern(real, Rule("a(b)?", 0))
    assert pattern.sub(r"<\1>", "ab a") == real.sub(r"<\1>", "ab a")
    assert pattern.split("xabya") == real.split("xabya")
    assert pattern.findall("xabya", 2) == real.findall("xabya", 2)


def test_functions_of_the_library_find_in_a_room_what_they_find_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where flags, a count or a number of parts come by position."""
    calls = (
        're.search("B", "ab", re.IGNORECASE)[0]',
        're.sub("B", "-", "ab b", 1, re.IGNORECASE)',
        're.split("B", "ab b", 1, re.IGNORECASE)',
        're.findall("B", "ab b", flags=re.IGNORECASE)',
    )
    outside = [eval(compile(call, __file__, "eval"), {"re": re}) for call in calls]  # noqa: S307 - written above
    for name in ("compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"):
        monkeypatch.setattr(re, name, getattr(re, name))  # restored behind the test
    Register().install()
    room = {"re": re, "__name__": "dopejar.text.words"}
    assert [eval(compile(call, __file__, "eval"), room) for call in calls] == outside  # noqa: S307 - written above


def test_what_matched_once_anywhere_in_a_module_is_used(tmp_path: Path) -> None:
    """An alternative that two expressions share is unused only where neither matched it."""
    path = tmp_path / "counts.json"
    names = {
        "_A": {"0:foo|bar": {"asked": 1, "is_told": True, "counts": {"0": 1, "1": 1}}},
        "_B": {"0:bar|baz": {"asked": 1, "is_told": True, "counts": {"0": 1, "1": 1}}},
        "_C": {"0:qux": {"asked": 1, "is_told": True, "counts": {}}},
    }
    path.write_text(json.dumps({"m": names}), "utf-8")
    assert unused(path) == {"m": {"_B": ["baz"], "_C": ["= qux"]}}


def test_turns_come_with_what_is_marked_in_them(tmp_path: Path) -> None:
    """A turn brings the words before it, its line breaks and its marked spans, the last one at the end of the file."""
    path = tmp_path / "turns.txt"
    path.write_text("B Which?\nT One.\\nTwo, ok\nF plain | world.fact | Two\n\nB\nT Bye", "utf-8")
    assert list(turns_of(path)) == [("Which?", "One.\nTwo, ok", ["Two"]), ("", "Bye", [])]
