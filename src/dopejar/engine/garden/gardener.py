"""The gardener: routes the turns of conversations to blocks, tags the blocks that have ended, and archives them.

Takes: the engine's dependencies. Gives: blocks with their descriptions and tags. Never: reads a turn a second time, or
holds words: tags and descriptions are derived from turns and records each time, so that an approval, an undo or an
erasure shows in them at once.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from dopejar.engine.arguments import checked
from dopejar.engine.dependencies import Dependencies, Progress, Reviewer, no_progress
from dopejar.engine.garden import BLOCKS
from dopejar.engine.garden.block_facts import exact_facts, facts_of, turns_of
from dopejar.engine.garden.block_rows import (
    BlockRow,
    ConversationBlocks,
    all_blocks,
    blocks_of,
    find_block,
    put_blocks,
)
from dopejar.engine.lookup import find_conversation
from dopejar.errors import StaleProposalError
from dopejar.pipelines.garden.block_description import BlockDescription, describe
from dopejar.pipelines.garden.block_fact import BlockFact, given_fact
from dopejar.pipelines.garden.block_outcomes import Extract, Variable, active_variables, decisions_made, open_loops
from dopejar.pipelines.garden.block_router import route_all
from dopejar.pipelines.garden.block_tags import BlockTags, tag_block
from dopejar.pipelines.garden.blocks import BlockEvent, BlockState, IncomingTurn
from dopejar.pipelines.garden.topic_shift import read_terms
from dopejar.ports.store import ReadView
from dopejar.values.episode import Conversation, Episode, EpisodeKind
from dopejar.values.ids import BlockId, ConversationId, DossierId, new_trace_id
from dopejar.values.recall import Source
from dopejar.values.receipt import Receipt
from dopejar.values.scope import Namespace, Project, ReadScope
from dopejar.values.statement import FactClass

_MOST_CONVERSATIONS = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class DescribedBlock:
    """A block as an interface shows it.

    `exit` is "" for one that never ended, `previous` the id of the block before it, `turns` counts its turns. The turns
    of open loops, decisions and variables are counted from 0 within the block.
    """

    id: BlockId
    conversation: ConversationId
    state: str
    exit: str
    turns: int
    started_at: datetime
    ended_at: datetime
    label: str
    keywords: tuple[str, ...]
    summary: str
    tags: BlockTags
    previous: str = ""
    open_loops: tuple[Extract, ...] = ()
    decisions_made: tuple[Extract, ...] = ()
    active_variables: tuple[Variable, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockResult:
    """What gardening one block did. `status` is "success", or "active" for a block that is still going on.

    `tags_applied` counts the tags of the whole block.
    `dossiers_created` counts the dossiers that its facts are in, created or extended, but for those that became tags.
    """

    status: str
    block_id: BlockId
    facts_processed: int = 0
    tags_applied: int = 0
    dossiers_created: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class GardenReport:
    """How many conversations were routed anew, and the blocks that were gardened."""

    conversations: int = 0
    results: tuple[BlockResult, ...] = ()


@checked
class Garden:
    """The blocks of one memory."""

    def __init__(self, deps: Dependencies, project: Project | None = None) -> None:
        self._deps, self._project = deps, project

    def tend(self, progress: Progress = no_progress) -> GardenReport:
        """Route what has been said since, then tag and archive every block that has ended.

        One transaction for each conversation: a run that was stopped goes on where it was. The last block of a
        conversation has ended where nobody has spoken for `session.idle_minutes`.
        """
        with self._deps.store.read() as view:
            conversations = [row.id for row in view.conversations(_MOST_CONVERSATIONS) if row.is_dialogue]
        homes = _Homes(self._deps)
        routed, results = 0, list[BlockResult]()
        for place, conversation in enumerate(conversations):
            grown, gardened = self._tend_conversation(conversation, homes)
            routed += grown
            results += gardened
            progress("gardening", place + 1, len(conversations))
        return GardenReport(conversations=routed, results=tuple(results))

    def tend_due(self, deadline: float | None = None) -> int:
        """The same until the deadline (monotonic seconds), without a report: how many blocks were archived."""
        with self._deps.store.read() as view:
            conversations = [row.id for row in view.conversations(_MOST_CONVERSATIONS) if row.is_dialogue]
        count = 0
        for conversation in conversations:
            if deadline is not None and time.monotonic() > deadline:
                break
            count += len(self._tend_conversation(conversation, None)[1])
        return count

    def process_bridge_block(self, block_id: str, *, ends: bool = False) -> BlockResult:
        """Tag and archive one block, in one transaction; doing it again changes nothing and gives the same result.

        A block that is still going on is left as it is, unless a person `ends` it.

        Raises:
            NotFoundError: there is no such block.
        """
        with self._deps.store.write() as tx:
            row, block = find_block(tx, block_id)
            is_going_on = block.state is BlockState.ACTIVE and not self._is_over(tx, row)
            if is_going_on and not ends:
                return BlockResult(status="active", block_id=block.id)
            if block.state is not BlockState.ARCHIVED:
                put_blocks(tx, row.archive(block.id, BlockEvent.MANUAL if is_going_on else BlockEvent.USER_QUIT))
            return _result(tx, row.conversation, block, _Homes(self._deps))

    def blocks(
        self, conversation: str = "", *, namespace: str = "prod", all_projects: bool = False
    ) -> tuple[DescribedBlock, ...]:
        """The blocks of the conversation, by id, name or file, wherever it was; by their first turn.

        Without one, those of every conversation of the namespace and of the project at hand, or of all projects, with
        tags of what may be read there; by conversation and first turn.

        Raises:
            NotFoundError, AmbiguousIdError: no conversation has this name, or several have.
        """
        with self._deps.store.read() as view:
            if conversation:
                return tuple(_described(view, blocks_of(view, find_conversation(view, conversation))))
            here = replace(ReadScope.inside(self._project, Namespace(namespace)), all_projects=all_projects)
            return tuple(block for row in all_blocks(view) for block in _described(view, row, here))

    def conversations(self, limit: int = 50) -> tuple[Conversation, ...]:
        """The conversations that have blocks, of all projects and namespaces, the last started first."""
        with self._deps.store.read() as view:
            known = view.conversations(_MOST_CONVERSATIONS)
            return tuple(one for one in known if view.held(BLOCKS, one.id) is not None)[:limit]

    def block(self, block_id: str) -> DescribedBlock:
        """One block. Raises NotFoundError."""
        with self._deps.store.read() as view:
            row, found = find_block(view, block_id)
            return next(block for block in _described(view, row) if block.id == found.id)

    def turns(self, block_id: str) -> tuple[Episode, ...]:
        """The turns of a block, in order. Raises NotFoundError."""
        with self._deps.store.read() as view:
            row, block = find_block(view, block_id)
            return turns_of(view, row.conversation, block)

    def facts(self, block_id: str) -> tuple[BlockFact, ...]:
        """What was learned from the turns of a block, in their order. Raises NotFoundError."""
        with self._deps.store.read() as view:
            row, block = find_block(view, block_id)
            return facts_of(view, turns_of(view, row.conversation, block))

    def places(self, block_id: str) -> dict[str, int]:
        """The 0-based index in a block of each of its turns, by the turn's id, and by its id in its source.

        Raises:
            NotFoundError: there is no such block.
        """
        with self._deps.store.read() as view:
            row, block = find_block(view, block_id)
            turns = turns_of(view, row.conversation, block)
        by_source = {turn.source_id: place for place, turn in enumerate(turns) if turn.source_id}
        return {**by_source, **{turn.id: place for place, turn in enumerate(turns)}}

    def state_tags(
        self,
        block_id: str,
        global_tags: Sequence[str],
        section_rules: Sequence[str],
        first_turns: Sequence[int],
        last_turns: Sequence[int],
        by: Reviewer,
    ) -> tuple[Receipt, ...]:
        """Give a block tags, and rules with their first and last turns, in place of those that a person gave it before.

        One act of a reviewer, which `undo` takes back. Raises as `reviewer_tags.state_tags` does.
        """
        from dopejar.engine.garden.reviewer_tags import state_tags  # few blocks have tags that a person gave

        rules = list(zip(first_turns, last_turns, section_rules, strict=True))
        return state_tags(self._deps, block_id, global_tags, rules, by, new_trace_id())

    def given_facts(self, texts: Sequence[str], turns: Sequence[int]) -> tuple[BlockFact, ...]:
        """Facts that come as words, each with the index of its turn in a block; nothing is stored.

        An installed reader tells what a fact is where the rules of ingest are not sure.
        """
        marker = self._deps.marker()
        marked: Sequence[FactClass | None] = marker.classes(texts) if marker is not None else [None] * len(texts)
        return tuple(map(given_fact, texts, turns, marked))

    def find_facts(self, words: str, limit: int = 5) -> tuple[BlockFact, ...]:
        """Active facts that hold each of these words, the newest first, each with its turn in its conversation."""
        with self._deps.store.read() as view:
            return exact_facts(view, words, limit)

    def _tend_conversation(self, conversation: ConversationId, homes: _Homes | None) -> tuple[bool, list[BlockResult]]:
        with self._deps.store.read() as view:
            known = blocks_of(view, conversation)
            has_grown = bool(view.turns(conversation, known.last + 1))
            if not has_grown and all(block.state is BlockState.ARCHIVED for block in known.blocks):
                return False, []
            row = self._routed(view, known) if has_grown else known
            is_over = self._is_over(view, row)
        due = [
            block
            for block in row.blocks
            if block.state is not BlockState.ARCHIVED and (is_over or block.state is not BlockState.ACTIVE)
        ]
        for block in due:
            row = row.archive(block.id)
        if row is known:
            return False, []
        try:
            with self._deps.store.write() as tx:
                put_blocks(tx, row)
                return has_grown, [_result(tx, conversation, block, homes) for block in due]
        except StaleProposalError:  # another process gardened it in between
            return False, []

    def _routed(self, view: ReadView, known: ConversationBlocks) -> ConversationBlocks:
        """The conversation, routed from its beginning: the same turns are in the same blocks again."""
        episodes = [episode for episode in view.turns(known.conversation) if episode.kind is EpisodeKind.TURN]
        exits = {block.id: block.exit for block in known.blocks if block.id in known.archived}  # by hand, perhaps
        places: dict[str, int] = {episode.id: episode.index for episode in episodes}
        state, _ = route_all(self._incoming(view, episodes), archived=known.archived)
        blocks = [
            BlockRow(
                id=block.id,
                places=tuple(places[turn] for turn in block.turns),
                state=block.state,
                exit=exits.get(block.id, block.exit),
                previous=block.previous,
            )
            for block in state.blocks
        ]
        last = max((episode.index for episode in view.turns(known.conversation)), default=-1)
        ordered = tuple(sorted(blocks, key=lambda block: block.places))
        ids = {block.id for block in ordered}
        archived = {block: after for block, after in known.archived.items() if block in ids}
        return replace(known, turns=len(episodes), last=last, blocks=ordered, archived=archived)

    def _incoming(self, view: ReadView, episodes: Sequence[Episode]) -> Iterator[IncomingTurn]:
        embedder = self._deps.embedder()
        vectors = (
            view.vectors_of(embedder.identity, Source.EPISODE, [episode.id for episode in episodes]) if embedder else {}
        )
        for episode in episodes:
            yield IncomingTurn(
                turn_id=episode.id,
                text=episode.text,
                origin=episode.origin,
                at=episode.at,
                vector=vectors.get(episode.id),
            )

    def _is_over(self, view: ReadView, row: ConversationBlocks) -> bool:
        """Whether nobody has spoken for so long that the conversation counts as ended."""
        idle = timedelta(minutes=self._deps.session_idle_minutes)
        turns = view.turns(row.conversation, row.last)
        return not turns or self._deps.clock.now() - turns[-1].at >= idle


class _Homes:
    """The dossiers of records, read once where a block has facts that are no tags."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._of: dict[str, DossierId] | None = None

    def count(self, view: ReadView, facts: Sequence[BlockFact]) -> int:
        """How many dossiers the facts are in."""
        if not facts:
            return 0
        if self._of is None:
            from dopejar.engine.garden.dossiers import read_dossiers  # loaded where a block has such facts

            known = read_dossiers(self._deps, view, ReadScope(all_projects=True)).dossiers
            self._of = {fact.record_id: one.id for one in known for fact in one.facts}
        return len({self._of[fact.record_id] for fact in facts if fact.record_id in self._of})


def _result(view: ReadView, conversation: ConversationId, block: BlockRow, homes: _Homes | None) -> BlockResult:
    if homes is None:
        return BlockResult(status="success", block_id=block.id)
    turns = turns_of(view, conversation, block)
    facts = facts_of(view, turns)
    tags = tag_block(facts, [turn.text for turn in turns])
    return BlockResult(
        status="success",
        block_id=block.id,
        facts_processed=len(facts),
        tags_applied=len(tags.global_tags),
        dossiers_created=homes.count(view, tags.other_facts),
    )


def _described(
    view: ReadView, row: ConversationBlocks, read_scope: ReadScope | None = None
) -> Iterator[DescribedBlock]:
    """The blocks of a conversation, each described against the others; with a `read_scope` those to be read there."""
    conversation = view.conversation(row.conversation)
    if read_scope and conversation and conversation.namespace is not read_scope.namespace:
        return
    by_block = {block.id: turns_of(view, row.conversation, block) for block in row.blocks}
    spread: dict[str, int] = {}
    for turns in by_block.values():
        for term in frozenset().union(*(read_terms(turn.text) for turn in turns)):
            spread[term] = spread.get(term, 0) + 1
    for block in row.blocks:
        turns = by_block[block.id]
        if turns and (read_scope is None or all(read_scope.hears(turn.project) for turn in turns)):
            facts = facts_of(view, turns, read_scope)
            yield _describe(row.conversation, block, turns, facts, spread, len(row.blocks))


def _describe(
    conversation: ConversationId,
    block: BlockRow,
    turns: Sequence[Episode],
    facts: Sequence[BlockFact],
    spread: dict[str, int],
    count: int,
) -> DescribedBlock:
    incoming = [IncomingTurn(turn_id=turn.id, text=turn.text, origin=turn.origin, at=turn.at) for turn in turns]
    described: BlockDescription = describe(incoming, spread, count)
    return DescribedBlock(
        id=block.id,
        conversation=conversation,
        state=block.state.value,
        exit=block.exit.value if block.exit else "",
        turns=len(turns),
        started_at=turns[0].at,
        ended_at=turns[-1].at,
        label=described.label,
        keywords=described.keywords,
        summary=described.summary,
        tags=tag_block(facts, [turn.text for turn in turns]),
        previous=block.previous or "",
        open_loops=open_loops(incoming),
        decisions_made=decisions_made(incoming),
        active_variables=active_variables(facts, incoming),
    )
