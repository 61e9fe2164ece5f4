"""Wishes that a person states outright: a line of an instruction file, a proposal that a host worded itself.

Takes: a wording and the words it rests on. Gives: a cluster of one, so that it goes the way of every correction. Never:
reads anything into the words.
"""

from __future__ import annotations

from collections.abc import Sequence

from dopejar.pipelines.corrections.clusters.cluster import CorrectionCluster
from dopejar.pipelines.corrections.clusters.likeness import objects
from dopejar.pipelines.corrections.detection.detect import polarity_of
from dopejar.pipelines.corrections.exchange import (
    CorrectionCandidate,
    CorrectionType,
    Durability,
    Exchange,
    Label,
)
from dopejar.text.lexicons import guess_language


def told(
    wording: str, turns: Sequence[Exchange], *, confidence: float, correction_type: str = CorrectionType.RULE
) -> CorrectionCluster:
    """The standing wish that these turns state, in this wording. `turns` are at least one."""
    language = guess_language(wording)
    polarity = polarity_of(wording, language)
    members = tuple(
        CorrectionCandidate(
            exchange=turn,
            label=Label.STANDING,
            correction_type=CorrectionType.RULE,
            durability=Durability.STANDING,
            polarity=polarity,
            wish=wording,
            about=objects(wording),
            confidence=confidence,
            standing=1.0,
            spans=((0, len(turn.text)),),
            language=language,
        )
        for turn in turns
    )
    return CorrectionCluster(
        canonical_text=wording,
        variants=tuple(turn.text for turn in turns),
        correction_type=correction_type,
        frequency=len(members),
        confidence=confidence,
        first_seen=min(turn.at for turn in turns),
        last_seen=max(turn.at for turn in turns),
        durability=Durability.STANDING,
        polarity=polarity,
        members=members,
    )
