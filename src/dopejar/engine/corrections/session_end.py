"""The end of a session: what a conversation's corrections propose, and storing what a person approved of it.

Takes: a kept conversation, or proposals that a host made. Gives: summaries, and decisions through the one gate. Never:
asks anybody; a door shows, asks, and says what was answered.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from dopejar.engine.corrections.checkpoint import read_of
from dopejar.engine.corrections.extraction import directing, learn_corrections
from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.idling import LATEST, begun_lately, is_talk
from dopejar.engine.results import ReviewItem
from dopejar.engine.review import decisions
from dopejar.engine.review.reviewer_actions import find_conversation
from dopejar.engine.unit_of_work import Judged, commit_with_retry, decide
from dopejar.errors import ConsentError, NotFoundError, ReviewerRequiredError
from dopejar.memory.append import admit, append
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.corrections.detection.told import told
from dopejar.pipelines.corrections.exchange import Exchange
from dopejar.pipelines.corrections.proposing.propose import MemoryProposal, SessionSummary, rationale_for
from dopejar.pipelines.corrections.proposing.staging import MADE_BY, Circumstances, as_proposals
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.text.normalise import content_hash
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import ConversationId, TraceId, conversation_id, episode_id, new_act_id, new_trace_id
from dopejar.values.proposal import Add, Proposal, ProposalState, Supersede, Via
from dopejar.values.record import Record, Status
from dopejar.values.scope import Project

if TYPE_CHECKING:
    from dopejar.engine.memory import Memory
    from dopejar.memory.commit import Receipt

_MOST_WAITING = 5000
_MS_A_TURN = 4  # what reading one turn of a person takes, with room
_RECENT = timedelta(days=2)  # what is older was imported, or its end was missed for good


@dataclass(frozen=True, kw_only=True, slots=True)
class EndedSession:
    """The end of a conversation: what it proposes, as a person is shown it, and what else waits in the queue."""

    conversation: ConversationId
    name: str
    summary: SessionSummary
    items: tuple[ReviewItem, ...] = ()
    others_waiting: int = 0


def end_session(deps: Dependencies, project: Project | None, name: str, trace_id: TraceId) -> EndedSession:
    """Make the proposals of a conversation, unless that was done, and gather what waits of them.

    `name` is a conversation's id, name or file; empty means the last one, of the project at hand where there is one.

    Raises:
        NotFoundError, AmbiguousIdError: there is no such conversation, or several.
    """
    with deps.store.read() as view:
        chosen = find_conversation(view, name) if name else _at_hand(view, project)
        row = view.conversation(chosen)
        is_read = _is_read(view, chosen)
    if row is None:
        raise NotFoundError(f"There is no conversation {chosen}. `dopejar session` lists them.")
    if not is_read and not deps.store.is_read_only:
        _read(deps, row, trace_id)
    with deps.store.read() as view:
        return _ended(deps, view, row)


def _at_hand(view: ReadView, project: Project | None) -> ConversationId:
    talks = [one for one in view.conversations(LATEST) if is_talk(one)]
    mine = [one for one in talks if project is not None and one.project == project.id]
    if not talks:
        raise NotFoundError("No conversation is kept yet. `dopejar learn FILE` keeps one.")
    return (mine or talks)[0].id


def _is_read(view: ReadView, conversation: ConversationId) -> bool:
    read = read_of(view, conversation)
    turns = view.turns(conversation, read.turns) if read else ()
    return read is not None and not turns


def _read(deps: Dependencies, row: Conversation, trace_id: TraceId) -> None:
    project = Project(id=row.project, label=row.project_label, languages=row.languages) if row.project else None
    learn_corrections(deps, row.id, act_id=new_act_id(), trace_id=trace_id, project=project)


def _ended(deps: Dependencies, view: ReadView, row: Conversation) -> EndedSession:
    inside = {turn.id for turn in view.turns(row.id)}
    waiting = [
        one
        for one in view.proposals((ProposalState.STAGED,), _MOST_WAITING)
        if one.made_by == MADE_BY and any(evidence.episode_id in inside for evidence in one.evidence)
    ]
    items = tuple(decisions.show(deps, view, one.id) for one in waiting)
    proposals = tuple(found for item in items if (found := as_shown(item)) is not None)
    read = read_of(view, row.id)
    summary = SessionSummary(
        session_id=row.id,
        timestamp=deps.clock.now(),
        project=row.project_label or row.project or None,
        proposals=proposals,
        total_corrections=read.said if read else 0,
        total_proposed=len(proposals),
    )
    others = view.count_proposals(ProposalState.STAGED) - len(waiting)
    return EndedSession(conversation=row.id, name=row.name, summary=summary, items=items, others_waiting=max(0, others))


def as_shown(item: ReviewItem) -> MemoryProposal | None:
    """A waiting proposal in the form that a person is shown at the end of a session; its id is the queue's."""
    proposal = item.proposal
    if not isinstance(proposal.payload, Add | Supersede):
        return None
    draft = proposal.payload.draft
    said = [episode.text[row.start : row.end].strip() for row, episode in item.evidence if episode is not None]
    frequency = len({row.episode_id for row, _ in item.evidence})
    talks = len({episode.conversation for _, episode in item.evidence if episode is not None})
    return MemoryProposal(
        id=proposal.id,
        category=draft.attributes.get("category", draft.kind.value),
        scope=str(draft.scope),
        content=draft.text,
        rationale=rationale_for(frequency, talks, proposal.confidence) + _against(item.contradicts),
        source_variants=tuple(dict.fromkeys(one for one in said if one)) or (draft.text,),
        confidence=proposal.confidence,
        priority=proposal.priority,
        frequency=frequency,
    )


def _against(contradicts: Sequence[Record]) -> str:
    """What a person should know of other guidance before they approve."""
    told = [f"{one.text!r} ({'in force' if one.status is Status.ACTIVE else 'waiting'})" for one in contradicts]
    return f". It contradicts {', '.join(told)}" if told else ""


def end_idle(deps: Dependencies, trace_id: TraceId, *, deadline: float | None = None) -> int:
    """Read conversations that are kept turn by turn and in which nobody said anything for a while; how many.

    With a deadline (monotonic seconds) only what will be done in time is begun.
    """
    now, done = deps.clock.now(), 0
    idle = timedelta(minutes=deps.session_idle_minutes)
    with deps.store.read() as view:
        rows = [one for one in begun_lately(view, now) if not _is_read(view, one.id)]
        turns = {one.id: view.turns(one.id) for one in rows}
    for row in rows:
        said = turns[row.id]
        last = said[-1].at if said else now
        cost = _MS_A_TURN / 1000 * sum(turn.origin is Origin.USER for turn in said)
        if not said or not idle <= now - last <= _RECENT or (deadline and time.monotonic() + cost > deadline):
            continue
        _read(deps, row, trace_id)
        done += 1
    return done


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionLine:
    """One kept conversation in a list: how many turns it has, and whether its corrections were read to the end."""

    conversation: Conversation
    turns: int
    is_read: bool


def sessions(view: ReadView, limit: int) -> tuple[SessionLine, ...]:
    """The last conversations, the newest first."""
    rows = [one for one in view.conversations(limit + LATEST) if is_talk(one)][:limit]
    return tuple(
        SessionLine(conversation=one, turns=len(view.turns(one.id)), is_read=_is_read(view, one.id)) for one in rows
    )


class ProposalStorage:
    """Stores approved proposals as records, through the gate: profile, decisions and corrections show them.

    What waits in the queue already is approved there; what a host worded itself is kept with its words as evidence.
    Without a reviewer the gate decides, and a rule waits in the queue.
    """

    def __init__(self, memory: Memory, by: Reviewer | None = None) -> None:
        self._deps, self._project, self._by = memory.deps, memory.project, by

    def store_approved(
        self, proposals: Sequence[MemoryProposal], approved_ids: Sequence[str], trace_id: TraceId | None = None
    ) -> tuple[Receipt, ...]:
        """Store those of the proposals whose ids are named; each comes to one receipt at most.

        What stands already gains evidence instead of a second record.

        Raises:
            ReviewerRequiredError: one waits in the queue, and no reviewer says so.
            RefusedError: a rule refuses what no approval lifts.
        """
        chosen = [one for one in proposals if one.id in set(approved_ids)]
        trace = trace_id or new_trace_id()
        with self._deps.store.read() as view:
            queued = view.proposals((ProposalState.STAGED,), _MOST_WAITING)
        waiting = {one.id: found for one in chosen if (found := _waiting(one, queued)) is not None}
        done: tuple[Receipt, ...] = ()
        if waiting:
            if self._by is None:
                raise ReviewerRequiredError("What waits in the queue is approved by a reviewer. Name one.")
            done = decisions.approve(self._deps, list(dict.fromkeys(waiting.values())), self._by, trace, {})
        rest = [one for one in chosen if one.id not in waiting]
        return (*done, *self._keep(rest, trace)) if rest else done

    def _keep(self, proposals: Sequence[MemoryProposal], trace_id: TraceId) -> tuple[Receipt, ...]:
        """Keep the proposals' words as turns of today, and commit what rests on them."""
        now, act_id = self._deps.clock.now(), new_act_id()
        talk = Conversation(
            id=conversation_id("library", now.date().isoformat()),
            source="library",
            name=f"library {now.date().isoformat()}",
            format="library",
            started_at=now,
        )
        said = [
            Episode(
                id=episode_id(talk.id, f"{content_hash(one.content)}:{content_hash(words)}"),
                conversation=talk.id,
                index=0,
                at=now,
                speaker="user",
                origin=Origin.USER,
                text=words,
                trace_id=trace_id,
                project=self._project.id if self._project else "",
            )
            for one in proposals
            for words in (one.source_variants[:1] or (one.content,))
        ]
        admitted = admit(said, self._deps.redact, self._deps.may_keep)
        if len(admitted.episodes) < len(said):
            raise ConsentError("The user's words may not be kept. `dopejar config set consent.persist` allows them.")
        circumstances = Circumstances(
            act_id=act_id, trace_id=trace_id, now=now, project=self._project, proposer="library", via=Via.REVIEW
        )
        whole = _summary([_rested(one, turn) for one, turn in zip(proposals, admitted.episodes, strict=True)])

        def think() -> list[Judged]:
            with self._deps.store.read() as view:
                overlay = Overlay(view)
                stored = directing(view, circumstances.namespace)
                wishes = as_proposals(whole, known=overlay, stored=stored, circumstances=circumstances)
                approval = self._by.name if self._by else None
                policy = self._deps.policy()
                return [
                    Judged(proposal=one, verdict=decide(one, overlay, policy, now, approval=approval)) for one in wishes
                ]

        def keep(tx: WriteTransaction) -> None:
            old = tx.conversation(talk.id)
            known = tx.episodes(tuple(one.id for one in admitted.episodes))
            first = old.imported if old else 0
            fresh = [one for one in admitted.episodes if one.id not in known]
            placed = tuple(replace(one, index=first + place) for place, one in enumerate(fresh))
            append(tx, replace(old or talk, imported=first + len(placed)), replace(admitted, episodes=placed))

        return commit_with_retry(self._deps.store, think, keep, now)


def _waiting(one: MemoryProposal, queued: Sequence[Proposal]) -> str | None:
    """The id of the waiting proposal that says the same, if any."""
    for waiting in queued:
        if waiting.id == one.id:
            return waiting.id
        payload = waiting.payload
        if isinstance(payload, Add) and content_hash(payload.draft.text) == content_hash(one.content):
            return waiting.id
    return None


def _rested(one: MemoryProposal, turn: Episode) -> MemoryProposal:
    """The proposal resting on a kept turn."""
    exchange = Exchange(text=turn.text, at=turn.at, episode_id=turn.id, conversation=turn.conversation)
    return replace(one, cluster=told(one.content, [exchange], confidence=one.confidence))


def _summary(proposals: Sequence[MemoryProposal]) -> SessionSummary:
    at = max(one.cluster.last_seen for one in proposals if one.cluster and one.cluster.last_seen)
    return SessionSummary(
        session_id="", timestamp=at, project=None, proposals=tuple(proposals), total_corrections=0, total_proposed=0
    )
