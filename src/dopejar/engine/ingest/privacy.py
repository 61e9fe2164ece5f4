"""Privacy wishes: turns that shall not be kept, and what shall be forgotten.

Takes: turns before they are kept, and a subject to forget. Gives: the turn with a mark in place of its words, and what
became of matching memories. Never: keeps the words of a wish, takes anything out of use without a reviewer, or erases.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from dopejar.engine.dependencies import Dependencies, Reviewer, Speaker, nothing_pasted
from dopejar.engine.ingest.subject_search import (
    IN_USE,
    find_about,
    find_meant,
    find_naming,
    find_near,
    find_replaced,
    find_surely,
    find_titled,
    find_waiting,
    in_use,
    means_one,
    names_guidance,
    names_the_thing,
    turns_telling,
    versions_before,
)
from dopejar.engine.lookup import find_record
from dopejar.engine.results import Remembered
from dopejar.engine.review.reviewer_actions import commit_action
from dopejar.engine.review.reviewer_sessions import find_session, require_reviewer
from dopejar.engine.unit_of_work import commit, decide
from dopejar.errors import DopejarError, InputError
from dopejar.pipelines.ingest.forget_reasons import forget_reason
from dopejar.pipelines.ingest.privacy_words import possible_wish, privacy_wish, takes_back
from dopejar.ports.statement_reader import StatementReader
from dopejar.ports.store import ProposalLink, ReadView, WriteTransaction
from dopejar.text.sentences import Piece, sentences
from dopejar.values.episode import WITHHELD, Episode, EpisodeKind, Origin
from dopejar.values.ids import ActId, EpisodeId, RecordId, TraceId, new_act_id, new_proposal_id
from dopejar.values.proposal import Action, Deprecate, Erase, Proposal, ProposalState, Via
from dopejar.values.receipt import Receipt
from dopejar.values.record import Evidence, Record
from dopejar.values.scope import Namespace
from dopejar.values.statement import SpeechAct
from dopejar.values.target import RecordTarget

Receipts = tuple[Receipt, ...]
MADE_BY: Final = "forgetting@1"
USER: Final = Speaker(origin=Origin.USER, name="user", via=Via.CONVERSATION)
_EVERY: Final = 1_000_000
PEOPLE: Final = frozenset({Origin.USER, Origin.OTHER})
_SURE: Final = 0.8  # certainty from which a reader's finding is obeyed
_REMOVAL: Final = "It was asked to be forgotten: this takes it out of use, and can be undone"
_ONE_MEANT: Final = (
    "It is one of several that the wish to forget fits, and one was meant: approve that one. This takes it out of use,"
    " and can be undone"
)
ERASURE: Final = "It was asked to be forgotten: this erases its words, also in the turns that they come from"
_TURNS: Final = "It was asked to be forgotten, and no memory in use holds it: this erases the turns that tell of it"
_POSSIBLE: Final = "It seems that it was asked to be forgotten, in a conversation"
_BEFORE: Final = 4  # turns in which a text may be at hand
_LONG: Final = 400  # characters from which an answer is taken for a text at hand
_A_TEXT: Final = re.compile(r"```|^(?:#|[-*•] |\d+[.)] |> )|\n[^\n]+\n+[^\n]+|[\"“][^\"”\n]{40,}[\"”]", re.MULTILINE)


def withhold(
    episode: Episode,
    find_pasted: Callable[[str], Sequence[tuple[int, int]]] = nothing_pasted,
    origins: frozenset[Origin] = PEOPLE,
    reader: StatementReader | None = None,
    *,
    told: bool = False,
) -> tuple[Episode, str | None]:
    """A turn as it may be kept, a mark instead of its words where a person asks for that; and what to forget.

    A reader also finds wishes in words that no cue has. What is `told` to the memory itself can mean nothing else by
    "delete my phone number".
    """
    if episode.origin not in origins or episode.kind is not EpisodeKind.TURN:
        return episode, None
    wish = privacy_wish(episode.text, told=told)
    if wish is not None and (pasted := find_pasted(episode.text)):
        wish = privacy_wish(episode.text, pasted)
    if (about := takes_back(episode.text, told=told)) is not None and not find_pasted(episode.text):
        wish = about
    if wish is None and reader is not None and _is_off_the_record(reader, episode.text):
        wish = ""
    return (episode, None) if wish is None else (replace(episode, text=WITHHELD), wish)


def _is_off_the_record(reader: StatementReader, text: str) -> bool:
    read = reader.read([sentence.text for sentence in sentences(text)])
    return any(one.act is SpeechAct.OFF_RECORD and one.act_certainty >= _SURE for one in read)


def forget(deps: Dependencies, subject: str, by: Reviewer | None, speaker: Speaker, trace_id: TraceId) -> Receipts:
    """Take what is known about a subject out of use: at once for a reviewer, else as proposals. Propose its erasure."""
    meant = find_meant(deps, subject)
    with deps.store.write() as tx:
        if by is not None:
            require_reviewer(tx, by, deps.system_clock.now())
        return forget_within(deps, tx, subject, speaker, new_act_id(), trace_id, meant=meant, by=by)


def propose_removal(deps: Dependencies, record: Record, reason: str, speaker: Speaker, trace_id: TraceId) -> Receipts:
    """Propose that one memory is taken out of use; nothing where that was proposed before and waits."""
    with deps.store.write() as tx:
        wanted = ((Deprecate(), reason),)
        return _propose(deps, tx, [(tx.record(record.id) or record,)], wanted, speaker, new_act_id(), trace_id)


def propose_removals(
    deps: Dependencies, names: Sequence[str], reason: str, speaker: Speaker, trace_id: TraceId
) -> Receipts:
    """The same for several, by id or key, in one transaction. Raises NotFoundError, InputError: nothing is proposed."""
    with deps.store.write() as tx:
        records = [find_record(tx, name) for name in names]
        for record in records:
            if record.status not in IN_USE:
                raise InputError(f"{record.id} is {record.status}, and out of use. `dopejar show` shows why.")
        wanted = ((Deprecate(), reason),)
        return _propose(deps, tx, [(record,) for record in records], wanted, speaker, new_act_id(), trace_id)


def forget_within(
    deps: Dependencies,
    tx: WriteTransaction,
    subject: str,
    speaker: Speaker,
    act_id: ActId,
    trace_id: TraceId,
    *,
    namespace: Namespace = Namespace.PROD,
    known: Sequence[RecordId] = (),
    meant: Sequence[RecordId] = (),
    by: Reviewer | None = None,
    until: datetime | None = None,
) -> Receipts:
    """The same within a transaction. A reviewer needs an open session; who is merely trusted at a terminal proposes.

    `known` are the only memories meant by words that may ask for something else; `meant` may be meant. A rule goes out
    of use; that its words be erased is not proposed. Where the subject names one and several fit it, even a reviewer
    is asked which one. What was said after `until` is not meant.
    """
    records = () if known else find_about(tx, subject, namespace)
    if known:
        records, by = in_use(tx, known), None
    elif not records and (told := _told_otherwise(tx, subject, namespace) or in_use(tx, meant)):
        records, by = told, None  # told in other words: a person looks
    if is_open := len(_told_by(tx, records, until)) > 1 and means_one(subject):
        by = None  # one was meant, and which of them a person says
    is_rule = bool(names_guidance(subject))
    groups = [_told_by(tx, group, until) for group in _with_versions(tx, subject, records, namespace)]
    groups = [group for group in groups if group]
    erasure = () if is_rule else ((Erase(), ERASURE),)
    removal = _ONE_MEANT if is_open else _REMOVAL
    return take_out_of_use(deps, tx, groups, erasure, speaker, act_id, trace_id, by=by, removal=removal)


def _told_otherwise(view: ReadView, subject: str, namespace: Namespace) -> tuple[Record, ...]:
    return find_naming(view, subject, namespace) or find_titled(view, subject, namespace)


def take_out_of_use(
    deps: Dependencies,
    tx: WriteTransaction,
    groups: list[tuple[Record, ...]],
    erasure: Sequence[tuple[Erase, str]],
    speaker: Speaker,
    act_id: ActId,
    trace_id: TraceId,
    *,
    by: Reviewer | None = None,
    removal: str = _REMOVAL,
) -> Receipts:
    """Take memories out of use, in a reviewer's session at once, else as proposals; their erasure waits in any case."""
    session = find_session(tx, by.credential, deps.system_clock.now()) if by else None
    done: Receipts = ()
    if groups and by is not None and session is not None and session.name == by.name:
        every = {record.id: record for group in groups for record in group}
        done = (commit_action(deps, tx, Deprecate(), tuple(every.values()), by, trace_id, act_id=act_id),)
        groups = [(record,) for record in done[0].records if record.id in every]
    wanted = [*(() if done else ((Deprecate(), removal),)), *erasure]
    return (*done, *_propose(deps, tx, groups, wanted, speaker, act_id, trace_id))


def _with_versions(
    view: ReadView, subject: str, records: Sequence[Record], namespace: Namespace
) -> list[tuple[Record, ...]]:
    """Each memory with the versions that it replaced, and those that the subject names by themselves.

    Of a rule the one in force is meant: what it replaced is out of use, and its words stay.
    """
    if names_guidance(subject):
        return [(record,) for record in records]
    groups = [(record, *versions_before(view, record)) for record in records]
    known = {record.id for group in groups for record in group}
    return [*groups, *((one,) for one in find_replaced(view, subject, namespace) if one.id not in known)]


def _told_by(view: ReadView, records: Sequence[Record], until: datetime | None) -> tuple[Record, ...]:
    return tuple(record for record in records if until is None or _was_told(view, record, until))


def _propose(
    deps: Dependencies,
    tx: WriteTransaction,
    groups: Sequence[tuple[Record, ...]],
    wanted: Sequence[tuple[Deprecate | Erase, str]],
    speaker: Speaker,
    act_id: ActId,
    trace_id: TraceId,
) -> Receipts:
    """Propose these changes, with their reasons, unless the same waits already.

    A memory goes out of use with the versions before it, in one proposal; what cannot be undone is proposed of each.
    """
    now = deps.clock.now()
    proposals = [
        Proposal(
            id=new_proposal_id(),
            act_id=new_act_id() if payload.action is Action.ERASE else act_id,  # the rest of the act can be undone
            payload=payload,
            at=now,
            origin=speaker.origin,
            via=speaker.via,
            made_by=MADE_BY,
            trace_id=trace_id,
            targets=tuple(RecordTarget(record_id=one.id, version=one.version) for one in targets),
            scope=targets[0].scope,
            rationale=rationale,
            priority=1,
            proposer=speaker.name,
        )
        for group in groups
        for payload, rationale in wanted
        for targets in ([group] if payload.action is Action.DEPRECATE else [(record,) for record in group])
        if not _waits(tx, targets[0], payload.action)
    ]
    return tuple(commit(tx, one, decide(one, tx, deps.policy(), now), now) for one in proposals)


def why_unmet(deps: Dependencies, wish: str, known: Sequence[RecordId], namespace: Namespace) -> str:
    """Why a wish to forget changed and proposed nothing, and what it may have meant."""
    with deps.store.read() as view:
        is_known = any(find(view, wish, namespace) for find in (find_about, _told_otherwise, find_replaced))
        waiting = find_waiting(view, wish, namespace)
    if is_known or known or find_meant(deps, wish, namespace):
        return "that this be forgotten was asked before, and waits or was decided"
    if waiting:
        return f"what is to be forgotten is no memory yet; it waits for review, to be rejected there: {_named(waiting)}"
    near = find_near(deps, wish, namespace)
    ask = f". Nearest in meaning, and forgotten where the id is named: {_named(near)}" if near else ""
    return f"no memory holds what is to be forgotten{ask}"


def _named(records: Sequence[Record]) -> str:
    return "; ".join(f"{record.id} ({record.text})" for record in records)


def forget_asked(
    deps: Dependencies,
    tx: WriteTransaction,
    turns: Sequence[Episode],
    wishes: Mapping[EpisodeId, str],
    namespace: Namespace,
    ids: tuple[ActId, TraceId],
    asking: Speaker = USER,
) -> Iterator[Receipt]:
    """What became of the wishes of a conversation's user, or of who is `asking` for the user: they wait in any case.

    Where no memory holds what is to be forgotten, the erasure of the turns that do is proposed.
    """
    for turn in turns:
        wish = wishes.get(turn.id)
        if wish and turn.origin is asking.origin:
            found = find_about(tx, wish, namespace) or find_naming(tx, wish, namespace)
            found = (*found, *find_replaced(tx, wish, namespace))
            yield from forget_within(deps, tx, wish, asking, *ids, namespace=namespace, until=turn.at)
            if not any(_was_told(tx, record, turn.at) for record in found):
                told = list(turns_telling(tx, wish, turn.at, namespace, asking))
                yield from propose_for_turns(deps, tx, told, asking, ids[1])


def forget_possibly_asked(
    deps: Dependencies,
    tx: WriteTransaction,
    turns: Sequence[Episode],
    pasted: Mapping[EpisodeId, Sequence[tuple[int, int]]],
    namespace: Namespace,
    ids: tuple[ActId, TraceId],
) -> Iterator[Receipt]:
    """What became of words that may ask to forget, and may be a task: they wait where they surely name a memory.

    The turn is kept as it is; its erasure is proposed with that of the memory, unless other memories rest on it.
    """
    for turn in turns:
        if turn.origin is not Origin.USER or turn.kind is not EpisodeKind.TURN:
            continue
        wish = possible_wish(turn.text, pasted.get(turn.id, ()))
        if wish is None or _is_at_hand(tx, turn, pasted, wish):
            continue
        found = find_surely(tx, wish, turn.text, namespace)
        groups = [_told_by(tx, (record, *versions_before(tx, record)), turn.at) for record in found]
        echo = () if tx.evidence_in((turn.id,)) else (turn.id,)
        wanted = ((Deprecate(), _POSSIBLE), (Erase(episodes=echo), _POSSIBLE))
        yield from _propose(deps, tx, [group for group in groups if group], wanted, USER, *ids)


def _is_at_hand(
    view: ReadView, turn: Episode, pasted: Mapping[EpisodeId, Sequence[tuple[int, int]]], subject: str
) -> bool:
    """Whether a text that the talk is about names the thing: an answer that is a draft, a result, or a paste."""
    for one in view.turns(turn.conversation, max(0, turn.index - _BEFORE), turn.index):
        if one.origin in PEOPLE:
            text = " ".join(one.text[start:end] for start, end in pasted.get(one.id, ()))
        else:
            is_text = one.kind is not EpisodeKind.TURN or len(one.text) >= _LONG or _A_TEXT.search(one.text)
            text = one.text if is_text else ""
        if names_the_thing(text, subject):
            return True
    return False


def _was_told(view: ReadView, record: Record, until: datetime) -> bool:
    """Whether a turn up to this time says what the record holds."""
    turns = view.episodes(tuple({row.episode_id for row in view.evidence(record.id)}))
    return not turns or any(turn.at <= until for turn in turns.values())


def propose_for_turns(
    deps: Dependencies, tx: WriteTransaction, told: Sequence[tuple[Episode, Piece]], speaker: Speaker, trace_id: TraceId
) -> Receipts:
    """Propose that the turns that tell of something are erased, unless that waits already."""
    payload = Erase(episodes=tuple(one.id for one, _ in told))
    if not told or any(one.payload == payload for one in tx.proposals((ProposalState.STAGED,), _EVERY)):
        return ()
    now, act_id = deps.clock.now(), new_act_id()
    proposal = Proposal(
        id=new_proposal_id(),
        act_id=act_id,
        payload=payload,
        at=now,
        origin=speaker.origin,
        via=speaker.via,
        made_by=MADE_BY,
        trace_id=trace_id,
        evidence=tuple(
            Evidence(episode_id=one.id, start=said.start, end=said.end, at=one.at, wording=said.text, act_id=act_id)
            for one, said in told
        ),
        rationale=_TURNS,
        priority=1,
        proposer=speaker.name,
    )
    return (commit(tx, proposal, decide(proposal, tx, deps.policy(), now), now),)


def _waits(view: ReadView, record: Record, action: Action) -> bool:
    """Whether somebody asked for it before, and it was not decided yet."""
    return any(
        proposal.action is action and proposal.state is ProposalState.STAGED
        for proposal in view.linked_proposals(record.id, ProposalLink.TARGET)
    )


def with_reason(done: Remembered, text: str, wish: str, told: Callable[[str], Remembered]) -> Remembered:
    """The result with what the reason of the wish tells: a statement by itself, in the same act."""
    forgotten = [words for one in done.receipts for words in (one.text, *(record.text for record in one.records))]
    reason = forget_reason(text, wish, forgotten)
    if not reason:
        return done
    try:
        said = told(reason)
    except DopejarError as fault:  # the wish took effect
        return replace(done, left_out=(*done.left_out, f"{reason} ({fault})"))
    return replace(done, receipts=(*done.receipts, *said.receipts), left_out=(*done.left_out, *said.left_out))
