"""The gardener neither chunks nor embeds, by the document's name: it classifies facts and routes them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw

from dopejar import open_memory
from dopejar.compose import STORE_NAME
from dopejar.engine.garden import BLOCKS
from dopejar.seeds import ManualGardener, manual_gardener

BEGAN = datetime(2024, 3, 4, 9, tzinfo=UTC)
TALK = (
    "I am using Python 3.9 for the kiln controller.",
    "Never use eval() in the kiln controller.",
    "The kiln controller reads a thermocouple.",
)


def rows(home: Path) -> dict[str, int]:
    """How many rows each table of the data file has."""
    connection = apsw.Connection(str(home / STORE_NAME), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
        counts = {}
        for name in names:
            ((counts[name],),) = connection.execute(f'SELECT count(*) FROM "{name}"').fetchall()  # noqa: S608
        return counts
    finally:
        connection.close()


def test_gardening_writes_one_row_and_nothing_else(tmp_path: Path) -> None:
    """No chunk, no vector, no copy of a turn: one held row for the conversation, whatever is gardened how often."""
    home = tmp_path / "home"
    with open_memory(home, environment={}, said_by="user") as memory:
        messages = [
            {"role": "user", "content": text, "at": BEGAN + timedelta(minutes=place)} for place, text in enumerate(TALK)
        ]
        memory.add(messages, conversation="kiln")
    before = rows(home)
    with open_memory(home, environment={}, said_by="user") as memory:
        memory.garden.tend()
        (block,) = memory.garden.blocks()
        assert ManualGardener(memory).process_bridge_block(block.id)["facts_processed"] == len(
            memory.garden.facts(block.id)
        )
        with memory.store.read() as view:
            (row,) = view.held_of(BLOCKS)
    grown = {name: count - before[name] for name, count in rows(home).items() if count != before[name]}
    assert grown == {"held": 1, "row_digests": 1}  # the row, and its digest
    assert not any(text in row.body for text in TALK)


def test_the_gardener_has_no_chunker() -> None:
    """Nothing of that kind is in its module, and a block's turns are the texts that context is written from."""
    assert not [name for name in vars(manual_gardener) if "chunker" in name.lower() or "embed" in name.lower()]
    assert not [name for name in vars(ManualGardener) if "chunk" in name.lower() or "embed" in name.lower()]
