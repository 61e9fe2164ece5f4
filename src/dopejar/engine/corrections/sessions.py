"""Sessions: conversations from their first turn to their end, and what they propose.

Takes: a kept conversation, or an instruction file. Gives: a summary with what waits of it. Never: asks anybody; a door
shows, asks, and passes on what was answered.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from dopejar.engine.arguments import checked
from dopejar.engine.corrections.checkpoint import checkpoint_of
from dopejar.engine.corrections.inactive_sessions import LATEST, recent_dialogues
from dopejar.engine.dependencies import Dependencies, Progress, no_progress
from dopejar.engine.ingest import hook_journal, live_transcripts, transcript_import
from dopejar.engine.ingest.conversation_import import learn_kept_conversation
from dopejar.engine.ingest.live_turns import Observation
from dopejar.engine.lookup import find_conversation
from dopejar.engine.results import Learned, ReviewItem
from dopejar.engine.review.review_items import show_proposal
from dopejar.errors import InputError, NotFoundError
from dopejar.memory.note_use import note_use
from dopejar.pipelines.corrections.proposals.gate_proposals import MADE_BY
from dopejar.pipelines.corrections.proposals.proposal_engine import MemoryProposal, SessionSummary, rationale_for
from dopejar.pipelines.recall.prompt_terms import tells_more
from dopejar.ports.store import ReadView
from dopejar.text.words import index_terms
from dopejar.values.episode import Conversation, Episode, EpisodeKind, Origin
from dopejar.values.ids import ConversationId, EpisodeId, RecordId, TraceId, new_trace_id
from dopejar.values.proposal import Add, ProposalState, Supersede
from dopejar.values.record import Record, Status
from dopejar.values.scope import Project

if TYPE_CHECKING:
    from dopejar.engine.corrections.instruction_import import InstructionImport
    from dopejar.engine.ingest.live_turns import Observed

__all__ = ["EndedSession", "MemoryProposal", "SessionSummary"]

_MOST_WAITING = 5000
_MS_A_TURN = 4  # what learning from one turn of a person takes, with room
_RECENT = timedelta(days=2)  # what is older was imported, or its end was missed for good


@dataclass(frozen=True, kw_only=True, slots=True)
class EndedSession:
    """The end of a conversation: what it proposes, as a person is shown it."""

    conversation: ConversationId
    name: str
    summary: SessionSummary
    items: tuple[ReviewItem, ...] = ()


def end_session(deps: Dependencies, project: Project | None, name: str, trace_id: TraceId) -> EndedSession:
    """Learn from a conversation, unless that was done, and gather what waits of it.

    `name` is a conversation's id, name or file; empty means the last one, of the project at hand where there is one.

    Raises:
        NotFoundError, AmbiguousIdError: there is no such conversation, or several.
    """
    with deps.store.read() as view:
        row = _find_session(view, project, name)
        was_read = is_read(view, row.id)
    if not was_read and not deps.store.is_read_only:
        learn_kept_conversation(deps, row, trace_id)
    with deps.store.read() as view:
        return _summarise(deps, view, row)


def learn_session(deps: Dependencies, project: Project | None, name: str, trace_id: TraceId) -> Learned:
    """Learn from the turns that nothing was learned from yet. `name` and errors as for `end_session`."""
    with deps.store.read() as view:
        row = _find_session(view, project, name)
    return learn_kept_conversation(deps, row, trace_id)


def _find_session(view: ReadView, project: Project | None, name: str) -> Conversation:
    chosen = find_conversation(view, name) if name else _latest_session(view, project)
    row = view.conversation(chosen)
    if row is None:
        raise NotFoundError(f"There is no conversation {chosen}. `dopejar session` lists them.")
    return row


def _latest_session(view: ReadView, project: Project | None) -> ConversationId:
    sessions = [row for row in view.conversations(LATEST) if row.is_dialogue]
    in_project = [row for row in sessions if project is not None and row.project == project.id]
    if not sessions:
        raise NotFoundError("There are no conversations yet. Import one with `dopejar learn FILE`.")
    return (in_project or sessions)[0].id


def is_read(view: ReadView, conversation: ConversationId) -> bool:
    """Whether the corrections of a conversation were extracted to its last turn."""
    checkpoint = checkpoint_of(view, conversation)
    return checkpoint is not None and not view.turns(conversation, checkpoint.turns)


def _summarise(deps: Dependencies, view: ReadView, row: Conversation) -> EndedSession:
    episodes = {turn.id for turn in view.turns(row.id)}
    waiting = [
        proposal
        for proposal in view.proposals((ProposalState.STAGED,), _MOST_WAITING)
        if (proposal.made_by == MADE_BY or proposal.signals.directs_work)
        and any(evidence.episode_id in episodes for evidence in proposal.evidence)
    ]
    items = tuple(show_proposal(deps, view, proposal.id) for proposal in waiting)
    shown = tuple(proposal for item in items if (proposal := to_memory_proposal(item)) is not None)
    checkpoint = checkpoint_of(view, row.id)
    summary = SessionSummary(
        session_id=row.id,
        timestamp=deps.clock.now(),
        project=row.project_label or row.project or None,
        proposals=shown,
        total_corrections=checkpoint.said if checkpoint else 0,
        total_proposed=len(shown),
    )
    return EndedSession(conversation=row.id, name=row.name, summary=summary, items=items)


def to_memory_proposal(item: ReviewItem) -> MemoryProposal | None:
    """A waiting proposal in the form that a person is shown at the end of a session; its id is the queue's."""
    proposal = item.proposal
    if not isinstance(proposal.payload, Add | Supersede):
        return None
    draft = proposal.payload.draft
    quotations = [episode.text[row.start : row.end].strip() for row, episode in item.evidence if episode is not None]
    frequency = len({row.episode_id for row, _ in item.evidence})
    conversations = len({episode.conversation for _, episode in item.evidence if episode is not None})
    return MemoryProposal(
        id=proposal.id,
        category=draft.attributes.get("category", draft.kind.value),
        scope=str(draft.scope),
        content=draft.text,
        rationale=rationale_for(frequency, conversations, proposal.confidence) + _contradictions(item.contradicts),
        source_variants=tuple(dict.fromkeys(words for words in quotations if words)) or (draft.text,),
        confidence=proposal.confidence,
        priority=proposal.priority,
        frequency=frequency,
    )


def _contradictions(records: Sequence[Record]) -> str:
    """Which other guidance it contradicts: a person should know that before they approve."""
    named = [f"{record.text!r} ({'in force' if record.status is Status.ACTIVE else 'waiting'})" for record in records]
    return f". It contradicts {', '.join(named)}" if named else ""


def end_idle(deps: Dependencies, trace_id: TraceId, *, deadline: float | None = None) -> int:
    """Learn from conversations that are kept turn by turn and were silent for a while; how many.

    With a deadline (monotonic seconds) only what will be done in time is begun.
    """
    now, done = deps.clock.now(), 0
    idle = timedelta(minutes=deps.session_idle_minutes)
    with deps.store.read() as view:
        rows = [row for row in recent_dialogues(view, now) if not is_read(view, row.id)]
        turns = {row.id: view.turns(row.id) for row in rows}
    for row in rows:
        if not _is_idle(turns[row.id], now, idle) or (deadline and _expected_end(turns[row.id]) > deadline):
            continue
        learn_kept_conversation(deps, row, trace_id)
        done += 1
    return done


def _is_idle(turns: Sequence[Episode], now: datetime, idle: timedelta) -> bool:
    return bool(turns) and idle <= now - turns[-1].at <= _RECENT


def _expected_end(turns: Sequence[Episode]) -> float:
    """When learning from these turns would be done, in monotonic seconds."""
    return time.monotonic() + _MS_A_TURN / 1000 * sum(turn.origin is Origin.USER for turn in turns)


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionLine:
    """One kept conversation in a list: how many turns it has, and whether its corrections were read to the end."""

    conversation: Conversation
    turns: int
    is_read: bool


def list_sessions(view: ReadView, limit: int) -> tuple[SessionLine, ...]:
    """The last conversations, the newest first."""
    rows = [row for row in view.conversations(limit + LATEST) if row.is_dialogue][:limit]
    return tuple(
        SessionLine(conversation=row, turns=len(view.turns(row.id)), is_read=is_read(view, row.id)) for row in rows
    )


def _note_uses(deps: Dependencies, seen: Sequence[EpisodeId], told: Sequence[str]) -> None:
    """Count one use of each memory whose own words, which nobody asked with, are in an assistant's turn.

    The words of a tool call are asked with, too: a rule is told because it has them.
    """
    with deps.store.read() as view:
        turns = view.episodes(seen).values()
        records = view.records([RecordId(name) for name in told]).values()
    asking = [turn for turn in turns if turn.origin is Origin.USER or turn.kind is EpisodeKind.TOOL_CALL]
    answers = [turn for turn in turns if turn.origin is Origin.ASSISTANT and turn.kind is EpisodeKind.TURN]
    asked = frozenset(term for turn in asking for term in index_terms(turn.text))
    said = frozenset(term for turn in answers for term in index_terms(turn.text))
    used = [record.id for record in records if tells_more(record.text, asked, said)]
    note_use(deps.store, used, (), deps.clock.now())


@checked
class Sessions:
    """`Memory.sessions`: ending conversations, listing them, and importing instruction files."""

    def __init__(self, deps: Dependencies, project: Project | None = None) -> None:
        self._deps, self._project = deps, project

    def end(self, conversation: str = "", *, trace_id: TraceId | None = None) -> EndedSession:
        """End a conversation: learn from it, and return what waits of its corrections, to be shown.

        Args:
            conversation: its id, name or file; the last one, of the project at hand if there is one, where omitted.
            trace_id: what to note it under.

        Raises:
            NotFoundError, AmbiguousIdError: there is no such conversation, or several.
        """
        return end_session(self._deps, self._project, conversation, trace_id or new_trace_id())

    def learn(self, conversation: str = "", *, trace_id: TraceId | None = None) -> Learned:
        """Learn from the observed turns of a conversation that nothing was learned from yet, without ending it.

        Args:
            conversation: as for `end`.
            trace_id: what to note it under.

        Raises:
            NotFoundError, AmbiguousIdError: there is no such conversation, or several.
        """
        return learn_session(self._deps, self._project, conversation, trace_id or new_trace_id())

    def observe_transcript(
        self,
        path: Path | str,
        *,
        format_name: str | None = None,
        told: Sequence[str] = (),
        trace_id: TraceId | None = None,
    ) -> tuple[Observed, ...]:
        """Keep the turns of a transcript that are new, as `Memory.observe` does; what became of each.

        Args:
            path: the transcript of a conversation that is going on.
            format_name: its format; recognised where omitted.
            told: ids of memories that the assistant was given for these turns: those that its answers use count as
                used.
            trace_id: what to note it under.

        Raises:
            InputError: the file cannot be read in this format, or in any where none is named.
        """
        seen = live_transcripts.observe_transcript(self._deps, Path(path), format_name, trace_id or new_trace_id())
        kept = [turn.episode_id for turn in seen if turn.outcome is Observation.KEPT]  # others kept the rest meanwhile
        if told and kept and self._deps.note_use:
            _note_uses(self._deps, kept, told)
        return seen

    def learn_ended(self, *, progress: Progress = no_progress, trace_id: TraceId | None = None) -> tuple[Learned, ...]:
        """Learn from the transcripts that hooks named: those whose session is over or has been idle.

        A transcript that cannot be read any more is forgotten; `learn` of the same file says why.
        """
        idle = timedelta(minutes=self._deps.session_idle_minutes)
        learned: list[Learned] = []
        for noted in hook_journal.transcripts(self._deps.home):
            if not noted.is_over and noted.is_active(self._deps.clock.now() - idle):
                continue
            with suppress(NotFoundError, InputError):
                trace = trace_id or new_trace_id()
                learned.append(
                    transcript_import.learn_file(
                        self._deps, noted.path, trace, format_name=noted.format_name, progress=progress
                    )
                )
            hook_journal.drop(self._deps.home, noted)
        return tuple(learned)

    def list(self, limit: int = 20) -> tuple[SessionLine, ...]:
        """The last conversations, the newest first, and whether their corrections were read to the end."""
        with self._deps.store.read() as view:
            return list_sessions(view, limit)

    def import_instructions(
        self, path: Path | str, *, everywhere: bool = False, trace_id: TraceId | None = None
    ) -> InstructionImport:
        """Import an instruction file (AGENTS.md, CLAUDE.md): its rules are staged, each with its line as evidence.

        Args:
            path: the file.
            everywhere: the rules hold everywhere; else in the project whose file it is, or the one at hand.
            trace_id: what to note it under.

        Raises:
            NotFoundError, InputError, ConsentError: nothing was kept.
        """
        from dopejar.engine.corrections import instruction_import  # few sessions end with one

        file = Path(path).expanduser()
        project = None if everywhere else self._deps.detect_project(file.absolute().parent) or self._project
        return instruction_import.import_instructions(self._deps, file, project, trace_id or new_trace_id())
