"""Insights: candidates for bullets, with their evidence.

Takes: texts, and the spans that state them. Gives: frozen insights. Never: a record; the curator decides what becomes
of an insight, and the gate whether it does.
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
    """One insight. `origin` is whose words it rests on, `why` the rule's reason, `quoted` a tool's words in it."""

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
        return frozenset(row.episode_id for row in self.evidence if row.role is EvidenceRole.ASSERTS)


def evidence_in(
    episode: Episode,
    wording: str,
    *,
    trust: float,
    confidence: float,
    quotation: str = "",
    role: EvidenceRole = EvidenceRole.ASSERTS,
) -> Evidence:
    """Evidence in an episode: the span of the quotation where the text holds it, else the whole text."""
    start = episode.text.find(quotation) if quotation else -1
    first, last = (start, start + len(quotation)) if start >= 0 else (0, len(episode.text))
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


def join_tags(*tags: Sequence[str]) -> tuple[str, ...]:
    """All tags, folded, each once, in order."""
    cleaned = (" ".join(tag.split()).casefold() for group in tags for tag in group)
    return tuple(dict.fromkeys(tag for tag in cleaned if tag))
