"""History: a record's life, the log of acts, and the state of the store.

Takes: a view. Gives: answers with their sources. Never: changes anything.
"""

from __future__ import annotations

from datetime import datetime

from dopejar.engine.dependencies import Dependencies
from dopejar.engine.erased_bytes import scrub_due_since
from dopejar.engine.lookup import find_record
from dopejar.engine.results import History, LoggedAct, StoreStatus
from dopejar.ports.store import ReadView
from dopejar.values.accepted_settings import unaccepted_sentence
from dopejar.values.proposal_enums import ProposalState
from dopejar.values.scope import Project

_MOST_WAITING = 1000  # proposals whose age is looked at
_LATEST_CONVERSATIONS = 5


def record_history(view: ReadView, name: str) -> History:
    """A record's states, ledger entries, evidence and other versions. Raises NotFoundError, AmbiguousIdError."""
    from dopejar.engine.queries.tool_checks import is_checked  # most commands look at no rule

    record = find_record(view, name)
    evidence = view.evidence(record.id)
    episodes = view.episodes(tuple({row.episode_id for row in evidence}))
    versions = view.chain(record.namespace, record.scope, record.side, record.chain) if record.chain else ()
    return History(
        record=record,
        states=view.states(record.id),
        entries=view.entries_about(record.id),
        evidence=tuple((row, episodes.get(row.episode_id)) for row in evidence),
        versions=versions or (record,),
        is_checked=is_checked(view, record),
    )


def list_acts(view: ReadView, limit: int = 20, before: int | None = None) -> tuple[LoggedAct, ...]:
    """The newest acts, newest first."""
    acts = []
    for last in view.recent_acts(limit, before):
        entries = view.entries_of_act(last.act_id)
        acts.append(
            LoggedAct(
                act_id=last.act_id,
                at=last.at,
                actions=tuple(dict.fromkeys(entry.action for entry in entries)),
                proposer=last.proposer,
                approver=last.approver,
                targets=tuple(dict.fromkeys(entry.target for entry in entries)),
                rules=tuple(dict.fromkeys(rule for entry in entries for rule in entry.rules)),
            )
        )
    return tuple(acts)


def store_status(deps: Dependencies, project: Project | None) -> StoreStatus:
    """What the store holds, and in which state it is."""
    with deps.store.read() as view:
        waiting = view.proposals((ProposalState.STAGED,), _MOST_WAITING)
        oldest: datetime | None = min((proposal.at for proposal in waiting), default=None)
        sizes = view.sizes()
        embedder = deps.embedder()
        return StoreStatus(
            path=deps.store.file.path if deps.store.file is not None else None,
            is_read_only=deps.store.is_read_only,
            sizes=sizes,
            waiting=sizes.proposals.get("staged", len(waiting)),
            oldest_waiting=oldest,
            embedder=str(embedder.identity) if embedder else "none (lexical search only)",
            vectors_of=tuple(str(identity) for identity in view.embedders()),
            ledger=view.head(),
            project=project.label if project else "",
            conversations=view.conversations(_LATEST_CONVERSATIONS),
            unaccepted_settings=unaccepted_sentence(deps.setting_differences, deps.accepted_settings.fault),
            scrub_due_since=scrub_due_since(view),
        )
