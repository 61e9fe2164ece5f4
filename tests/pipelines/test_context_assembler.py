"""The context assembler, by the document's name: turns grouped by block, tags once, section tags on their lines."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from whole_store import unlocked

from dopejar import Memory, open_memory
from dopejar.errors import InputError
from dopejar.seeds import ContextAssembler, ManualGardener, get_facts_for_block, save_block_metadata

BEGAN = datetime(2024, 3, 4, 9, tzinfo=UTC)
KILN = ("The kiln of the pottery is hot.", "The kiln of the pottery has a lid.", "The lid of the kiln is heavy.")
ROOF = ("New topic: the roof of the barn leaks.", "The roof of the barn has slates.", "Kestrel was renamed to Merlin.")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory with a block of three turns on each of two topics."""
    with open_memory(tmp_path / "home", environment={}, said_by="user") as opened:
        for name, talk in (("kiln", KILN), ("roof", ROOF)):
            opened.add(
                [
                    {"role": "user", "content": text, "at": BEGAN + timedelta(minutes=place)}
                    for place, text in enumerate(talk)
                ],
                conversation=name,
            )
        opened.garden.tend()
        yield opened


def tagged(memory: Memory) -> tuple[str, str]:
    """The ids of the two blocks, the first with tags, and with rules for some of its turns."""
    first, second = (memory.garden.blocks(name)[0].id for name in ("kiln", "roof"))
    rules = [
        {"start_turn": 1, "end_turn": 2, "rule": "no-eval"},
        {"start_turn": 2, "end_turn": 2, "rule": "DEPRECATED"},
    ]
    save_block_metadata(memory, first, ["env: python-3.9"], rules, unlocked(memory))
    return first, second


def test_turns_are_grouped_and_tags_said_once(memory: Memory) -> None:
    """Whatever the order of the turns that were retrieved."""
    first, second = tagged(memory)
    chunks = [
        {"block_id": block, "turn_id": place, "text": f"Chunk {place}"}
        for place, block in ((0, first), (0, second), (1, first), (1, second), (2, first))
    ]
    assert ContextAssembler(memory).hydrate_chunks_with_metadata(chunks) == (
        f"### Context Block: {first}\nActive Rules: [env: python-3.9]\n\n"
        "Chunk 0\n[no-eval] Chunk 1\n[no-eval] [DEPRECATED] Chunk 2\n\n"
        f"### Context Block: {second}\n\nChunk 0\nChunk 1"
    )


def test_a_turn_may_be_given_by_its_id(memory: Memory) -> None:
    """Its id here or in its source leads to its place, and so to the rules of its range."""
    first, _ = tagged(memory)
    ids = [name for name, place in memory.garden.places(first).items() if place == 1]
    assert len(ids) == 2
    for turn in ids:
        chunk = {"block_id": first, "turn_id": turn, "text": "Look."}
        assert ContextAssembler(memory).hydrate_chunks_with_metadata([chunk]).endswith("\n[no-eval] Look.")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"turn_id": "turn_1"}, "has no turn 'turn_1'"),
        ({"block_id": None}, "no `block_id`"),
        ({"text": None}, "no `text`"),
    ],
)
def test_bad_turns_are_refused(memory: Memory, change: dict[str, object], message: str) -> None:
    """The error says what is missing."""
    first, _ = tagged(memory)
    with pytest.raises(InputError, match=message):
        ContextAssembler(memory).hydrate_chunks_with_metadata(
            [{"block_id": first, "turn_id": 0, "text": "Look.", **change}]
        )


@pytest.mark.parametrize(("turn", "tag"), [(0, None), (1, "no-eval"), (5, "no-eval"), (6, None)])
def test_a_section_tag_holds_for_its_range(memory: Memory, turn: int, tag: str | None) -> None:
    """Both ends included."""
    rules = [{"start_turn": 1, "end_turn": 5, "rule": "no-eval"}]
    assert ContextAssembler(memory)._get_section_tag(turn, rules) == tag


def test_facts_are_grouped_by_their_dossiers(memory: Memory) -> None:
    """Facts of a block and facts in words, under the title of the dossier that they are in, or would be in."""
    _, second = tagged(memory)
    facts = [
        *get_facts_for_block(memory, second),
        {"value": "Merlin needs 2 GB of memory"},
        {"value": "Barn owls sing"},
    ]
    groups = ManualGardener(memory)._group_facts_semantically(facts)
    by_label = {str(group["label"]): [one["value"] for one in group["facts"]] for group in groups}  # type: ignore[attr-defined]
    assert by_label["Merlin"] == ["Kestrel was renamed to Merlin", "Merlin needs 2 GB of memory"]
    assert by_label["Barn owls sing"] == ["Barn owls sing"]
    assert sum(len(group) for group in by_label.values()) == len(facts)
