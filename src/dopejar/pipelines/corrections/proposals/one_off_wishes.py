"""What was said once and not proposed: places to look at again when another conversation says it, too.

Takes: candidates and their places. Gives: what one conversation leaves behind, as JSON and back; groups of wishes that
two conversations share. Never: a word of a person; places and keyed marks are kept, and erasing a turn erases its wish.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from dopejar.errors import InputError
from dopejar.pipelines.corrections.clusters.cluster import CorrectionCluster, are_same_wish, cluster
from dopejar.pipelines.corrections.clusters.wish_similarity import sides
from dopejar.pipelines.corrections.detection.detector import make_candidate, score_turns, shipped_model
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Durability, Exchange
from dopejar.pipelines.corrections.proposals.proposal_engine import waits_for_repeat
from dopejar.values.ids import ConversationId

SAID_BY: Final = 2  # conversations that must say a one-off wish before anybody is asked about it
ALIKE: Final = 0.7  # more than that of the things that the longer of two wishes names
SHARED: Final = 0.4  # of the marks of the one that has fewer
_MARK: Final = 8  # hexadecimal digits of a mark


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class WishLocation:
    """A sentence that says a wish: its turn by index, its range in the turn, what it is about as keyed marks."""

    index: int
    start: int
    end: int
    confidence: float
    marks: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExtractionCheckpoint:
    """What reading one conversation left behind. `turns` says how far it was read.

    `once` are wishes said once that nobody was asked about. The first `taken_back` turns by index count for nothing
    until the taking back is undone.
    """

    turns: int
    said: int = 0  # corrections and standing instructions, proposed or not
    project: str = ""
    namespace: str = ""
    once: tuple[WishLocation, ...] = ()
    taken_back: int = 0

    @property
    def counts(self) -> tuple[WishLocation, ...]:
        """The wishes that were not taken back."""
        return tuple(one for one in self.once if one.index >= self.taken_back)


def one_off_locations(clusters: Iterable[CorrectionCluster], secret: bytes) -> tuple[WishLocation, ...]:
    """The places of one-off wishes that their conversation says once."""
    found = []
    for one in clusters:
        if one.frequency == 1 and (one.durability is Durability.ONE_OFF or waits_for_repeat(one)):
            member = one.members[0]
            start, end = member.spans[0] if member.spans else (0, len(member.exchange.text))
            alone = read_wish_at(member.exchange, start, end, member.confidence)
            marks = keyed_marks(alone, secret)
            found.append(
                WishLocation(
                    index=member.exchange.index, start=start, end=end, confidence=member.confidence, marks=marks
                )
            )
    return tuple(sorted(found, key=lambda place: (place.index, place.start)))


def read_wish_at(turn: Exchange, start: int, end: int, confidence: float) -> CorrectionCandidate:
    """The one-off wish that a sentence of a turn says, read from that sentence alone.

    So it is the same one whenever and beside whatever it is read again.
    """
    rest = ((0, start), (end, len(turn.text)))
    alone = replace(turn, pasted=tuple(span for span in rest if span[0] < span[1]))
    (judged,) = score_turns([alone])
    found = make_candidate(judged, shipped_model())
    return replace(found, confidence=confidence, durability=Durability.ONE_OFF, spans=((start, end),))


def keyed_marks(one: CorrectionCandidate, secret: bytes) -> frozenset[str]:
    """Keyed marks of what a wish is about: two wishes that are one share at least one mark."""
    terms = {*one.about, *sides(one.wish, one.polarity).all, *((f"family:{one.family}",) if one.family else ())}
    return frozenset(
        hmac.new(secret, term.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:_MARK] for term in terms
    )


def connected_wishes(
    here: ConversationId,
    mine: Sequence[WishLocation],
    others: Mapping[ConversationId, Sequence[WishLocation]],
    wish: Callable[[ConversationId, WishLocation], CorrectionCandidate | None],
) -> tuple[tuple[CorrectionCandidate, ...], ...]:
    """For each wish of `here` those that say the same, directly or by way of each other, it among them, in order.

    `wish` reads a place, or says that it is gone. Marks narrow what is read; the words decide.
    """
    by_mark: dict[str, list[_Spot]] = {}
    for name, places in others.items():
        for place in places:
            for mark in place.marks:
                by_mark.setdefault(mark, []).append((name, place))
    read: dict[_Spot, CorrectionCandidate | None] = {}
    groups = []
    for place in mine:
        one = wish(here, place)
        group = _group((here, place), one, by_mark, read, wish) if one is not None else ()
        if len(group) > 1:
            groups.append(group)
    return tuple(groups)


def _group(
    first: _Spot,
    one: CorrectionCandidate,
    by_mark: Mapping[str, Sequence[_Spot]],
    read: dict[_Spot, CorrectionCandidate | None],
    wish: Callable[[ConversationId, WishLocation], CorrectionCandidate | None],
) -> tuple[CorrectionCandidate, ...]:
    """Everything that hangs together with one wish. `read` keeps what was read on the way."""
    found = {first: one}
    waiting = [first]
    while waiting:
        spot = waiting.pop()
        for other in _near(spot[1], by_mark):
            if other not in read:
                read[other] = wish(*other)
            same = read[other]
            if other not in found and same is not None and _say_one_thing(found[spot], same):
                found[other] = same
                waiting.append(other)
    return tuple(found[spot] for spot in sorted(found, key=lambda row: (row[0], row[1].index, row[1].start)))


def _say_one_thing(a: CorrectionCandidate, b: CorrectionCandidate) -> bool:
    """Whether two wishes of different conversations are surely one: nearly the same things, wanted alike.

    Stricter than inside a conversation: likeness that reaches from one to the next would join everything in time.
    """
    if not are_same_wish(a, b):
        return False
    if a.family or a.references & b.references:
        return True
    mine, other = sides(a.wish, a.polarity).all, sides(b.wish, b.polarity).all
    return len(mine & other) > ALIKE * max(len(mine), len(other))


_Spot = tuple[ConversationId, WishLocation]


def _near(place: WishLocation, by_mark: Mapping[str, Sequence[_Spot]]) -> list[_Spot]:
    """Places that share enough marks to be worth reading: two wishes that are one share most of the shorter one."""
    shared = Counter(spot for mark in place.marks for spot in by_mark.get(mark, ()))
    return [spot for spot, many in shared.items() if many >= SHARED * min(len(place.marks), len(spot[1].marks))]


def recurring_clusters(groups: Iterable[Sequence[CorrectionCandidate]]) -> tuple[CorrectionCluster, ...]:
    """The groups that at least two conversations say, each as one cluster; each once."""
    found = {one.members: one for group in groups for one in cluster(group) if len(one.conversations) >= SAID_BY}
    return tuple(found.values())


def dump_checkpoint(read: ExtractionCheckpoint) -> str:
    """What reading left behind as a JSON object."""
    return json.dumps(
        {
            "turns": read.turns,
            "said": read.said,
            "project": read.project,
            "namespace": read.namespace,
            "once": [[one.index, one.start, one.end, one.confidence, sorted(one.marks)] for one in read.once],
            "taken_back": read.taken_back,
        }
    )


def load_checkpoint(body: str) -> ExtractionCheckpoint:
    """The same from its JSON object. Raises InputError where it is none of ours."""
    try:
        row = json.loads(body)
        return ExtractionCheckpoint(
            turns=int(row["turns"]),
            said=int(row["said"]),
            project=str(row["project"]),
            namespace=str(row["namespace"]),
            once=tuple(
                WishLocation(
                    index=int(index), start=int(start), end=int(end), confidence=float(sure), marks=frozenset(marks)
                )
                for index, start, end, sure, marks in row["once"]
            ),
            taken_back=int(row["turns"] if row["taken_back"] is True else row["taken_back"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            "What reading a conversation left behind cannot be read. Drop the row; it fills again."
        ) from error
