"""Reading: recall, history, log, status.

Takes: questions. Gives: answers with their sources. Never: changes what is believed; use counts are best effort.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from dopejar.engine.dependencies import Dependencies
from dopejar.governance.policy.loop_guard import digests
from dopejar.memory.note_use import note_use
from dopejar.pipelines.recall import recall as recall_from
from dopejar.ports.embedder import Embedder
from dopejar.ports.store import ReadView
from dopejar.values.ids import RecordId, TraceId
from dopejar.values.proposal_enums import ProposalState
from dopejar.values.recall import ContextPack, Query, Source
from dopejar.values.scope import Project

if TYPE_CHECKING:
    from dopejar.engine.results import History, LoggedAct, Standing
    from dopejar.memory.ledger import LedgerVerification


def searching_embedder(deps: Dependencies, view: ReadView) -> Embedder | None:
    """The embedder whose vectors the store holds, where vectors are to be searched at all."""
    if deps.recall_mode == "lexical":
        return None
    known = view.embedders()
    if not known:
        return None
    embedder = deps.embedder()
    return embedder if embedder is not None and embedder.identity in known else None


def recall(deps: Dependencies, query: Query, trace_id: TraceId, *, note: bool = True) -> ContextPack:
    """What memory has to say about the question, packed under its budget, with citations."""
    now = deps.clock.now()
    asked = query if query.asked_at else replace(query, asked_at=now)
    with deps.store.read() as view:
        embedder = searching_embedder(deps, view)
        pack = recall_from(
            asked,
            view,
            embed=(lambda text: embedder.embed([text])[0]) if embedder else None,
            embedder=embedder.identity if embedder else None,
            now=now,
            trace_id=trace_id,
        )
    if note and deps.note_use:
        used = [RecordId(one.id) for one in pack.items if one.source is Source.RECORD]
        marks = [mark for one in pack.items for mark in digests(one.text)]
        note_use(deps.store, used, marks, now)
    return pack


def history(view: ReadView, name: str) -> History:
    """A record's life. Raises NotFoundError, AmbiguousIdError."""
    from dopejar.engine.results import History
    from dopejar.engine.review.reviewer_actions import (
        find_record,  # recall, which many processes begin with, does without
    )

    record = find_record(view, name)
    evidence = view.evidence(record.id)
    episodes = view.episodes(tuple({one.episode_id for one in evidence}))
    line = view.chain(record.namespace, record.scope, record.side, record.chain) if record.chain else (record,)
    return History(
        record=record,
        states=view.states(record.id),
        entries=view.entries_about(record.id),
        evidence=tuple((one, episodes.get(one.episode_id)) for one in evidence),
        versions=line or (record,),
    )


def log(view: ReadView, limit: int = 20, before: int | None = None) -> tuple[LoggedAct, ...]:
    """The newest acts, newest first."""
    from dopejar.engine.results import LoggedAct

    acts = []
    for last in view.recent_acts(limit, before):
        entries = view.entries_of_act(last.act_id)
        targets = tuple(dict.fromkeys(one.target for one in entries))
        acts.append(
            LoggedAct(
                act_id=last.act_id,
                at=last.at,
                actions=tuple(dict.fromkeys(one.action for one in entries)),
                proposer=last.proposer,
                approver=last.approver,
                targets=targets,
                rules=tuple(dict.fromkeys(rule for one in entries for rule in one.rules)),
            )
        )
    return tuple(acts)


def checked_ledger(view: ReadView, expected_head: str = "") -> LedgerVerification:
    """Follow the chain. Raises LedgerBrokenError."""
    from dopejar.memory.ledger import verify

    return verify(view, expected_head)


def standing(deps: Dependencies, project: Project | None) -> Standing:
    """What the store holds and how it is."""
    from dopejar.engine.results import Standing

    with deps.store.read() as view:
        waiting = view.proposals((ProposalState.STAGED,), 1000)
        oldest: datetime | None = min((one.at for one in waiting), default=None)
        sizes = view.sizes()
        embedder = deps.embedder()
        return Standing(
            path=deps.store.path,
            is_read_only=deps.store.is_read_only,
            sizes=sizes,
            waiting=sizes.proposals.get("staged", len(waiting)),
            oldest_waiting=oldest,
            embedder=str(embedder.identity) if embedder else "none (lexical search alone)",
            vectors_of=tuple(str(one) for one in view.embedders()),
            ledger=view.head(),
            project=project.label if project else "",
            conversations=view.conversations(5),
        )


def digests_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Digests under which texts that were handed to an assistant are recognised later."""
    return tuple(mark for one in texts for mark in digests(one))
