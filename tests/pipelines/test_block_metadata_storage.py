"""The tags of a block, by the document's name: saved, read again, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from whole_store import unlocked

from dopejar import Memory, NotFoundError, open_memory
from dopejar.errors import InputError
from dopejar.seeds import get_block_metadata, save_block_metadata

BEGAN = datetime(2024, 3, 4, 9, tzinfo=UTC)
TAGS = ["team: blue", "tier: \u201cgold\u201d"]
RULES: list[dict[str, object]] = [{"start_turn": 1, "end_turn": 2, "rule": "no-eval"}]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory with a block of four turns."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        talk = ("The kiln is hot.", "The kiln has a lid.", "The lid of the kiln is heavy.", "The kiln cools slowly.")
        opened.add(
            [
                {"role": "user", "content": text, "at": BEGAN + timedelta(minutes=place)}
                for place, text in enumerate(talk)
            ],
            conversation="kiln",
        )
        opened.garden.tend()
        yield opened


def test_what_was_saved_is_read_again(memory: Memory) -> None:
    """Tags and rules with their turns, also after the store was opened anew."""
    (block,) = memory.garden.blocks()
    save_block_metadata(memory, block.id, TAGS, RULES, unlocked(memory))
    saved = get_block_metadata(memory, block.id)
    assert sorted(saved["global_tags"]) == TAGS  # type: ignore[call-overload]
    assert saved["section_rules"] == RULES
    assert json.loads(json.dumps(saved)) == saved


def test_turns_may_be_given_by_their_ids(memory: Memory) -> None:
    """They map to indexes in the block."""
    (block,) = memory.garden.blocks()
    places = memory.garden.places(block.id)
    first, last = (next(turn for turn, place in places.items() if place == wanted) for wanted in (1, 2))
    rule = {"start_turn": first, "end_turn": last, "rule": "no-eval"}
    save_block_metadata(memory, block.id, [], [rule], unlocked(memory))
    assert get_block_metadata(memory, block.id)["section_rules"] == [
        {"start_turn": places[first], "end_turn": places[last], "rule": "no-eval"}
    ]


def test_what_is_no_turn_or_no_block_is_refused(memory: Memory) -> None:
    """Nothing is saved."""
    (block,) = memory.garden.blocks()
    by = unlocked(memory)
    with pytest.raises(InputError, match="has no turn 'turn_9'"):
        save_block_metadata(memory, block.id, TAGS, [{**RULES[0], "end_turn": "turn_9"}], by)
    with pytest.raises(NotFoundError):
        get_block_metadata(memory, "b_nothing")
    assert get_block_metadata(memory, block.id) == {"global_tags": [], "section_rules": []}
