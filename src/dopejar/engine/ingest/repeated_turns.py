"""Turns that come with a copy of another conversation: under another id, in another format, or in a resumed session.

Takes: the turns of a conversation as they are kept, and other conversations. Gives: which of the turns are copies.
Never: takes one equal turn for a copy: people say the same twice. A run of equal turns is one, unless both
conversations know their times and these differ.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from dopejar.memory.append import AdmittedEpisodes
from dopejar.memory.erased_turn_copies import is_known_by_words
from dopejar.ports.store import ReadView
from dopejar.text.normalisation import content_hash
from dopejar.values.episode import REPEATED, Episode, EpisodeKind, Origin, add_note
from dopejar.values.ids import ConversationId, EpisodeId

_LEAST_EXACT = 2  # turns in the very same words that make another conversation worth comparing
_LEAST_LENGTH = 20  # characters of such a turn
_MOST_OTHERS = 4  # conversations that one is compared with: those with the most turns in common
_LEAST_SPOKEN = 2  # turns of some words in a run of what user and assistant said
_SAME_TIME = timedelta(minutes=1)  # formats round their times
_AT_ONCE = timedelta(seconds=1)  # nobody says two turns so fast: such times were given when the file was written
_LEAST_OF_USER = 3  # the same in a run of what the user alone said: the replies of two formats may be cut differently


class WitnessSearch:
    """Looks for the conversations that another one may be a copy of: in the store, and among those just admitted."""

    def __init__(self, view: ReadView) -> None:
        self._view = view
        self._admitted: dict[ConversationId, Sequence[Episode]] = {}
        self._saying: defaultdict[str, set[ConversationId]] = defaultdict(set)

    def mark(self, turns: Sequence[Episode], admitted: AdmittedEpisodes) -> AdmittedEpisodes:
        """What is admitted of a conversation, its copies marked. `turns` are all of it that is kept, in order."""
        if not admitted.episodes:
            return admitted
        copies = self._copies(turns)
        if not copies:
            return admitted
        marked = (_marked(turn) if turn.id in copies else turn for turn in admitted.episodes)
        return replace(admitted, episodes=tuple(marked))

    def _copies(self, turns: Sequence[Episode]) -> frozenset[EpisodeId]:
        own = turns[0].conversation
        hashes = {turn.content_hash for turn in turns if _is_spoken(turn) and len(turn.text) >= _LEAST_LENGTH}
        others: list[Sequence[Episode]] = []
        if len(hashes) >= _LEAST_EXACT:
            found = self._view.conversations_with_content(tuple(hashes), _LEAST_EXACT, _MOST_OTHERS + 1)
            kept = [self._view.turns(other) for other in found if other != own]
            others = [*kept[:_MOST_OTHERS], *self._among_admitted(own, hashes)]
        self._admitted[own] = turns
        for hashed in hashes:
            self._saying[hashed].add(own)
        return repeated_turns(turns, others) if others else frozenset()

    def _among_admitted(self, own: ConversationId, hashes: Collection[str]) -> list[Sequence[Episode]]:
        common: defaultdict[ConversationId, int] = defaultdict(int)
        for hashed in hashes:
            for other in self._saying.get(hashed, ()):
                common[other] += 1
        found = [other for other, count in common.items() if count >= _LEAST_EXACT and other != own]
        return [self._admitted[other] for other in found[:_MOST_OTHERS]]


def repeated_turns(turns: Sequence[Episode], others: Iterable[Sequence[Episode]]) -> frozenset[EpisodeId]:
    """Those of the turns that belong to a run of equal turns in one of the others, with what lies between them."""
    spoken = [place for place, turn in enumerate(turns) if _is_spoken(turn)]
    said = [place for place in spoken if turns[place].origin is Origin.USER]
    copied: set[int] = set()
    for other in others:
        words = [turn for turn in other if _is_spoken(turn)]
        copied |= _in_runs(turns, spoken, words, _LEAST_SPOKEN)
        copied |= _in_runs(turns, said, [turn for turn in words if turn.origin is Origin.USER], _LEAST_OF_USER)
    return frozenset(turns[place].id for place in _with_results(turns, copied))


def _in_runs(turns: Sequence[Episode], places: Sequence[int], other: Sequence[Episode], least: int) -> set[int]:
    """The places from the first to the last turn of each run that holds enough turns of some words."""
    own_times, other_times = _known_times([turns[place] for place in places]), _known_times(other)
    where: defaultdict[tuple[Origin, str], list[int]] = defaultdict(list)
    for at, turn in enumerate(other):
        where[turn.origin, content_hash(turn.text)].append(at)
    copied: set[int] = set()
    runs: dict[int, tuple[int, int]] = {}  # place in the other -> first place of the run, turns of some words in it
    for at, place in enumerate(places):
        turn = turns[place]
        is_known = is_known_by_words(turn)
        following: dict[int, tuple[int, int]] = {}
        for match in where.get((turn.origin, content_hash(turn.text)), ()):
            if not _may_be_one_time(own_times[at], other_times[match]):
                continue
            first, known = runs.get(match - 1, (place, 0))
            following[match] = (first, known + is_known)
            if known + is_known >= least:
                copied.update(range(first if known < least else places[at - 1], place + 1))
        runs = following
    return copied


def _known_times(turns: Sequence[Episode]) -> list[datetime | None]:
    """The time of each turn; None where turns follow so fast that nobody said them then."""
    gaps = [later.at - earlier.at >= _AT_ONCE for earlier, later in itertools.pairwise(turns)]
    beside = zip([True, *gaps], [*gaps, True], strict=True)
    return [turn.at if all(apart) else None for turn, apart in zip(turns, beside, strict=False)]


def _may_be_one_time(one: datetime | None, other: datetime | None) -> bool:
    return one is None or other is None or abs(one - other) <= _SAME_TIME


def _with_results(turns: Sequence[Episode], copied: set[int]) -> set[int]:
    """The places, and behind each the results of tools up to the next words of anybody."""
    found = set(copied)
    for place, turn in enumerate(turns):
        if place - 1 in found and not _is_spoken(turn):
            found.add(place)
    return found


def _is_spoken(turn: Episode) -> bool:
    return turn.kind is EpisodeKind.TURN and turn.origin in (Origin.USER, Origin.ASSISTANT)


def _marked(turn: Episode) -> Episode:
    return replace(turn, note=add_note(turn.note, REPEATED))
