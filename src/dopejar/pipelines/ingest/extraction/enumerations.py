"""Enumerations: "we use A with B and C" is three statements.

Takes: the words of a statement. Gives: one wording per value it lists. Never: splits what a comparison or a change
holds together ("A over B", "from A to B").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dopejar.pipelines.ingest.keys.families import Member, families, values_named

_JOINER: Final = re.compile(
    r"^\s*(?:,|/|&|\+|,? and|,? plus|with|together with|as well as|,? or)\s+(?:the |our )?$", re.IGNORECASE
)
_HEAD: Final = re.compile(
    r"\b(?:use|uses|using|used|like|love|enjoy|hate|know|speak|speaks|write|writes|run|runs|on|with|in|prefer|"
    r"have|has|learned|learning|work with)"
    r"\s+(?:both |the |only |mostly |also )?$",
    re.IGNORECASE,
)


def _hold_together(run: Sequence[Member]) -> bool:
    """Whether two of them are values of which a subject has one at a time: then having both is what is said."""
    single = [member.family for member in run if families().by_name[member.family].one]
    return len(set(single)) < len(single)


def one_by_one(text: str) -> tuple[str, ...]:
    """The statement once for each value of its list; the statement itself where it lists none."""
    members = values_named(text)
    if len(members) < 2:
        return (text,)
    run = [members[0]]
    for member in members[1:]:
        if not _JOINER.match(text[run[-1].end : member.start]):
            break
        run.append(member)
    if len(run) < 2 or not _HEAD.search(text[: run[0].start]) or _hold_together(run):
        return (text,)
    head, tail = text[: run[0].start], text[run[-1].end :]
    head = re.sub(r"\bboth\s+$", "", head)
    return tuple(f"{head}{text[member.start : member.end]}{tail}" for member in run)
