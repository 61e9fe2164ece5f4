"""Builders of values for tests: every field has a plain default, and a test names what it is about.

Takes: the fields that matter. Gives: values. Never: a clock or chance; the same call gives the same value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Final

from dopejar.ports.store import WriteTransaction
from dopejar.testing.fixed_clock import NOON
from dopejar.text.normalisation import content_hash
from dopejar.text.words import episode_terms, record_terms
from dopejar.values.episode import Conversation, Episode, Origin
from dopejar.values.ids import ActId, EpisodeId, ProposalId, RecordId, TraceId, conversation_id, episode_id
from dopejar.values.ledger import LedgerEntry, LedgerHead
from dopejar.values.proposal import Add, Payload, Proposal, ProposalState, Via
from dopejar.values.recall import Source
from dopejar.values.record import Draft, Evidence, EvidenceRole, Kind, Layer, Record, RecordState, Status, Sublayer
from dopejar.values.scope import UNIVERSAL, Namespace, Side

SOURCE: Final = "kitchen-notes"


def a_conversation(name: str = "monday", started_at: datetime | None = NOON, **changes: object) -> Conversation:
    """A conversation of our source."""
    made = Conversation(
        id=conversation_id(SOURCE, name), source=SOURCE, name=name, format="notes", started_at=started_at
    )
    return replace(made, **changes)  # type: ignore[arg-type] # the caller names fields of the class


def an_episode(text: str, index: int = 0, conversation: str = "monday", **changes: object) -> Episode:
    """A user's turn at a place of a conversation."""
    made = Episode(
        id=episode_id(SOURCE, f"{conversation}/{index}"),
        conversation=conversation_id(SOURCE, conversation),
        index=index,
        at=NOON,
        speaker="ana",
        origin=Origin.USER,
        text=text,
        content_hash=content_hash(text),
        source_id=f"{conversation}/{index}",
    )
    return replace(made, **changes)  # type: ignore[arg-type] # the caller names fields of the class


def a_record(name: str, text: str = "", **changes: object) -> Record:
    """An active fact. `name` makes its id and its key; its text is about it unless given."""
    words = text or f"The {name} stands in the pantry."
    made = Record(
        id=RecordId(f"m_{name}"),
        kind=Kind.FACT,
        text=words,
        key=f"Pantry-{name.title()}-Place",
        slot=f"pantry.{name}",
        value="+pantry",
        layer=Layer.WORLD,
        sublayer=Sublayer.FACT,
        namespace=Namespace.PROD,
        scope=UNIVERSAL,
        side=Side.NONE,
        status=Status.ACTIVE,
        confidence=0.9,
        certainty=1.0,
        trust=1.0,
        tags=("kitchen",),
        pinned=False,
        created_at=NOON,
        valid_from=NOON,
        valid_to=None,
        temporary=False,
        content_hash=content_hash(words),
        version=1,
        made_by="ingest@1",
    )
    return replace(made, **changes)  # type: ignore[arg-type] # the caller names fields of the class


def some_evidence(episode: Episode, act_id: str = "a_first", **changes: object) -> Evidence:
    """The whole of an episode as what asserts a record."""
    made = Evidence(
        episode_id=episode.id,
        start=0,
        end=len(episode.text),
        at=episode.at,
        wording=episode.text,
        role=EvidenceRole.ASSERTS,
        act_id=ActId(act_id),
    )
    return replace(made, **changes)  # type: ignore[arg-type] # the caller names fields of the class


def a_proposal(name: str, payload: Payload | None = None, **changes: object) -> Proposal:
    """A staged wish of the user; to add a fact unless another payload is given."""
    made = Proposal(
        id=ProposalId(f"p_{name}"),
        act_id=ActId("a_first"),
        payload=payload or Add(draft=Draft(kind=Kind.FACT, text=f"The {name} is new.")),
        at=NOON,
        origin=Origin.USER,
        via=Via.CONVERSATION,
        made_by="ingest@1",
        trace_id=TraceId("t_first"),
        state=ProposalState.STAGED,
    )
    return replace(made, **changes)  # type: ignore[arg-type] # the caller names fields of the class


def an_entry(head: LedgerHead, target: str, act_id: str = "a_first", at: datetime = NOON) -> LedgerEntry:
    """The entry that follows the head. Its hash is a hash, though not the one that `memory` would compute."""
    return LedgerEntry(
        seq=head.seq + 1,
        act_id=ActId(act_id),
        at=at,
        action="add",
        target=target,
        from_state="",
        to_state="active",
        from_digest="",
        to_digest="",
        proposal_id=ProposalId("p_any"),
        proposer="user",
        approver="policy",
        rules=("allow-user",),
        policy_hash="",
        trace_id=TraceId("t_first"),
        previous=head.hash,
        hash=hashlib.sha256(f"{head.hash}{head.seq + 1}{target}{act_id}".encode()).hexdigest(),
    )


def append_entry(tx: WriteTransaction, target: str, act_id: str = "a_first", at: datetime = NOON) -> int:
    """Append a ledger entry about a target; its number."""
    entry = an_entry(tx.head(), target, act_id, at)
    tx.append_ledger(entry)
    return entry.seq


def append_conversation(
    tx: WriteTransaction, *texts: str, conversation: str = "monday", first: int = 0
) -> tuple[Episode, ...]:
    """Write a conversation with these turns, from a place on."""
    tx.put_conversation(a_conversation(conversation))
    episodes = tuple(an_episode(text, first + place, conversation) for place, text in enumerate(texts))
    append_turns(tx, episodes)
    return episodes


def append_turns(tx: WriteTransaction, episodes: Sequence[Episode]) -> tuple[EpisodeId, ...]:
    """Append episodes with their full-text terms; the ids of the new ones."""
    fresh = tx.append_episodes(episodes)
    texts = {episode.id: episode.text for episode in reversed(episodes) if episode.id in fresh}
    tx.put_terms(Source.EPISODE, [(episode_id, episode_terms(text)) for episode_id, text in texts.items()])
    return fresh


def _put_record(tx: WriteTransaction, record: Record, act_id: str, seq: int) -> None:
    """Write a record with its state and its full-text terms."""
    tx.put_record(record)
    tx.put_state(RecordState(record=record, from_seq=seq, to_seq=None, act_id=ActId(act_id)))
    tx.put_terms(Source.RECORD, [(record.id, record_terms(record.text, record.key))])


def insert_record(
    tx: WriteTransaction, record: Record, evidence: Sequence[Evidence] | None = None, act_id: str = "a_first"
) -> int:
    """Write a record with its ledger entry and its evidence (by default a turn that says it); the entry's number."""
    seq = append_entry(tx, record.id, act_id)
    _put_record(tx, record, act_id, seq)
    if evidence is None:
        said = an_episode(record.text or "...", 0, f"about-{record.id}")
        tx.put_conversation(a_conversation(f"about-{record.id}"))
        append_turns(tx, [said])
        evidence = [some_evidence(said, act_id)]
    tx.put_evidence(record.id, evidence)
    return seq


def update_record(tx: WriteTransaction, record: Record, act_id: str = "a_second") -> int:
    """Write a record anew with its ledger entry, its evidence left alone; the entry's number."""
    seq = append_entry(tx, record.id, act_id)
    _put_record(tx, record, act_id, seq)
    return seq


class raising:  # noqa: N801 - used as a statement, like `closing`
    """The block must raise this error, with these words in its message."""

    def __init__(self, kind: type[BaseException], *words: str) -> None:
        self._kind = kind
        self._words = words

    def __enter__(self) -> None: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        if error is None:
            raise AssertionError(f"{self._kind.__name__} was not raised.")
        if not isinstance(error, self._kind):
            return False
        missing = [word for word in self._words if word not in str(error)]
        assert not missing, f"{missing} not in {error!s}"
        return True
