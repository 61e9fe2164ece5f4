"""The short way to `recall`, which agents take many times a day.

Takes: the words behind `recall`. Gives: its options read, or None where they are not plainly right. Never: explains a
mistake or an option; whatever is unusual goes the long way, through the command tree, which says so properly.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from dopejar.doors.cli.command_context import CommandContext
from dopejar.doors.cli.recall_command import recall
from dopejar.values.record import Kind
from dopejar.values.scope import Namespace

FLAGS: Final = {
    "--json": "as_json",
    "--quiet": "quiet",
    "-q": "quiet",
    "--explain": "explain",
    "--records-only": "records_only",
    "--all-projects": "all_projects",
}
TEXTS: Final = {
    "--home": "home",
    "--project": "project",
    "--as-of": "as_of",
    "--believed-at": "believed_at",
    "--namespace": "namespace",
}
NUMBERS: Final = {"--budget": "budget", "--limit": "limit"}
MANY: Final = {"--kind": "kinds", "--language": "languages"}
MOST: Final = 1000  # items of `--limit`


def run(words: Sequence[str]) -> int | None:
    """The exit code of `recall` with these words, or None where they have to go the long way."""
    options = parse(words)
    if options is None:
        return None
    home = options.pop("home", None)
    context = CommandContext(
        as_json=bool(options.pop("as_json", False)),
        home=Path(str(home)) if home is not None else None,
        project=str(options.pop("project", "")),
        quiet=bool(options.pop("quiet", False)),
    )
    return recall(context, **options)  # type: ignore[arg-type] # `parse` types each by the table it stands in


def parse(words: Sequence[str]) -> dict[str, object] | None:
    """The options by name, and the question; None for anything that is unknown, missing or out of bounds."""
    options: dict[str, object] = {}
    question: list[str] = []
    waiting = list(words)
    while waiting:
        word = waiting.pop(0)
        if word == "--":
            question += waiting
            break
        if not word.startswith("-") or word == "-":
            question.append(word)
        elif word in FLAGS:
            options[FLAGS[word]] = True
        elif not _takes(word, waiting, options):
            return None
    if not question:
        return None
    return {**options, "question": " ".join(question)}


def _takes(word: str, waiting: list[str], options: dict[str, object]) -> bool:
    """Read an option with its value into the options; whether it could be."""
    name, sign, value = word.partition("=")
    if name not in TEXTS and name not in NUMBERS and name not in MANY:
        return False
    if not sign:
        if not waiting:
            return False
        value = waiting.pop(0)
    if name in NUMBERS:
        if (
            not value.isdecimal()
            or not value.isascii()
            or not 1 <= int(value) <= (MOST if name == "--limit" else 10**9)
        ):
            return False
        options[NUMBERS[name]] = int(value)
    elif name in TEXTS:
        options[TEXTS[name]] = value
    else:
        options[MANY[name]] = [*_known(options, MANY[name]), value]
    return _is_allowed(name, value)


def _known(options: dict[str, object], name: str) -> list[str]:
    found = options.get(name, [])
    return found if isinstance(found, list) else []


def _is_allowed(name: str, value: str) -> bool:
    if name == "--kind":
        return value in {str(one) for one in Kind}
    return name != "--namespace" or value in {str(one) for one in Namespace}
