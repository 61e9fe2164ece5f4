"""Routing of memories to namespaces.

Takes: text, tags, source, a user's marks. Gives: a `NamespaceChoice`. Never: reads the
clock; a time to live is a duration.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from dopejar.values.scope import Namespace

EPHEMERAL_TTL: Final = timedelta(hours=24)
_TEST_TAGS: Final = frozenset({"test", "tests", "testing", "fixture", "pytest", "unittest"})
_DIAGNOSTIC_TAGS: Final = frozenset(
    {"diagnostic", "diagnostics", "probe", "healthcheck", "health-check", "smoke", "ephemeral"}
)
_TEST_SOURCE: Final = re.compile(r"(?:^|[\\/_.:-])(?:tests?|fixtures?|pytest|unittest)(?:$|[\\/_.:-])", re.IGNORECASE)
_DIAGNOSTIC_SOURCE: Final = re.compile(
    r"(?:^|[\\/_.:-])(?:diagnostics?|probe|health-?check|doctor)(?:$|[\\/_.:-])", re.IGNORECASE
)
_TEST_TEXT: Final = re.compile(
    r"^\s*(?:\[test\]|test memory\b|this is (?:only )?a test\b|lorem ipsum\b|test(?:ing)? \d+\s*$)", re.IGNORECASE
)
_DIAGNOSTIC_TEXT: Final = re.compile(
    r"^\s*(?:\[(?:diagnostic|probe|ping)\]|ping \d*\s*$|health ?check\b|diagnostic (?:probe|run|write)\b)",
    re.IGNORECASE,
)
_PARTS: Final = re.compile(r"[\\/_.:\s-]+")
_BRACKETED: Final = re.compile(r"\s*\[([\w-]{1,40})\]")


@dataclass(frozen=True, kw_only=True, slots=True)
class NamespaceChoice:
    """The namespace, the time to live there (None: unlimited), and what decided."""

    namespace: Namespace
    ttl: timedelta | None
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Marks:
    """A user's own marks for test and for ephemeral memories, folded, and the time to live of the latter.

    A mark counts as a tag, as a part of the source's name, and in brackets at the beginning of a text.
    """

    test: frozenset[str] = frozenset()
    ephemeral: frozenset[str] = frozenset()
    ttl: timedelta = EPHEMERAL_TTL


NO_MARKS: Final = Marks()


def route(text: str, tags: Sequence[str] = (), source: str = "", marks: Marks = NO_MARKS) -> NamespaceChoice:
    """Route by tags first, then by the source, then by the words; without any mark to prod."""
    named = {tag.casefold() for tag in tags}
    parts = set(_PARTS.split(source.casefold())) if marks.test or marks.ephemeral else set()
    bracketed = _BRACKETED.match(text)
    mark = {bracketed.group(1).casefold()} if bracketed else set()
    steps = (
        ("tag", bool(named & (_TEST_TAGS | marks.test)), bool(named & (_DIAGNOSTIC_TAGS | marks.ephemeral))),
        (
            "source",
            _is_test_source(source) or bool(parts & marks.test),
            bool(_DIAGNOSTIC_SOURCE.search(source) or parts & marks.ephemeral),
        ),
        (
            "words",
            bool(_TEST_TEXT.search(text) or mark & marks.test),
            bool(_DIAGNOSTIC_TEXT.search(text) or mark & marks.ephemeral),
        ),
    )
    for why, is_test, is_diagnostic in steps:
        if is_diagnostic:
            return NamespaceChoice(namespace=Namespace.EPHEMERAL, ttl=marks.ttl, why=why)
        if is_test:
            return NamespaceChoice(namespace=Namespace.TEST, ttl=None, why=why)
    return NamespaceChoice(namespace=Namespace.PROD, ttl=None, why="nothing marks it")


def _is_test_source(source: str) -> bool:
    """Whether a name marks a test; a path does not, since any file may lie in a `tests` folder."""
    return "/" not in source and "\\" not in source and bool(_TEST_SOURCE.search(source))


def route_namespace(text: str, tags: Sequence[str] = (), source: str = "", marks: Marks = NO_MARKS) -> Namespace:
    """The namespace alone; see `route` for the time to live."""
    return route(text, tags, source, marks).namespace
