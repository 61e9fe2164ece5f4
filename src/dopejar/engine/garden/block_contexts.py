"""The contexts of quoted turns: what their blocks say of them.

Takes: a view. Gives: for a turn, the tags of its block and its own labels. Never: a rule that is not in force, or a
read of a block that no quotation is from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dopejar.engine.garden import BLOCKS
from dopejar.pipelines.recall.block_context import BlockContext
from dopejar.pipelines.recall.quotation_selection import is_speech
from dopejar.text.words import is_frequent, stem
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
        self._titles: dict[tuple[str, str], str] = {}

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
            title=self._title_of(turn, block) if tags.context_tags else "",
        )

    def _blocks_of(self, conversation: ConversationId) -> tuple[BlockRow, ...]:
        if conversation not in self._blocks:
            self._blocks[conversation] = ()
            if self._view.held(BLOCKS, conversation) is not None:
                from dopejar.engine.garden.block_rows import blocks_of  # loaded where a conversation has blocks

                self._blocks[conversation] = blocks_of(self._view, conversation).blocks
        return self._blocks[conversation]

    def _title_of(self, turn: Episode, block: BlockRow) -> str:
        """What the block is about, in words of its turns that are of the same project as this one."""
        known = (block.id, turn.project)
        if known not in self._titles:
            from dopejar.engine.garden.block_facts import turns_of  # loaded where a block has tags
            from dopejar.pipelines.garden.block_description import IN_LABEL, keywords_of

            turns = turns_of(self._view, turn.conversation, block)
            said = keywords_of([one for one in turns if one.project == turn.project and is_speech(one)])
            self._titles[known] = ", ".join([word for word in said if not is_frequent(stem(word))][:IN_LABEL])
        return self._titles[known]

    def _tags_of(self, conversation: ConversationId, block: BlockRow) -> BlockTags:
        if block.id not in self._tags:
            from dopejar.engine.garden.block_facts import tags_of, turns_of  # loaded where a conversation has blocks

            self._tags[block.id] = tags_of(self._view, turns_of(self._view, conversation, block))
        return self._tags[block.id]
