"""A reviewer's own acts: undo, erase, deprecate, restore.

Takes: what is to change and a reviewer. Gives: receipts. Never: acts without the gate's verdict.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.results import ErasureReceipt
from dopejar.engine.unit_of_work import decide
from dopejar.errors import AmbiguousIdError, InputError, NotFoundError, RefusedError, StoreError
from dopejar.memory.commit import Receipt, commit
from dopejar.memory.erasure import KEY, SOURCE, TEXT, key_digest, keyed_digest, text_digest
from dopejar.ports.store import ReadView, RecordFilter, WriteTransaction
from dopejar.text.normalise import fold
from dopejar.text.words import query_terms
from dopejar.values.episode import Conversation, Origin
from dopejar.values.ids import ActId, ConversationId, EpisodeId, RecordId, TraceId, new_act_id, new_proposal_id
from dopejar.values.proposal import Deprecate, Erase, Payload, Proposal, Restore, Target, Undo, Via
from dopejar.values.recall import SearchFilter, Source
from dopejar.values.record import Record, Status
from dopejar.values.scope import ReadScope
from dopejar.values.verdict import Allow

_PRESENT = frozenset(Status) - {Status.ERASED}
_LOOK = """
import json, pathlib, sys
asked = json.load(sys.stdin)
needles = [one.encode("utf-8", "surrogatepass") for one in asked["needles"]]
found = []
for name in asked["files"]:
    data = pathlib.Path(name).read_bytes()
    if any(one in data for one in needles):
        found.append(name)
json.dump(found, sys.stdout)
"""
_TRACES = 6  # words of an erased text that, standing together, would betray it


def find_record(view: ReadView, name: str) -> Record:
    """The record with this id, the beginning of its id, or its key. Raises NotFoundError, AmbiguousIdError."""
    whole = view.record(RecordId(name))
    if whole is not None:
        return whole
    ids = view.find_record_id(name if name.startswith("m_") else f"m_{name}")
    if len(ids) == 1:
        found = view.record(ids[0])
        if found is not None:
            return found
    if len(ids) > 1:
        raise AmbiguousIdError(f"{name} fits {len(ids)} memories: {', '.join(ids[:3])}. Give more of it.")
    by_key = view.with_key_anywhere(name)
    if by_key:
        return by_key[0]
    raise NotFoundError(f"There is no memory {name!r}. Give an id, its beginning, or a key such as Self-Pref-DarkMode.")


def find_conversation(view: ReadView, name: str) -> ConversationId:
    """The conversation with this id, name, the beginning of either, or file. Raises NotFoundError, AmbiguousIdError."""
    found = view.conversations(10, name) or _learned_from(view, name)
    exact = [one for one in found if name in (one.id, one.name, one.source)]
    if len(exact) == 1 or len(found) == 1:
        return (exact or list(found))[0].id
    if found:
        names = ", ".join(f"{one.id} ({one.name})" for one in found[:3])
        raise AmbiguousIdError(f"{name} fits several conversations: {names}. Give the id.")
    raise NotFoundError(f"There is no conversation {name!r}. `dopejar log --conversations` lists them.")


def _learned_from(view: ReadView, path: str) -> tuple[Conversation, ...]:
    """Conversations that came out of this file."""
    place = str(Path(path).absolute())
    return tuple(one for one in view.conversations(1_000_000) if one.source == place)


def commit_action(
    deps: Dependencies,
    tx: WriteTransaction,
    payload: Payload,
    targets: Sequence[Record],
    by: Reviewer,
    trace_id: TraceId,
    *,
    act_id: ActId | None = None,
) -> Receipt:
    """Commit a reviewer's own wish, as an act of its own or a part of one. Raises RefusedError, IllegalMoveError."""
    now = deps.clock.now()
    proposal = Proposal(
        id=new_proposal_id(),
        act_id=act_id or new_act_id(),
        payload=payload,
        at=now,
        origin=Origin.USER,
        via=Via.REVIEW,
        made_by="person",
        trace_id=trace_id,
        targets=tuple(Target(record_id=one.id, version=one.version) for one in targets),
        proposer=by.name,
    )
    verdict = decide(proposal, tx, deps.policy(), now, approval=by.name)
    if not isinstance(verdict, Allow):
        raise RefusedError(f"This cannot be done: {verdict.reason} [{', '.join(verdict.rules)}].")
    return commit(tx, proposal, verdict, now)


def undo(deps: Dependencies, name: str, by: Reviewer, trace_id: TraceId) -> Receipt:
    """Take back an act (`a_...`), or everything learned from a conversation (`c_...`, its name or its file).

    Raises:
        NotFoundError, AmbiguousIdError: the name fits nothing, or several things.
        InputError: the act was an erasure.
    """
    with deps.store.write() as tx:
        acts = tx.find_act_id(name if name.startswith("a_") else f"a_{name}")
        if len(acts) > 1:
            raise AmbiguousIdError(f"{name} fits {len(acts)} acts: {', '.join(acts[:3])}. Give more of it.")
        if acts:
            wish = Undo(act_id=ActId(acts[0]))
        elif name.startswith("a_"):
            raise NotFoundError(f"There is no act {name}. `dopejar log` lists the acts.")
        else:
            wish = Undo(conversation=find_conversation(tx, name))
        receipt = commit_action(deps, tx, wish, (), by, trace_id)
        from dopejar.engine.corrections.checkpoint import note_taken_back  # most commands decide nothing and do without

        note_taken_back(tx, wish)
        return receipt


def deprecate(deps: Dependencies, names: Sequence[str], by: Reviewer, trace_id: TraceId) -> Receipt:
    """Take records out of use; they stay readable. Raises NotFoundError, IllegalMoveError."""
    with deps.store.write() as tx:
        return commit_action(deps, tx, Deprecate(), [find_record(tx, name) for name in names], by, trace_id)


def bring_back(deps: Dependencies, names: Sequence[str], by: Reviewer, trace_id: TraceId) -> Receipt:
    """Bring deprecated or retracted records back, and rejected ones into the queue."""
    with deps.store.write() as tx:
        return commit_action(deps, tx, Restore(), [find_record(tx, name) for name in names], by, trace_id)


def erase(
    deps: Dependencies,
    by: Reviewer,
    trace_id: TraceId,
    *,
    records: Sequence[str] = (),
    episodes: Sequence[EpisodeId] = (),
    conversation: str = "",
) -> ErasureReceipt:
    """Erase records with the spans they rest on, episodes, or a whole conversation; then look for the words.

    Raises:
        NotFoundError: a name fits nothing. InputError: nothing is named.
    """
    if not records and not episodes and not conversation:
        raise InputError("Say what to erase: memories, episodes, or a conversation.")
    words: set[str] = set()
    with deps.store.write() as tx:
        targets = [find_record(tx, name) for name in records]
        chosen = find_conversation(tx, conversation) if conversation else None
        words |= _words(tx, targets, episodes, chosen)
        rests_on = [one.episode_id for record in targets for one in tx.evidence(record.id)]
        places = {one.conversation for one in tx.episodes((*episodes, *rests_on)).values()}
        receipt = commit_action(deps, tx, Erase(episodes=tuple(episodes), conversation=chosen), targets, by, trace_id)
        from dopejar.engine.corrections.checkpoint import forget_left_behind  # as above

        forget_left_behind(tx, sorted({*places, *([chosen] if chosen else [])}))
        head = tx.head()
    deps.store.compact()
    elsewhere = {word: _said_elsewhere(deps, word) for word in words}
    found = _found_in(deps, {word for word, where in elsewhere.items() if not where})
    return ErasureReceipt(
        act_id=receipt.act_id,
        records=tuple(one.id for one in receipt.records),
        episodes_blanked=receipt.episodes_blanked,
        at=deps.clock.now(),
        verified=not found,
        still_found_in=found,
        said_elsewhere=tuple(dict.fromkeys(one for where in elsewhere.values() for one in where)),
        backups=known_backups(deps),
        ledger=head,
    )


def _words(
    view: ReadView, targets: Sequence[Record], episodes: Sequence[EpisodeId], conversation: ConversationId | None
) -> set[str]:
    """The texts that must be found nowhere afterwards."""
    found = {one.text for one in targets}
    for record in targets:
        found.update(one.wording for one in view.evidence(record.id))
    found.update(one.text for one in view.episodes(tuple(episodes)).values())
    if conversation is not None:
        found.update(one.text for one in view.turns(conversation))
    return {one for one in found if len(one.strip()) >= _TRACES}


def _said_elsewhere(deps: Dependencies, text: str) -> tuple[EpisodeId, ...]:
    """Episodes that nobody asked to erase and that hold the same words."""
    terms = query_terms(text)[:12]
    where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.EPISODE)
    with deps.store.read() as view:
        hits = view.lexical(terms, where, 50) if terms else ()
        episodes = view.load_episodes([one.id for one in hits], where)
    wanted = fold(text)
    return tuple(one.id for one in episodes.values() if wanted in fold(one.text))


def _found_in(deps: Dependencies, words: set[str]) -> tuple[str, ...]:
    """Files of the store that still hold one of the texts in their raw bytes."""
    path = deps.store.path
    if path is None:
        return ()
    needles = sorted({needle for one in words for needle in (one, fold(one))})
    files = [str(one) for one in sorted(path.parent.glob(f"{path.name}*")) if one.is_file() and one.suffix != ".lock"]
    wanted = json.dumps({"files": files, "needles": needles})
    # in a process of its own: closing a file that a connection has open would drop the connection's locks
    looked = subprocess.run(  # noqa: S603 - our own interpreter with our own few lines
        [sys.executable, "-I", "-c", _LOOK], input=wanted, capture_output=True, text=True, check=False
    )
    if looked.returncode:
        raise StoreError("The files could not be searched after the erasure. Run `dopejar doctor`, then erase again.")
    return tuple(Path(one).name for one in json.loads(looked.stdout))


def known_backups(deps: Dependencies) -> tuple[Path, ...]:
    """Backups that this store made and that are still where they were put."""
    with deps.store.read() as view:
        rows = view.held_of("backup")
    return tuple(path for one in rows if (path := Path(one.key)).exists())


def erase_buried(deps: Dependencies, secret: bytes, by: Reviewer, trace_id: TraceId) -> int:
    """Erase whatever the store's own tombstones bury; how many memories and turns went."""
    with deps.store.write() as tx:
        records = [
            one
            for one in tx.list_records(RecordFilter(statuses=tuple(_PRESENT), namespace=None), 1_000_000)
            if tx.has_tombstone(TEXT, (text_digest(secret, one.text),))
            or (one.value and tx.has_tombstone(KEY, (key_digest(secret, one.key, one.value),)))
        ]
        episodes = [
            turn.id
            for one in tx.conversations(1_000_000)
            for turn in tx.turns(one.id)
            if tx.has_tombstone(SOURCE, (keyed_digest(secret, SOURCE, turn.id),)) and turn.text != "[erased]"
        ]
        if not records and not episodes:
            return 0
        commit_action(deps, tx, Erase(episodes=tuple(episodes)), records, by, trace_id)
    return len(records) + len(episodes)
