"""Insights: what might be worth a bullet, with what it rests on.

Takes: words, and the spans that tell them. Gives: frozen insights. Never: a record; the curator says what becomes of
one, the gate whether.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dopejar.pipelines.procedural.bullets import BulletType
from dopejar.values.episode import Episode, Origin
from dopejar.values.ids import EpisodeId
from dopejar.values.record import Evidence, EvidenceRole
from dopejar.values.scope import UNIVERSAL, Scope, Side

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, kw_only=True, slots=True)
class Insight:
    """One insight. `origin` is whose words it rests on, `why` a rule's reason, `quoted` a tool's words in its text."""

    text: str
    evidence: tuple[Evidence, ...]
    origin: Origin
    bullet_type: BulletType = BulletType.HEURISTIC
    tags: tuple[str, ...] = ()
    confidence: float = 0.5
    source_hint: Side = Side.NONE
    source_trace_id: str = ""
    scope: Scope = UNIVERSAL
    why: str = ""
    quoted: str = ""

    @property
    def rests_on(self) -> frozenset[EpisodeId]:
        """The episodes that assert it."""
        return frozenset(one.episode_id for one in self.evidence if one.role is EvidenceRole.ASSERTS)


def span(
    episode: Episode,
    wording: str,
    *,
    trust: float,
    confidence: float,
    said: str = "",
    role: EvidenceRole = EvidenceRole.ASSERTS,
) -> Evidence:
    """Evidence in an episode: the span of `said` where it stands there, else the whole text."""
    start = episode.text.find(said) if said else -1
    first, last = (start, start + len(said)) if start >= 0 else (0, len(episode.text))
    return Evidence(
        episode_id=episode.id,
        start=first,
        end=last,
        at=episode.at,
        wording=wording,
        role=role,
        trust=trust,
        confidence=confidence,
    )


def joined_tags(*tags: Sequence[str]) -> tuple[str, ...]:
    """All tags, folded, each once, in order."""
    cleaned = (" ".join(tag.split()).casefold() for some in tags for tag in some)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))
