"""Reading kept episodes again with the pipeline of today.

Takes: conversations. Gives: only the differences, as proposals. Never: what a person
decided comes back or goes by itself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from dopejar.engine.bullets.episode_writer import SOURCE as BULLETS
from dopejar.engine.corrections.extraction import Corrected, learn_corrections
from dopejar.engine.dependencies import Dependencies, Progress, no_progress
from dopejar.engine.ingest.direct_statements import SOURCE as REMEMBERED
from dopejar.engine.ingest.ingestor import MADE_BY, Ingestor, TurnInput, active_rules
from dopejar.engine.results import Learned
from dopejar.engine.standing_undos import taken_back
from dopejar.engine.unit_of_work import Judged, commit_with_retry, decide
from dopejar.governance.policy.loop_guard import boot_file_digests
from dopejar.memory.overlay import Overlay
from dopejar.pipelines.ingest import LexicalNear
from dopejar.ports.store import ReadView
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, TraceId, new_act_id, new_proposal_id
from dopejar.values.proposal import Deprecate, Proposal, Target, Via
from dopejar.values.record import EvidenceRole, Status
from dopejar.values.scope import Project
from dopejar.values.transcript import ReadReport

Spans = tuple[tuple[int, int], ...]
_PIPELINE = MADE_BY.partition("@")[0]


def relearn(
    deps: Dependencies, conversations: Sequence[ConversationId], trace_id: TraceId, progress: Progress = no_progress
) -> tuple[Learned, ...]:
    """Read each conversation again; what is there already changes nothing.

    What an older version of the pipeline read and this one no longer does is proposed for deprecation, and waits. What
    an undo took back is not read, until a person brings it back.
    """
    done = []
    for place, one in enumerate(conversations, 1):
        done.append(_one(deps, one, trace_id))
        progress("conversations", place, len(conversations))
    return tuple(done)


def _one(deps: Dependencies, conversation: ConversationId, trace_id: TraceId) -> Learned:
    act_id = new_act_id()
    thinkers: list[Ingestor] = []
    pasted: dict[EpisodeId, Spans] = {}

    def think() -> list[Judged]:
        thinkers.clear()
        with deps.store.read() as view:
            row = view.conversation(conversation)
            if row is None or row.source == BULLETS:
                return []
            secret = view.meta("secret")
            thinker = _thinker(deps, view, row, bytes.fromhex(secret) if secret else None, act_id, trace_id)
            thinkers.append(thinker)
            turns = view.turns(conversation)
            pasted.update(_pasted(deps, row, turns))
            undone = taken_back(view, conversation, turns)
            thinker.tally.guarded.update({"taken_back": len(undone)} if undone else {})
            heard = [
                TurnInput(
                    episode=turn,
                    before=turns[place - 1].text[-700:] if place else "",
                    pasted=(*pasted.get(turn.id, ()), *undone.get(turn.id, ())),
                )
                for place, turn in enumerate(turns)
            ]
            judged = thinker.think(heard)
            return judged + _no_longer_read(deps, view, thinker, [turn.id for turn in turns], judged)

    receipts = commit_with_retry(deps.store, think, None, deps.clock.now())
    if thinkers and thinkers[-1].via is Via.CONVERSATION:
        found = _corrections(deps, conversation, thinkers[-1], pasted)
        receipts += found.receipts
        thinkers[-1].tally.left_out.update(found.left_out(thinkers[-1].tally.handed))
    outcomes = Counter(one.outcome for one in receipts)
    tally = thinkers[-1].tally if thinkers else None
    return Learned(
        path=conversation,
        act_id=act_id,
        report=ReadReport(format="relearn", conversations=1),
        conversations=(conversation,),
        atoms=tally.atoms if tally else 0,
        outcomes=dict(outcomes),
        left_out=dict(tally.left_out) if tally else {},
        guarded=dict(tally.guarded) if tally else {},
    )


def _pasted(deps: Dependencies, row: Conversation, turns: Sequence[Episode]) -> dict[EpisodeId, Spans]:
    """What a person pasted into turns of a transcript; what is said to the memory itself is meant whole."""
    if row.source == REMEMBERED:
        return {}
    spoken = [one for one in turns if one.origin in (Origin.USER, Origin.OTHER)]
    return {one.id: spans for one in spoken if (spans := deps.pasted(one.text))}


def _corrections(
    deps: Dependencies,
    conversation: ConversationId,
    thinker: Ingestor,
    pasted: Mapping[EpisodeId, Spans],
) -> Corrected:
    return learn_corrections(
        deps,
        conversation,
        act_id=thinker.act_id,
        trace_id=thinker.trace_id,
        project=thinker.project,
        namespace=thinker.namespace,
        pasted=pasted,
        boot_lines=thinker.boot_lines,
    )


def _thinker(
    deps: Dependencies, view: ReadView, row: Conversation, secret: bytes | None, act_id: ActId, trace_id: TraceId
) -> Ingestor:
    project = Project(id=row.project, label=row.project_label, languages=row.languages) if row.project else None
    told = row.source == REMEMBERED
    return Ingestor(
        options=deps.ingest,
        overlay=Overlay(view),
        policy=deps.policy(),
        secret=secret,
        now=deps.clock.now(),
        act_id=act_id,
        trace_id=trace_id,
        via=Via.REMEMBER if told else Via.CONVERSATION,
        proposer="relearn",
        project=project,
        namespace=row.namespace,
        boot_lines=boot_file_digests(deps.boot_texts(Path(row.cwd))) if row.cwd else frozenset(),
        rules=partial(active_rules, view, row.namespace) if told else tuple,
        near=LexicalNear(view) if told else None,
    )


def _no_longer_read(
    deps: Dependencies, view: ReadView, thinker: Ingestor, episodes: Sequence[EpisodeId], judged: Sequence[Judged]
) -> list[Judged]:
    """Records of an older version of the pipeline, resting on these episodes alone, that no atom of today supports."""
    inside = frozenset(episodes)
    supported = {target.record_id for one in judged for target in one.proposal.targets}
    result = []
    for record_id in view.resting_on(tuple(episodes)):
        record = view.record(record_id)
        if record is None or record_id in supported or record.status is not Status.ACTIVE or record.approved_by:
            continue
        name, _, version = record.made_by.partition("@")
        if name != _PIPELINE or f"{name}@{version}" == MADE_BY:
            continue
        rows = view.evidence(record_id)
        if any(one.episode_id not in inside for one in rows if one.role is EvidenceRole.ASSERTS):
            continue
        wish = Proposal(
            id=new_proposal_id(),
            act_id=thinker.act_id,
            payload=Deprecate(),
            at=thinker.now,
            origin=Origin.USER,
            via=Via.UNATTENDED,
            made_by=MADE_BY,
            trace_id=thinker.trace_id,
            targets=(Target(record_id=record_id, version=record.version),),
            evidence=tuple(replace(one, role=EvidenceRole.CONTEXT) for one in rows),
            rationale=f"{MADE_BY} reads nothing of this in the words that {record.made_by} read it in",
            proposer="relearn",
        )
        result.append(Judged(proposal=wish, verdict=decide(wish, view, deps.policy(), thinker.now)))
    return result
