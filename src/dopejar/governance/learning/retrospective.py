"""Hindsight over outcomes: an analyser for each layer, and which of their troubles come together.

Takes: outcomes of turns. Gives: figures. Never: a change; patterns move by outcomes alone.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

LEAST_FOR_CORRELATION: Final = 5
"""Outcomes below which nothing is said about what comes together."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnOutcome:
    """How one turn came out, with what each layer had decided about it.

    `held_back`: altitude asked for ground first. `declined`: the user refused a gate that was proposed. `matched`: a
    pattern chose the strategy. `corrected`: the next turn stopped or corrected it. `moves` are changes of stance.
    """

    strategy: str
    succeeded: bool
    signature: str = ""
    altitude: str = ""
    stance: str = ""
    held_back: bool = False
    asked: bool = False
    declined: bool = False
    matched: bool = False
    corrected: bool = False
    moves: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Retrospective:
    """What the outcomes show, by layer; rates are from 0 to 1, None where nothing was counted.

    `correlation` tells for two troubles how far they come together, from -1 to 1.
    """

    turns: int
    altitude: Mapping[str, float | None]
    focus: Mapping[str, float | None]
    stance_flow: Mapping[str, int]
    reasoning: Mapping[str, Mapping[str, float]]
    learning: Mapping[str, float | None]
    correlation: Mapping[tuple[str, str], float]


def look_back(outcomes: Sequence[TurnOutcome]) -> Retrospective:
    """The four analysers, and the correlation of what they found."""
    return Retrospective(
        turns=len(outcomes),
        altitude={
            "correction_rate": _rate([one.corrected for one in outcomes]),
            "friction_rate": _rate([one.held_back for one in outcomes]),
        },
        focus={"gate_accuracy": _rate([not one.declined for one in outcomes if one.asked])},
        stance_flow=dict(Counter(move for one in outcomes for move in one.moves)),
        reasoning=_by_strategy(outcomes),
        learning={
            "match_rate": _rate([one.matched for one in outcomes]),
            "hit_rate": _rate([one.succeeded for one in outcomes if one.matched]),
            "miss_rate": _rate([not one.succeeded for one in outcomes if one.matched]),
        },
        correlation=_correlation(outcomes),
    )


def _by_strategy(outcomes: Sequence[TurnOutcome]) -> dict[str, Mapping[str, float]]:
    groups: defaultdict[str, list[bool]] = defaultdict(list)
    for one in outcomes:
        groups[one.strategy].append(one.succeeded)
    return {name: {"total": len(all_), "success_rate": sum(all_) / len(all_)} for name, all_ in groups.items()}


def _correlation(outcomes: Sequence[TurnOutcome]) -> dict[tuple[str, str], float]:
    """The phi coefficient of each pair of troubles that both occur, where there are outcomes enough."""
    if len(outcomes) < LEAST_FOR_CORRELATION:
        return {}
    troubles = {
        "friction": [one.held_back for one in outcomes],
        "declined_gate": [one.declined for one in outcomes],
        "correction": [one.corrected for one in outcomes],
        "failure": [not one.succeeded for one in outcomes],
        "pattern_miss": [one.matched and not one.succeeded for one in outcomes],
    }
    found = {}
    for (first, ones), (second, others) in combinations(troubles.items(), 2):
        phi = _phi(ones, others)
        if phi is not None:
            found[first, second] = round(phi, 3)
    return found


def _phi(ones: Sequence[bool], others: Sequence[bool]) -> float | None:
    count, first, second = len(ones), sum(ones), sum(others)
    both = sum(one and other for one, other in zip(ones, others, strict=True))
    spread = math.sqrt(first * (count - first) * second * (count - second))
    return (count * both - first * second) / spread if spread else None


def _rate(cases: Sequence[bool]) -> float | None:
    return round(sum(cases) / len(cases), 3) if cases else None
