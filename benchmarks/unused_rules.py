"""Rules of language that never act: expressions, and alternatives within them, that nothing measured ever matched.

Takes: a measurement to run in this process (`run MODULE ARGUMENT...`) or files of turns to extract and detect from
(`turns FILE...`), and a file of counts that several runs share. Gives: the counts; with `report`, what never matched by
module and name, as JSON. Never: prints a text that was read, or changes what a rule finds.

    python -m benchmarks.unused_rules COUNTS run benchmarks.injections
    python -m benchmarks.unused_rules COUNTS turns training/data/reader/turns_1.txt
    python -m benchmarks.unused_rules COUNTS report

Every expression that a module of `ROOMS` compiles, also through the lexicons and the prefilter, is replaced by one that
counts which of its alternatives matched; of what must not stand somewhere, which kept it from matching. An alternative
that several expressions of a module share is unused where it matched in none. A whole expression that was never tried
may have been ruled out by the prefilter.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import runpy
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from pathlib import Path
from types import FrameType
from typing import Any, Final

ROOMS: Final = ("pipelines.ingest", "pipelines.corrections", "text", "language", "governance.signals")
_TALK: Final = 40  # turns that one memory is told
_ENOUGH: Final = 3  # matches, after which an expression is counted no more
_DYNAMIC: Final = 40  # expressions of one place, from which on they are made of what was read
_LEXICONS: Final = "dopejar.text.lexicons"  # compile what others give them
_PREFILTER: Final = "dopejar.text.regex_prefilter"  # compiles what data files hold, under its own name
_DENIES: Final = ("(?!", "(?<!")
_FLAGS_AT: Final = {"split": 2, "sub": 3, "subn": 3}  # where flags come behind the expression; else second
_ANCHORED: Final = ("match", "fullmatch")
_PARTS: Final = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?:P=\w+|[a-zA-Z]+)\)|\((?:\?(?:P<\w+>|<?[=!]|[\w-]*:|.))?|[|)]", re.DOTALL
)
_WORD: Final = re.compile(r"(?<!\\)[^\W\d_]{2}|[\u3400-\u9fff]")
_compile: Final = re.compile


@dataclass(frozen=True)
class Group:
    """A group of an expression: where its alternatives begin and end, and whether they must not stand there."""

    opening: tuple[int, int]
    spans: tuple[tuple[int, int], ...]
    denies: bool
    is_denied: bool  # it, or a group around it, denies


def groups_of(expression: str) -> Iterator[Group]:
    """The groups of an expression, each behind those within it; last the expression itself."""
    around: list[tuple[tuple[int, int], list[int]]] = [((0, 0), [])]
    for part in _PARTS.finditer(expression):
        if part[0] == "|":
            around[-1][1].append(part.start())
        elif part[0] == ")" and len(around) > 1:
            denied = any(expression[slice(*opening)] in _DENIES for opening, _ in around)
            yield _group(expression, *around.pop(), part.start(), is_denied=denied)
        elif part[0][0] == "(" and part[0][-1] != ")":
            around.append((part.span(), []))
    yield _group(expression, *around[0], len(expression), is_denied=False)


def _group(expression: str, opening: tuple[int, int], bars: list[int], end: int, *, is_denied: bool) -> Group:
    spans = tuple(zip((opening[1], *(bar + 1 for bar in bars)), (*bars, end), strict=True))
    return Group(opening, spans, expression[slice(*opening)] in _DENIES, is_denied)


@dataclass
class Rule:
    """An expression, how many texts it was tried on, and how often each of its alternatives matched; 0 is the whole."""

    expression: str
    flags: int
    asked: int = 0
    counts: dict[int, int] = field(default_factory=dict)
    is_told: bool = True  # whether the expression with marks finds what it does without
    seen: set[int] = field(default_factory=set)

    @cached_property
    def alternatives(self) -> dict[int, tuple[tuple[int, int], bool]]:
        """Where each stands, and whether it is denied."""
        found: dict[int, tuple[tuple[int, int], bool]] = {0: ((0, len(self.expression)), False)}
        for group in groups_of(self.expression) if not self.flags & re.VERBOSE else ():
            is_one = group.denies and _WORD.search(self.expression, *group.spans[0])
            for span in group.spans if len(group.spans) > 1 or is_one else ():
                found[len(found)] = (span, group.is_denied)
        return found

    @cached_property
    def _found(self) -> re.Pattern[str]:
        return self._marked(denied=False)

    @cached_property
    def _denied(self) -> re.Pattern[str] | None:
        """The expression where what must not stand somewhere may."""
        return self._marked(denied=True) if any(denied for _, denied in self.alternatives.values()) else None

    def _marked(self, *, denied: bool) -> re.Pattern[str]:
        put: dict[int, str] = defaultdict(str)
        for number, ((_, end), is_denied) in self.alternatives.items():
            if number and is_denied == denied:
                put[end] += f"(?P<zz{number}>)"
        cut: dict[int, int] = {}
        for group in groups_of(self.expression) if denied else ():
            if group.denies:
                begin, end = group.opening
                put[begin] += "(?:" + self.expression[begin:end].replace("!", "=")
                cut[begin] = end
                put[group.spans[-1][1] + 1] = "|)" + put[group.spans[-1][1] + 1]
        pieces, last = [], 0
        for at in sorted(put):
            pieces += [self.expression[last:at], put[at]]
            last = cut.get(at, at)
        return _compile("".join([*pieces, self.expression[last:]]), self.flags)

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to be counted."""
        return not self.is_told or all(self.counts.get(one, 0) >= _ENOUGH for one in self.alternatives)

    def note(self, how: str, text: str, span: tuple[int, int], found: Sequence[re.Match[str]]) -> bool:
        """Count what matched in a text that is new, and what kept it from matching; False once all is counted."""
        key = hash((how in _ANCHORED and how, text, span))
        if key in self.seen:
            return True
        self.seen.add(key)
        self.asked += 1
        try:
            for match in found:
                self.counts[0] = self.counts.get(0, 0) + 1
                way = "fullmatch" if how == "fullmatch" else "match"
                again = getattr(self._found, way)(text, match.start(), match.end() if how == "fullmatch" else span[1])
                self.is_told = self.is_told and again is not None
                self._count(again)
            if self._denied is not None:
                for other in self._denied.finditer(text, *span) if how not in _ANCHORED else ():
                    self._count(other)
                self._count(getattr(self._denied, how)(text, *span) if how in _ANCHORED else None)
        except re.error:
            self.is_told = False
        return not self.is_done

    def _count(self, match: re.Match[str] | None) -> None:
        for name, value in match.groupdict().items() if match is not None else ():
            if value is not None and name.startswith("zz"):
                self.counts[int(name[2:])] = self.counts.get(int(name[2:]), 0) + 1


class CountedPattern:
    """A compiled expression that counts what it matches, and is otherwise the expression."""

    def __init__(self, real: re.Pattern[str], rule: Rule) -> None:
        self._real, self._rule, self._counts = real, rule, True
        vars(self).update({how: partial(self._one, how) for how in ("search", "match", "fullmatch")})
        vars(self).update({how: partial(self._all, how) for how in ("finditer", "findall")})

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever an expression has
        return getattr(self._real, name)

    def _one(self, how: str, text: str, at: int = 0, end: int = sys.maxsize) -> re.Match[str] | None:
        found: re.Match[str] | None = getattr(self._real, how)(text, at, end)
        if self._counts:
            self._counts = self._rule.note(how, text, (at, end), [found] if found else [])
        return found

    def _all(self, how: str, text: str, at: int = 0, end: int = sys.maxsize) -> Any:  # noqa: ANN401 - as the real one
        if self._counts:
            self._counts = self._rule.note(how, text, (at, end), list(self._real.finditer(text, at, end)))
        return getattr(self._real, how)(text, at, end)

    def split(self, string: str, maxsplit: int = 0) -> list[str | Any]:
        """The parts of a text, as of any expression."""
        self._all("findall", string)
        return self._real.split(string, maxsplit)

    def sub(self, repl: str | Callable[[re.Match[str]], str], string: str, count: int = 0) -> str:
        """The text with its matches replaced."""
        return self.subn(repl, string, count)[0]

    def subn(self, repl: str | Callable[[re.Match[str]], str], string: str, count: int = 0) -> tuple[str, int]:
        """The text with its matches replaced, and how many they were."""
        self._all("findall", string)
        return self._real.subn(repl, string, count)


class Register:
    """The rules of a run by module, the name that they are compiled for, expression and flags."""

    def __init__(self) -> None:
        self._rules: dict[tuple[str, str, str, int], Rule] = {}
        self._by_place: dict[tuple[str, int, str, int], CountedPattern] = {}

    def install(self) -> None:
        """From now on what a room compiles counts."""
        re.compile = self._for(_compile, None)
        for name in ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"):
            setattr(re, name, self._for(getattr(re, name), name))

    def _for(self, real: Callable[..., Any], name: str | None) -> Callable[..., Any]:
        def compiled(pattern: object, *given: Any, **named: Any) -> Any:  # noqa: ANN401 - as the real one
            frame = sys._getframe(1)  # noqa: SLF001 - who compiles it is what is counted
            if not _in_rooms(frame.f_globals.get("__name__", "")) or not isinstance(pattern, str):
                return real(pattern, *given, **named)
            if name is None:
                return self._counted(frame, pattern, int(named.get("flags", given[0] if given else 0)))
            flags = named.pop("flags", given[_FLAGS_AT.get(name, 1)] if len(given) > _FLAGS_AT.get(name, 1) else 0)
            counted = self._counted(frame, pattern, int(flags))
            return getattr(counted, name)(*given[: _FLAGS_AT.get(name, 1)], **named)

        return compiled

    def _counted(self, frame: FrameType, pattern: str, flags: int) -> CountedPattern:
        caller: FrameType = frame
        while caller.f_globals["__name__"].startswith(_LEXICONS) and caller.f_back is not None:
            if not _in_rooms(caller.f_back.f_globals.get("__name__", "")):
                break
            caller = caller.f_back
        key = (caller.f_code.co_filename, caller.f_lineno, pattern, flags)
        if key not in self._by_place:
            name = _names(caller.f_code.co_filename).get(caller.f_lineno, "")
            rule = self._rules.setdefault((caller.f_globals["__name__"], name, pattern, flags), Rule(pattern, flags))
            self._by_place[key] = CountedPattern(_compile(pattern, flags), rule)
        return self._by_place[key]

    def add_to(self, path: Path) -> None:
        """Add what was counted to a file."""
        known = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        for (module, name, pattern, flags), rule in self._rules.items():
            one = known.setdefault(module, {}).setdefault(name, {}).setdefault(f"{flags}:{pattern}", {"asked": 0})
            one["asked"] += rule.asked
            one["is_told"] = one.get("is_told", True) and rule.is_told
            counts = one.setdefault("counts", {})
            for number, count in rule.counts.items():
                counts[str(number)] = counts.get(str(number), 0) + count
        path.write_text(json.dumps(known, ensure_ascii=False), "utf-8")


def _in_rooms(module: str) -> bool:
    return module.startswith("dopejar.") and module.removeprefix("dopejar.").startswith(ROOMS)


@cache
def _names(path: str) -> dict[int, str]:
    """The name that each line of a module gives a value to, or the function that it is in."""
    lines: dict[int, str] = {}
    for node in ast.parse(Path(path).read_text("utf-8")).body:
        name = getattr(node, "name", "")
        if isinstance(node, ast.Assign | ast.AnnAssign):
            name = ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target)
        lines.update(dict.fromkeys(range(node.lineno, (node.end_lineno or node.lineno) + 1), name))
    return lines


def unused(path: Path) -> dict[str, dict[str, list[str]]]:
    """By module and name, the expressions (marked "=") and alternatives that never matched."""
    found: dict[str, dict[str, list[str]]] = {}
    for module, names in json.loads(path.read_text("utf-8")).items():
        alive: set[str] = set()
        dead: dict[str, list[str]] = {}
        for name, patterns in names.items():
            for written, one in patterns.items() if len(patterns) < _DYNAMIC or module.startswith(_PREFILTER) else ():
                flags, _, pattern = written.partition(":")
                counts = {int(number): count for number, count in one.get("counts", {}).items()}
                rule = Rule(pattern, int(flags))
                for number, (span, denied) in rule.alternatives.items():
                    text = pattern[slice(*span)] if number else f"= {pattern}"
                    if counts.get(number, 0) or (number and not one["is_told"]):
                        alive.add(text)
                    elif not number or counts.get(0, 0) or denied:
                        dead.setdefault(name, []).append(text)
        for name, texts in dead.items():
            if left := [text for text in dict.fromkeys(texts) if text not in alive]:
                found.setdefault(module, {})[name] = left
    return found


def read_turns(paths: Sequence[Path]) -> None:
    """Tell memories without a model each turn of the files and what is marked in it; corrections are looked for."""
    from benchmarks.session_rules import PASSPHRASE, PROJECT, START
    from dopejar.bench.behaviour import ScenarioClock, reader_settings
    from dopejar.compose import build
    from dopejar.compose.stores import in_memory_store
    from dopejar.errors import DopejarError
    from dopejar.values.episode import Origin
    from dopejar.values.transcript import LiveTurn

    turns = [turn for path in paths for turn in turns_of(path)]
    for start in range(0, len(turns), _TALK):
        with tempfile.TemporaryDirectory() as home:
            settings = reader_settings(Path(home), "grammar")
            clock = ScenarioClock(START)
            with build(settings, in_memory_store(), project=PROJECT, environment={}, clock=clock) as memory:
                memory.reviewers.add("bench", PASSPHRASE)
                reviewer = memory.reviewers.unlock(PASSPHRASE)
                for number, (before, text, told) in enumerate(turns[start : start + _TALK]):
                    for origin, said in ((Origin.ASSISTANT, before), (Origin.USER, text)):
                        if said.strip():
                            name = f"{origin} {number}"
                            memory.observe(LiveTurn(conversation="talk", source_id=name, text=said, origin=origin))
                    for statement in told:
                        with suppress(DopejarError):
                            memory.remember(statement, said_by="user", by=reviewer)
                memory.sessions.end("talk")


def turns_of(path: Path) -> Iterator[tuple[str, str, list[str]]]:
    """Of each turn of a file what came before it, its text, and what is marked in it."""
    if path.suffix == ".jsonl":
        for row in map(json.loads, path.read_text("utf-8").splitlines()):
            yield str(row.get("prev_assistant", "")), str(row["text"]), []
        return
    before, text, told = "", "", list[str]()
    for line in [*path.read_text("utf-8").splitlines(), ""]:
        mark, words = line[:1], line[2:].replace("\\n", "\n")
        if mark == "B":
            before = words
        elif mark == "T":
            text = words
        elif mark and mark in "FRC":
            told.append(words.rsplit("|", 1)[-1].strip())
        elif not line.strip() and text:
            yield before, text, told
            before, text, told = "", "", []


def main() -> None:
    """Read the arguments; run and count, or report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("counts", type=Path)
    parser.add_argument("what", choices=("run", "turns", "report"))
    parser.add_argument("rest", nargs=argparse.REMAINDER)
    chosen = parser.parse_args()
    if chosen.what == "report":
        print(json.dumps(unused(chosen.counts), indent=1, ensure_ascii=False))
        return
    register = Register()
    register.install()
    try:
        if chosen.what == "turns":
            read_turns([Path(name) for name in chosen.rest])
        else:
            sys.argv = list(chosen.rest)
            runpy.run_module(chosen.rest[0], run_name="__main__", alter_sys=True)
    finally:
        register.add_to(chosen.counts)


if __name__ == "__main__":
    main()
