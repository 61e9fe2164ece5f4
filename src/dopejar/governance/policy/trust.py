"""Trust by origin, and the least of it over the evidence.

Takes: evidence and where its episodes come from. Gives: a number from 0 to 1. Never: raises trust by repetition or by
approval.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from dopejar.values.episode import Episode, EpisodeKind, Origin
from dopejar.values.ids import EpisodeId
from dopejar.values.record import Evidence, EvidenceRole

TRUST_BY_ORIGIN: Final[Mapping[Origin, float]] = MappingProxyType({
    Origin.USER: 1.0,
    Origin.TOOL: 0.7,
    Origin.OTHER: 0.6,
    Origin.ASSISTANT: 0.4,
    Origin.FETCHED: 0.2,
    Origin.SYSTEM: 0.0,
})


def trust_of(origin: Origin, table: Mapping[Origin, float] = TRUST_BY_ORIGIN) -> float:
    """How far words of this origin are trusted, 0 to 1; an origin that the table lacks is not trusted at all."""
    return table.get(origin, 0.0)


def trust_of_evidence(
    evidence: Sequence[Evidence],
    origins: Mapping[EpisodeId, Origin],
    otherwise: Origin,
    table: Mapping[Origin, float] = TRUST_BY_ORIGIN,
) -> float:
    """The least trust over the evidence that asserts, 0 to 1.

    Evidence in an episode that is not at hand, and a proposal without asserting evidence, count as `otherwise`, the
    origin of the proposal itself.
    """
    asserting = [origins.get(item.episode_id, otherwise) for item in evidence if item.role is EvidenceRole.ASSERTS]
    return min((trust_of(origin, table) for origin in asserting), default=trust_of(otherwise, table))


def with_trust(
    evidence: Iterable[Evidence],
    origins: Mapping[EpisodeId, Origin],
    otherwise: Origin,
    table: Mapping[Origin, float] = TRUST_BY_ORIGIN,
) -> tuple[Evidence, ...]:
    """The same evidence, each with the trust of its episode's origin."""
    return tuple(replace(item, trust=trust_of(origins.get(item.episode_id, otherwise), table)) for item in evidence)


def rests_on_outcomes(evidence: Sequence[Evidence], episodes: Mapping[EpisodeId, Episode]) -> bool:
    """Whether everything that asserts is a recorded outcome: a tool's or test's result, or what a user confirmed."""
    asserting = [episodes.get(item.episode_id) for item in evidence if item.role is EvidenceRole.ASSERTS]
    return bool(asserting) and all(episode is not None and _is_outcome(episode) for episode in asserting)


def _is_outcome(episode: Episode) -> bool:
    recorded = episode.kind is EpisodeKind.OUTCOME or bool(episode.outcome)
    return recorded and episode.origin in {Origin.TOOL, Origin.USER}
