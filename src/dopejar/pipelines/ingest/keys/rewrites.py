"""Rewriting: one way of saying for many, before keys and slots are read.

Takes: the words of a statement. Gives: the same statement in the form that relations know. Never: the words a memory
keeps; those stay the speaker's.
"""

from __future__ import annotations

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Final

from dopejar.text.regex_prefilter.required_literals import Sought, hopeful, sought

_USER: Final = re.compile(r"^(?:the )?user(?P<own>'s)? (?P<verb>\w+)(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
_SPOKEN: Final = {"is": "am", "has": "have", "does": "do", "doesn't": "don't", "was": "was"}


@lru_cache(maxsize=1)
def _rewrites() -> tuple[tuple[Sought, ...], tuple[str, ...]]:
    """What is rewritten, and what it becomes."""
    with files("dopejar.pipelines.ingest").joinpath("data", "rewrites.toml").open("rb") as stream:
        rows = tomllib.load(stream)["rewrite"]
    return (
        tuple(sought(row["from"]) for row in rows),
        tuple(re.sub(r"\\(\d)", r"\\g<\1>", row["to"]) for row in rows),
    )


@lru_cache(maxsize=2048)
def canonical(text: str) -> str:
    """The statement in the form that relations and keys read."""
    text = _in_first_person(text)
    known, templates = _rewrites()
    place = next(hopeful(known, text.lower()), None)
    while place is not None:
        if known[place].pattern.search(text):
            text = known[place].pattern.sub(templates[place], text, count=1).strip()
        place = next(hopeful(known, text.lower(), place + 1), None)
    return text


def _in_first_person(text: str) -> str:
    """What agents write as "the user prefers tea" is what the user calls "I prefer tea"."""
    found = _USER.match(text)
    if not found:
        return text
    verb = found.group("verb")
    if found.group("own"):
        return f"my {verb}{found.group('rest')}"
    return f"I {_SPOKEN.get(verb.casefold(), verb.removesuffix('s'))}{found.group('rest')}"
