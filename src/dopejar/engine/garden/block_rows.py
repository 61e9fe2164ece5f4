"""The blocks of a conversation, one held row per conversation.

Takes: a view or a transaction. Gives: the blocks as they were routed last, and when each was archived. Never: holds
words; a block names its turns by their places.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from dopejar.engine.garden import BLOCKS
from dopejar.errors import NotFoundError
from dopejar.memory.hold import hold
from dopejar.pipelines.garden.blocks import BlockEvent, BlockState
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.held_bodies import as_list, as_object, number_in, object_of, require, text_in
from dopejar.values.ids import BlockId, ConversationId
from dopejar.values.versioned_rows import KeyValueRow


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockRow:
    """A block: the places of its turns in the conversation, in order, its state, and how it last ended."""

    id: BlockId
    places: tuple[int, ...]
    state: BlockState
    exit: BlockEvent | None = None
    previous: BlockId | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationBlocks:
    """The blocks of a conversation by their first turns.

    `turns` counts those that were routed, `last` is the place of the last one. `archived` tells for each archived block
    how many turns had been routed when it was archived, so that routing can be repeated.
    """

    conversation: ConversationId
    turns: int = 0
    last: int = -1
    blocks: tuple[BlockRow, ...] = ()
    archived: dict[BlockId, int] = field(default_factory=dict)
    version: int = 0

    def block(self, block_id: BlockId) -> BlockRow:
        """One of the blocks. Raises NotFoundError."""
        for row in self.blocks:
            if row.id == block_id:
                return row
        raise NotFoundError(f"There is no block {block_id}. `dopejar list --blocks` lists the blocks.")

    def archive(self, block_id: BlockId, ended: BlockEvent = BlockEvent.USER_QUIT) -> ConversationBlocks:
        """The same with one block archived; `ended` is how it ends where it is going on."""
        blocks = [
            replace(row, state=BlockState.ARCHIVED, exit=ended if row.state is BlockState.ACTIVE else row.exit)
            if row.id == block_id
            else row
            for row in self.blocks
        ]
        return replace(self, blocks=tuple(blocks), archived={**self.archived, block_id: self.turns})


def blocks_of(view: ReadView, conversation: ConversationId) -> ConversationBlocks:
    """The blocks of a conversation; none where it was never routed."""
    row = view.held(BLOCKS, conversation)
    return read_blocks(row) if row else ConversationBlocks(conversation=conversation)


def all_blocks(view: ReadView) -> tuple[ConversationBlocks, ...]:
    """The blocks of every conversation that was routed."""
    return tuple(read_blocks(row) for row in view.held_of(BLOCKS))


def find_block(view: ReadView, prefix: str) -> tuple[ConversationBlocks, BlockRow]:
    """The block with this id, or with the only id that begins so. Raises NotFoundError where it is none or several."""
    found = [(row, block) for row in all_blocks(view) for block in row.blocks if block.id.startswith(prefix)]
    exact = [pair for pair in found if pair[1].id == prefix]
    if len(exact or found) != 1 or not prefix:
        what = "Several blocks have ids that begin with" if found else "There is no block"
        raise NotFoundError(f"{what} {prefix!r}. `dopejar list --blocks` lists the blocks.")
    return (exact or found)[0]


def put_blocks(tx: WriteTransaction, row: ConversationBlocks) -> None:
    """Write the blocks of a conversation. Raises StaleProposalError where another process wrote them since."""
    hold(tx, KeyValueRow(kind=BLOCKS, key=row.conversation, body=_dump(row), version=row.version))


def _dump(row: ConversationBlocks) -> str:
    blocks = [
        {
            "id": block.id,
            "places": _ranges(block.places),
            "state": block.state,
            "exit": block.exit,
            "previous": block.previous,
        }
        for block in row.blocks
    ]
    return json.dumps({"turns": row.turns, "last": row.last, "archived": row.archived, "blocks": blocks})


def read_blocks(row: KeyValueRow) -> ConversationBlocks:
    """The blocks that a row holds. Raises as `values.held_bodies` does."""
    body = object_of(row)
    archived = as_object(body["archived"])
    return ConversationBlocks(
        conversation=ConversationId(row.key),
        turns=number_in(body, "turns"),
        last=number_in(body, "last"),
        blocks=tuple(_read_block(as_object(block)) for block in as_list(body["blocks"])),
        archived={BlockId(block): number_in(archived, block) for block in archived},
        version=row.version,
    )


def _read_block(block: Mapping[str, object]) -> BlockRow:
    ranges = [[require(end, int) for end in as_list(one)] for one in as_list(block["places"])]
    return BlockRow(
        id=BlockId(text_in(block, "id")),
        places=tuple(place for first, last in ranges for place in range(first, last + 1)),
        state=BlockState(text_in(block, "state")),
        exit=BlockEvent(text_in(block, "exit")) if block["exit"] else None,
        previous=BlockId(text_in(block, "previous")) if block["previous"] else None,
    )


def _ranges(places: Iterable[int]) -> Sequence[tuple[int, int]]:
    """Places as ranges, both ends included."""
    ranges: list[tuple[int, int]] = []
    for place in places:
        if ranges and place == ranges[-1][1] + 1:
            ranges[-1] = (ranges[-1][0], place)
        else:
            ranges.append((place, place))
    return ranges
