"""The lines of one block in a pack: in the order of their turns, and each rule once, where its lines begin.

Takes: the tags of a block, and the labels of its lines. Gives: headings and the labels left for each line. Never: a
label that a line does not have, or a rule told for lines before or behind those that it governs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.pipelines.recall.block_context import DEPRECATED, bracketed
from dopejar.pipelines.recall.pack_line import heading_tokens

if TYPE_CHECKING:
    from dopejar.pipelines.recall.block_context import BlockContext
    from dopejar.pipelines.recall.pack_line import PackLine


_SHOWN: Final = 8  # characters of a block's id, by which `dopejar show` finds it


class BlockLayout(NamedTuple):
    """For each line of a block, in order: the heading above it ("" for none), and the labels in front of it."""

    headings: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]


def lay_out(block: str, lines: Sequence[BlockContext], *, gathers: bool = True) -> BlockLayout:
    """The layout of lines with these contexts, in the order of their turns.

    A rule of two lines or more that are the last ones of the block is told once: above the first of these, or beside
    the tags where it governs all. With `gathers` off each rule stands in front of its lines. A rule that none of the
    lines names is not told.
    """
    tags, labels = lines[0].tags if lines else (), [line.labels for line in lines]
    begins: dict[str, int] = {}
    for label in dict.fromkeys(label for line in lines for label in line.near if label != DEPRECATED):
        first = next(place for place, of_line in enumerate(labels) if label in of_line)
        if gathers and first <= len(labels) - 2 and all(label in of_line for of_line in labels[first:]):
            begins[label] = first
    headings = [""] * len(labels)
    name = f"{lines[0].title} ({block[:_SHOWN]})" if lines and lines[0].title else block[:_SHOWN]
    for first in {0, *begins.values()} if labels else ():
        told = [label for label, place in begins.items() if place == first]
        headings[first] = _header(name, (*tags, *told)) if not first else f"From here: {_listed(told)}"
    left = tuple(tuple(label for label in line.near if label not in begins) for line in lines)
    return BlockLayout(headings=tuple(headings), labels=left)


def _header(name: str, rules: Sequence[str]) -> str:
    return f"### Context Block: {name}\nActive Rules: {_listed(rules)}" if rules else ""


def _listed(rules: Sequence[str]) -> str:
    return ", ".join(map(bracketed, rules))


def in_order(lines: Sequence[PackLine]) -> list[PackLine]:
    """The lines of a block in the order of their turns."""
    return sorted(lines, key=lambda line: (line.item.episode.at, line.item.episode.index) if line.item.episode else ())


def laid_out(group: Sequence[PackLine]) -> int:
    """Lay out the lines of a block in the way that takes fewer tokens; how many that are."""
    context = group[0].context if group else None
    if context is None:
        return 0
    contexts = [line.context for line in group if line.context is not None]
    best: tuple[int, BlockLayout] | None = None
    for gathers in (True, False) if any(one.labels for one in contexts) else (False,):
        layout = lay_out(context.block, contexts, gathers=gathers)
        tokens = sum(_apply(layout, group))
        best = (tokens, layout) if best is None or tokens < best[0] else best
    return sum(_apply(best[1], group)) if best else 0


def _apply(layout: BlockLayout, group: Sequence[PackLine]) -> Iterator[int]:
    """Give each line of a block its heading and labels, and count its tokens with these."""
    for line, heading, labels in zip(group, layout.headings, layout.labels, strict=True):
        line.heading, line.labels = heading, labels
        line.tokens = line.count_tokens() + (heading_tokens(heading) if heading else 0)
        yield line.tokens
