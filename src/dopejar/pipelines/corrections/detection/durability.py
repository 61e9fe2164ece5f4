"""Durability of wishes: whether a marker confirms that a wish lasts, or finds one that detection leaves out.

Takes: correction candidates and a marker, or an exchange and what was marked in it. Gives: the candidates, or whether
it lasts. Never: makes a wish of one moment a standing one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from dopejar.pipelines.corrections.detection.detector import score_span, score_turns, shipped_model
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Durability, Exchange
from dopejar.pipelines.ingest.extraction.marked_statements import SpokenTurn, extract_marked
from dopejar.ports.statement_reader import StatementMarker

SURE: Final = 0.7  # probability from which a wish said once is proposed; a less sure one waits until it is said again


def wish_certainty(turn: Exchange, start: int, end: int, marked: float) -> float | None:
    """How likely a span that a marker finds to direct the work is a lasting wish; None where detection finds it, too.

    `marked` is the marker's certainty; the mean with what the words tell decides.
    """
    model = shipped_model()
    (whole,) = score_turns([turn])
    if whole.probability >= model.detection.threshold:
        return None
    return (score_span(turn, start, end).standing + marked) / 2


def confirm_durability(
    candidates: Sequence[CorrectionCandidate], marker: StatementMarker
) -> tuple[CorrectionCandidate, ...]:
    """Each candidate; a standing one of which a word is marked as lasting is sure to last."""
    unsure = [one for one in candidates if one.durability is Durability.STANDING and one.standing < SURE]
    turns = list({one.exchange.episode_id: one.exchange for one in unsure}.values())
    found = extract_marked([SpokenTurn(text=turn.text, at=None, before=turn.before) for turn in turns], marker)
    lasting = {
        turn.episode_id: [(atom.start, atom.end) for atom in extraction.atoms]
        for turn, extraction in zip(turns, found, strict=True)
    }
    return tuple(
        replace(one, standing=SURE) if one in unsure and _overlaps(one, lasting[one.exchange.episode_id]) else one
        for one in candidates
    )


def _overlaps(candidate: CorrectionCandidate, lasting: Sequence[tuple[int, int]]) -> bool:
    return any(start < high and low < end for start, end in candidate.spans for low, high in lasting)
