"""The contexts of quoted turns: what their blocks say of them.

Takes: a view. Gives: for a turn, the tags of its block and its own labels. Never: a rule that is not in force, or a
read of a block that no quotation is from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dopejar.engine.garden import BLOCKS
from dopejar.pipelines.recall.block_context import BlockContext
from dopejar.values.episode import Episode
from dopejar.values.ids import ConversationId

if TYPE_CHECKING:
    from dopejar.engine.garden.block_rows import BlockRow
    from dopejar.pipelines.garden.block_tags import BlockTags
    from dopejar.ports.store import ReadView


class BlockContexts:
    """The contexts of the turns of one view; each block is read once."""

    def __init__(self, view: ReadView) -> None:
        self._view = view
        self._blocks: dict[ConversationId, tuple[BlockRow, ...]] = {}
        self._tags: dict[str, BlockTags] = {}

    def __call__(self, turn: Episode) -> BlockContext | None:
        """The context of a turn; None where it is in no block, or its block has neither tags nor rules."""
        block = next((block for block in self._blocks_of(turn.conversation) if turn.index in block.places), None)
        if block is None:
            return None
        from dopejar.engine.garden.block_facts import speaks_of  # loaded where a conversation has blocks

        tags = self._tags_of(turn.conversation, block)
        place = block.places.index(turn.index)
        rules = [rule for rule in tags.section_rules if rule.governs(place, turn.text)]
        if not tags.context_tags and not rules:
            return None
        return BlockContext(
            block=block.id,
            tags=tags.context_tags,
            labels=tuple(rule.label for rule in rules),
            far=tuple(rule.label for rule in rules if not speaks_of(turn.text, rule)),
        )

    def _blocks_of(self, conversation: ConversationId) -> tuple[BlockRow, ...]:
        if conversation not in self._blocks:
            self._blocks[conversation] = ()
            if self._view.held(BLOCKS, conversation) is not None:
                from dopejar.engine.garden.block_rows import blocks_of  # loaded where a conversation has blocks

                self._blocks[conversation] = blocks_of(self._view, conversation).blocks
        return self._blocks[conversation]

    def _tags_of(self, conversation: ConversationId, block: BlockRow) -> BlockTags:
        if block.id not in self._tags:
            from dopejar.engine.garden.block_facts import tags_of, turns_of  # loaded where a conversation has blocks

            self._tags[block.id] = tags_of(self._view, turns_of(self._view, conversation, block))
        return self._tags[block.id]
