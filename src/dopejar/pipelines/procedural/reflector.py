"""What episodes with outcomes teach about how to work, read by rules.

Takes: the episodes of one conversation, in order. Gives: insights with the spans they rest on. Never: an insight that
nothing in the trace bears out, or the words of a tool as advice.

Two things teach: a command that failed and, after a step that is named, went through; and a fix that the assistant
explained and the user then confirmed.
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
from dopejar.pipelines.procedural.insights import Insight, joined_tags, span
from dopejar.text.sentences import sentences
from dopejar.values.episode import Episode, EpisodeKind, Origin
from dopejar.values.record import EvidenceRole
from dopejar.values.scope import UNIVERSAL, Scope, Side

FAILED: Final = "failure"
WORKED: Final = "success"
_WITHIN: Final = 40  # episodes between a failure and what mended it
_LONGEST_COMMAND: Final = 110
_LONGEST_ERROR: Final = 110
_LONGEST_FIX: Final = 240
_PROSE: Final = 1200  # letters of a user's turn; longer ones are no mere confirmation
_TRUST: Final[Mapping[Origin, float]] = {Origin.TOOL: 0.7, Origin.USER: 1.0, Origin.ASSISTANT: 0.4}
_SURE: Final = 0.65  # another form of the command went through
_LIKELY: Final = 0.55  # the same command went through after something else was done
_CONFIRMED: Final = 0.7
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

    def any_of(parts: Sequence[str]) -> re.Pattern[str]:
        return re.compile("|".join(f"(?:{part})" for part in parts), re.IGNORECASE)

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

    place: int
    tool: str
    command: str  # of a shell; the path of an edit; "" for any other tool
    result: Episode

    @property
    def program(self) -> str:
        """What is run, and what for: the first two words of a command that are no flags."""
        words = [word for word in self.command.split() if "=" not in word and word not in ("sudo", "env", "time")]
        return " ".join(word for word in words[:2] if not word.startswith("-"))


def reflect(
    episodes: Sequence[Episode], *, scope: Scope = UNIVERSAL, source_hint: Side = Side.NONE
) -> tuple[Insight, ...]:
    """The insights of one conversation, in the order in which they were had.

    Each rests on outcomes: on the failing and the passing result, or on the user's confirmation. The same episodes
    give the same insights.
    """
    steps = list(_steps(episodes))
    found = [*_mended(steps, scope, source_hint), *_confirmed(episodes, scope, source_hint)]
    return tuple(insight for _, insight in sorted(found, key=lambda pair: pair[0]))


def _steps(episodes: Sequence[Episode]) -> Iterator[_Step]:
    calls = {one.id: one for one in episodes if one.kind is EpisodeKind.TOOL_CALL}
    last: Episode | None = None
    for place, one in enumerate(episodes):
        if one.kind is EpisodeKind.TOOL_CALL:
            last = one
        elif one.kind is EpisodeKind.TOOL_RESULT and one.origin is Origin.TOOL:
            call = calls.get(one.parent) if one.parent else None
            chosen = call or last
            if chosen is not None:
                tool, command = read_call(chosen.text)
                yield _Step(place, tool, command, one)
            last = None


def read_call(text: str) -> tuple[str, str]:
    """The tool and the command (or the path of an edit) of a call written as `Tool {"name": ...}`; "" where none."""
    found = _CALL.match(text)
    if not found:
        return text.split("\n", 1)[0].split(" ", 1)[0].casefold()[:60], ""
    tool, body = found["tool"].casefold(), found["body"]
    names = ("command", "cmd") if tool in _cues().shells else ("file_path", "path") if tool in _cues().edits else ()
    for name in names:
        field = re.search(_FIELD.format(name=name), body)
        if field:
            try:
                return tool, " ".join(str(json.loads(f'"{field[1]}"')).split())
            except ValueError:  # a body that was cut in the middle of an escape; the raw letters will do
                return tool, " ".join(field[1].split())
    return tool, ""


def _mended(steps: Sequence[_Step], scope: Scope, hint: Side) -> Iterator[tuple[int, Insight]]:
    """A command that failed, and what made it go through."""
    for at, failed in enumerate(steps):
        if failed.result.outcome != FAILED or failed.tool not in _cues().shells or not _is_nameable(failed.command):
            continue
        near = steps[at + 1 : at + 1 + _WITHIN]  # no two steps end at one place
        later = [one for one in near if one.place - failed.place <= _WITHIN]
        again = next((i for i, one in enumerate(later) if _repeats(failed, one)), None)
        if again is None or later[again].result.outcome != WORKED:
            continue  # it failed again, or was given up: a later failure has its own mending
        insight = _lesson(failed, later[:again], later[again], scope, hint)
        if insight is not None:
            yield later[again].place, insight


def _repeats(failed: _Step, later: _Step) -> bool:
    is_shell = later.tool in _cues().shells and bool(failed.program) and later.program == failed.program
    return is_shell and later.result.outcome in (WORKED, FAILED)


def _is_nameable(command: str) -> bool:
    return 0 < len(command) <= _LONGEST_COMMAND and "`" not in command and "<<" not in command


def _lesson(
    failed: _Step, between: Sequence[_Step], passed: _Step, scope: Scope, hint: Side
) -> Insight | None:
    error = error_line(failed.result.text)
    told = f" with \"{error}\"" if error else ""
    if passed.command != failed.command:
        if not _is_nameable(passed.command):
            return None
        text = f"When `{failed.command}` fails{told}, run `{passed.command}`."
        sureness, kind = _SURE, BulletType.TOOL_RULE
    else:
        step = _what_helped(between)
        if not step:
            return None
        text = f"When `{failed.command}` fails{told}, {step} and run it again."
        sureness, kind = _LIKELY, BulletType.PITFALL
    rows = tuple(
        span(one, text, trust=_TRUST[Origin.TOOL], confidence=sureness, said=said)
        for one, said in ((failed.result, error), (passed.result, ""))
    )
    return Insight(
        text=text,
        evidence=rows,
        origin=Origin.TOOL,
        bullet_type=kind,
        tags=joined_tags(("mended", PurePath(failed.program.split(" ")[0]).name)),
        confidence=sureness,
        source_hint=hint,
        source_trace_id=failed.result.trace_id,
        scope=scope,
        why="a failure, and the same went through later",
        quoted=error,
    )


def _what_helped(between: Sequence[_Step]) -> str:
    """The last successful step before it went through: another command, or the file that was changed."""
    for one in reversed(between):
        if one.tool in _cues().edits and one.command and one.result.outcome != FAILED:
            return f"look at `{PurePath(one.command.replace(chr(92), '/')).name}`"
        if one.tool in _cues().shells and one.result.outcome == WORKED and _changes_something(one.command):
            return f"run `{one.command}` first"
    return ""


def _changes_something(command: str) -> bool:
    looking = ("ls", "cat", "head", "tail", "grep", "rg", "find", "pwd", "echo", "which", "wc", "git status", "git log")
    return _is_nameable(command) and not command.startswith(tuple(f"{word} " for word in looking)) and (
        command not in looking
    )


def error_line(text: str) -> str:
    """The line that tells the error best: the last that names one, shortened at a word; "" where none does."""
    named = [line for line in text.splitlines() if _cues().errors.search(line)]
    line = _NOISE.sub("", named[-1]).strip().replace('"', "'").replace("`", "'") if named else ""
    line = " ".join(line.split())
    if len(line) > _LONGEST_ERROR:
        line = line[:_LONGEST_ERROR].rsplit(" ", 1)[0]
    return line.rstrip(" .,:;")


def _confirmed(episodes: Sequence[Episode], scope: Scope, hint: Side) -> Iterator[tuple[int, Insight]]:
    """A fix that the assistant explained, and the user's word that it worked."""
    told: Episode | None = None
    for place, one in enumerate(episodes):
        if one.origin is Origin.ASSISTANT and one.kind is EpisodeKind.TURN and one.text.strip():
            told = one
        elif one.origin is Origin.USER and one.kind is EpisodeKind.TURN and not one.note:
            fix = explained_fix(told.text) if told is not None and confirms(one) else ""
            if told is not None and fix:
                yield place, _advice(fix, told, one, scope, hint)
            told = None


def confirms(turn: Episode) -> bool:
    """Whether a user's turn says that something worked, without a doubt in the same sentence."""
    if turn.outcome == "confirmed":
        return True
    if turn.outcome or len(turn.text) > _PROSE:
        return False
    first = next((piece.text for piece in sentences(turn.text) if piece.kind == "prose"), "")
    return _cues().confirmations.search(first) is not None and _cues().doubts.search(first) is None


def explained_fix(text: str) -> str:
    """The last sentence in which a fix is explained; "" where there is none that can stand by itself."""
    told = [piece.text for piece in sentences(text) if piece.kind in ("prose", "list")]
    fit = [one for one in told if _cues().fixes.search(one) and 20 <= len(one) <= _LONGEST_FIX and "?" not in one]
    return " ".join(fit[-1].split()).strip("*_# ") if fit else ""


def _advice(fix: str, told: Episode, turn: Episode, scope: Scope, hint: Side) -> Insight:
    rows = (
        span(turn, fix, trust=_TRUST[Origin.USER], confidence=_CONFIRMED),
        span(told, fix, trust=_TRUST[Origin.ASSISTANT], confidence=_CONFIRMED, said=fix, role=EvidenceRole.CONTEXT),
    )
    return Insight(
        text=fix,
        evidence=rows,
        origin=Origin.USER,
        bullet_type=BulletType.EXAMPLE,
        tags=("confirmed",),
        confidence=_CONFIRMED,
        source_hint=hint,
        source_trace_id=told.trace_id,
        scope=scope,
        why="the user confirmed that it worked",
    )
