"""Replay of kept episodes through the ingest pipeline of today.

Takes: conversations. Gives: only the differences, as proposals. Never: lets what a person decided come back or go by
itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from dopejar.engine.bullets.episode_writer import SOURCE as BULLETS
from dopejar.engine.corrections.checkpoint import Spans, undone_spans
from dopejar.engine.corrections.extraction import ExtractedCorrections, learn_corrections
from dopejar.engine.dependencies import Dependencies, Progress, no_progress
from dopejar.engine.ingest.ingestor import MADE_BY, Ingestor, active_rules, goals_of
from dopejar.engine.ingest.kept_conversations import boot_lines_of, pasted_spans, project_of
from dopejar.engine.ingest.related_record_search import search_of_conversations
from dopejar.engine.ingest.turn_episodes import DIRECT_STATEMENTS
from dopejar.engine.ingest.turn_extraction import TurnInput
from dopejar.engine.lookup import find_conversation
from dopejar.engine.results import Learned
from dopejar.engine.unit_of_work import JudgedProposal, commit_with_retry, decide
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.ingest.related_records import RelatedSearch
from dopejar.ports.store import ReadView
from dopejar.values.episode import ERASED_MARK, Conversation, Episode, Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, TraceId, new_act_id, new_proposal_id
from dopejar.values.proposal import Deprecate, Proposal, Via
from dopejar.values.record import EvidenceRole, Record, Status
from dopejar.values.target import RecordTarget
from dopejar.values.transcript import ReadReport

_EVERY_CONVERSATION = 10_000_000
_PIPELINE = MADE_BY.partition("@")[0]


def relearn(
    deps: Dependencies, names: Sequence[str], trace_id: TraceId, progress: Progress = no_progress
) -> tuple[Learned, ...]:
    """Replay the named conversations, all where none is named; what is there already changes nothing.

    What an older version of the pipeline read and this one no longer does is proposed for deprecation, and waits. What
    an undo took back is not read, until a person brings it back.
    """
    with deps.store.read() as view:
        if names:
            conversations = [find_conversation(view, name) for name in names]
        else:
            conversations = [row.id for row in view.conversations(_EVERY_CONVERSATION)]
    learned = []
    for position, conversation in enumerate(conversations, 1):
        learned.append(_Replay(deps, conversation, trace_id).run())
        progress("conversations", position, len(conversations))
    return tuple(learned)


class _Replay:
    """One conversation that is replayed; it may be evaluated more than once before it is committed."""

    def __init__(self, deps: Dependencies, conversation: ConversationId, trace_id: TraceId) -> None:
        self._deps, self._conversation, self._trace_id = deps, conversation, trace_id
        self._act_id = new_act_id()
        self._ingestor: Ingestor | None = None
        self._pasted: dict[EpisodeId, Spans] = {}

    def run(self) -> Learned:
        """Evaluate the kept turns, commit the differences, then extract corrections anew."""
        receipts = commit_with_retry(self._deps.store, self._evaluate, None, self._deps.clock.now())
        ingestor = self._ingestor
        if ingestor is not None and ingestor.via is Via.CONVERSATION:
            extracted = self._extract_corrections(ingestor)
            receipts += extracted.receipts
            ingestor.counts.left_out.update(extracted.left_out(ingestor.counts.handed))
        return Learned(
            path=self._conversation,
            act_id=self._act_id,
            report=ReadReport(format="relearn", conversations=1),
            conversations=(self._conversation,),
            atoms=ingestor.counts.atoms if ingestor else 0,
            outcomes=dict(Counter(receipt.outcome for receipt in receipts)),
            left_out=dict(ingestor.counts.left_out) if ingestor else {},
            guarded=dict(ingestor.counts.guarded) if ingestor else {},
        )

    def _evaluate(self) -> list[JudgedProposal]:
        self._ingestor = None
        with self._deps.store.read() as view:
            row = view.conversation(self._conversation)
            if row is None or row.source == BULLETS:
                return []
            ingestor = self._ingestor = _replay_ingestor(self._deps, view, row, self._act_id, self._trace_id)
            turns = view.turns(self._conversation)
            if row.source != DIRECT_STATEMENTS:  # a direct statement is meant whole
                self._pasted.update(pasted_spans(self._deps, turns))
            undone = undone_spans(view, self._conversation, turns)
            ingestor.counts.guarded.update({"taken_back": len(undone)} if undone else {})
            judged = ingestor.evaluate(_inputs(turns, self._pasted, undone))
            return judged + _deprecate_unread(self._deps, view, ingestor, frozenset(turn.id for turn in turns), judged)

    def _extract_corrections(self, ingestor: Ingestor) -> ExtractedCorrections:
        return learn_corrections(
            self._deps,
            self._conversation,
            act_id=ingestor.act_id,
            trace_id=ingestor.trace_id,
            project=ingestor.project,
            namespace=ingestor.namespace,
            pasted=self._pasted,
            boot_lines=ingestor.boot_lines,
        )


def _inputs(
    turns: Sequence[Episode], pasted: Mapping[EpisodeId, Spans], undone: Mapping[EpisodeId, Spans]
) -> list[TurnInput]:
    return [
        TurnInput(
            episode=turn,
            previous=turns[position - 1] if position else None,
            pasted=(*pasted.get(turn.id, ()), *undone.get(turn.id, ()), *_erased_spans(turn.text)),
        )
        for position, turn in enumerate(turns)
        if turn.text != ERASED_MARK
    ]


def _erased_spans(text: str) -> Spans:
    """Where an erasure left its mark, which says nothing."""
    return tuple(match.span() for match in re.finditer(re.escape(ERASED_MARK), text))


def _replay_ingestor(
    deps: Dependencies, view: ReadView, row: Conversation, act_id: ActId, trace_id: TraceId
) -> Ingestor:
    secret = view.meta("secret")
    is_direct = row.source == DIRECT_STATEMENTS
    return Ingestor(
        options=deps.ingest,
        overlay=Overlay(view),
        policy=deps.policy(),
        secret=bytes.fromhex(secret) if secret else None,
        now=deps.clock.now(),
        act_id=act_id,
        trace_id=trace_id,
        via=Via.REMEMBER if is_direct else Via.CONVERSATION,
        marker=None if is_direct else deps.marker(),
        changes=deps.changes(),
        proposer="relearn",
        project=project_of(row),
        namespace=row.namespace,
        boot_lines=boot_lines_of(deps, row),
        rules=partial(active_rules, view, row.namespace) if is_direct else tuple,
        goals=partial(goals_of, view),
        related=RelatedSearch(index=view, reader=deps.reader()) if is_direct else search_of_conversations(deps, view),
    )


def _deprecate_unread(
    deps: Dependencies,
    view: ReadView,
    ingestor: Ingestor,
    episodes: frozenset[EpisodeId],
    judged: Sequence[JudgedProposal],
) -> list[JudgedProposal]:
    """Deprecations of records of an older pipeline that rest on these episodes alone and that no atom supports now."""
    supported = {target.record_id for result in judged for target in result.proposal.record_targets}
    deprecations = []
    for record_id in view.resting_on(tuple(episodes)):
        record = view.record(record_id)
        if record is None or record_id in supported or not _is_of_older_pipeline(record):
            continue
        rows = view.evidence(record_id)
        if any(row.episode_id not in episodes for row in rows if row.role is EvidenceRole.ASSERTS):
            continue
        proposal = Proposal(
            id=new_proposal_id(),
            act_id=ingestor.act_id,
            payload=Deprecate(),
            at=ingestor.now,
            origin=Origin.USER,
            via=Via.UNATTENDED,
            made_by=MADE_BY,
            trace_id=ingestor.trace_id,
            targets=(RecordTarget(record_id=record_id, version=record.version),),
            evidence=tuple(replace(row, role=EvidenceRole.CONTEXT) for row in rows),
            rationale=f"{MADE_BY} no longer extracts this from the text that {record.made_by} extracted it from",
            proposer="relearn",
        )
        verdict = decide(proposal, view, deps.policy(), ingestor.now)
        deprecations.append(JudgedProposal(proposal=proposal, verdict=verdict))
    return deprecations


def _is_of_older_pipeline(record: Record) -> bool:
    """Whether another version of this pipeline made an active record that no person approved."""
    is_ours = record.made_by.partition("@")[0] == _PIPELINE and record.made_by != MADE_BY
    return is_ours and record.status is Status.ACTIVE and not record.approved_by
