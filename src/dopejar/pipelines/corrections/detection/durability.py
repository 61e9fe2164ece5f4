"""Durability of wishes: whether a marker agrees that a wish was meant to last.

Takes: correction candidates and a marker of lasting statements. Gives: the candidates. Never: makes a wish of one
moment a standing one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Durability
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.ports.statement_reader import StatementMarker


def settle_durability(
    candidates: Sequence[CorrectionCandidate], marker: StatementMarker
) -> tuple[CorrectionCandidate, ...]:
    """Each candidate; one of which no word is marked as lasting is of one moment, and waits until it is said again."""
    standing = [one for one in candidates if one.durability is Durability.STANDING]
    turns = list({one.exchange.episode_id: one.exchange for one in standing}.values())
    found = extract_marked([SpokenTurn(text=turn.text, at=None, before=turn.before) for turn in turns], marker)
    lasting = {
        turn.episode_id: [(atom.start, atom.end) for atom in extraction.atoms]
        for turn, extraction in zip(turns, found, strict=True)
    }
    return tuple(
        one
        if one.durability is not Durability.STANDING or _overlaps(one, lasting[one.exchange.episode_id])
        else replace(one, durability=Durability.ONE_OFF)
        for one in candidates
    )


def _overlaps(candidate: CorrectionCandidate, lasting: Sequence[tuple[int, int]]) -> bool:
    return any(start < high and low < end for start, end in candidate.spans for low, high in lasting)
