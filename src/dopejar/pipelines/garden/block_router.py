"""The router: to which block a turn belongs.

Takes: the state of a stream, and the next turn. Gives: the next state and a routing with its reason. Never: looks
ahead, or asks a clock; the same turns always give the same blocks.

A turn is judged when it arrives, and once more with the turn after it, which may answer it: a short question shares few
words with anything, its answer shows what it was about. Then the two may leave their block together. No earlier turn
moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from dopejar.pipelines.garden.blocks import Block, BlockEvent, BlockState, IncomingTurn, step
from dopejar.pipelines.garden.topic_shift import (
    Habit,
    ReadTurn,
    compare,
    joined_turn,
    read_terms,
    read_turn,
    shift_features,
    shift_odds,
    weighted_share,
)
from dopejar.values.episode import Origin
from dopejar.values.ids import BlockId, block_id

_NEAR: Final = 4  # turns that a turn is compared with
_RESUMABLE: Final = 32  # blocks, counted from the end, that can be resumed
_MOST_TERMS: Final = 400  # of a block, the most frequent ones
_LEAST_TERMS: Final = 3  # shared with a block that is resumed
_RESUMED: Final = 0.55  # likeness to a block from which on it is resumed
_RESUMED_BY_CUE: Final = 0.25  # the same where the turn announces an earlier topic
_NAMED: Final = 2  # turns of a block that hold what a turn says to come back to
_SPEAKERS: Final = frozenset({Origin.USER, Origin.OTHER, Origin.ASSISTANT})


class Route(StrEnum):
    """What a turn does: it goes on with the active block, resumes an earlier one, or starts a new one."""

    CONTINUE = "continue"
    RESUME = "resume"
    NEW = "new"


@dataclass(frozen=True, kw_only=True, slots=True)
class Limits:
    """The volume at which a block ends although its topic goes on."""

    turns: int = 250
    characters: int = 400_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Routing:
    """Where a turn went and why. `odds` are the log odds of a shift, above 0 where there was one; `ended` the exit.

    `moved` is the turn before, where it has left its block together with this one.
    """

    turn_id: str
    block: BlockId
    route: Route
    odds: float = 0.0
    features: Mapping[str, float] = field(default_factory=dict)
    ended: BlockEvent | None = None
    moved: str | None = None


_NO_COUNTS: Mapping[str, int] = MappingProxyType({})
_NO_HABITS: Mapping[Origin, Habit] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class RouterState:
    """A stream so far. The last of `blocks` is the one that a turn was put into last; it may have ended.

    `near` are the latest turns of that block, `spread` tells how many ended blocks hold a term, `habits` how much the
    turns of a role use to share with those before them, `pair_habit` how much a turn and its answer do.
    """

    blocks: tuple[Block, ...] = ()
    near: tuple[ReadTurn, ...] = ()
    spread: Mapping[str, int] = field(default_factory=lambda: _NO_COUNTS)
    habits: Mapping[Origin, Habit] = field(default_factory=lambda: _NO_HABITS)
    pair_habit: Habit = field(default_factory=Habit)

    @property
    def active(self) -> Block | None:
        """The block that is going on, if any."""
        return self.blocks[-1] if self.blocks and self.blocks[-1].state is BlockState.ACTIVE else None


def route(
    state: RouterState, turn: IncomingTurn, limits: Limits | None = None, *, shifts: bool | None = None
) -> tuple[RouterState, Routing]:
    """Put a turn into a block. What a tool or the harness says goes on with the block at hand.

    `shifts`: whether the turn leaves the topic, where somebody knows; else the features decide.
    """
    read = read_turn(turn)
    active = state.active
    if active is None:
        return _leave(state, read, None, 0.0, {})
    bounds = limits or Limits()
    habit = state.habits.get(turn.origin, Habit())
    like = compare(read, state.near, state.spread, len(state.blocks) - 1)
    features = shift_features(read, state.near, len(active.turns), like, habit)
    odds = shift_odds(features)
    leaves = turn.origin in _SPEAKERS and (odds > 0 or _is_announced(read, features) or _comes_back(state, read))
    if leaves if shifts is None else shifts:
        return _leave(_end(state, BlockEvent.TOPIC_SHIFT), read, BlockEvent.TOPIC_SHIFT, odds, features)
    habits = {**state.habits, turn.origin: habit.after(len(read.terms), like.share, like.cosine)}
    state = replace(state, habits=habits)
    joint, pair_habit = pair_features(state, read)
    if shifts is None and joint and (joint_odds := shift_odds(joint)) > 0:
        return _move(state, read, joint_odds, joint)
    state = replace(state, pair_habit=pair_habit)
    if len(active.turns) >= bounds.turns or active.characters >= bounds.characters:
        return _begin(_end(state, BlockEvent.VOLUME), read, BlockEvent.VOLUME, odds, features)
    grown = _grown(active, read)
    near = (*state.near, read)[-_NEAR:]
    routing = Routing(turn_id=turn.turn_id, block=grown.id, route=Route.CONTINUE, odds=odds, features=features)
    return replace(state, blocks=(*state.blocks[:-1], grown), near=near), routing


def pair_features(state: RouterState, read: ReadTurn) -> tuple[dict[str, float], Habit]:
    """The features of a shift before the latest turn, judged with this one, which may answer it; the habit after it.

    Without features where the latest turn is the first of its block, or answers another.
    """
    if len(state.near) < 2 or read.origin not in _SPEAKERS:
        return {}, state.pair_habit
    *before, opening = state.near
    if opening.origin not in _SPEAKERS or opening.origin is Origin.ASSISTANT is not before[-1].origin:
        return {}, state.pair_habit
    pair = joined_turn(opening, read)
    like = compare(pair, before, state.spread, len(state.blocks) - 1)
    features = shift_features(pair, before, len(state.blocks[-1].turns) - 1, like, state.pair_habit)
    return features, state.pair_habit.after(len(pair.terms), like.share, like.cosine)


def _move(
    state: RouterState, read: ReadTurn, odds: float, features: Mapping[str, float]
) -> tuple[RouterState, Routing]:
    """Take the turn before out of its block, and route it and this one together."""
    opening = state.near[-1]
    shrunk = _shrunk(state.blocks[-1], opening)
    state = replace(state, blocks=(*state.blocks[:-1], shrunk), near=state.near[:-1])
    state, first = _leave(_end(state, BlockEvent.TOPIC_SHIFT), opening, BlockEvent.TOPIC_SHIFT, odds, features)
    grown = _grown(state.blocks[-1], read)
    state = replace(state, blocks=(*state.blocks[:-1], grown), near=(*state.near, read))
    return state, replace(first, turn_id=read.turn.turn_id, moved=opening.turn.turn_id)


def route_all(
    turns: Iterable[IncomingTurn], limits: Limits | None = None, *, archived: Mapping[BlockId, int] | None = None
) -> tuple[RouterState, tuple[Routing, ...]]:
    """Route the turns of a stream from its beginning. `archived` tells after how many turns a block was archived."""
    state, routings = RouterState(), []
    for place, turn in enumerate(turns):
        state = archive_blocks(state, {block for block, after in (archived or {}).items() if after == place})
        state, routing = route(state, turn, limits)
        routings.append(routing)
    return archive_blocks(state, frozenset(archived or ())), tuple(routings)


def archive_blocks(state: RouterState, ids: Set[BlockId]) -> RouterState:
    """The state after these blocks were archived; one that was going on has ended first."""
    if state.active is not None and state.active.id in ids:
        state = _end(state, BlockEvent.USER_QUIT)
    blocks = [
        replace(block, state=step(block.state, BlockEvent.ARCHIVE))
        if block.id in ids and block.state is not BlockState.ARCHIVED
        else block
        for block in state.blocks
    ]
    return replace(state, blocks=tuple(blocks)) if ids else state


def _end(state: RouterState, event: BlockEvent) -> RouterState:
    """End the active block."""
    block = state.blocks[-1]
    ended = replace(block, state=step(block.state, event), exit=event)
    spread = dict(state.spread)
    for term in block.terms:
        spread[term] = spread.get(term, 0) + 1
    return replace(state, blocks=(*state.blocks[:-1], ended), spread=spread)


def _leave(
    state: RouterState, read: ReadTurn, ended: BlockEvent | None, odds: float, features: Mapping[str, float]
) -> tuple[RouterState, Routing]:
    """Resume the most similar earlier block, where one is similar enough; else begin a new one."""
    place = _resumable(state, read)
    if place is None:
        return _begin(state, read, ended, odds, features)
    block = state.blocks[place]
    resumed = _grown(replace(block, state=step(block.state, BlockEvent.RESUME)), read)
    spread = {term: state.spread.get(term, 0) - (term in block.terms) for term in {*state.spread, *block.terms}}
    routing = Routing(
        turn_id=read.turn.turn_id, block=block.id, route=Route.RESUME, odds=odds, features=features, ended=ended
    )
    blocks = (*state.blocks[:place], *state.blocks[place + 1 :], resumed)
    return replace(state, blocks=blocks, near=(read,), spread=spread), routing


def _is_announced(read: ReadTurn, features: Mapping[str, float]) -> bool:
    """Whether somebody opens with the word that another topic comes, and the turn is not near to the block."""
    is_near = features["strange"] < 0 and features.get("distance", -1.0) < 0
    return read.cues.announces and read.origin is not Origin.ASSISTANT and not is_near


def _comes_back(state: RouterState, read: ReadTurn) -> bool:
    """Whether a turn announces an earlier topic, and is more like an earlier block than like the active one."""
    if not read.cues.returns:
        return False
    ended = _end(state, BlockEvent.TOPIC_SHIFT)
    if (named := _named_block(ended, read)) is not None:
        return _naming(read, state.blocks[named]) > _naming(read, state.blocks[-1])
    place = _resumable(ended, read)
    return place is not None and _likeness(read, state.blocks[place], state) > _likeness(read, state.blocks[-1], state)


def _resumable(state: RouterState, read: ReadTurn) -> int | None:
    """The place of the block to resume. The block that was left just now is no candidate, but after a break it is."""
    if (named := _named_block(state, read)) is not None:
        return named
    best, place = _RESUMED_BY_CUE if read.cues.returns else _RESUMED, None
    for candidate in _candidates(state):
        likeness = _likeness(read, state.blocks[candidate], state)
        if likeness >= best:
            best, place = likeness, candidate
    return place


def _candidates(state: RouterState) -> range:
    last = len(state.blocks) - (1 if state.blocks and state.blocks[-1].exit is BlockEvent.TOPIC_SHIFT else 0)
    return range(max(0, last - _RESUMABLE), last)


def _named_block(state: RouterState, read: ReadTurn) -> int | None:
    """The latest block that is about what a turn says to come back to."""
    if not read.cues.returns_to:
        return None
    return next((place for place in reversed(_candidates(state)) if _naming(read, state.blocks[place])), None)


def _naming(read: ReadTurn, block: Block) -> float:
    """The share of a block's turns with the words that a turn comes back to; 0 where one of them is rare there."""
    if block.state is BlockState.ARCHIVED:
        return 0.0
    least = min((block.terms.get(term, 0) for term in read_terms(read.cues.returns_to)), default=0)
    return least / len(block.turns) if least >= _NAMED else 0.0


def _likeness(read: ReadTurn, block: Block, state: RouterState) -> float:
    """How like a turn is to a whole block, from 0 to 1; 0 where they share hardly a term."""
    if block.state is BlockState.ARCHIVED or sum(term in block.terms for term in read.terms) < _LEAST_TERMS:
        return 0.0
    share = weighted_share(read.terms, block.terms, state.spread, len(state.blocks))
    if read.vector is None or block.total is None:
        return share
    length = float(block.total @ block.total) ** 0.5
    return (share + max(0.0, float(read.vector @ block.total) / (length or 1.0))) / 2


def _begin(
    state: RouterState, read: ReadTurn, ended: BlockEvent | None, odds: float, features: Mapping[str, float]
) -> tuple[RouterState, Routing]:
    turn = read.turn
    block = Block(
        id=block_id(turn.turn_id),
        turns=(turn.turn_id,),
        characters=len(turn.text),
        terms=dict.fromkeys(read.terms, 1),
        total=turn.vector,
        previous=state.blocks[-1].id if state.blocks else None,
        started_at=turn.at,
        ended_at=turn.at,
    )
    routing = Routing(turn_id=turn.turn_id, block=block.id, route=Route.NEW, odds=odds, features=features, ended=ended)
    return replace(state, blocks=(*state.blocks, block), near=(read,)), routing


def _shrunk(block: Block, read: ReadTurn) -> Block:
    """The block without its last turn."""
    turn = read.turn
    counts = ((term, count - (term in read.terms)) for term, count in block.terms.items())
    return replace(
        block,
        turns=block.turns[:-1],
        characters=block.characters - len(turn.text),
        terms={term: count for term, count in counts if count},
        total=block.total if block.total is None or turn.vector is None else block.total - turn.vector,
    )


def _grown(block: Block, read: ReadTurn) -> Block:
    turn = read.turn
    terms = dict(block.terms)
    for term in read.terms:
        terms[term] = terms.get(term, 0) + 1
    if len(terms) > 2 * _MOST_TERMS:
        terms = dict(sorted(terms.items(), key=lambda entry: (-entry[1], entry[0]))[:_MOST_TERMS])
    total = turn.vector if block.total is None else block.total if turn.vector is None else block.total + turn.vector
    return replace(
        block,
        turns=(*block.turns, turn.turn_id),
        characters=block.characters + len(turn.text),
        terms=terms,
        total=total,
        started_at=block.started_at or turn.at,
        ended_at=turn.at or block.ended_at,
    )
