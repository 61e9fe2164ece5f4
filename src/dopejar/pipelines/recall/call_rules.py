"""The rules of a tool call: those of the language of its file and of the work it does, and those that name it.

Takes: a parsed call, and rules in force that a person approved. Gives: the rules that apply to the call. Never: judges
whether the call breaks them, or tells a rule to a call that only reads.
"""

from __future__ import annotations

import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.pipelines.corrections.proposals.scope_inference import languages_of
from dopejar.pipelines.corrections.tool_checks.named_code import PROSE_FILES, READERS
from dopejar.pipelines.corrections.tool_checks.shell_words import simple_commands
from dopejar.pipelines.corrections.tool_checks.tool_calls import EDIT
from dopejar.pipelines.recall.kinds_of_work import CODE, COMMITS, WRITING, makes_commit, names_text, work_of_rule
from dopejar.pipelines.recall.passages import text_terms
from dopejar.text.code_languages import code_languages
from dopejar.text.lexicons import light_words
from dopejar.text.words import is_frequent, query_terms, stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dopejar.pipelines.corrections.tool_checks.tool_calls import ParsedToolCall
    from dopejar.values.record import Record

_ROOTED: Final = re.compile(r"[/~]|[A-Za-z]:/")  # the beginning of a path that names where it is
_RUNS: Final = re.compile(rf"{READERS}((?:\w[\w.-]*(?: |$)){{1,4}})")  # a program and its subcommands, before any path
_NEAREST: Final = 3  # parts of a path: its last two folders and the name of the file
_NAMING: Final = 2  # words of a command, each of which alone names what it does


class _Work(NamedTuple):
    """What a call does: its kind of work, the languages of its files, and the terms that name it."""

    kind: str = ""
    languages: frozenset[str] = frozenset()
    terms: frozenset[str] = frozenset()


def rules_of_call(call: ParsedToolCall, rules: Sequence[Record], place: str = "") -> list[Record]:
    """The rules that apply to an edit or a command, those that name most of it first.

    An edit is of the language of its file, and of code or of prose; a rule may name a part of the file's path below
    `place`, the directory of the work; of a file elsewhere, or where no place is known, its name and last two folders.
    A command is named by its program and subcommand.
    """
    work = _work_of_edit(call.paths, place) if call.does == EDIT else _work_of_command(call.command)
    weights = {rule.id: _weight(rule, work) for rule in rules} if any(work) else {}
    return sorted((rule for rule in rules if weights.get(rule.id)), key=lambda rule: -weights[rule.id])


def _work_of_edit(paths: Sequence[str], place: str) -> _Work:
    named = " ".join(_telling(path, place) for path in paths)
    is_prose = any(fnmatch(path, glob) for path in paths for glob in PROSE_FILES)
    return _Work(
        kind=CODE if code_languages(named) else WRITING if is_prose else "",
        languages=frozenset(languages_of(named)),
        terms=frozenset(term for term in query_terms(named) if not is_frequent(term)),
    )


def _telling(path: str, place: str) -> str:
    """The part of a path that tells of the work: below its place, else the nearest; homes and disks tell nothing."""
    path, place = path.replace("\\", "/"), place.replace("\\", "/")
    above = f"{place.rstrip('/')}/"
    if place and (path.startswith(above) or not _ROOTED.match(path)):
        return path.removeprefix(above)
    return "/".join(path.split("/")[-_NEAREST:])


def _work_of_command(line: str) -> _Work:
    commands = [found[1] for one in simple_commands(line) if (found := _RUNS.match(one))]
    return _Work(
        kind=COMMITS if any(map(makes_commit, commands)) else "",
        terms=frozenset(term for one in commands for term in _terms_of(one)),
    )


def _weight(rule: Record, work: _Work) -> int:
    """How much of a call a rule names, before whether the call is of its language or kind of work; 0 for another."""
    own = languages_of(rule.text) if rule.scope.kind != "language" else (rule.scope.name,)
    if work.languages and own and work.languages.isdisjoint(own):
        return 0
    is_of_work = bool(work.kind) and work_of_rule(rule.text) == work.kind
    is_of_letters = work.kind == WRITING and names_text(rule.text)  # no file tells that it is one
    is_meant = (is_of_work and not is_of_letters) or not work.languages.isdisjoint(own)
    return 2 * len(work.terms & text_terms(rule.text)) + is_meant


def _terms_of(command: str) -> list[str]:
    """The terms that name a command: its first two that are of no other, and what is rare of the rest."""
    of_many = frozenset(map(stem, (*light_words("en"), *code_languages(command))))  # "run", an interpreter
    telling = [term for term in query_terms(command) if term not in of_many]
    return [*telling[:_NAMING], *(term for term in telling[_NAMING:] if not is_frequent(term))]
