"""The router of blocks: what continues, what starts anew, what is resumed; and that it can be replayed."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from dopejar.errors import IllegalMoveError
from dopejar.pipelines.garden.block_description import describe
from dopejar.pipelines.garden.block_router import Limits, Route, RouterState, archive_blocks, route, route_all
from dopejar.pipelines.garden.blocks import MOVES, BlockEvent, BlockState, IncomingTurn, step
from dopejar.pipelines.garden.topic_cues import topic_cues
from dopejar.pipelines.garden.topic_shift import weighted_share
from dopejar.text.tokens import count_tokens
from dopejar.values.episode import Origin
from training.routing_weights import read_conversations

NOON = datetime(2032, 5, 4, 12, tzinfo=UTC)
ONE_TOPIC = read_conversations(Path(__file__).parents[3] / "benchmarks" / "data" / "one_topic.txt")
BOAT = [
    "u The old sailing boat leaks where the keel meets the hull.",
    "a A leak between keel and hull often means loose keel bolts. Check their torque first.",
    "u The keel bolts of the boat look rusty, two of five.",
    "a Rusty keel bolts should be replaced one by one while the boat rests on its keel.",
]
BREAD = [
    "u New topic: my sourdough bread stays flat, although the starter doubles in six hours.",
    "a Flat sourdough with a lively starter is usually overproofed. Shorten the second rise of the bread.",
    "u How long should the sourdough rise in the fridge then?",
    "a Eight to twelve hours in the fridge suit sourdough; poke the dough to see whether it springs back.",
]
BACK = "u Back to the sailing boat: which bolts should I buy for the keel of the boat?"


def turns(lines: list[str], *, gap: timedelta | None = None) -> list[IncomingTurn]:
    """Turns of a user (`u`) and an assistant (`a`), a minute apart."""
    at = None if gap is None else NOON
    made = []
    for place, line in enumerate(lines):
        origin = Origin.USER if line[0] == "u" else Origin.ASSISTANT
        made.append(IncomingTurn(turn_id=f"t{place}", text=line[2:], origin=origin, at=at))
        at = at and at + (gap or timedelta())
    return made


def test_an_announced_topic_starts_a_block_and_its_return_resumes_the_first() -> None:
    """Two topics make two blocks; coming back to the first grows it, and makes it the active one."""
    state, routings = route_all(turns([*BOAT, *BREAD, BACK]))
    assert [routing.route for routing in routings if routing.route is not Route.CONTINUE] == ["new", "new", "resume"]
    assert state.active is not None
    assert state.active.turns == ("t0", "t1", "t2", "t3", "t8")
    assert state.blocks[0].state is BlockState.PAUSED
    assert state.blocks[0].exit is BlockEvent.TOPIC_SHIFT


@pytest.mark.parametrize("conversation", ONE_TOPIC, ids=lambda turns: turns[0].text[:20])
def test_one_topic_is_hardly_parted(conversation: list[IncomingTurn]) -> None:
    """A conversation of some forty turns on one topic is in at most two blocks."""
    assert len(route_all(conversation)[0].blocks) <= 2


def test_a_long_break_speaks_for_a_new_block() -> None:
    """The same turns, once without times and once with days between two of them."""
    lines = [*BOAT, "u Which tomatoes ripen early on a balcony?", "a Small cherry tomatoes ripen first."]
    together = turns(lines, gap=timedelta(minutes=1))
    apart = [*together[:4], *turns(lines, gap=timedelta(days=3))[4:]]
    odds = [route_all(stream)[1][4].odds for stream in (together, apart)]
    assert odds[1] > odds[0]
    assert route_all(apart)[1][4].ended is BlockEvent.TOPIC_SHIFT


def test_what_a_tool_says_stays_in_the_block() -> None:
    """The output of a tool never starts a block, whatever it says."""
    state, _ = route_all(turns(BOAT))
    tool = IncomingTurn(turn_id="tool", text="Hello! New topic: tax forms. Goodbye.", origin=Origin.TOOL)
    assert route(state, tool)[1].route is Route.CONTINUE


def test_volume_ends_a_block() -> None:
    """A block that has its number of turns is partial, and another goes on."""
    state, routings = route_all(turns(BOAT), Limits(turns=2))
    assert [len(block.turns) for block in state.blocks] == [2, 2]
    assert routings[2].ended is BlockEvent.VOLUME
    assert state.blocks[0].state is BlockState.PARTIAL


def test_a_turn_after_an_archived_block_begins_anew() -> None:
    """The next turn after the block that went on was archived has a block of its own; archiving twice is once."""
    state, _ = route_all(turns(BOAT))
    ids = frozenset(block.id for block in state.blocks)
    ended = archive_blocks(state, ids)
    assert ended.active is None
    assert archive_blocks(ended, ids).blocks == ended.blocks
    assert route(ended, turns([*BOAT, BREAD[0]])[4])[1].route is Route.NEW


@settings(max_examples=40, deadline=None)
@given(some.lists(some.sampled_from([*BOAT, *BREAD, BACK, "u ok", "u ", "a \U0001f40c"]), max_size=14), some.data())
def test_a_stream_can_be_replayed_and_continued(lines: list[str], data: some.DataObject) -> None:
    """The same turns give the same blocks, at once or continued; a turn is in one block, and no earlier turn moves."""
    stream = turns(lines)
    whole, _ = route_all(stream)
    cut = data.draw(some.integers(0, len(stream)))
    state = route_all(stream[:cut])[0]
    for turn in stream[cut:]:
        before = {name: block.id for block in state.blocks for name in block.turns[:-1]}
        state, routing = route(state, turn)
        after = {name: block.id for block in state.blocks for name in block.turns}
        assert all(after[name] == block for name, block in before.items() if name != routing.moved)
    assert [block.turns for block in state.blocks] == [block.turns for block in whole.blocks]
    assert sorted(name for block in whole.blocks for name in block.turns) == sorted(turn.turn_id for turn in stream)


@pytest.mark.parametrize("state", list(BlockState))
@pytest.mark.parametrize("event", list(BlockEvent))
def test_every_move_is_in_the_table_or_an_error(state: BlockState, event: BlockEvent) -> None:
    """A move outside the table names both the state and the event."""
    if (state, event) in MOVES:
        assert step(state, event) is MOVES[state, event]
    else:
        with pytest.raises(IllegalMoveError, match=f"is {state} cannot take {event}"):
            step(state, event)


def test_an_archived_block_is_never_resumed() -> None:
    """After archiving, a return to the topic starts a new block."""
    state, _ = route_all(turns([*BOAT, *BREAD]))
    archived = step(state.blocks[0].state, BlockEvent.ARCHIVE)
    state = RouterState(
        blocks=(replace(state.blocks[0], state=archived), *state.blocks[1:]), near=state.near, spread=state.spread
    )
    assert route(state, turns([*BOAT, *BREAD, BACK])[8])[1].route is not Route.RESUME


def test_a_description_holds_only_what_was_written() -> None:
    """Keywords and summary are words and sentences of the turns, within the budget."""
    stream = turns(BREAD)
    described = describe(stream, {"fridg": 5}, 6, budget=30)
    text = " ".join(turn.text for turn in stream)
    assert "sourdough" in described.keywords
    assert described.label.split(", ") == list(described.keywords[:3])
    assert all(word in text.lower() for word in described.keywords)
    assert described.summary
    assert described.summary in text
    assert count_tokens(described.summary) <= 30


def test_nothing_said_is_described_as_nothing() -> None:
    """Turns without words have neither keywords nor a summary."""
    described = describe([IncomingTurn(turn_id="t0", text=" ")], {}, 1)
    assert (described.label, described.keywords, described.summary) == ("", (), "")


@given(
    some.dictionaries(some.text(min_size=1, max_size=3), some.integers(0, 40), min_size=2), some.randoms(), some.data()
)
def test_the_order_of_terms_changes_no_share(
    spread: dict[str, int], dice: random.Random, data: some.DataObject
) -> None:
    """The order of a set differs between processes; the share of terms is the same to the last bit."""
    terms = list(spread)
    among = frozenset(data.draw(some.lists(some.sampled_from(terms))))
    first = weighted_share(dict.fromkeys(terms).keys(), among, spread, 50)
    dice.shuffle(terms)
    assert weighted_share(dict.fromkeys(terms).keys(), among, spread, 50) == first


@pytest.mark.parametrize(
    "opening",
    [
        "Now something else, rate limits.",
        "Okay, new topic.",
        "Right, next topic: the roof.",
        "Let's talk about something else: the garden party.",
        "On a completely different note, my cat is ill.",
        "Can we change topics?",
        "Themenwechsel: der Urlaub.",
    ],
)
def test_an_announced_topic_is_cut_whatever_its_words(opening: str) -> None:
    """Short words that the features alone would not part from the block."""
    assert topic_cues(opening).announces
    state, _ = route_all(turns([*BOAT, f"u {opening}"]))
    assert len(state.blocks) == 2


@pytest.mark.parametrize(
    "said",
    [
        "Is there something else with the keel of the boat?",
        "The next topic of the boat course is the keel.",
        "Something else broke near the keel bolts of the boat.",
        "They renamed the topic of the keel log.",
        "Now the keel bolts of the boat are replaced.",
        "I changed the subject line of the mail about the boat.",
    ],
)
def test_words_alike_announce_nothing(said: str) -> None:
    """They stand within a sentence on the topic at hand."""
    assert not topic_cues(said).announces
    assert len(route_all(turns([*BOAT, f"u {said}"]))[0].blocks) == 1


@pytest.mark.parametrize(
    "back", ["Back to the boat. When?", "OK, let's go back to the keel!", "Coming back to the boat, why?"]
)
def test_the_words_after_the_cue_say_what_is_resumed(back: str) -> None:
    """Two words suffice where the block is about them; where no block is, nothing is resumed."""
    state, routings = route_all(turns([*BOAT, *BREAD, f"u {back}"]))
    assert (routings[-1].route, routings[-1].block) == (Route.RESUME, state.blocks[-1].id)
    assert state.blocks[-1].turns[0] == "t0"
    other = back.replace("boat", "piano").replace("keel", "piano")
    assert route_all(turns([*BOAT, *BREAD, f"u {other}"]))[1][-1].route is not Route.RESUME


def test_coming_back_to_the_topic_at_hand_continues_it() -> None:
    """The active block is about it as well."""
    assert route_all(turns([*BOAT, *BREAD, "u Back to the sourdough: how long?"]))[1][-1].route is Route.CONTINUE
