"""Clusters of correction candidates that ask for the same thing, across turns and conversations.

Takes: candidates and existing clusters. Gives: frozen clusters; a new conversation extends existing ones. Never: drops
a variant, or depends on the order of the candidates: a cluster is a connected component of pairwise links.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field
from datetime import datetime
from functools import lru_cache

from dopejar.pipelines.corrections.clusters.wish_similarity import linked, object_stems, sides
from dopejar.pipelines.corrections.exchange import (
    CorrectionCandidate,
    CorrectionType,
    Durability,
    Exchange,
    Label,
    Polarity,
)
from dopejar.pipelines.corrections.wording.memory_text import directs, polarity_of
from dopejar.pipelines.corrections.wording.own_words import names
from dopejar.text.lexicons import guess_language
from dopejar.text.normalisation import content_hash
from dopejar.values.ids import ConversationId


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectionCluster:
    """One wish. `variants` are its wordings in the turns; `confidence` is the mean of its candidates.

    `frequency` counts the turns that say it. `members` are the candidates, where they are loaded.
    """

    canonical_text: str = ""
    canonical: InitVar[str] = ""  # alias of `canonical_text` for callers
    variants: Sequence[str] = ()
    correction_type: str = CorrectionType.PREFERENCE
    frequency: int = 1
    confidence: float = 0.7
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    durability: Durability = Durability.STANDING
    polarity: Polarity = Polarity.DO
    references: frozenset[str] = frozenset()
    members: tuple[CorrectionCandidate, ...] = field(default=(), repr=False)

    def __post_init__(self, canonical: str) -> None:
        object.__setattr__(self, "canonical_text", self.canonical_text or canonical)
        object.__setattr__(self, "variants", tuple(self.variants))

    @property
    def id(self) -> str:
        """An id that is stable while the earliest member is."""
        first = min(self.members, key=_sort_key, default=None)
        seed = f"{first.exchange.conversation}:{first.exchange.index}:{first.wish}" if first else self.canonical_text
        return f"k_{content_hash(seed)[:12]}"

    @property
    def conversations(self) -> frozenset[ConversationId]:
        """The conversations that say it."""
        return frozenset(member.exchange.conversation for member in self.members)


def _sort_key(candidate: CorrectionCandidate) -> tuple[datetime, str, int, str]:
    exchange = candidate.exchange
    return exchange.at, exchange.conversation, exchange.index, candidate.wish


def cluster(
    candidates: Sequence[CorrectionCandidate],
    known: Sequence[CorrectionCluster] = (),
) -> tuple[CorrectionCluster, ...]:
    """Cluster the candidates together with the known clusters; ordered by first mention.

    Two candidates are linked where they refer to the same rules file with hardly another word, or say the same wish
    (`wish_similarity.linked`). Known clusters keep their members. The order of neither argument matters.
    """
    without_candidates = [group for group in known if not group.members]
    known_members = [member for group in known for member in group.members]
    members = sorted({_identity(member): member for member in (*known_members, *candidates)}.values(), key=_sort_key)
    groups = [part for group in _connected_components(members) for part in _split_at_bridge(group)]
    clusters = (*map(_make_cluster, groups), *without_candidates)
    return tuple(sorted(clusters, key=lambda group: (group.first_seen is None, group.first_seen, group.canonical_text)))


def _identity(candidate: CorrectionCandidate) -> tuple[str, int, str, str]:
    exchange = candidate.exchange
    return exchange.conversation, exchange.index, exchange.text, candidate.wish


def _connected_components(members: Sequence[CorrectionCandidate]) -> list[list[CorrectionCandidate]]:
    """The connected components under `are_same_wish`, by union-find; independent of the order."""
    parent = list(range(len(members)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for place, member in enumerate(members):
        for earlier in range(place):
            if root(earlier) != root(place) and are_same_wish(members[earlier], member):
                parent[root(place)] = root(earlier)
    groups: dict[int, list[CorrectionCandidate]] = defaultdict(list)
    for place, member in enumerate(members):
        groups[root(place)].append(member)
    return list(groups.values())


def _split_at_bridge(group: list[CorrectionCandidate]) -> list[list[CorrectionCandidate]]:
    """Split a group where a single member (an articulation point) joins two parts of at least `_SIDE` members each.

    "Use the session command to find the session repository" names two things, which does not make them the same. The
    bridging member goes with the part it is linked to by the larger share. Members with a named rules file may bridge.
    """
    if len(group) < 2 * _SIDE + 1:
        return [group]
    places = range(len(group))
    links = {
        place: {other for other in places if other != place and are_same_wish(group[place], group[other])}
        for place in places
    }
    for place, member in enumerate(group):
        parts = [] if member.references else _components_without(place, links)
        if sum(len(part) >= _SIDE for part in parts) < 2:
            continue
        home = _closest_part(parts, links[place])
        sets = [part | {place} if part is home else part for part in parts]
        return [
            piece
            for part in sorted(sets, key=min)
            for piece in _split_at_bridge([group[number] for number in sorted(part)])
        ]
    return [group]


def _closest_part(parts: Sequence[set[int]], links: set[int]) -> set[int]:
    return max(parts, key=lambda part: (len(part & links) / len(part), len(part), -min(part)))


def _components_without(place: int, links: Mapping[int, set[int]]) -> list[set[int]]:
    """The connected components of a group once one member is removed."""
    remaining, parts = set(links) - {place}, []
    while remaining:
        queue = [min(remaining)]
        part = set(queue)
        while queue:
            fresh = (links[queue.pop()] & remaining) - part
            part |= fresh
            queue += sorted(fresh)
        remaining -= part
        parts.append(part)
    return parts


def are_same_wish(a: CorrectionCandidate, b: CorrectionCandidate) -> bool:
    """Whether two candidates ask for the same thing."""
    if a.references & b.references and ("rules.alone" in a.features or "rules.alone" in b.features):
        return True
    return linked(a.wish, a.polarity, b.wish, b.polarity)


def _make_cluster(group: Sequence[CorrectionCandidate]) -> CorrectionCluster:
    best = max(group, key=lambda member: (_centrality(member, group), member.standing, member.wish))
    lasting = [member for member in group if member.durability is Durability.STANDING]
    turns = {(member.exchange.conversation, member.exchange.index, member.exchange.text) for member in group}
    durability = Durability.STANDING if lasting or len(turns) > 1 else Durability.ONE_OFF
    return CorrectionCluster(
        canonical_text=best.wish,
        variants=tuple(dict.fromkeys(member.exchange.text.strip() for member in group)),
        correction_type=_type(group, durability),
        frequency=len(turns),
        confidence=round(sum(member.confidence for member in group) / len(group), 4),
        first_seen=min(member.exchange.at for member in group),
        last_seen=max(member.exchange.at for member in group),
        durability=durability,
        polarity=best.polarity,
        references=frozenset().union(*(member.references for member in group)),
        members=tuple(group),
    )


_MOST_COMPARED = 50
_SIDE = 3  # members a part needs at least to count as a wish of its own


def _centrality(member: CorrectionCandidate, group: Sequence[CorrectionCandidate]) -> float:
    """How well a member's wish represents the group: its form, and its overlap with the objects of the others."""
    terms = sides(member.wish, member.polarity).all
    others = [sides(other.wish, other.polarity).all for other in group[:_MOST_COMPARED] if other is not member]
    overlaps = [len(terms & other) / len(terms | other) for other in others if terms | other]
    central = sum(overlaps) / len(overlaps) if overlaps else 0.0
    is_plain = member.language != "en" or directs(member.wish)
    return 5 * central + 3.0 * is_plain + 2.0 * member.is_whole - 0.02 * len(member.wish.split())


def _type(group: Sequence[CorrectionCandidate], durability: Durability) -> str:
    """The most frequent type of the members; a repair that is repeated counts as a rule."""
    counts: dict[str, int] = defaultdict(int)
    for member in group:
        counts[member.correction_type] += 1
    if durability is Durability.STANDING:
        counts.pop(CorrectionType.CORRECTION, None)
    return max(sorted(counts), key=lambda name: counts[name]) if counts else CorrectionType.RULE


def matches_text(group: CorrectionCluster, text: str, polarity: Polarity) -> bool:
    """Whether a cluster says what a stored text says, by its canonical text or by the wish of any member.

    A stored text may hold a ban and its alternative: either of them on its own matches.
    """
    wishes = {(group.canonical_text, group.polarity), *((member.wish, member.polarity) for member in group.members)}
    if any(content_hash(member.wording) == content_hash(text) for member in group.members if member.wording):
        return True
    return any(
        content_hash(wish) == content_hash(stored) or linked(wish, wish_polarity, stored, stored_polarity)
        for wish, wish_polarity in sorted(wishes)
        for stored, stored_polarity in ((text, polarity), *_clauses(text))
    )


@lru_cache(maxsize=4096)  # every cluster is compared with every stored wording
def _clauses(text: str) -> tuple[tuple[str, Polarity], ...]:
    """The clauses of a stored text that each name something, where it has several."""
    clauses = [clause for clause in text.split("; ") if names(clause)]
    if len(clauses) < 2:
        return ()
    return tuple((clause, polarity_of(clause, guess_language(clause))) for clause in clauses)


def stated_cluster(wording: str, turns: Sequence[Exchange], *, confidence: float) -> CorrectionCluster:
    """A cluster for a wish that is stated outright: a line of an instruction file, a proposal that a host worded.

    It has the given wording, rests on `turns` (at least one), is standing, and then takes the way of every correction.
    """
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
            about=object_stems(wording),
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
        correction_type=CorrectionType.RULE,
        frequency=len(members),
        confidence=confidence,
        first_seen=min(turn.at for turn in turns),
        last_seen=max(turn.at for turn in turns),
        durability=Durability.STANDING,
        polarity=polarity,
        members=members,
    )
