"""Checks of tool calls, and which of them match a call.

Takes: frozen checks, tool calls. Gives: the checks that match, with the part of the call that they match. Never: denies
a call: a check asks (`prompt`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from typing import Final

from dopejar.pipelines.corrections.tool_checks.launched_commands import launched
from dopejar.pipelines.corrections.tool_checks.named_code import ENDED, LISTS
from dopejar.pipelines.corrections.tool_checks.shell_words import simple_commands
from dopejar.pipelines.corrections.tool_checks.tool_calls import SHELL, ParsedToolCall, added_text, read_call
from dopejar.values.ids import RecordId

PROMPT: Final = "prompt"
_I: Final = re.IGNORECASE


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolCheck:
    """A test of tool calls. `tools` are `shell` and `edit`; the patterns are regular expressions.

    `command` is matched against each command of a shell call, `on_branch` likewise while `branch` is checked out;
    `written` against the text of an edit, or only its code where `in_code` is set; `paths` are globs of which one must
    match, `spared` those of which none may. `listed` is matched against an edited list of dependencies. An empty field
    matches anything.
    """

    record_id: RecordId
    tools: tuple[str, ...]
    message: str
    command: str = ""
    written: str = ""
    listed: str = ""
    paths: tuple[str, ...] = ()
    spared: tuple[str, ...] = ()
    branch: str = ""
    on_branch: str = ""
    in_code: bool = False
    unless: str = ""
    effect: str = PROMPT


@dataclass(frozen=True, kw_only=True, slots=True)
class CheckMatch:
    """A check that matches a call, and the part of the call that it matches."""

    check: ToolCheck
    found: str


def message_of(rule: str) -> str:
    """What a person is told of a call that breaks a rule."""
    return f"This call goes against: {' '.join(rule.split()).rstrip('.! ')}"


def check_call(
    tool: str, given: Mapping[str, object], checks: Iterable[ToolCheck], *, branch: str = ""
) -> tuple[CheckMatch, ...]:
    """The checks that match a call, in order. `branch` is the branch checked out, where that is known."""
    return check(read_call(tool, given), checks, branch=branch)


def check(call: ParsedToolCall, checks: Iterable[ToolCheck], *, branch: str = "") -> tuple[CheckMatch, ...]:
    """The checks that match a call that is parsed already."""
    results = ((rule, _matched_text(rule, call, branch)) for rule in checks)
    return tuple(CheckMatch(check=rule, found=text) for rule, text in results if text)


def _matched_text(rule: ToolCheck, call: ParsedToolCall, branch: str) -> str:
    if call.does not in rule.tools:
        return ""
    if rule.unless and re.search(rule.unless, call.command or call.written, _I):
        return ""
    if call.does == SHELL:
        return _matched_command(rule, call, branch)
    suffixes = [suffix for path in call.paths for suffix in _path_suffixes(path)]

    def is_one_of(globs: tuple[str, ...]) -> bool:
        return any(fnmatch(suffix, glob) for suffix in suffixes for glob in globs)

    pattern = rule.listed if rule.listed and is_one_of(LISTS) else rule.written
    if (rule.paths and not is_one_of(rule.paths)) or (pattern != rule.listed and is_one_of(rule.spared)):
        return ""
    if not pattern:
        return call.paths[0] if rule.paths and call.paths else ""
    match = re.search(pattern, added_text(call, in_code=rule.in_code), re.MULTILINE)
    return match[0].strip().rsplit("\n", 1)[-1].strip() if match else ""


def _matched_command(rule: ToolCheck, call: ParsedToolCall, branch: str) -> str:
    """The first command that breaks the rule; a switch of branches is in effect for the commands after it."""
    for command in simple_commands(call.command) if rule.command or rule.on_branch else ():
        if rule.command and any(re.match(rule.command, one) for one in _run_by(command, rule)):
            return command
        if rule.on_branch and branch == rule.branch and re.match(rule.on_branch, command):
            return command
        switched = _SWITCHES.fullmatch(command)
        branch = switched["branch"] if switched else branch
    return ""


def _run_by(command: str, rule: ToolCheck) -> Iterator[str]:
    """A command and what it launches, unless the rule names the launcher: it may want that ("use uv run pytest")."""
    yield command
    is_bare = rule.command.count(ENDED) == 1  # "use uv, never python": any launcher of uv's is wanted
    for launcher, inner in launched(command):
        wanted = launcher.split()[0] if is_bare and launcher else launcher
        if not wanted or not re.search(rf"(?<![\w-]){re.escape(wanted)}(?![\w-])", rule.message, _I):
            yield inner


_SWITCHES: Final = re.compile(
    r"git (?:checkout|switch)(?: -[bBcC]| --create| --track)? (?P<branch>[^\s-]\S*)(?: [^\s-]\S*)?"
)


def _path_suffixes(path: str) -> tuple[str, ...]:
    """A path and all its suffixes: `src/db/a.sql`, `db/a.sql`, `a.sql`."""
    pieces = path.replace("\\", "/").lstrip("./").split("/")
    return tuple("/".join(pieces[start:]) for start in range(len(pieces)))
