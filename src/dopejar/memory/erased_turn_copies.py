"""Copies of erased turns, which may not come back, whatever id or format they come under.

Takes: turns of one conversation in their order, as they are kept. Gives: keyed digests for tombstones, and which of the
turns a tombstone names. Never: holds words.

A turn of some words is known by its words. A turn of few ("yes", "run it again"), and the output of a tool, is said in
many conversations: it is known only beside the nearest turn of some words, before it or after it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final

from dopejar.memory.tombstones import PLACE, SOURCE, TEXT, TURN, keyed_digest
from dopejar.text.normalisation import content_hash
from dopejar.text.words import query_terms
from dopejar.values.episode import ERASED_MARK, Episode, EpisodeKind

if TYPE_CHECKING:
    from dopejar.ports.store import ReadView
    from dopejar.values.ids import EpisodeId

_LEAST_TERMS: Final = 5
_LOOKED_AT: Final = 400  # characters of a turn that decide whether it has some words of its own
_REACH: Final = 50  # turns on either side among which the neighbour of a short turn is looked for

Mark = tuple[str, str]  # kind and digest of a tombstone


def is_known_by_words(turn: Episode) -> bool:
    """Whether a turn says enough that a turn of the same words is a copy of it."""
    return turn.kind is EpisodeKind.TURN and len(query_terms(turn.text[:_LOOKED_AT])) >= _LEAST_TERMS


def marks_to_bury(
    view: ReadView, ids: Sequence[EpisodeId], asserting: Collection[EpisodeId], secret: bytes
) -> Iterator[Mark]:
    """The tombstones of turns that lose words; `asserting` are those that a memory was read from, however short."""
    wanted = set(ids)
    touched = sorted(view.episodes(ids).values(), key=lambda turn: (turn.conversation, turn.index))
    for conversation, members in groupby(touched, key=lambda turn: turn.conversation):
        places = [turn.index for turn in members]
        around = view.turns(conversation, max(0, places[0] - _REACH), places[-1] + _REACH)
        for turn, beside in _with_neighbours(around):
            if turn.id not in wanted or ERASED_MARK in turn.text:
                continue
            if is_known_by_words(turn) or turn.id in asserting:
                yield TURN, keyed_digest(secret, TURN, content_hash(turn.text))
            else:
                yield from _place_marks(turn, beside, secret)


def find_erased(view: ReadView, turns: Iterable[Episode]) -> frozenset[EpisodeId]:
    """Those of the turns that were erased here: by their id, or as a copy of an erased turn.

    The turns are given with the words that would be kept, and with those around them, in their order.
    """
    secret = view.meta("secret") if view.has_tombstones() else None
    if not secret:
        return frozenset()
    by_mark: dict[Mark, set[EpisodeId]] = {}
    for turn, beside in _with_neighbours(list(turns)):
        for mark in _marks_of(turn, beside, bytes.fromhex(secret)):
            by_mark.setdefault(mark, set()).add(turn.id)
    found: set[EpisodeId] = set()
    for kind in (SOURCE, TURN, TEXT, PLACE):
        digests = tuple(digest for of_kind, digest in by_mark if of_kind == kind)
        for digest in view.has_tombstone(kind, digests):
            found |= by_mark[kind, digest]
    return frozenset(found)


def _marks_of(turn: Episode, beside: tuple[Episode | None, Episode | None], secret: bytes) -> Iterator[Mark]:
    hashed = content_hash(turn.text)
    yield SOURCE, keyed_digest(secret, SOURCE, turn.id)
    yield TURN, keyed_digest(secret, TURN, hashed)
    if is_known_by_words(turn):
        yield TEXT, keyed_digest(secret, TEXT, hashed)
    else:
        yield from _place_marks(turn, beside, secret)


def _place_marks(turn: Episode, beside: tuple[Episode | None, Episode | None], secret: bytes) -> Iterator[Mark]:
    hashed = content_hash(turn.text)
    for side, neighbour in zip(("after", "before"), beside, strict=True):
        if neighbour is not None:
            yield PLACE, keyed_digest(secret, PLACE, f"{side}\x1f{content_hash(neighbour.text)}\x1f{hashed}")


def _with_neighbours(turns: Sequence[Episode]) -> Iterator[tuple[Episode, tuple[Episode | None, Episode | None]]]:
    """Each turn with the nearest turns of some words before and after it."""
    following: list[Episode | None] = []
    later: Episode | None = None
    for turn in reversed(turns):
        following.append(later)
        later = turn if is_known_by_words(turn) else later
    earlier: Episode | None = None
    for turn, after in zip(turns, reversed(following), strict=True):
        yield turn, (earlier, after)
        earlier = turn if is_known_by_words(turn) else earlier
