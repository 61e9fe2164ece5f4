"""Erasure on request: records, episodes or a conversation, verified afterwards in the bytes of the data files.

Takes: names and a reviewer. Gives: a receipt that says what was erased, what is left elsewhere, and which backups still
hold the words. Never: claims to have erased what it did not verify.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from dopejar.engine.corrections.checkpoint import forget_one_offs
from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.exchange.backups import known_backups
from dopejar.engine.maintenance.scrub import note_scrub, scrub
from dopejar.engine.queries.lookup import find_conversation, find_record
from dopejar.engine.results import ErasureReceipt
from dopejar.engine.review.reviewer_actions import commit_action
from dopejar.errors import InputError, StoreError
from dopejar.memory.buried_turns import ERASED_MARK, is_known_by_words
from dopejar.memory.tombstones import KEY, SOURCE, TEXT, key_digest, keyed_digest, text_digest
from dopejar.ports.store import ReadView
from dopejar.text.normalisation import fold
from dopejar.text.words import query_terms
from dopejar.values.episode import Episode
from dopejar.values.ids import ConversationId, EpisodeId, TraceId
from dopejar.values.proposal import Erase
from dopejar.values.recall import RecordFilter, SearchFilter, Source
from dopejar.values.record import Record, Status
from dopejar.values.scope import ReadScope

_NOT_ERASED = frozenset(Status) - {Status.ERASED}
_EVERY = 1_000_000
_SHORTEST_TEXT = 6  # characters; a shorter text occurs by chance
_QUERY_TERMS = 12
_SEARCHED_EPISODES = 50
_SCAN_FILES = """
import json, pathlib, sys
request = json.load(sys.stdin)
needles = [text.encode("utf-8", "surrogatepass") for text in request["needles"]]
matches = []
for name in request["files"]:
    data = pathlib.Path(name).read_bytes()
    if any(needle in data for needle in needles):
        matches.append(name)
json.dump(matches, sys.stdout)
"""


def erase(
    deps: Dependencies,
    by: Reviewer,
    trace_id: TraceId,
    *,
    records: Sequence[str] = (),
    episodes: Sequence[EpisodeId] = (),
    conversation: str = "",
) -> ErasureReceipt:
    """Erase records with the spans they rest on, episodes, or a conversation; then search the files for the words.

    Raises:
        NotFoundError: a name fits nothing. InputError: nothing is named.
    """
    if not records and not episodes and not conversation:
        raise InputError("Say what to erase: memories, episodes, or a conversation.")
    with deps.store.write() as tx:
        targets = [find_record(tx, name) for name in records]
        conversation_id = find_conversation(tx, conversation) if conversation else None
        texts = _texts_to_erase(tx, targets, episodes, conversation_id)
        evidence_episodes = [row.episode_id for record in targets for row in tx.evidence(record.id)]
        conversations = {episode.conversation for episode in tx.episodes((*episodes, *evidence_episodes)).values()}
        payload = Erase(episodes=tuple(episodes), conversation=conversation_id)
        receipt = commit_action(deps, tx, payload, targets, by, trace_id)
        forget_one_offs(tx, sorted({*conversations, *([conversation_id] if conversation_id else [])}))
        if deps.store.file is not None:
            note_scrub(tx, deps.clock.now())
        head = tx.head()
    not_scrubbed = scrub(deps)
    elsewhere = {text: _other_episodes_with(deps, text) for text in texts}
    found_in = _files_containing(deps, {text for text, episode_ids in elsewhere.items() if not episode_ids})
    return ErasureReceipt(
        act_id=receipt.act_id,
        records=tuple(record.id for record in receipt.records),
        episodes_blanked=receipt.episodes_blanked,
        at=deps.clock.now(),
        verified=not found_in and not not_scrubbed,
        not_scrubbed=not_scrubbed,
        still_found_in=found_in,
        said_elsewhere=tuple(dict.fromkeys(episode for ids in elsewhere.values() for episode in ids)),
        backups=known_backups(deps),
        ledger=head,
    )


def _texts_to_erase(
    view: ReadView, targets: Sequence[Record], episodes: Sequence[EpisodeId], conversation: ConversationId | None
) -> set[str]:
    """The texts that must not be found anywhere afterwards."""
    texts = {record.text for record in targets}
    for record in targets:
        texts.update(row.wording for row in view.evidence(record.id))
    texts.update(episode.text for episode in view.episodes(tuple(episodes)).values())
    if conversation is not None:
        texts.update(turn.text for turn in view.turns(conversation))
    return {text for text in texts if len(text.strip()) >= _SHORTEST_TEXT and text != ERASED_MARK}


def _other_episodes_with(deps: Dependencies, text: str) -> tuple[EpisodeId, ...]:
    """Episodes that hold the same words and that nobody asked to erase."""
    terms = query_terms(text)[:_QUERY_TERMS]
    where = SearchFilter(read_scope=ReadScope(all_projects=True), source=Source.EPISODE)
    with deps.store.read() as view:
        hits = view.lexical(terms, where, _SEARCHED_EPISODES) if terms else ()
        episodes = view.load_episodes([hit.id for hit in hits], where)
    folded = fold(text)
    return tuple(episode.id for episode in episodes.values() if folded in fold(episode.text))


def _files_containing(deps: Dependencies, texts: set[str]) -> tuple[str, ...]:
    """Names of the store's files that still hold one of the texts in their raw bytes."""
    if deps.store.file is None:
        return ()
    path = deps.store.file.path
    needles = sorted({needle for text in texts for needle in (text, fold(text))})
    siblings = sorted(path.parent.glob(f"{path.name}*"))
    files = [str(file) for file in siblings if file.is_file() and file.suffix != ".lock"]
    # a process of its own reads them: closing a file that a connection has open would drop the connection's locks
    scan = subprocess.run(  # noqa: S603 - our own interpreter runs our own few lines
        [sys.executable, "-I", "-c", _SCAN_FILES],
        input=json.dumps({"files": files, "needles": needles}),
        capture_output=True,
        text=True,
        check=False,
    )
    if scan.returncode:
        raise StoreError("The files could not be searched after the erasure. Run `dopejar doctor`, then erase again.")
    return tuple(Path(name).name for name in json.loads(scan.stdout))


def erase_buried(deps: Dependencies, secret: bytes, by: Reviewer, trace_id: TraceId) -> int:
    """Erase everything that the store's own tombstones name; the number of records and turns erased."""
    with deps.store.write() as tx:
        where = RecordFilter(statuses=tuple(_NOT_ERASED), namespace=None)
        records = [
            record
            for record in tx.list_records(where, _EVERY)
            if tx.has_tombstone(TEXT, (text_digest(secret, record.text),))
            or (record.value and tx.has_tombstone(KEY, (key_digest(secret, record.key, record.value),)))
        ]
        episodes = [
            turn.id
            for conversation in tx.conversations(_EVERY)
            for turn in tx.turns(conversation.id)
            if turn.text != ERASED_MARK and _is_buried(tx, secret, turn)
        ]
        if not records and not episodes:
            return 0
        commit_action(deps, tx, Erase(episodes=tuple(episodes)), records, by, trace_id)
    return len(records) + len(episodes)


def _is_buried(view: ReadView, secret: bytes, turn: Episode) -> bool:
    """Whether the whole turn was erased, under its id or in a copy."""
    if view.has_tombstone(SOURCE, (keyed_digest(secret, SOURCE, turn.id),)):
        return True
    return is_known_by_words(turn) and bool(view.has_tombstone(TEXT, (text_digest(secret, turn.text),)))
