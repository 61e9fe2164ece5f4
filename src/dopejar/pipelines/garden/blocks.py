"""Blocks, and the states they go through.

Takes: turns with what was read from them, events. Gives: frozen blocks, the next state. Never: a text; a block names
its turns and holds the terms and the vector that they add up to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

from dopejar.errors import IllegalMoveError
from dopejar.values.episode import Origin
from dopejar.values.ids import BlockId

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]


class BlockState(StrEnum):
    """The states of a block. `partial`: it ended before its topic did; another block goes on, or it is resumed."""

    ACTIVE = "active"
    PAUSED = "paused"
    PARTIAL = "partial"
    ARCHIVED = "archived"


class BlockEvent(StrEnum):
    """What happens to a block; the first four are its exits."""

    TOPIC_SHIFT = "topic_shift"
    VOLUME = "volume_threshold"
    USER_QUIT = "user_quit"
    MANUAL = "manual"
    RESUME = "resume"
    ARCHIVE = "archive"


_S, _E = BlockState, BlockEvent

MOVES: Mapping[tuple[BlockState, BlockEvent], BlockState] = MappingProxyType(
    {
        (_S.ACTIVE, _E.TOPIC_SHIFT): _S.PAUSED,
        (_S.ACTIVE, _E.MANUAL): _S.PAUSED,
        (_S.ACTIVE, _E.VOLUME): _S.PARTIAL,
        (_S.ACTIVE, _E.USER_QUIT): _S.PARTIAL,
        (_S.PAUSED, _E.RESUME): _S.ACTIVE,
        (_S.PARTIAL, _E.RESUME): _S.ACTIVE,
        (_S.PAUSED, _E.ARCHIVE): _S.ARCHIVED,
        (_S.PARTIAL, _E.ARCHIVE): _S.ARCHIVED,
    }
)


def step(state: BlockState, event: BlockEvent) -> BlockState:
    """The state after an event.

    Raises:
        IllegalMoveError: the table has no such move.
    """
    after = MOVES.get((state, event))
    if after is None:
        known = sorted({str(move) for known_state, move in MOVES if known_state is state}) or ["nothing"]
        raise IllegalMoveError(
            f"A block that is {state} cannot take {event}. It can take {', '.join(known)}. Read the block again: "
            "another process may have moved it."
        )
    return after


_NOTHING: Mapping[str, int] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class IncomingTurn:
    """A turn as it arrives. `at` is None where its time is unknown, `vector` (of length 1) where nobody embeds."""

    turn_id: str
    text: str
    origin: Origin = Origin.OTHER
    at: datetime | None = None
    vector: Vector | None = None


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Block:
    """Turns on one topic, in order. `exit` is how the block last ended, None for one that never did.

    `terms` counts the turns that hold a term; `total` is the sum of their vectors. `previous` is the block before it.
    """

    id: BlockId
    turns: tuple[str, ...]
    characters: int
    terms: Mapping[str, int] = field(default_factory=lambda: _NOTHING)
    total: Vector | None = None
    state: BlockState = BlockState.ACTIVE
    exit: BlockEvent | None = None
    previous: BlockId | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
