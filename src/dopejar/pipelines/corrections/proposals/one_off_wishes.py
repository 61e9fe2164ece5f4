"""One-off wishes: what conversations said once, kept by location until another conversation says it, too.

Takes: candidates and their locations. Gives: the checkpoint of a conversation, as JSON and back; groups of wishes that
several conversations share. Never: stores a person's words; locations and keyed marks are kept, and erasing a turn
erases its wish.
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
from dopejar.pipelines.corrections.clusters.wish_clusters import CorrectionCluster, are_same_wish, cluster
from dopejar.pipelines.corrections.clusters.wish_similarity import sides
from dopejar.pipelines.corrections.detection.detector import make_candidate, score_span
from dopejar.pipelines.corrections.exchange import CorrectionCandidate, Durability, Exchange
from dopejar.pipelines.corrections.proposals.proposal_engine import waits_for_repeat
from dopejar.values.ids import ConversationId

SAID_BY: Final = 2  # conversations that must say a one-off wish before it is proposed
ALIKE: Final = 0.7  # two wishes share more than this of the objects that the longer one names
SHARED: Final = 0.4  # share of the marks, of the wish that has fewer, from which a location is read
_MARK: Final = 8  # hexadecimal digits of a mark


@dataclass(frozen=True, kw_only=True, slots=True, order=True)
class WishLocation:
    """Where a wish is said: the index of its turn, its span in the turn, and keyed marks of its objects."""

    index: int
    start: int
    end: int
    confidence: float
    marks: frozenset[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExtractionCheckpoint:
    """How far the corrections of a conversation were extracted (`turns`), and what remains of them.

    `once` are the locations of wishes said once and not proposed. The first `taken_back` turns by index were undone:
    their wishes do not count until that undo is undone.
    """

    turns: int
    said: int = 0  # number of corrections and standing instructions, proposed or not
    project: str = ""
    namespace: str = ""
    once: tuple[WishLocation, ...] = ()
    taken_back: int = 0

    @property
    def counts(self) -> tuple[WishLocation, ...]:
        """The locations that were not undone."""
        return tuple(location for location in self.once if location.index >= self.taken_back)


def one_off_locations(clusters: Iterable[CorrectionCluster], secret: bytes) -> tuple[WishLocation, ...]:
    """The locations of the wishes that their conversation says once and does not propose."""
    locations = []
    for group in clusters:
        if group.frequency == 1 and (group.durability is Durability.ONE_OFF or waits_for_repeat(group)):
            member = group.members[0]
            start, end = member.spans[0] if member.spans else (0, len(member.exchange.text))
            alone = read_wish_at(member.exchange, start, end, member.confidence)
            marks = keyed_marks(alone, secret)
            locations.append(
                WishLocation(
                    index=member.exchange.index, start=start, end=end, confidence=member.confidence, marks=marks
                )
            )
    return tuple(sorted(locations, key=lambda location: (location.index, location.start)))


def read_wish_at(turn: Exchange, start: int, end: int, confidence: float) -> CorrectionCandidate:
    """Read the one-off wish that a sentence of a turn says, from that sentence alone.

    The result does not depend on when, or together with what, it is read.
    """
    candidate = make_candidate(score_span(turn, start, end))
    return replace(candidate, confidence=confidence, durability=Durability.ONE_OFF, spans=((start, end),))


def keyed_marks(one: CorrectionCandidate, secret: bytes) -> frozenset[str]:
    """Keyed marks (truncated HMACs) of the objects of a wish: two wishes that say the same share at least one."""
    terms = {*one.about, *sides(one.wish, one.polarity).all}
    return frozenset(
        hmac.new(secret, term.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:_MARK] for term in terms
    )


def connected_wishes(
    here: ConversationId,
    mine: Sequence[WishLocation],
    others: Mapping[ConversationId, Sequence[WishLocation]],
    wish: Callable[[ConversationId, WishLocation], CorrectionCandidate | None],
) -> tuple[tuple[CorrectionCandidate, ...], ...]:
    """For each wish of `here`, the group of wishes connected with it by links, itself included, in order.

    `wish` reads a location, or returns None where its turn is gone. Marks narrow what is read; the words decide.
    """
    by_mark: dict[str, list[_Node]] = {}
    for name, locations in others.items():
        for location in locations:
            for mark in location.marks:
                by_mark.setdefault(mark, []).append((name, location))
    cache: dict[_Node, CorrectionCandidate | None] = {}
    groups = []
    for location in mine:
        candidate = wish(here, location)
        group = _connected_group((here, location), candidate, by_mark, cache, wish) if candidate is not None else ()
        if len(group) > 1:
            groups.append(group)
    return tuple(groups)


def _connected_group(
    first: _Node,
    candidate: CorrectionCandidate,
    by_mark: Mapping[str, Sequence[_Node]],
    cache: dict[_Node, CorrectionCandidate | None],
    wish: Callable[[ConversationId, WishLocation], CorrectionCandidate | None],
) -> tuple[CorrectionCandidate, ...]:
    """The connected component of one wish. `cache` keeps the candidates that were read on the way."""
    group = {first: candidate}
    queue = [first]
    while queue:
        node = queue.pop()
        for other in _nodes_with_shared_marks(node[1], by_mark):
            if other not in cache:
                cache[other] = wish(*other)
            read = cache[other]
            if other not in group and read is not None and _is_surely_same(group[node], read):
                group[other] = read
                queue.append(other)
    return tuple(group[node] for node in sorted(group, key=lambda row: (row[0], row[1].index, row[1].start)))


def _is_surely_same(a: CorrectionCandidate, b: CorrectionCandidate) -> bool:
    """Whether two wishes of different conversations surely say the same: nearly the same objects, with the same sign.

    Stricter than inside a conversation: with a lenient link, chains would join everything in time.
    """
    if not are_same_wish(a, b):
        return False
    if a.references & b.references:
        return True
    mine, other = sides(a.wish, a.polarity).all, sides(b.wish, b.polarity).all
    return len(mine & other) > ALIKE * max(len(mine), len(other))


_Node = tuple[ConversationId, WishLocation]


def _nodes_with_shared_marks(location: WishLocation, by_mark: Mapping[str, Sequence[_Node]]) -> list[_Node]:
    """The locations that share enough marks to be read: two wishes that say the same share most of the shorter one."""
    shared = Counter(node for mark in location.marks for node in by_mark.get(mark, ()))
    return [node for node, count in shared.items() if count >= SHARED * min(len(location.marks), len(node[1].marks))]


def recurring_clusters(groups: Iterable[Sequence[CorrectionCandidate]]) -> tuple[CorrectionCluster, ...]:
    """The clusters of these groups that at least two conversations say, without duplicates."""
    clusters = (grown for group in groups for grown in cluster(group))
    recurring = {grown.members: grown for grown in clusters if len(grown.conversations) >= SAID_BY}
    return tuple(recurring.values())


def dump_checkpoint(checkpoint: ExtractionCheckpoint) -> str:
    """The checkpoint as a JSON object."""
    return json.dumps(
        {
            "turns": checkpoint.turns,
            "said": checkpoint.said,
            "project": checkpoint.project,
            "namespace": checkpoint.namespace,
            "once": [
                [wish.index, wish.start, wish.end, wish.confidence, sorted(wish.marks)] for wish in checkpoint.once
            ],
            "taken_back": checkpoint.taken_back,
        }
    )


def load_checkpoint(body: str) -> ExtractionCheckpoint:
    """Read a checkpoint from its JSON object. Raises InputError where it is not valid."""
    try:
        row = json.loads(body)
        return ExtractionCheckpoint(
            turns=int(row["turns"]),
            said=int(row["said"]),
            project=str(row["project"]),
            namespace=str(row["namespace"]),
            once=tuple(
                WishLocation(
                    index=int(index),
                    start=int(start),
                    end=int(end),
                    confidence=float(confidence),
                    marks=frozenset(marks),
                )
                for index, start, end, confidence, marks in row["once"]
            ),
            taken_back=int(row["turns"] if row["taken_back"] is True else row["taken_back"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            "The checkpoint of a conversation's corrections cannot be read. Drop the row; it is rebuilt."
        ) from error
