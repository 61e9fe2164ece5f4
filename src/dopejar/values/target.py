"""What a proposal is about: a record, a block, a dossier, or a range of turns.

Takes: ids, versions and places. Gives: frozen targets with one text form and one JSON form. Never: looks anything up;
whether a target exists is for the store to say.

| target | text | JSON |
| --- | --- | --- |
| record | `m_...@VERSION` | `[ID, VERSION]` |
| block | `b_...@VERSION` | `["block", ID, VERSION]` |
| dossier | `d_...@VERSION` | `["dossier", ID, VERSION]` |
| range of turns | `c_...:FIRST-LAST` | `["turns", CONVERSATION, FIRST, LAST]` |
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from dopejar.errors import InputError
from dopejar.values.ids import BlockId, ConversationId, DossierId, RecordId


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordTarget:
    """A record and the version that the proposal was judged against."""

    record_id: RecordId
    version: int

    @property
    def subject(self) -> str:
        """What the ledger names: the record's id."""
        return self.record_id

    def __str__(self) -> str:
        return f"{self.record_id}@{self.version}"


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockTarget:
    """A block of consecutive turns on one topic, and the version that the proposal was judged against."""

    block_id: BlockId
    version: int

    @property
    def subject(self) -> str:
        """What the ledger names: the block's id."""
        return self.block_id

    def __str__(self) -> str:
        return f"{self.block_id}@{self.version}"


@dataclass(frozen=True, kw_only=True, slots=True)
class DossierTarget:
    """A dossier and the version that the proposal was judged against."""

    dossier_id: DossierId
    version: int

    @property
    def subject(self) -> str:
        """What the ledger names: the dossier's id."""
        return self.dossier_id

    def __str__(self) -> str:
        return f"{self.dossier_id}@{self.version}"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnRangeTarget:
    """Turns `first` to `last` of a conversation, both included and counted from 0. Turns never change: no version.

    Raises InputError for a range that is empty or begins before the first turn.
    """

    conversation: ConversationId
    first: int
    last: int

    def __post_init__(self) -> None:
        if not 0 <= self.first <= self.last:
            raise InputError(
                f"Turns {self.first} to {self.last} are no range. Give the index of the first turn, counted from 0, "
                "and one of the last that is not smaller."
            )

    @property
    def subject(self) -> str:
        """What the ledger names: the conversation's id with the range."""
        return f"{self.conversation}:{self.first}-{self.last}"

    def __str__(self) -> str:
        return self.subject


Target: TypeAlias = RecordTarget | BlockTarget | DossierTarget | TurnRangeTarget


def target_as_json(target: Target) -> list[str | int]:
    """The target as a JSON array; see the table at the top of this module."""
    match target:
        case RecordTarget():
            return [target.record_id, target.version]
        case BlockTarget():
            return ["block", target.block_id, target.version]
        case DossierTarget():
            return ["dossier", target.dossier_id, target.version]
        case TurnRangeTarget():
            return ["turns", target.conversation, target.first, target.last]


def target_from_json(value: object) -> Target:
    """The target that `target_as_json` wrote. Raises InputError for any other value."""
    match value:
        case [str(record_id), int(version)]:
            return RecordTarget(record_id=RecordId(record_id), version=version)
        case ["block", str(block_id), int(version)]:
            return BlockTarget(block_id=BlockId(block_id), version=version)
        case ["dossier", str(dossier_id), int(version)]:
            return DossierTarget(dossier_id=DossierId(dossier_id), version=version)
        case ["turns", str(conversation), int(first), int(last)]:
            return TurnRangeTarget(conversation=ConversationId(conversation), first=first, last=last)
    raise InputError(f"{value!r} is no target: it must name a record, a block, a dossier or a range of turns.")
