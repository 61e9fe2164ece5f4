"""Which lines of a Markdown transcript lie inside code blocks.

Takes: lines. Gives: a flag a line. Never: lets a block that was never closed hide the turns behind it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_FENCE = re.compile(r" {0,3}(```+|~~~+)(?P<rest>.*)$")
_FENCES = frozenset(("```", "~~~"))


def in_code(
    lines: list[str], hidden: list[bool] | None = None, breaks: Callable[[int], bool] | None = None
) -> list[bool]:
    """For each line whether it lies in a code block (or is `hidden` already, and then opens and closes none).

    A block without an end is none. One that another block's beginning, or a line for which `breaks` holds, follows
    before its end was never closed: a reply was cut there.
    """
    inside = list(hidden) if hidden is not None else [False] * len(lines)
    start, fence = -1, ""
    for place, line in enumerate(lines):
        if inside[place]:
            continue
        found = _FENCE.match(line) if line.lstrip()[:3] in _FENCES else None
        if found is None:
            if fence and breaks is not None and breaks(place):
                fence = ""
            continue
        mark, rest = found.group(1), found.group("rest").strip()
        if fence and not rest and mark.startswith(fence):
            inside[start : place + 1] = [True] * (place + 1 - start)
            fence = ""
        elif not fence or (rest and mark == fence):
            start, fence = place, mark
    return inside
