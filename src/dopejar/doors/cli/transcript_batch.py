"""Batch import for `learn`: selects transcript files, learns from each, and reports the results.

Takes: files and directories. Gives: results, failures and skipped files, as text and as data. Never: stops at a file
that cannot be read.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from dopejar.doors.cli.command_context import FAILED, OK, json_fields, waiting_line
from dopejar.doors.cli.text_format import counted, one_line, safe, table
from dopejar.errors import DopejarError, InputError, NotFoundError

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.doors.cli.command_context import CommandContext
    from dopejar.engine.memory import Memory
    from dopejar.engine.queries.recent_changes import RecentChange
    from dopejar.engine.results import Learned
    from dopejar.values.scope import Namespace

TRANSCRIPT_SUFFIXES: Final = frozenset({".jsonl", ".json", ".md", ".markdown", ".txt"})
IGNORED_DIRECTORIES: Final = frozenset({".git", ".venv", "node_modules", "__pycache__", "site-packages"})
_MAX_LISTED: Final = 5  # damaged entries or skipped files per listing
_MOST_CHANGES: Final = 10
_EVERY: Final = 1_000_000


@dataclass(frozen=True, kw_only=True)
class TranscriptBatch:
    """The result of an import: what was learned per file, failures with their error, and skipped files."""

    done: tuple[Learned, ...]
    failed: tuple[tuple[str, DopejarError], ...]
    skipped: tuple[tuple[str, str], ...]

    @property
    def kept(self) -> bool:
        """Whether any turn of the files is stored, now or from before."""
        return any(learned.episodes or learned.known for learned in self.done)

    @property
    def exit_code(self) -> int:
        """That of the error where nothing could be read; 1 where a part failed or nothing was kept."""
        if self.failed:
            codes = {error.exit_code for _, error in self.failed}
            return codes.pop() if len(codes) == 1 and not self.done else FAILED
        return OK if self.kept else FAILED

    @property
    def nothing_new(self) -> bool:
        """Whether no turn was new."""
        return not any(learned.episodes for learned in self.done)


def learn_all(
    context: CommandContext, memory: Memory, names: Sequence[str], format_name: str | None, namespace: Namespace
) -> TranscriptBatch:
    """Learn file by file, in the order of time.

    Other files in a directory are skipped; a file named directly must be a transcript.
    """
    done: list[Learned] = []
    failed: list[tuple[str, DopejarError]] = []
    chosen, skipped = _select_files(names, format_name, failed)
    files = memory.in_order_of_time(chosen, format_name)
    with context.progress_bar("learning") as progress:
        for number, path in enumerate(files, 1):

            def report(step: str, done: int, total: int, *, file: str = f"{path.name} ({number}/{len(files)})") -> None:
                progress(f"{file} {step}", done, total)

            report("reading", 0, 0)
            try:
                done += memory.learn(
                    [path],
                    format_name=format_name,
                    namespace=namespace.value,
                    directory=Path.cwd(),
                    progress=report,
                    trace_id=context.trace_id,
                )
            except (InputError, NotFoundError) as error:
                failed.append((str(path), error))
    return TranscriptBatch(done=tuple(done), failed=tuple(failed), skipped=tuple(skipped))


def projects_of(batch: TranscriptBatch, memory: Memory) -> Mapping[str, int]:
    """How many of the conversations were said in which project, by its name; "" is none."""
    with memory.store.read() as view:
        rows = [view.conversation(name) for learned in batch.done for name in learned.conversations]
    return Counter(row.project_label or row.project for row in rows if row is not None)


def changes_by(
    batch: TranscriptBatch, memory: Memory, began: datetime, namespace: Namespace
) -> tuple[RecentChange, ...]:
    """What the import learned and retired, the first change first."""
    acts = {learned.act_id for learned in batch.done}
    changes = memory.changes(began, _EVERY, all_projects=True, namespace=namespace.value)
    return tuple(one for one in reversed(changes) if one.act_id in acts)


def change_lines(changes: Sequence[RecentChange], began: datetime) -> Iterator[str]:
    """The first of them, a line each, and how to see the others."""
    for one in changes[:_MOST_CHANGES]:
        yield f"{one.change:<8}  {one_line(one.record.text)}"
    if len(changes) > _MOST_CHANGES:
        since = began.astimezone().strftime("%Y-%m-%dT%H:%M")
        yield f"and {len(changes) - _MOST_CHANGES} more: `dopejar list --since {since} --all-projects`"


def _select_files(
    names: Sequence[str], format_name: str | None, failed: list[tuple[str, DopejarError]]
) -> tuple[list[Path], list[tuple[str, str]]]:
    """The files to learn from, each once, and the files of directories that are not transcripts."""
    from dopejar.compose import transcript_format

    files: dict[Path, None] = {}
    skipped: list[tuple[str, str]] = []
    for name in names:
        path = Path(name).expanduser()
        if not path.is_dir():
            files[path] = None
            continue
        inside = find_transcripts(path)
        if not inside:
            suffixes = ", ".join(sorted(TRANSCRIPT_SUFFIXES))
            error = InputError(f"{path} contains no file that could be a transcript ({suffixes}).")
            failed.append((str(path), error))
        for file in inside:
            try:
                if not format_name:
                    transcript_format(file)
                files[file] = None
            except (InputError, NotFoundError) as error:
                skipped.append((str(file), str(error)))
    return list(files), skipped


def find_transcripts(path: Path) -> list[Path]:
    """Files below a directory whose suffix is that of a transcript, sorted per directory."""
    files = []
    for directory, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in IGNORED_DIRECTORIES)
        files += [Path(directory) / name for name in sorted(names) if Path(name).suffix.lower() in TRANSCRIPT_SUFFIXES]
    return files


def batch_data(batch: TranscriptBatch, embedded: int, projects: Mapping[str, int]) -> dict[str, object]:
    """The batch as data, with the first failure as `error` if a file failed or nothing was kept."""
    nothing = InputError("The files contain no turns that may be stored.")
    error = batch.failed[0][1] if batch.failed else nothing
    succeeded = batch.exit_code == OK
    return {
        "ok": succeeded,
        **({} if succeeded else {"error": {"kind": type(error).__name__, "message": str(error)}}),
        "files": [json_fields(learned) for learned in batch.done],
        "failed": [{"path": path, "message": str(error)} for path, error in batch.failed],
        "skipped": [{"path": path, "message": message} for path, message in batch.skipped],
        "totals": {name: dict(counts) for name, counts in _totals(batch.done).items()},
        "projects": dict(projects),
        "embedded": embedded,
    }


def _totals(done: Sequence[Learned]) -> dict[str, Counter[str]]:
    sums: dict[str, Counter[str]] = {
        name: Counter()
        for name in ("read", "kept", "unknown", "not_words", "outcomes", "left_out", "redactions", "guarded")
    }
    for learned in done:
        report = learned.report
        sums["read"].update(
            conversations=report.conversations,
            turns=report.turns,
            user_turns=report.user_turns,
            harness_turns=report.harness_turns,
            damaged=len(report.damaged),
        )
        sums["kept"].update(
            new=learned.episodes,
            known_before=learned.known,
            not_consented=learned.refused,
            erased_before=learned.buried,
            atoms=learned.atoms,
        )
        sums["unknown"].update(report.unknown)
        sums["not_words"].update(report.left_out)
        for name in ("outcomes", "left_out", "redactions", "guarded"):
            sums[name].update(getattr(learned, name))
    return sums


def batch_lines(
    batch: TranscriptBatch, embedded: int, projects: Mapping[str, int], changes: Iterable[str], waiting: int
) -> Iterator[str]:
    """The batch as text, with counts that a person can check against the files."""
    rows = [
        (
            learned.report.format,
            learned.report.conversations,
            learned.report.turns,
            learned.report.user_turns,
            learned.report.harness_turns,
            learned.episodes,
            learned.known,
            learned.atoms,
            counted(learned.outcomes),
            _short_path(learned.path),
        )
        for learned in batch.done
    ]
    if not rows:
        return
    columns = ("format", "conv.", "turns", "user", "harness", "new", "known", "atoms", "result", "file")
    yield from table(columns, rows)
    yield from _total_lines(_totals(batch.done), len(batch.done))
    if any(projects):
        named = (f"{safe(name) or 'none'} ({count})" for name, count in sorted(projects.items()))
        yield f"conversations by project: {', '.join(named)}"
    for learned in batch.done:
        damaged = learned.report.damaged
        for damage in damaged[:_MAX_LISTED]:
            yield f"damaged: {_short_path(learned.path)}: {safe(damage)}"
        if len(damaged) > _MAX_LISTED:
            yield f"damaged: {_short_path(learned.path)}: {len(damaged) - _MAX_LISTED} more; --json lists all"
        if not learned.report.proves_origin:
            yield (
                f"unproven: {_short_path(learned.path)}: the format {learned.report.format} cannot prove which words "
                "are the user's; what they state waits for review"
            )
    yield from _unlearned_lines(batch)
    yield from changes
    if embedded:
        yield f"embedded: {embedded} texts"
    yield from _conclusion(batch)
    if waiting:
        yield waiting_line(waiting)


def _total_lines(sums: Mapping[str, Counter[str]], files: int) -> Iterator[str]:
    read, kept = sums["read"], sums["kept"]
    if files > 1:
        yield (
            f"total: {read['conversations']} conversations; {read['turns']} turns, {read['user_turns']} by the user, "
            f"{read['harness_turns']} by the harness; {kept['new']} new, {kept['known_before']} known; "
            f"{kept['atoms']} atoms: {counted(sums['outcomes'])}"
        )
    for name, counts in (
        ("redacted", sums["redactions"]),
        ("not learned from", sums["guarded"]),
        ("left out", sums["left_out"]),
        ("entries of an unknown type, kept as text", sums["unknown"]),
        ("entries without text of a speaker", sums["not_words"]),
        ("turns not stored", Counter(not_consented_to=kept["not_consented"], erased_before=kept["erased_before"])),
    ):
        if counts.total():
            yield f"{name}: {counted(counts)}"


def _unlearned_lines(batch: TranscriptBatch) -> Iterator[str]:
    for path, message in batch.skipped[:_MAX_LISTED]:
        yield f"skipped: {_with_path(path, message)}"
    if len(batch.skipped) > _MAX_LISTED:
        yield f"skipped: {len(batch.skipped) - _MAX_LISTED} more files; --json lists all"


def failure_lines(batch: TranscriptBatch) -> Iterator[str]:
    """The files that could not be learned from, and why."""
    for path, error in batch.failed:
        yield f"failed: {_with_path(path, str(error))}"
    if not batch.done:
        yield "Nothing was stored: no file could be read."
    elif not batch.kept:
        yield "Nothing was stored: the files contain no turns that may be stored."


def _with_path(path: str, message: str) -> str:
    return safe(message if path in message else f"{path}: {message}")


def _conclusion(batch: TranscriptBatch) -> Iterator[str]:
    outcomes = _totals(batch.done)["outcomes"]
    if not batch.kept:
        return
    if batch.nothing_new and not outcomes.total():
        yield "Nothing new: all turns were already stored."
    elif not outcomes.total():
        yield "The turns are stored and recall can quote them. No memories were made from them, for the reasons above."


def _short_path(path: str, max_length: int = 48) -> str:
    text = safe(path)
    return text if len(text) <= max_length else f"…{text[-max_length + 1 :]}"
