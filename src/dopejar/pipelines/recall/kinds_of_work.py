"""Kinds of work with rules of their own: writing for people, code, commits, and meals.

Takes: a question, or the text of a rule. Gives: the kind of work that it asks for, or speaks of, or "". Never: reads a
question for what memory holds as work, or knows more than a few words of each kind (`data/work.toml`).
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.text.code_languages import code_languages
from dopejar.text.lazy_patterns import lazy_pattern
from dopejar.text.lexicons import guess_language, question_words
from dopejar.text.normalisation import fold
from dopejar.text.words import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dopejar.pipelines.recall.question import Question

WRITING: Final = "writing"
"""Texts for people to read."""
CODE: Final = "code"
COMMITS: Final = "commits"
MEALS: Final = "meals"
_WORDING: Final = "wording"  # of writing, where nothing says that it is of code
_MACRO: Final = re.compile(r"<(\w+)>")


@lru_cache(maxsize=1)
def _tables() -> Mapping[str, Mapping[str, re.Pattern[str]]]:
    import tomllib

    data = tomllib.loads((Path(__file__).with_name("data") / "work.toml").read_text("utf-8"))
    macros: dict[str, str] = data.pop("macros")

    def filled(pattern: str) -> re.Pattern[str]:
        return lazy_pattern(_MACRO.sub(lambda found: macros[found[1]], pattern))

    return {table: {kind: filled(pattern) for kind, pattern in kinds.items()} for table, kinds in data.items()}


def work_of_task(question: Question) -> str:
    """The kind of work that is asked for, or ""."""
    kind = _kind("task", question.text)
    if kind == WRITING:
        return kind
    if kind in ("", _WORDING) and code_languages(question.text):
        kind = CODE
    return WRITING if kind == _WORDING else "" if _asks_memory(question) else kind


def work_of_rule(text: str) -> str:
    """The kind of work that a rule speaks of, or ""."""
    kind = _kind("rule", text)
    return (CODE if code_languages(text) else WRITING) if kind == _WORDING else kind


def names_text(text: str) -> bool:
    """Whether a rule names a sort of text: letters, posts."""
    return _tables()["rule"][WRITING].search(fold(text)) is not None


def makes_commit(command: str) -> bool:
    """Whether a command names a commit or a pull request."""
    return _tables()["task"][COMMITS].search(command) is not None


def _kind(table: str, text: str) -> str:
    folded = fold(text)
    return next((kind for kind, pattern in _tables()[table].items() if pattern.search(folded)), "")


def _asks_memory(question: Question) -> bool:
    """Whether it is a question for what was told: of tests, "which of them failed?"."""
    if question.is_request:
        return False
    first = words(fold(question.text))[:1]
    return "?" in question.text or not question_words(guess_language(question.text)).isdisjoint(first)
