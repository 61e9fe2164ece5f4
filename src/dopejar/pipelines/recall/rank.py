"""Candidates in order: fused, joined to the store, seen beside their neighbours, weighed.

Takes: a query and a snapshot. Gives: `Ranked` records and episodes, best first. Never: writes, or ranks what the store
would not return.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from dopejar.pipelines.recall.fuse import fuse, weight_of_meaning
from dopejar.pipelines.recall.linked import with_linked
from dopejar.pipelines.recall.question import Question, read_question
from dopejar.pipelines.recall.search import Embed, Found, Meaning, Place, filters_of, meaning_of, search
from dopejar.pipelines.recall.weigh import Weight, brevity, speaker_names, weigh_episode, weigh_record
from dopejar.values.recall import Source

if TYPE_CHECKING:
    from dopejar.ports.store import ReadView
    from dopejar.values.embedding import EmbedderIdentity
    from dopejar.values.episode import Episode
    from dopejar.values.ids import ConversationId, EpisodeId, RecordId
    from dopejar.values.recall import Query, SearchFilter
    from dopejar.values.record import Record

LIMIT: Final = 200
"""At most so many items are ranked."""

_LOADED: Final = 50  # candidates that are loaded and weighed, however few are wanted
_LEANING: Final = 24  # turns whose neighbours are fetched, though no index found them
_REACH: Final = ((1, 1.0), (2, 0.5))  # how far a neighbour's score carries, by distance
_GAP: Final = 32  # turns of a conversation further apart than this are fetched apart


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranked:
    """One candidate with its score and what made it.

    `own` is the fused score of words and meaning before neighbours and weights; `words` is BM25, `cosine` is None where
    there is no vector; `lent` is what the neighbouring turns added.
    """

    source: Source
    score: float
    own: float = 0.0
    words: float = 0.0
    cosine: float | None = None
    lent: float = 0.0
    weight: float = 1.0
    reasons: tuple[str, ...] = ()
    record: Record | None = None
    episode: Episode | None = None

    @property
    def id(self) -> RecordId | EpisodeId:
        """The id of the record or episode."""
        if self.record is not None:
            return self.record.id
        if self.episode is not None:
            return self.episode.id
        raise AssertionError("a ranked item is a record or an episode")

    @property
    def text(self) -> str:
        """The whole text of the record or episode."""
        return self.record.text if self.record is not None else self.episode.text if self.episode is not None else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ranking:
    """Ranked items, and how the question was read: what `--explain` shows."""

    items: tuple[Ranked, ...]
    question: Question
    found: Found
    weight: float
    named: frozenset[str] = frozenset()


def rank(
    query: Query,
    view: ReadView,
    *,
    embed: Embed | None,
    embedder: EmbedderIdentity | None,
    now: datetime,
    limit: int = LIMIT,
) -> tuple[Ranked, ...]:
    """At most `limit` records and episodes for the query, best first. Without an embedder, words alone decide."""
    return rank_explained(query, view, embed=embed, embedder=embedder, now=now, limit=limit).items


def rank_explained(
    query: Query,
    view: ReadView,
    *,
    embed: Embed | None,
    embedder: EmbedderIdentity | None,
    now: datetime,
    limit: int = LIMIT,
) -> Ranking:
    """The same as `rank`, with how the question was read and what the indexes gave."""
    limit = max(0, min(limit, LIMIT))
    question = read_question(query.text, (query.asked_at or now).date())
    filters = filters_of(query, view)
    meaning = meaning_of(query.text, embed, embedder)
    weight = _weight(question, meaning)
    found = with_linked(search(question.terms, meaning, filters, view), query.text, filters, view)
    own = fuse(found.words, found.cosines, weight)
    best = _best(own, max(limit, _LOADED))
    episodes = _load_episodes(best[Source.EPISODE], filters, view, {})
    named = _named(question, episodes.values())
    if named:
        question = question.without(named)
        found = _searched_without_names(question, meaning, filters, view, found)
        own = fuse(found.words, found.cosines, weight)
        best = _best(own, max(limit, _LOADED))
        episodes = _load_episodes(best[Source.EPISODE], filters, view, episodes)
    items = [
        *_ranked_records(question, own, found, best[Source.RECORD], filters, view, now),
        *_ranked_episodes(question, own, found, episodes, named),
    ]
    if query.believed_at is not None:
        items = [item for item in items if item.episode is None or item.episode.at <= query.believed_at]
    items.sort(key=lambda item: (-item.score, item.source.value))  # a stable sort: the store's order decides ties
    kept = _temporary_first(items, query.as_of or query.believed_at or now)[:limit]
    return Ranking(items=tuple(kept), question=question, found=found, weight=weight, named=named)


def _weight(question: Question, meaning: Meaning | None) -> float:
    if meaning is None:
        return 0.0
    return weight_of_meaning(len(question.terms), is_lexical=meaning.embedder.lexical)


def _searched_without_names(
    question: Question,
    meaning: Meaning | None,
    filters: Mapping[Source, SearchFilter],
    view: ReadView,
    found: Found,
) -> Found:
    """The episodes anew, without the speakers' names among the terms; the records as they were found."""
    where = {Source.EPISODE: filters[Source.EPISODE]}
    again = search(question.terms, meaning, where, view)
    words = {place: score for place, score in found.words.items() if place[0] is Source.RECORD}
    cosines = {place: score for place, score in found.cosines.items() if place[0] is Source.RECORD}
    return replace(found, words=words | dict(again.words), cosines=cosines | dict(again.cosines))


def _best(own: Mapping[Place, float], count: int) -> dict[Source, list[str]]:
    """Ids of the best `count` candidates by source, best first; the store's order decides ties."""
    places = sorted(own, key=lambda place: (-own[place], place[0]))[:count]
    return {source: [candidate for mine, candidate in places if mine is source] for source in Source}


def _load_episodes(
    best: Sequence[str], filters: Mapping[Source, SearchFilter], view: ReadView, known: dict[str, Episode]
) -> dict[str, Episode]:
    """The best episodes, and the turns beside the very best: a short answer may hold none of the question's words.

    What is `known` already is not loaded again.
    """
    where = filters.get(Source.EPISODE)
    if where is None:
        return {}
    fresh = [candidate for candidate in best if candidate not in known]
    loaded = known | (view.load_episodes(fresh, where) if fresh else {})
    places: dict[ConversationId, set[int]] = {}
    for candidate in best[:_LEANING]:
        if candidate in loaded:
            turn = loaded[candidate]
            places.setdefault(turn.conversation, set()).update(range(max(0, turn.index - 2), turn.index + 3))
    beside: list[str] = []
    for conversation, indexes in places.items():
        for first, last in _runs(sorted(indexes)):
            turns = view.turn_ids(conversation, first, last)
            beside += [turn_id for index, turn_id in turns.items() if index in indexes and turn_id not in loaded]
    return loaded | (view.load_episodes(beside, where) if beside else {})


def _runs(indexes: Sequence[int]) -> list[tuple[int, int]]:
    """Sorted indexes as few ranges."""
    runs: list[tuple[int, int]] = []
    for index in indexes:
        if runs and index - runs[-1][1] <= _GAP:
            runs[-1] = (runs[-1][0], index)
        else:
            runs.append((index, index))
    return runs


def _named(question: Question, episodes: Iterable[Episode]) -> frozenset[str]:
    """Words of the question that are speakers' names: they say who, not what."""
    speakers = {episode.speaker for episode in episodes}
    return frozenset(name for speaker in speakers for name in speaker_names(speaker)) & question.words


def _ranked_episodes(
    question: Question,
    own: Mapping[Place, float],
    found: Found,
    episodes: Mapping[str, Episode],
    named: frozenset[str],
) -> list[Ranked]:
    scores: dict[ConversationId, dict[int, float]] = {}
    for turn in episodes.values():
        score = own.get((Source.EPISODE, turn.id), 0.0)
        if score > 0:
            scores.setdefault(turn.conversation, {})[turn.index] = score
    ranked = []
    for turn in episodes.values():
        place = (Source.EPISODE, str(turn.id))
        near = scores.get(turn.conversation, {})
        lent = _lent(near, turn.index) * brevity(turn.text) if near else 0.0
        base = own.get(place, 0.0)
        if base + lent > 0 or place in own:
            weight = weigh_episode(question, turn, named)
            ranked.append(_ranked(place, base, lent, weight, found, episode=turn))
    return ranked


def _lent(near: Mapping[int, float], index: int) -> float:
    """The best that a neighbouring turn's score carries over to this place."""
    return max(
        carries * max(near.get(index - distance, 0.0), near.get(index + distance, 0.0)) for distance, carries in _REACH
    )


def _ranked_records(
    question: Question,
    own: Mapping[Place, float],
    found: Found,
    best: Sequence[str],
    filters: Mapping[Source, SearchFilter],
    view: ReadView,
    now: datetime,
) -> list[Ranked]:
    records = view.load_records(best, filters[Source.RECORD]) if best else {}
    return [
        _ranked(place, own[place], 0.0, weigh_record(question, record, now), found, record=record)
        for record in records.values()
        for place in ((Source.RECORD, str(record.id)),)
    ]


def _ranked(
    place: Place,
    own: float,
    lent: float,
    weight: Weight,
    found: Found,
    record: Record | None = None,
    episode: Episode | None = None,
) -> Ranked:
    return Ranked(
        source=place[0],
        score=(own + lent) * weight.factor,
        own=own,
        words=found.words.get(place, 0.0),
        cosine=found.cosines.get(place),
        lent=lent,
        weight=weight.factor,
        reasons=weight.reasons,
        record=record,
        episode=episode,
    )


def _temporary_first(items: Sequence[Ranked], at: datetime) -> list[Ranked]:
    """While a temporary record holds it stands before the lasting one of its slot, with at least that one's score."""
    if not any(item.record is not None and item.record.temporary for item in items):
        return list(items)
    lasting: dict[tuple[str, ...], int] = {}
    out: list[Ranked] = []
    for item in items:
        record = item.record
        chain = _chain(record)
        if record is None or not chain:
            out.append(item)
        elif record.temporary and _holds(record, at) and chain in lasting:
            place = lasting[chain]
            out.insert(place, replace(item, score=out[place].score, reasons=(*item.reasons, "holds for now")))
            lasting = {key: where + (where >= place) for key, where in lasting.items()}
        else:
            if not record.temporary:
                lasting.setdefault(chain, len(out))
            out.append(item)
    return out


def _chain(record: Record | None) -> tuple[str, ...]:
    if record is None or not record.chain:
        return ()
    return (record.namespace.value, record.side.value, record.chain)


def _holds(record: Record, at: datetime) -> bool:
    return record.valid_from <= at and (record.valid_to is None or at < record.valid_to)
