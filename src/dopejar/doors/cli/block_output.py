"""Blocks of conversations, as `list --blocks`, `list --tags` and `show BLOCK` print them.

Takes: described blocks, and the turns of one. Gives: lines of text. Never: a turn whole; `show` prints its first words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dopejar.doors.cli.text_format import day, moment, one_line, pairs, table, whole_line

if TYPE_CHECKING:
    from dopejar.engine.garden.gardener import DescribedBlock
    from dopejar.values.episode import Episode


def block_rows(blocks: Sequence[DescribedBlock]) -> Iterator[str]:
    """A table of blocks."""
    cells = [
        (block.id, block.state, block.exit, block.turns, day(block.started_at), block.tags.count, one_line(block.label))
        for block in blocks
    ]
    return table(("id", "state", "exit", "turns", "since", "tags", "about"), cells)


def tag_rows(blocks: Sequence[DescribedBlock]) -> Iterator[str]:
    """A table of the tags and section rules of blocks."""
    lines = [(block.id, turns, text) for block in blocks for turns, text in _tags(block)]
    return table(("block", "turns", "tag"), lines)


def block_lines(block: DescribedBlock, turns: Sequence[Episode]) -> Iterator[str]:
    """One block: its times, what it is about, its tags, what it decided and left open, and its turns."""
    yield from pairs(
        [
            ("block", block.id),
            ("conversation", block.conversation),
            ("state", f"{block.state} ({block.exit})" if block.exit else block.state),
            ("from", moment(block.started_at)),
            ("to", moment(block.ended_at)),
            ("about", whole_line(", ".join(block.keywords))),
            ("summary", whole_line(block.summary)),
        ]
    )
    parts = (
        (("turns", "tag"), list(_tags(block))),
        (("turn", "decided"), [(one.turn, whole_line(one.text)) for one in block.decisions_made]),
        (("turn", "left open"), [(one.turn, whole_line(one.text)) for one in block.open_loops]),
        (("turn", "name", "value"), [(one.turn, one.name, whole_line(one.value)) for one in block.active_variables]),
    )
    for columns, rows in parts:
        if rows:
            yield ""
            yield from table(columns, rows)
    yield ""
    said = [
        (place, moment(turn.at), turn.speaker or turn.origin, one_line(turn.text)) for place, turn in enumerate(turns)
    ]
    yield from table(("turn", "said", "by", "text"), said)


def _tags(block: DescribedBlock) -> Iterator[tuple[str, str]]:
    yield from (("all", one_line(tag)) for tag in block.tags.global_tags)
    yield from ((f"{rule.start_turn} to {rule.end_turn}", one_line(rule.rule)) for rule in block.tags.section_rules)
