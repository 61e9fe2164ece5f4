"""Many files through `learn`: which ones, one by one, and what became of them.

Takes: files and directories. Gives: results, failures and skipped files, as lines and as data. Never: stops at a file
that cannot be read.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.doors.cli.command_context import json_fields
from dopejar.doors.cli.text_format import counted, safe, table
from dopejar.errors import InputError, NotFoundError

if TYPE_CHECKING:
    from dopejar.doors.cli.command_context import CommandContext
    from dopejar.engine.memory import Memory
    from dopejar.engine.results import Learned
    from dopejar.values.scope import Namespace

ENDINGS: Final = frozenset({".jsonl", ".json", ".md", ".markdown", ".txt"})
PASSED_BY: Final = frozenset({".git", ".venv", "node_modules", "__pycache__", "site-packages"})


@dataclass(frozen=True, kw_only=True)
class Learning:
    """What became of all files: results, failures with their sentence, and what else directories hold."""

    done: tuple[Learned, ...]
    failed: tuple[tuple[str, str], ...]
    skipped: tuple[tuple[str, str], ...]

    @property
    def kept(self) -> bool:
        """Whether any turn is kept now or was before."""
        return any(one.episodes or one.known for one in self.done)

    @property
    def nothing_new(self) -> bool:
        """Whether no turn was new."""
        return not any(one.episodes for one in self.done)


def learn_all(
    context: CommandContext, memory: Memory, names: Sequence[str], format_name: str | None, namespace: Namespace
) -> Learning:
    """Learn file by file. What a directory holds besides transcripts is skipped; a file that is named must be one."""
    done: list[Learned] = []
    failed: list[tuple[str, str]] = []
    files, skipped = _chosen(names, format_name, failed)
    with context.progress_bar("learning") as progress:
        for place, path in enumerate(files, 1):

            def told(what: str, many: int, of: int, *, shown: str = f"{path.name} ({place}/{len(files)})") -> None:
                progress(f"{shown} {what}", many, of)

            told("reading", 0, 0)
            try:
                done += memory.learn(
                    [path], format_name=format_name, namespace=namespace.value, progress=told, trace_id=context.trace_id
                )
            except (InputError, NotFoundError) as fault:
                failed.append((str(path), str(fault)))
    return Learning(done=tuple(done), failed=tuple(failed), skipped=tuple(skipped))


def _chosen(
    names: Sequence[str], format_name: str | None, failed: list[tuple[str, str]]
) -> tuple[list[Path], list[tuple[str, str]]]:
    """The files to learn from, each once, and those of directories that are no transcripts."""
    from dopejar.compose import transcript_format

    files: dict[Path, None] = {}
    skipped: list[tuple[str, str]] = []
    for name in names:
        path = Path(name).expanduser()
        if not path.is_dir():
            files[path] = None
            continue
        inside = transcripts_in(path)
        if not inside:
            endings = ", ".join(sorted(ENDINGS))
            failed.append((str(path), f"{path} holds no file that could be a transcript ({endings})."))
        for one in inside:
            try:
                if not format_name:
                    transcript_format(one)
                files[one] = None
            except (InputError, NotFoundError) as fault:
                skipped.append((str(one), str(fault)))
    return list(files), skipped


def transcripts_in(path: Path) -> list[Path]:
    """Files below a directory that may be transcripts, by their endings, in order."""
    found = []
    for directory, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in PASSED_BY)
        found += [Path(directory) / name for name in sorted(names) if Path(name).suffix.lower() in ENDINGS]
    return found


def learning_data(result: Learning, embedded: int) -> dict[str, object]:
    """The same as data, with the first fault as `error` where a file failed or nothing was kept."""
    is_well = not result.failed and result.kept
    said = result.failed[0][1] if result.failed else "The files hold no turns that may be kept."
    return {
        "ok": is_well,
        **({} if is_well else {"error": {"kind": "InputError", "message": said}}),
        "files": [json_fields(one) for one in result.done],
        "failed": [{"path": path, "message": said} for path, said in result.failed],
        "skipped": [{"path": path, "message": said} for path, said in result.skipped],
        "totals": {name: dict(counts) for name, counts in _totals(result.done).items()},
        "embedded": embedded,
    }


def _totals(done: Sequence[Learned]) -> dict[str, Counter[str]]:
    sums: dict[str, Counter[str]] = {
        name: Counter()
        for name in ("read", "kept", "unknown", "not_words", "outcomes", "left_out", "redactions", "guarded")
    }
    for one in done:
        report = one.report
        sums["read"].update(
            conversations=report.conversations,
            turns=report.turns,
            user_turns=report.user_turns,
            harness_turns=report.harness_turns,
            damaged=len(report.damaged),
        )
        sums["kept"].update(
            new=one.episodes,
            known_before=one.known,
            not_consented=one.refused,
            erased_before=one.buried,
            atoms=one.atoms,
        )
        sums["unknown"].update(report.unknown)
        sums["not_words"].update(report.left_out)
        for name in ("outcomes", "left_out", "redactions", "guarded"):
            sums[name].update(getattr(one, name))
    return sums


def learned_lines(result: Learning, embedded: int, waits: int) -> Iterator[str]:
    """Counts that a person can check against the files."""
    rows = [
        (
            one.report.format,
            one.report.conversations,
            one.report.turns,
            one.report.user_turns,
            one.report.harness_turns,
            one.episodes,
            one.known,
            one.atoms,
            counted(one.outcomes),
            _short(one.path),
        )
        for one in result.done
    ]
    columns = ("format", "conv.", "turns", "user", "harness", "new", "known", "atoms", "became", "file")
    yield from table(columns, rows)
    yield from _sums(_totals(result.done), len(result.done))
    for one in result.done:
        for said in one.report.damaged[:5]:
            yield f"damaged: {_short(one.path)}: {safe(said)}"
        if len(one.report.damaged) > 5:
            yield f"damaged: {_short(one.path)}: and {len(one.report.damaged) - 5} more parts, see --json"
    yield from _not_learned(result)
    if embedded:
        yield f"embedded: {embedded} texts"
    yield from _conclusion(result)
    if waits:
        yield f"{waits} {'waits' if waits == 1 else 'wait'} for a person: `dopejar review`."


def _sums(sums: Mapping[str, Counter[str]], files: int) -> Iterator[str]:
    read, kept = sums["read"], sums["kept"]
    if files > 1:
        yield (
            f"in all: {read['conversations']} conversations, {read['turns']} turns, {read['user_turns']} of the user, "
            f"{read['harness_turns']} of the harness; {kept['new']} new, {kept['known_before']} known; "
            f"{kept['atoms']} atoms: {counted(sums['outcomes'])}"
        )
    for name, counts in (
        ("redacted", sums["redactions"]),
        ("not learned from", sums["guarded"]),
        ("left out", sums["left_out"]),
        ("records of unknown kind, kept as text", sums["unknown"]),
        ("records that hold nobody's words", sums["not_words"]),
        ("turns not kept", Counter(not_consented_to=kept["not_consented"], erased_before=kept["erased_before"])),
    ):
        if counts.total():
            yield f"{name}: {counted(counts)}"


def _not_learned(result: Learning) -> Iterator[str]:
    for path, said in result.skipped[:5]:
        yield f"skipped: {_with_path(path, said)}"
    if len(result.skipped) > 5:
        yield f"skipped: and {len(result.skipped) - 5} more files, see --json"
    for path, said in result.failed:
        yield f"failed: {_with_path(path, said)}"


def _with_path(path: str, said: str) -> str:
    return safe(said if path in said else f"{path}: {said}")


def _conclusion(result: Learning) -> Iterator[str]:
    outcomes = _totals(result.done)["outcomes"]
    if not result.done:
        yield "Nothing was kept: no file could be read."
    elif not result.kept:
        yield "Nothing was kept: the files hold no turns that may be kept."
    elif result.nothing_new and not outcomes.total():
        yield "Nothing is new: every turn was known already."
    elif not outcomes.total():
        yield "The turns are kept, and recall quotes them; no memory was made of them, for the reasons above."


def _short(path: str, most: int = 48) -> str:
    text = safe(path)
    return text if len(text) <= most else f"…{text[-most + 1 :]}"
