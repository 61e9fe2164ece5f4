"""What can be checked about a memory of an export: whether its turns say it, and whether it directs work.

Takes: words, turns and records. Gives: yes or no. Never: believes the kind that a line gives itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from dopejar.pipelines.ingest import extract_atoms
from dopejar.text.words import index_terms, query_terms
from dopejar.values.record import Kind, Record

GUIDANCE: Final = frozenset({Kind.RULE, Kind.CONSTRAINT, Kind.DECISION, Kind.CORRECTION, Kind.BULLET, Kind.PATTERN})
_DATES: Final = re.compile(r"\b(?:19|20|21)\d\d(?:-\d\d){0,2}\b")  # they stand for "yesterday", "last summer"
_LOOSELY: Final = 0.5


def is_stated(wording: str, turns: Sequence[str], *, loosely: bool = False) -> bool:
    """Whether the turns, of which the first is cited, hold the words; `loosely`, half of them.

    A statement is read with what it refers to and with its dates. Guidance is also put in other words, and waits for a
    person who sees both.
    """
    wanted = query_terms(_DATES.sub(" ", wording))
    there = {term for turn in turns for term in index_terms(turn)}
    said = sum(term in there for term in wanted)
    return said >= len(wanted) * (_LOOSELY if loosely else 1.0) and (said > 0 or not wanted)


def directs_work(record: Record) -> bool:
    """Whether a memory tells an assistant what to do: by its kind, or by its words whatever its kind."""
    if record.kind in GUIDANCE:
        return True
    atoms = extract_atoms(record.text, at=record.valid_from, speaker_is_user=True, keep_all=True)
    return any(atom.directs_work or atom.kind in GUIDANCE for atom in atoms)
