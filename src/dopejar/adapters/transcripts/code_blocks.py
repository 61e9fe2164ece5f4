"""The lines of a Markdown transcript that are inside code blocks.

Takes: lines. Gives: one flag per line. Never: lets an unclosed block hide the turns after it.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_FENCE = re.compile(r" {0,3}(```+|~~~+)(?P<rest>.*)$")
_FENCES = frozenset(("```", "~~~"))


def lines_in_code(
    lines: list[str], hidden: list[bool] | None = None, breaks: Callable[[int], bool] | None = None
) -> list[bool]:
    """For each line, whether it is in a code block (or `hidden` already; hidden lines open and close none).

    A block without an end does not count. A block followed by the start of another one, or by a line for which `breaks`
    holds, before its end was never closed: the reply was cut there.
    """
    inside = list(hidden) if hidden is not None else [False] * len(lines)
    start, fence = -1, ""
    for place, line in enumerate(lines):
        if inside[place]:
            continue
        match = _FENCE.match(line) if line.lstrip()[:3] in _FENCES else None
        if match is None:
            if fence and breaks is not None and breaks(place):
                fence = ""
            continue
        mark, rest = match.group(1), match.group("rest").strip()
        if fence and not rest and mark.startswith(fence):
            inside[start : place + 1] = [True] * (place + 1 - start)
            fence = ""
        elif not fence or (rest and mark == fence):
            start, fence = place, mark
    return inside
