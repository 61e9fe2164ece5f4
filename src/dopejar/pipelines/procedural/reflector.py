"""The reflector: insights that rules read from episodes with outcomes.

Takes: the episodes of one conversation, in order. Gives: insights with their evidence. Never: an insight that nothing
in the episodes supports, or the words of a tool as advice.

Insights come from two patterns: a command that failed and succeeded after a step that can be named, and a fix that the
assistant explained and the user then confirmed.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import PurePath
from typing import Final

from dopejar.pipelines.procedural.bullets import BulletType
from dopejar.pipelines.procedural.insights import Insight, evidence_in, join_tags
from dopejar.text.sentences import sentences
from dopejar.values.episode import UNDATED, Episode, EpisodeKind, Origin
from dopejar.values.record import EvidenceRole
from dopejar.values.scope import UNIVERSAL, Scope, Side

FAILED: Final = "failure"
WORKED: Final = "success"
_WITHIN: Final = 40  # episodes between a failure and its repair
_LONGEST_COMMAND: Final = 110
_LONGEST_ERROR: Final = 110
_LONGEST_FIX: Final = 240
_LONGEST_CONFIRMATION: Final = 1200  # characters of a user's turn; a longer one is no mere confirmation
_TRUST: Final[Mapping[Origin, float]] = {Origin.TOOL: 0.7, Origin.USER: 1.0, Origin.ASSISTANT: 0.4}
_OTHER_COMMAND_CONFIDENCE: Final = 0.65  # another form of the command succeeded
_OTHER_STEP_CONFIDENCE: Final = 0.55  # the same command succeeded after something else was done
_CONFIRMED_CONFIDENCE: Final = 0.7
_CALL: Final = re.compile(r"(?P<tool>[\w.:-]{1,60})\s+(?P<body>\{.*)", re.DOTALL)
_FIELD: Final = r'"{name}"\s*:\s*"((?:[^"\\]|\\.)*)"'
_NOISE: Final = re.compile(r"\x1b\[[0-9;]*m|^\s*(?:\d{4}-\d\d-\d\d\S*\s+)?")


@dataclass(frozen=True, slots=True)
class _Cues:
    errors: re.Pattern[str]
    fixes: re.Pattern[str]
    confirmations: re.Pattern[str]
    doubts: re.Pattern[str]
    edits: frozenset[str]
    shells: frozenset[str]


@lru_cache(maxsize=1)
def _cues() -> _Cues:
    with files("dopejar.pipelines.procedural").joinpath("data", "reflection.toml").open("rb") as stream:
        data = tomllib.load(stream)

    def any_of(patterns: Sequence[str]) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)

    return _Cues(
        errors=any_of(data["errors"]["lines"]),
        fixes=any_of(data["fixes"]["sentences"]),
        confirmations=any_of(data["confirmations"]["turns"]),
        doubts=any_of(data["confirmations"]["doubts"]),
        edits=frozenset(data["edits"]["tools"]),
        shells=frozenset(data["shells"]["tools"]),
    )


@dataclass(frozen=True, slots=True)
class _Step:
    """One tool call with its result."""

    position: int
    tool: str
    command: str  # of a shell; the path of an edit; "" for any other tool
    result: Episode

    @property
    def program(self) -> str:
        """The program and its subcommand: the first two words of a command that are no flags."""
        words = [word for word in self.command.split() if "=" not in word and word not in ("sudo", "env", "time")]
        return " ".join(word for word in words[:2] if not word.startswith("-"))


def reflect(
    episodes: Sequence[Episode], *, scope: Scope = UNIVERSAL, source_hint: Side = Side.NONE
) -> tuple[Insight, ...]:
    """The insights of one conversation, in the order of their episodes.

    Each rests on outcomes: the failing and the passing result, or the user's confirmation. The same episodes give the
    same insights.
    """
    steps = list(_steps(episodes))
    placed = [*_repairs(steps, scope, source_hint), *_confirmed_fixes(episodes, scope, source_hint)]
    return tuple(insight for _, insight in sorted(placed, key=lambda pair: pair[0]))


def _steps(episodes: Sequence[Episode]) -> Iterator[_Step]:
    calls = {episode.id: episode for episode in episodes if episode.kind is EpisodeKind.TOOL_CALL}
    last_call: Episode | None = None
    for position, episode in enumerate(episodes):
        if episode.kind is EpisodeKind.TOOL_CALL:
            last_call = episode
        elif episode.kind is EpisodeKind.TOOL_RESULT and episode.origin is Origin.TOOL:
            call = (calls.get(episode.parent) if episode.parent else None) or last_call
            if call is not None:
                tool, command = read_call(call.text)
                yield _Step(position, tool, command, episode)
            last_call = None


def read_call(text: str) -> tuple[str, str]:
    """The tool and the command (or the path of an edit) of a call written as `Tool {"name": ...}`; "" where none."""
    match = _CALL.match(text)
    if not match:
        return text.split("\n", 1)[0].split(" ", 1)[0].casefold()[:60], ""
    tool, body = match["tool"].casefold(), match["body"]
    names = ("command", "cmd") if tool in _cues().shells else ("file_path", "path") if tool in _cues().edits else ()
    for name in names:
        field = re.search(_FIELD.format(name=name), body)
        if field:
            try:
                return tool, " ".join(str(json.loads(f'"{field[1]}"')).split())
            except ValueError:  # the body was cut in the middle of an escape: the raw characters will do
                return tool, " ".join(field[1].split())
    return tool, ""


def _repairs(steps: Sequence[_Step], scope: Scope, hint: Side) -> Iterator[tuple[int, Insight]]:
    """A command that failed, and what made it succeed."""
    for at, failed in enumerate(steps):
        if failed.result.outcome != FAILED or failed.tool not in _cues().shells or not _is_nameable(failed.command):
            continue
        following = steps[at + 1 : at + 1 + _WITHIN]  # no two steps end at one position
        later = [step for step in following if step.position - failed.position <= _WITHIN]
        again = next((i for i, step in enumerate(later) if _repeats(failed, step)), None)
        if again is None or later[again].result.outcome != WORKED:
            continue  # it failed again, or was given up: a later failure has its own repair
        insight = _lesson(failed, later[:again], later[again], scope, hint)
        if insight is not None:
            yield later[again].position, insight


def _repeats(failed: _Step, later: _Step) -> bool:
    is_shell = later.tool in _cues().shells and bool(failed.program) and later.program == failed.program
    return is_shell and later.result.outcome in (WORKED, FAILED)


def _is_nameable(command: str) -> bool:
    return 0 < len(command) <= _LONGEST_COMMAND and "`" not in command and "<<" not in command


def _lesson(failed: _Step, between: Sequence[_Step], passed: _Step, scope: Scope, hint: Side) -> Insight | None:
    error = error_line(failed.result.text)
    with_error = f' with "{error}"' if error else ""
    if passed.command != failed.command:
        if not _is_nameable(passed.command):
            return None
        text = f"When `{failed.command}` fails{with_error}, run `{passed.command}`."
        confidence, kind = _OTHER_COMMAND_CONFIDENCE, BulletType.TOOL_RULE
    else:
        step = _helpful_step(between)
        if not step:
            return None
        text = f"When `{failed.command}` fails{with_error}, {step} and run it again."
        confidence, kind = _OTHER_STEP_CONFIDENCE, BulletType.PITFALL
    rows = tuple(
        evidence_in(result, text, trust=_TRUST[Origin.TOOL], confidence=confidence, quotation=quotation)
        for result, quotation in ((failed.result, error), (passed.result, ""))
    )
    return Insight(
        text=text,
        evidence=rows,
        origin=Origin.TOOL,
        bullet_type=kind,
        tags=join_tags(("mended", PurePath(failed.program.split(" ")[0]).name)),
        confidence=confidence,
        source_hint=hint,
        source_trace_id=failed.result.trace_id,
        scope=scope,
        why="a failure, and the same went through later",
        quoted=error,
    )


def _helpful_step(between: Sequence[_Step]) -> str:
    """The last successful step before it succeeded: another command, or the file that was changed."""
    for step in reversed(between):
        if step.tool in _cues().edits and step.command and step.result.outcome != FAILED:
            return f"look at `{PurePath(step.command.replace(chr(92), '/')).name}`"
        if step.tool in _cues().shells and step.result.outcome == WORKED and _changes_something(step.command):
            return f"run `{step.command}` first"
    return ""


def _changes_something(command: str) -> bool:
    read_only = (
        "ls",
        "cat",
        "head",
        "tail",
        "grep",
        "rg",
        "find",
        "pwd",
        "echo",
        "which",
        "wc",
        "git status",
        "git log",
    )
    return (
        _is_nameable(command)
        and not command.startswith(tuple(f"{word} " for word in read_only))
        and (command not in read_only)
    )


def error_line(text: str) -> str:
    """The last line that names an error, shortened at a word; "" where no line does."""
    named = [line for line in text.splitlines() if _cues().errors.search(line)]
    line = _NOISE.sub("", named[-1]).strip().replace('"', "'").replace("`", "'") if named else ""
    line = " ".join(line.split())
    if len(line) > _LONGEST_ERROR:
        line = line[:_LONGEST_ERROR].rsplit(" ", 1)[0]
    return line.rstrip(" .,:;")


def _confirmed_fixes(episodes: Sequence[Episode], scope: Scope, hint: Side) -> Iterator[tuple[int, Insight]]:
    """Fixes that the assistant explained, with the user's turn that says that they worked."""
    explanation: Episode | None = None
    for position, episode in enumerate(episodes):
        if episode.origin is Origin.ASSISTANT and episode.kind is EpisodeKind.TURN and episode.text.strip():
            explanation = episode
        elif episode.origin is Origin.USER and episode.kind is EpisodeKind.TURN and episode.note in ("", UNDATED):
            fix = explained_fix(explanation.text) if explanation is not None and confirms(episode) else ""
            if explanation is not None and fix:
                yield position, _confirmed_insight(fix, explanation, episode, scope, hint)
            explanation = None


def confirms(turn: Episode) -> bool:
    """Whether a user's turn says that something worked, without a doubt in the same sentence."""
    if turn.outcome == "confirmed":
        return True
    if turn.outcome or len(turn.text) > _LONGEST_CONFIRMATION:
        return False
    first = next((piece.text for piece in sentences(turn.text) if piece.kind == "prose"), "")
    return _cues().confirmations.search(first) is not None and _cues().doubts.search(first) is None


def explained_fix(text: str) -> str:
    """The last sentence that explains a fix and can stand by itself; "" where there is none."""
    prose = [piece.text for piece in sentences(text) if piece.kind in ("prose", "list")]
    fit = [line for line in prose if _cues().fixes.search(line) and 20 <= len(line) <= _LONGEST_FIX and "?" not in line]
    return " ".join(fit[-1].split()).strip("*_# ") if fit else ""


def _confirmed_insight(fix: str, explanation: Episode, turn: Episode, scope: Scope, hint: Side) -> Insight:
    rows = (
        evidence_in(turn, fix, trust=_TRUST[Origin.USER], confidence=_CONFIRMED_CONFIDENCE),
        evidence_in(
            explanation,
            fix,
            trust=_TRUST[Origin.ASSISTANT],
            confidence=_CONFIRMED_CONFIDENCE,
            quotation=fix,
            role=EvidenceRole.CONTEXT,
        ),
    )
    return Insight(
        text=fix,
        evidence=rows,
        origin=Origin.USER,
        bullet_type=BulletType.EXAMPLE,
        tags=("confirmed",),
        confidence=_CONFIRMED_CONFIDENCE,
        source_hint=hint,
        source_trace_id=explanation.trace_id,
        scope=scope,
        why="the user confirmed that it worked",
    )
