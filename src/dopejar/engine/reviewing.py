"""The one review queue, and the people who may decide.

Takes: a reviewer who proved who they are. Gives: decisions through the gate. Never: lets a proposer approve.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from dopejar.engine.contradicting import contradicted_by, replaced_by
from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.results import ReviewItem
from dopejar.engine.unit_of_work import decide
from dopejar.errors import (
    AmbiguousIdError,
    InputError,
    NotFoundError,
    RefusedError,
    ReviewerRequiredError,
    StaleProposalError,
)
from dopejar.governance.reviewer import (
    SALT_BYTES,
    ReviewerSession,
    check_name,
    check_passphrase,
    hash_passphrase,
    is_open,
    open_session,
    verify_passphrase,
)
from dopejar.memory.commit import Receipt, commit
from dopejar.memory.hold import hold_changed
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.text.normalise import content_hash
from dopejar.values.ids import ActId, ProposalId, TraceId, new_act_id
from dopejar.values.proposal import Add, Deprecate, Proposal, ProposalState, Supersede, Target
from dopejar.values.record import Draft, Kind, Record, Status
from dopejar.values.verdict import Allow, Refuse
from dopejar.values.versioned_rows import KeyValueRow

_SESSION = "session"
_PAGE = 200
_MOST_WAITING = 1_000_000

Seen = Mapping[str, int] | Mapping[ProposalId, int]
"""The versions of proposals that a reviewer saw, by id; one that is not named counts as seen."""


# -- people ------------------------------------------------------------------------------------------------------------


def add_reviewer(deps: Dependencies, name: str, passphrase: str, by: Reviewer | None) -> None:
    """Add a reviewer, or change one's passphrase. The first one needs nobody; every other one needs a reviewer.

    Raises:
        InputError: the name or passphrase will not do.
        ReviewerRequiredError: there are reviewers already, and none of them says so.
    """
    chosen = check_name(name)
    check_passphrase(passphrase)
    hashed = hash_passphrase(passphrase, secrets.token_bytes(SALT_BYTES))
    with deps.store.write() as tx:
        if tx.reviewers() and by is None:
            raise ReviewerRequiredError("There is a reviewer already; only a reviewer can add one or change one.")
        tx.put_reviewer(chosen, hashed)


def remove_reviewer(deps: Dependencies, name: str, by: Reviewer) -> None:
    """Remove a reviewer. Raises NotFoundError; InputError where it is the last one."""
    with deps.store.write() as tx:
        names = tx.reviewers()
        if name not in names:
            raise NotFoundError(f"There is no reviewer {name!r}. `dopejar reviewer list` names them.")
        if len(names) == 1:
            raise InputError(f"{name} is the last reviewer ({by.name} asks); add another one first.")
        tx.drop_reviewer(name)


def unlock(deps: Dependencies, passphrase: str, *, name: str = "", terminal: str = "") -> Reviewer:
    """The reviewer whose passphrase this is; held 15 minutes where a terminal is named.

    Raises:
        ReviewerRequiredError: there is no reviewer, or the passphrase is nobody's.
    """
    with deps.store.read() as view:
        names = (name,) if name else view.reviewers()
        if not view.reviewers():
            raise ReviewerRequiredError("There is no reviewer yet. Add one with `dopejar reviewer add NAME`.")
        found = next((one for one in names if verify_passphrase(passphrase, view.reviewer(one) or "")), None)
    if found is None:
        raise ReviewerRequiredError("That is no reviewer's passphrase. Try again, or see `dopejar reviewer list`.")
    if terminal and not deps.store.is_read_only:
        session = open_session(found, terminal, deps.clock.now())
        body = json.dumps({"name": session.name, "until": session.until.isoformat()})

        def write(old: KeyValueRow | None) -> KeyValueRow:
            version = old.version if old else 0
            return KeyValueRow(kind=_SESSION, key=terminal, body=body, version=version, expires_at=session.until)

        hold_changed(deps.store, _SESSION, terminal, write)
    return Reviewer(name=found)


def reviewer_at(deps: Dependencies, terminal: str) -> Reviewer | None:
    """The reviewer whose session is open at this terminal, if any."""
    if not terminal:
        return None
    with deps.store.read() as view:
        row = view.held(_SESSION, terminal)
        if row is None:
            return None
        body = json.loads(row.body)
        session = ReviewerSession(name=body["name"], terminal=terminal, until=datetime.fromisoformat(body["until"]))
        known = session.name in view.reviewers()
    return Reviewer(name=session.name) if known and is_open(session, terminal, deps.clock.now()) else None


def lock(deps: Dependencies, terminal: str) -> bool:
    """End the session at this terminal; whether there was one."""
    with deps.store.write() as tx:
        was_open = tx.held(_SESSION, terminal) is not None
        tx.drop_held(_SESSION, terminal)
    return was_open


# -- the queue ---------------------------------------------------------------------------------------------------------


def find_proposal(view: ReadView, prefix: str) -> Proposal:
    """The proposal with this id, or the only one whose id begins so. Raises NotFoundError, AmbiguousIdError."""
    whole = view.proposal(ProposalId(prefix))
    if whole is not None:
        return whole
    ids = view.find_proposal_id(prefix if prefix.startswith("p_") else f"p_{prefix}")
    if len(ids) > 1:
        raise AmbiguousIdError(f"{prefix} fits {len(ids)} proposals: {', '.join(ids[:3])}. Give more of it.")
    found = view.proposal(ids[0]) if ids else None
    if found is None:
        raise NotFoundError(f"There is no proposal {prefix}. `dopejar review` lists what waits.")
    return found


def text_of(proposal: Proposal, records: Sequence[Record]) -> str:
    """What a proposal is about, in one line."""
    payload = proposal.payload
    if isinstance(payload, Add | Supersede):
        return payload.draft.text
    return "; ".join(one.text for one in records) or str(proposal.action)


def queue(
    view: ReadView, states: Sequence[ProposalState] = (ProposalState.STAGED,), limit: int = _PAGE, offset: int = 0
) -> tuple[ReviewItem, ...]:
    """A page of the queue: most severe first, then oldest."""
    found = view.proposals(tuple(states), limit, offset)
    ids = tuple({target.record_id for one in found for target in one.targets})
    records = view.records(ids)
    return tuple(
        ReviewItem(
            proposal=one,
            number=offset + place,
            text=text_of(one, [records[t.record_id] for t in one.targets if t.record_id in records]),
            near=tuple(records[t.record_id] for t in one.targets if t.record_id in records),
        )
        for place, one in enumerate(found, 1)
    )


def show(deps: Dependencies, view: ReadView, prefix: str) -> ReviewItem:
    """One proposal with its evidence, the turns around it, and what stands near it."""
    proposal = find_proposal(view, prefix)
    episodes = view.episodes(tuple({one.episode_id for one in proposal.evidence}))
    first = next(iter(episodes.values()), None)
    around = view.turns(first.conversation, max(0, first.index - 1), first.index + 1) if first else ()
    record = view.record(proposal.record_id) if proposal.record_id else None
    targets = view.records(tuple(one.record_id for one in proposal.targets))
    contradicts = contradicted_by(view, proposal) if proposal.state is ProposalState.STAGED else ()
    near = tuple({one.id: one for one in (*(targets.values() or _near(view, proposal)), *contradicts)}.values())
    policy, now = deps.policy(), deps.clock.now()
    return ReviewItem(
        proposal=proposal,
        number=0,
        text=text_of(proposal, near),
        record=record,
        near=near,
        evidence=tuple((one, episodes.get(one.episode_id)) for one in proposal.evidence),
        around=around,
        verdict=decide(proposal, view, policy, now),
        moved=_has_moved(view, proposal),
        contradicts=contradicts,
    )


def _near(view: ReadView, proposal: Proposal) -> tuple[Record, ...]:
    payload = proposal.payload
    if not isinstance(payload, Add | Supersede):
        return ()
    draft = payload.draft
    same = view.chain(draft.namespace, draft.scope, draft.side, draft.slot or draft.key) if draft.key else ()
    more = view.with_content(draft.namespace, content_hash(draft.text))
    found = {one.id: one for one in (*same, *more) if one.id != proposal.record_id}
    return tuple(found.values())


def _has_moved(view: ReadView, proposal: Proposal) -> bool:
    records = view.records(tuple(one.record_id for one in proposal.targets))
    return any(
        one.record_id not in records or records[one.record_id].version != one.version for one in proposal.targets
    )


# -- decisions ---------------------------------------------------------------------------------------------------------


def approve(
    deps: Dependencies, prefixes: Sequence[str], by: Reviewer, trace_id: TraceId, seen: Seen
) -> tuple[Receipt, ...]:
    """Approve proposals, all in one act and one transaction.

    Raises:
        NotFoundError: an id is unknown. RefusedError: a rule refuses what no approval lifts. StaleProposalError: one
        was decided or changed since it was seen, or the memory moved since; then the proposal was brought up to date,
        look at it again.
    """
    stale: list[ProposalId] = []
    now, act_id = deps.clock.now(), new_act_id()
    with deps.store.write() as tx:
        chosen = [waiting(tx, prefix, seen) for prefix in prefixes]
        stale = [one.id for one in chosen if _has_moved(tx, one)]
        if stale:
            for one in chosen:
                if one.id in stale:
                    tx.put_proposal(rebased(tx, one))
        else:
            done = tuple(
                commit(tx, *_approved(deps, tx, replace(one, act_id=act_id, trace_id=trace_id), by), now)
                for one in chosen
            )
            return (*done, *_replaced(deps, tx, chosen, by, trace_id, act_id))
    raise StaleProposalError(
        f"{', '.join(stale)}: the memory has changed since this was staged. It is brought up to date now; "
        "look at it again with `dopejar review show` before you approve."
    )


def waiting(view: ReadView, prefix: str, seen: Seen) -> Proposal:
    """The waiting proposal with this id. Asked of the writer's own transaction, nobody can come between.

    Raises:
        NotFoundError, AmbiguousIdError: the name fits nothing, or several. StaleProposalError: it does not wait any
        more, or is another version than the one that was seen.
    """
    proposal = find_proposal(view, prefix)
    fault = since(proposal, seen)
    if fault:
        raise StaleProposalError(f"{proposal.id} {fault}")
    return proposal


def since(proposal: Proposal, seen: Seen) -> str:
    """What became of a proposal since it was seen, as the end of a sentence; "" where it still waits as it was."""
    if proposal.state is not ProposalState.STAGED:
        who = f" by {proposal.reviewer}" if proposal.reviewer else ""
        return f"does not wait any more: it was {proposal.state.value}{who}."
    if seen.get(proposal.id, proposal.version) != proposal.version:
        return "has changed since you saw it; look at it again."
    return ""


def rebased(view: ReadView, proposal: Proposal) -> Proposal:
    """The proposal against its targets as they stand now."""
    records = view.records(tuple(one.record_id for one in proposal.targets))
    targets = tuple(Target(record_id=i, version=one.version) for i, one in records.items())
    payload = proposal.payload
    if isinstance(payload, Supersede):
        # what it wanted to replace may be replaced already: the chain's order says where it belongs
        payload = replace(payload, predecessor=None, resume_from=None)
    return replace(proposal, targets=targets, payload=payload, version=proposal.version + 1)


def _replaced(
    deps: Dependencies, tx: WriteTransaction, approved: Sequence[Proposal], by: Reviewer, trace_id: TraceId, act_id: ActId
) -> Iterator[Receipt]:
    """Older guidance that contradicts what was approved goes out of use in the same act."""
    for one in approved:
        older = replaced_by(tx, one)
        if older:
            from dopejar.engine.deciding import act  # most approvals replace nothing

            yield act(deps, tx, Deprecate(), older, by, trace_id, act_id=act_id)


def _approved(deps: Dependencies, tx: WriteTransaction, proposal: Proposal, by: Reviewer) -> tuple[Proposal, Allow]:
    verdict = decide(proposal, tx, deps.policy(), deps.clock.now(), approval=by.name)
    if not isinstance(verdict, Allow):
        raise RefusedError(f"{proposal.id} cannot be approved: {verdict.reason} [{', '.join(verdict.rules)}].")
    # whoever approves is recorded, also where the policy of today would have allowed it by itself
    return proposal, replace(verdict, approver=by.name)


def reject(
    deps: Dependencies, prefixes: Sequence[str], reason: str, by: Reviewer, trace_id: TraceId, seen: Seen
) -> tuple[Receipt, ...]:
    """Reject proposals, all in one act and one transaction. They are not proposed again by themselves.

    Raises:
        NotFoundError: an id is unknown. StaleProposalError: one was decided or changed since it was seen.
    """
    now, act_id = deps.clock.now(), new_act_id()
    verdict = Refuse(rules=("review.rejected",), reason=reason or "rejected by a reviewer", approver=by.name)
    with deps.store.write() as tx:
        chosen = [waiting(tx, prefix, seen) for prefix in prefixes]
        return tuple(commit(tx, replace(one, act_id=act_id, trace_id=trace_id), verdict, now) for one in chosen)


def edit(deps: Dependencies, prefix: str, text: str, by: Reviewer, trace_id: TraceId, seen: Seen) -> Receipt:
    """Approve a proposal in other words. Raises InputError where it carries no words, else as `approve`."""
    words = deps.redact(" ".join(text.split()))[0]
    if not words:
        raise InputError("The new words are empty. Reject the proposal if nothing of it should stay.")
    now = deps.clock.now()
    with deps.store.write() as tx:
        proposal = waiting(tx, prefix, seen)
        payload = proposal.payload
        if not isinstance(payload, Add | Supersede):
            raise InputError(f"{proposal.id} is a wish to {proposal.action}; it has no words to edit.")
        draft: Draft = replace(payload.draft, text=words, attributes={**payload.draft.attributes, "edited_by": by.name})
        changed = replace(proposal, payload=replace(payload, draft=draft), act_id=new_act_id(), trace_id=trace_id)
        done = commit(tx, *_approved(deps, tx, changed, by), now)
        replaced = _replaced(deps, tx, [changed], by, trace_id, changed.act_id)
        return replace(done, records=(*done.records, *(record for one in replaced for record in one.records)))


def expire(deps: Dependencies, older_than: datetime, trace_id: TraceId, *, bullets_older_than: datetime | None = None) -> int:
    """Let proposals that waited too long expire, those for new bullets by an age of their own; how many."""
    staged_before = bullets_older_than or older_than
    verdict = Refuse(rules=("age.expired",), reason="waited too long", approver="policy", by_age=True)
    now, act_id = deps.clock.now(), new_act_id()
    with deps.store.write() as tx:
        waiting = tx.proposals((ProposalState.STAGED,), _MOST_WAITING)
        old = [one for one in waiting if one.at < (staged_before if _is_bullet(one) else older_than)]
        for one in old:
            commit(tx, replace(one, act_id=act_id, trace_id=trace_id), verdict, now)
    return len(old)


def _is_bullet(proposal: Proposal) -> bool:
    return isinstance(proposal.payload, Add) and proposal.payload.draft.kind is Kind.BULLET


def is_waiting(record: Record) -> bool:
    """Whether a record waits for review."""
    return record.status is Status.STAGED
