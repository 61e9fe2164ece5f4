"""Announcements in a text to be parted: sentences and clauses that tell only together of a new name or a revision.

Takes: sentences, or the clauses of one. Gives: the same, those that belong together in one. Never: changes a word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.ingest.extraction.clauses import Clause
from dopejar.text.policies import read_policy, states_revision
from dopejar.text.renamings import read_renamings
from dopejar.text.sentences import Piece

_BRIEF: Final = 300  # characters of two sentences that may say one thing


def renamed_in_one(pieces: Sequence[Piece], text: str) -> list[Piece]:
    """The sentences, in one where two say it: "Remember Falcon? We call it Osprey now."."""
    result: list[Piece] = []
    for piece in pieces:
        before = result[-1] if result else None
        if before is not None and before.kind == piece.kind == "prose" and piece.end - before.start < _BRIEF:
            both = text[before.start : piece.end]
            if set(read_renamings(both)) - {*read_renamings(before.text), *read_renamings(piece.text)}:
                result[-1] = replace(before, text=both, end=piece.end)
                continue
        result.append(piece)
    return result


def unparted(clauses: list[Clause], piece: Piece) -> list[Clause]:
    """The clauses of a sentence, in one where no single clause says what the sentence does."""
    if len(clauses) < 2:
        return clauses
    named = set(read_renamings(piece.text))
    is_parted_name = named and not any(named <= set(read_renamings(one.text)) for one in clauses)
    is_parted_policy = states_revision(piece.text) and _revision(piece.text) not in [
        _revision(one.text) for one in clauses
    ]
    if not (is_parted_name or is_parted_policy):
        return clauses
    text = piece.text.strip().rstrip(".!?")
    raw = piece.text.strip()
    whole = Clause(raw=raw, text=text, said=text, start=piece.start, end=piece.end, asks=False, certainty=1.0)
    return [replace(whole, certainty=min((one.certainty for one in clauses), default=1.0))]


def _revision(text: str) -> tuple[int | None, bool, frozenset[str]] | None:
    found = read_policy(text)
    return (found.number, found.has_amount, found.topic) if found else None
