"""Typed ids.

Takes: random bytes or stable parts. Gives: a distinct string type for each kind of thing. Never: reads a clock, or
makes an id from words without the store's secret: an id outlives an erasure and must not tell what was erased.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import NewType

EpisodeId = NewType("EpisodeId", str)
ConversationId = NewType("ConversationId", str)
RecordId = NewType("RecordId", str)
ProposalId = NewType("ProposalId", str)
ActId = NewType("ActId", str)
TraceId = NewType("TraceId", str)
BlockId = NewType("BlockId", str)
DossierId = NewType("DossierId", str)

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: no look-alikes
_LENGTH = 16  # 80 random bits


def _encode(raw: bytes) -> str:
    number = int.from_bytes(raw, "big")
    digits = []
    for _ in range(_LENGTH):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return "".join(digits)


def _random() -> str:
    return _encode(os.urandom(10))


def _joined(parts: tuple[str, ...]) -> bytes:
    return "\x1f".join(parts).encode("utf-8", "surrogatepass")


def _stable(*parts: str) -> str:
    return _encode(hashlib.sha256(_joined(parts)).digest()[:10])


def _keyed(secret: bytes, *parts: str) -> str:
    return _encode(hmac.digest(secret, _joined(parts), "sha256")[:10])


def new_proposal_id() -> ProposalId:
    """A fresh proposal id, `p_` and 16 characters."""
    return ProposalId(f"p_{_random()}")


def new_act_id() -> ActId:
    """A fresh act id, `a_` and 16 characters."""
    return ActId(f"a_{_random()}")


def new_trace_id() -> TraceId:
    """A fresh trace id, `t_` and 16 characters; made once at every door."""
    return TraceId(f"t_{_random()}")


def conversation_id(source: str, name: str) -> ConversationId:
    """The id of a conversation: the same source and name give the same id, so that imports are idempotent."""
    return ConversationId(f"c_{_stable(source, name)}")


def episode_id(source: str, source_id: str) -> EpisodeId:
    """The id of an episode: the same source and source id give the same id, so that imports are idempotent."""
    return EpisodeId(f"e_{_stable(source, source_id)}")


def keyed_episode_id(secret: bytes, unkeyed: EpisodeId) -> EpisodeId:
    """The id of an episode that is known by its words: the same in this store, and in no other."""
    return EpisodeId(f"e_{_keyed(secret, unkeyed)}")


def block_id(first_turn: str) -> BlockId:
    """The id of a block, by its first turn: the same turns give the same id, so that routing can be repeated."""
    return BlockId(f"b_{_stable('block', first_turn)}")


def record_id_of(proposal: ProposalId, part: str = "") -> RecordId:
    """The id of the record that a proposal makes: the same one each time that it is planned."""
    return RecordId(f"m_{_stable(proposal, part)}" if part else f"m_{proposal.removeprefix('p_')}")


def proposal_id_of(record: RecordId) -> ProposalId:
    """The id of the proposal that made a record, or would make it: the inverse of `record_id_of`."""
    return ProposalId(f"p_{record.removeprefix('m_')}")


def stable_proposal_id(secret: bytes, *parts: str) -> ProposalId:
    """The id of a staged or refused proposal: a repeat of it has the same id in this store."""
    return ProposalId(f"p_{_keyed(secret, *parts)}")


def unkeyed_proposal_id(*parts: str) -> ProposalId:
    """The id that earlier versions gave a staged or refused proposal; stores still hold such ids."""
    return ProposalId(f"p_{_stable(*parts)}")
