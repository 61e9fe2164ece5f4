"""Clusters: the same wish across turns and conversations.

Takes: candidates, and clusters that are there already. Gives: frozen clusters; a new conversation joins old ones. The
result does not depend on the order of the candidates: a cluster is what hangs together by links. Never: forgets a
variant.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from datetime import datetime
from functools import lru_cache

from dopejar.pipelines.corrections.clusters.wish_similarity import Cosine, linked, object_stems, sides
from dopejar.pipelines.corrections.detection.detector import polarity_of
from dopejar.pipelines.corrections.exchange import (
    CorrectionCandidate,
    CorrectionType,
    Durability,
    Exchange,
    Label,
    Polarity,
)
from dopejar.pipelines.corrections.wording.canonical import canonical_score
from dopejar.pipelines.corrections.wording.content import directs
from dopejar.pipelines.corrections.wording.reference_resolution import names
from dopejar.text.lexicons import guess_language
from dopejar.text.normalise import content_hash
from dopejar.values.ids import ConversationId


@dataclass(frozen=True, kw_only=True, slots=True)
class CorrectionCluster:
    """One wish. `variants` are the wordings it was said in; `confidence` the mean of its candidates.

    `frequency` counts the turns that say it. `members` are the candidates themselves, where they are at hand.
    """

    canonical_text: str = ""
    canonical: InitVar[str] = ""  # another name to give the canonical text by
    variants: Sequence[str] = ()
    correction_type: str = CorrectionType.PREFERENCE
    frequency: int = 1
    confidence: float = 0.7
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    durability: Durability = Durability.STANDING
    polarity: Polarity = Polarity.DO
    family: str = ""
    references: frozenset[str] = frozenset()
    members: tuple[CorrectionCandidate, ...] = field(default=(), repr=False)

    def __post_init__(self, canonical: str) -> None:
        object.__setattr__(self, "canonical_text", self.canonical_text or canonical)
        object.__setattr__(self, "variants", tuple(self.variants))

    @property
    def id(self) -> str:
        """A name that stays the same while the earliest member does."""
        first = min(self.members, key=_place, default=None)
        seed = f"{first.exchange.conversation}:{first.exchange.index}:{first.wish}" if first else self.canonical_text
        return f"k_{content_hash(seed)[:12]}"

    @property
    def conversations(self) -> frozenset[ConversationId]:
        """Where it was said."""
        return frozenset(one.exchange.conversation for one in self.members)


def _place(one: CorrectionCandidate) -> tuple[datetime, str, int, str]:
    return one.exchange.at, one.exchange.conversation, one.exchange.index, one.wish


def cluster(
    candidates: Sequence[CorrectionCandidate],
    known: Sequence[CorrectionCluster] = (),
    *,
    cosine: Cosine | None = None,
) -> tuple[CorrectionCluster, ...]:
    """The clusters of these candidates together with the known ones, by first mention.

    Two candidates are linked where they belong to one family, point to one rules file with hardly another word, or say
    the same wish (`likeness.linked`). Known clusters keep the members they have. The order of either does not matter.
    """
    kept = [one for one in known if not one.members]
    members = sorted({_key(one): one for one in (*_members(known), *candidates)}.values(), key=_place)
    groups = [part for group in _connected(members, cosine) for part in _uncoupled(group, cosine)]
    made = [_made(group) for group in groups]
    return tuple(sorted((*made, *kept), key=lambda one: (one.first_seen is None, one.first_seen, one.canonical_text)))


def _members(known: Sequence[CorrectionCluster]) -> list[CorrectionCandidate]:
    return [member for one in known for member in one.members]


def _key(one: CorrectionCandidate) -> tuple[str, int, str, str]:
    return one.exchange.conversation, one.exchange.index, one.exchange.text, one.wish


def _connected(members: Sequence[CorrectionCandidate], cosine: Cosine | None) -> list[list[CorrectionCandidate]]:
    """Connected components: union by links, so that the order changes nothing."""
    parent = list(range(len(members)))

    def root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    for place, one in enumerate(members):
        for earlier in range(place):
            if root(earlier) != root(place) and are_same_wish(members[earlier], one, cosine):
                parent[root(place)] = root(earlier)
    groups: dict[int, list[CorrectionCandidate]] = defaultdict(list)
    for place, one in enumerate(members):
        groups[root(place)].append(one)
    return list(groups.values())


def _uncoupled(group: list[CorrectionCandidate], cosine: Cosine | None) -> list[list[CorrectionCandidate]]:
    """A group without couplings: where one wish alone holds two others together, each its own group of some size.

    "Use the session command to find the session repository" names two things, and makes none of them the other. The
    wish goes with the side of which it is linked to the larger share. A family or a named rules file couples rightly.
    """
    if len(group) < 2 * _SIDE + 1:
        return [group]
    near = {
        place: {
            other for other in range(len(group)) if other != place and are_same_wish(group[place], group[other], cosine)
        }
        for place in range(len(group))
    }
    for place, one in enumerate(group):
        parts = [] if one.family or one.references else _parts_without(place, near)
        if sum(len(part) >= _SIDE for part in parts) < 2:
            continue
        home = _home(parts, near[place])
        sets = [part | {place} if part is home else part for part in parts]
        return [
            piece
            for part in sorted(sets, key=min)
            for piece in _uncoupled([group[one] for one in sorted(part)], cosine)
        ]
    return [group]


def _home(parts: Sequence[set[int]], links: set[int]) -> set[int]:
    return max(parts, key=lambda part: (len(part & links) / len(part), len(part), -min(part)))


def _parts_without(place: int, near: Mapping[int, set[int]]) -> list[set[int]]:
    """What is left of a group in one piece each when a member is taken out."""
    left, parts = set(near) - {place}, []
    while left:
        waiting = [min(left)]
        part = set(waiting)
        while waiting:
            fresh = (near[waiting.pop()] & left) - part
            part |= fresh
            waiting += sorted(fresh)
        left -= part
        parts.append(part)
    return parts


def are_same_wish(a: CorrectionCandidate, b: CorrectionCandidate, cosine: Cosine | None = None) -> bool:
    """Whether two candidates wish the same."""
    if a.references & b.references and ("rules.alone" in a.features or "rules.alone" in b.features):
        return True
    if a.family or b.family:
        return a.family == b.family
    return linked(a.wish, a.polarity, b.wish, b.polarity, cosine)


def _made(group: Sequence[CorrectionCandidate]) -> CorrectionCluster:
    best = max(group, key=lambda one: (_merit(one, group), one.standing, one.wish))
    lasting = [one for one in group if one.durability is Durability.STANDING]
    turns = {(one.exchange.conversation, one.exchange.index, one.exchange.text) for one in group}
    durability = Durability.STANDING if lasting or len(turns) > 1 else Durability.ONE_OFF
    return CorrectionCluster(
        canonical_text=best.wish,
        variants=tuple(dict.fromkeys(one.exchange.text.strip() for one in group)),
        correction_type=_type(group, durability),
        frequency=len(turns),
        confidence=round(sum(one.confidence for one in group) / len(group), 4),
        first_seen=min(one.exchange.at for one in group),
        last_seen=max(one.exchange.at for one in group),
        durability=durability,
        polarity=best.polarity,
        family=best.family,
        references=frozenset().union(*(one.references for one in group)),
        members=tuple(group),
    )


_MOST_COMPARED = 50
_SIDE = 3  # wishes that a side has at least, to be held for a wish of its own


def _merit(one: CorrectionCandidate, group: Sequence[CorrectionCandidate]) -> float:
    """How well a member's wish speaks for all: its form, and how much of the others' objects it names."""
    mine = sides(one.wish, one.polarity).all
    others = [sides(other.wish, other.polarity).all for other in group[:_MOST_COMPARED] if other is not one]
    shared = [len(mine & other) / len(mine | other) for other in others if mine | other]
    central = sum(shared) / len(shared) if shared else 0.0
    plain = 0.0 if one.language != "en" or directs(one.wish) else -3.0
    return plain + canonical_score(one.wish) + 5 * central + (4.0 if one.family else 0.0)


def _type(group: Sequence[CorrectionCandidate], durability: Durability) -> str:
    """The type most members have; a repeated repair of a mistake has become a rule."""
    counts: dict[str, int] = defaultdict(int)
    for one in group:
        counts[one.correction_type] += 1
    if durability is Durability.STANDING:
        counts.pop(CorrectionType.CORRECTION, None)
    return max(sorted(counts), key=lambda name: counts[name]) if counts else CorrectionType.RULE


def matches_text(one: CorrectionCluster, text: str, polarity: Polarity, cosine: Cosine | None = None) -> bool:
    """Whether a cluster says what a stored text says, by its canonical text or any wish it was read from.

    A stored text may hold a ban and its alternative: to say either of them is to say it again.
    """
    wishes = {(one.canonical_text, one.polarity), *((member.wish, member.polarity) for member in one.members)}
    if any(content_hash(member.wording) == content_hash(text) for member in one.members if member.wording):
        return True
    return any(
        content_hash(wish) == content_hash(said) or linked(wish, pole, said, sign, cosine)
        for wish, pole in sorted(wishes)
        for said, sign in ((text, polarity), *_halves(text))
    )


@lru_cache(maxsize=4096)  # every cluster is held against every stored wording
def _halves(text: str) -> tuple[tuple[str, Polarity], ...]:
    """The clauses of a stored text that each name something, where it has several."""
    said = [half for half in text.split("; ") if names(half)]
    return tuple((half, polarity_of(half, guess_language(half))) for half in said) if len(said) > 1 else ()


def without_members(one: CorrectionCluster) -> CorrectionCluster:
    """The cluster as it is kept: its words and counts, without the candidates."""
    return replace(one, members=())


def stated_cluster(
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
        correction_type=correction_type,
        frequency=len(members),
        confidence=confidence,
        first_seen=min(turn.at for turn in turns),
        last_seen=max(turn.at for turn in turns),
        durability=Durability.STANDING,
        polarity=polarity,
        members=members,
    )
