"""The command that another program runs: `alembic upgrade` of `poetry run alembic upgrade`.

Takes: a simple command. Gives: the launcher and what it runs. Never: reads an option of the launcher, or of what it
runs, as the command; where an option may take the next word as its value, both readings are given.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final

from dopejar.pipelines.corrections.correction_cues import data_table

_DEEPEST: Final = 3  # `docker compose exec api poetry run alembic`
_VERSION: Final = re.compile(r"(?<=.)@[\w.^~-]+$")  # of `npx yarn@4`


@lru_cache(maxsize=256)  # every check of a store looks at the same commands
def launched(command: str) -> tuple[tuple[str, str], ...]:
    """Each command that a command launches, with the words of its launcher, "" where it runs elsewhere.

    `docker compose exec api alembic` gives ("", "alembic"), `npx --yes yarn add zod` ("npx", "yarn add zod").
    """
    return tuple(dict.fromkeys(_launched(command, _DEEPEST)))


def _launched(command: str, depth: int) -> Iterator[tuple[str, str]]:
    words = command.split()
    for launcher, names in _launchers().get(words[0] if words else "", ()):
        for start in _starts(words, 0, launcher, names):
            program = _VERSION.sub("", words[start].rsplit("/", 1)[-1])
            inner = " ".join((program, *words[start + 1 :]))
            by = "" if names else " ".join(launcher)
            yield by, inner
            if depth:
                yield from ((other if by else "", one) for other, one in _launched(inner, depth - 1))


def _starts(words: list[str], at: int, launcher: tuple[str, ...], names: int) -> Iterator[int]:
    """Where the launched command may begin: behind the words of the launcher, and `names` more, among options."""
    if at >= len(words):
        return
    if launcher and words[at] == launcher[0]:
        yield from _starts(words, at + 1, launcher[1:], names)
    elif words[at].startswith("-"):
        is_valued = words[at] != "--" and "=" not in words[at]
        yield from _starts(words, at + 1, launcher, names)
        if is_valued and at + 1 < len(words) and not words[at + 1].startswith("-"):
            yield from _starts(words, at + 2, launcher, names)
    elif not launcher and names:
        yield from _starts(words, at + 1, launcher, names - 1)
    elif not launcher:
        yield at


@lru_cache(maxsize=1)
def _launchers() -> Mapping[str, tuple[tuple[tuple[str, ...], int], ...]]:
    """The words of each launcher, and how many words name a place or a limit behind them, by its first word."""
    table = data_table("checks").get("launchers", {})
    rows = table if isinstance(table, dict) else {}
    found: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for names, kind in enumerate(("here", "elsewhere")):
        for launcher in rows.get(kind, ()):
            words = tuple(str(launcher).split())
            found.setdefault(words[0], []).append((words, names))
    return {program: tuple(launchers) for program, launchers in found.items()}
