"""Import of transcript files.

Takes: files. Gives: what was kept and what was learned, counted. Never: half an import that passes for a whole one; see
`conversation_import`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from dopejar.engine.dependencies import Dependencies, Progress, no_progress
from dopejar.engine.ingest.conversation_import import import_conversations
from dopejar.engine.ingest.kept_conversations import PreparedConversation
from dopejar.engine.ingest.turn_episodes import episodes_of_turns, imported_conversation_id, not_after
from dopejar.engine.results import Learned
from dopejar.errors import InputError, NotFoundError
from dopejar.governance.policy.loop_guard import boot_file_digests
from dopejar.values.episode import UNDATED, Conversation, add_note
from dopejar.values.ids import TraceId, new_act_id
from dopejar.values.scope import Namespace, Project
from dopejar.values.transcript import ReadReport, SourceConversation, SourceFile

_KEPT_IN_THE_PROJECT = frozenset({"aider", "specstory"})
"""Formats whose files lie inside the project that they are about."""


def learn_file(
    deps: Dependencies,
    path: Path,
    trace_id: TraceId,
    *,
    format_name: str | None = None,
    project: Project | None = None,
    directory: Path | None = None,
    namespace: Namespace = Namespace.PROD,
    progress: Progress = no_progress,
) -> Learned:
    """Learn from one transcript file. Importing it again changes nothing; a grown file is continued.

    Its conversations are of `project`; without one, of the project of the directory that each names, and those that
    name none are of that of `directory`.

    Raises:
        InputError: the file cannot be read as any known format; nothing was kept.
    """
    path = path.resolve() if path.is_symlink() else path  # a file under another name is no other conversation
    source = deps.read_transcript(path, format_name)
    act_id = new_act_id()
    now = deps.clock.now()
    fallback = min(_modified_at(path) or now, now)
    prepared = [
        prepare_conversation(
            deps, conversation, source.report.format, path, project, fallback, trace_id, namespace, directory=directory
        )
        for conversation in source.conversations
    ]
    prepared.sort(key=lambda one: one.conversation.started_at or now)  # exports often begin with the newest
    counts = import_conversations(deps, prepared, act_id=act_id, trace_id=trace_id, progress=progress)
    return counts.learned(str(path), act_id, _with_dates(source, now), prepared)


def in_order_of_time(deps: Dependencies, paths: Sequence[Path], format_name: str | None = None) -> list[Path]:
    """The files by the time when their first conversation began, so that later words are known after earlier ones.

    One that states no time, or that cannot be read, has the time of the file.
    """
    return sorted(paths, key=lambda path: (_began_at(deps, path, format_name), str(path))) if paths[1:] else [*paths]


def _began_at(deps: Dependencies, path: Path, format_name: str | None) -> datetime:
    written = _modified_at(path) or deps.clock.now()
    try:
        source = deps.read_transcript(path, format_name)
    except (InputError, NotFoundError):
        return written
    return min(filter(None, map(_begun, source.conversations)), default=written)


def _begun(source: SourceConversation) -> datetime | None:
    return source.started_at or next((turn.at for turn in source.turns if turn.at), None)


def _with_dates(source: SourceFile, now: datetime) -> ReadReport:
    """The report of the read, which also says how many turns are dated in the future."""
    ahead = sum(turn.at is not None and turn.at > now for part in source.conversations for turn in part.turns)
    if not ahead:
        return source.report
    sentence = f"{ahead} turns are dated in the future and count as said at this import"
    return replace(source.report, damaged=(*source.report.damaged, sentence))


def _modified_at(path: Path) -> datetime | None:
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except OSError:
        return None


def prepare_conversation(
    deps: Dependencies,
    source: SourceConversation,
    format_name: str,
    path: Path,
    project: Project | None,
    fallback: datetime,
    trace_id: TraceId,
    namespace: Namespace = Namespace.PROD,
    directory: Path | None = None,
) -> PreparedConversation:
    """A conversation of a file as episodes, none of them in the future.

    `fallback` is its time where neither it nor its turns have one, `directory` its place where it names none.
    """
    cwd, now = Path(source.cwd) if source.cwd else None, deps.clock.now()
    folder = cwd or (path.absolute().parent if format_name in _KEPT_IN_THE_PROJECT else directory)
    chosen = project or (deps.detect_project(folder) if folder else None)
    begun, turns = _begun(source), source.turns
    if begun is None:
        turns = tuple(replace(turn, note=add_note(turn.note, UNDATED)) for turn in turns)
    conversation = Conversation(
        id=imported_conversation_id(
            format_name, source.store, source.name, source.turns[0].text if source.turns else ""
        ),
        source=str(path.absolute()),
        name=source.name,
        format=format_name,
        started_at=not_after(begun or fallback, now),
        project=chosen.id if chosen else "",
        project_label=chosen.label if chosen else "",
        languages=chosen.languages if chosen else (),
        namespace=namespace,
        cwd=source.cwd,
    )
    return PreparedConversation(
        conversation=conversation,
        episodes=tuple(episodes_of_turns(conversation, turns, chosen, now, trace_id)),
        pasted=tuple(turn.paste for turn in source.turns),
        project=chosen,
        boot_lines=boot_file_digests(deps.boot_texts(cwd)) if cwd else frozenset(),
    )
