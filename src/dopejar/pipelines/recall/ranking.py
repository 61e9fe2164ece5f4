"""Ranking: candidates fused, loaded from the store, compared with their neighbours and weighted.

Takes: a query and a snapshot. Gives: ranked records and episodes, best first. Never: writes, or ranks what the store
would not return.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from dopejar.pipelines.recall.answer_floor import Floor, Nearness, is_acknowledgement
from dopejar.pipelines.recall.answer_odds import Answers
from dopejar.pipelines.recall.asked_things import asked_things, named_first, without_others
from dopejar.pipelines.recall.candidates import (
    CandidateKey,
    Candidates,
    Embed,
    QueryVector,
    add_linked_records,
    add_own_records,
    embed_query,
    find_candidates,
    fuse_scores,
    make_filters,
    vector_weight,
)
from dopejar.pipelines.recall.echoed_statements import with_echoes
from dopejar.pipelines.recall.ended_turns import with_ended
from dopejar.pipelines.recall.item_weights import ItemWeight, brevity, speaker_names, weigh_episode, weigh_record
from dopejar.pipelines.recall.key_names import found_by_sort, respelled_terms
from dopejar.pipelines.recall.passages import text_terms
from dopejar.pipelines.recall.prompt_terms import bearing_on, concerning
from dopejar.pipelines.recall.question import Question, parse_question
from dopejar.pipelines.recall.quotation_selection import is_found, is_speech, record_first, worth_quoting
from dopejar.pipelines.recall.ranked_item import RankedItem
from dopejar.pipelines.recall.relevant_items import relevant_items
from dopejar.pipelines.recall.temporary_order import temporary_first
from dopejar.pipelines.recall.truth_order import order_by_truth
from dopejar.pipelines.recall.turn_statements import find_statements, unknown_at
from dopejar.pipelines.recall.weights import weights
from dopejar.text.words import folded_words
from dopejar.values.episode import WITHHELD, Origin
from dopejar.values.recall import Source

if TYPE_CHECKING:
    from dopejar.pipelines.recall.turn_statements import TurnStatement
    from dopejar.ports.embedder import EmbedderIdentity
    from dopejar.ports.store import ReadView
    from dopejar.values.episode import Episode
    from dopejar.values.ids import ConversationId, EpisodeId
    from dopejar.values.recall import Query, SearchFilter
    from dopejar.values.record import Record

MOST_RANKED: Final = 200
"""Items that are ranked at most."""

_LOADED: Final = 50  # candidates that are loaded and weighted, however few are wanted
_WITH_NEIGHBOURS: Final = 24  # turns whose neighbours are loaded, though no index found them
_NO_SIGNALS: Final = Nearness(0.0, 0.0, 0.0, 0.0)
_GAP: Final = 32  # turns of a conversation further apart than this are fetched apart


class Ranking(NamedTuple):
    """Ranked items, the parsed question and the candidates: what `--explain` shows.

    `told` are turns that are not quoted, since memories tell what they say or a person had it forgotten; `relevance` is
    the weighted sum of `signals`, and nothing is ranked where it is below the floor; `compared` are all ids.
    """

    items: tuple[RankedItem, ...]
    question: Question
    candidates: Candidates
    vector_weight: float
    speakers: frozenset[str] = frozenset()
    told: tuple[EpisodeId, ...] = ()
    compared: frozenset[str] = frozenset()
    relevance: float = 0.0
    signals: Nearness = _NO_SIGNALS


class _Pool(NamedTuple):
    """The candidates of one question with their fused scores and loaded episodes."""

    question: Question
    candidates: Candidates
    fused: Mapping[CandidateKey, float]
    best: Mapping[Source, list[str]]
    records: Mapping[str, Record]
    episodes: dict[str, Episode]
    dialogues: frozenset[ConversationId]


def rank(
    query: Query,
    view: ReadView,
    *,
    embed: Embed | None,
    embedder: EmbedderIdentity | None,
    answers: Answers | None = None,
    now: datetime,
    limit: int = MOST_RANKED,
) -> tuple[RankedItem, ...]:
    """At most `limit` records and episodes, best first. Without an embedder, lexical search alone decides."""
    ranking = rank_with_details(query, view, embed=embed, embedder=embedder, answers=answers, now=now, limit=limit)
    return ranking.items


def rank_with_details(
    query: Query,
    view: ReadView,
    *,
    embed: Embed | None,
    embedder: EmbedderIdentity | None,
    answers: Answers | None = None,
    now: datetime,
    limit: int = MOST_RANKED,
    floor: Floor | None = None,
    is_part: bool = False,
) -> Ranking:
    """The same as `rank`, with the parsed question and the candidates; `floor` stands in for the packaged one.

    `answers` reads whether a text answers the question, which may be a part of another.
    """
    limit = max(0, min(limit, MOST_RANKED))
    question = parse_question(query.text, (query.asked_at or now).date(), is_part=is_part)
    filters = make_filters(query, view)
    vector = embed_query(query.text, embed, embedder)
    weight = vector_weight(len(question.terms), is_lexical=vector.embedder.lexical) if vector else 0.0
    if Source.RECORD in filters:
        question = replace(question, respelled=respelled_terms(question, view))
    found = find_candidates(question.terms, vector, filters, view, respelled=question.respelled)
    candidates = add_own_records(add_linked_records(found, query.text, filters, view), question, filters, view)
    count = max(limit, _LOADED)
    pool = _load_pool(question, candidates, weight, count, filters, view)
    speakers = _named_speakers(question, pool.episodes.values())
    if speakers:
        question = question.without_names(speakers)
        candidates = _search_episodes_again(question, vector, filters, view, candidates)
        pool = _load_pool(question, candidates, weight, count, filters, view, pool.episodes)
    items = [*_rank_records(pool, now), *_rank_episodes(pool, speakers)]
    if query.believed_at is not None:
        unknown = unknown_at([item.episode for item in items if item.episode is not None], query.believed_at, view)
        items = [item for item in items if item.id not in unknown]
    asked = asked_things(query.text, items)
    items = named_first(without_others(items, asked), asked) if asked else items
    items.sort(key=lambda item: (-item.score, item.source.value))  # a stable sort: the store's order decides ties
    compared = vector.embedder if vector and candidates.cosines else None
    judged = relevant_items(
        query, question, items, candidates, speakers, asked, embedder=compared, answers=answers, floor=floor
    )
    items, told = judged.items, judged.told
    at = query.as_of or query.believed_at or now
    terms = frozenset(question.terms)
    ranked = temporary_first(record_first(items) if is_found(judged.floor, told) else items, at, terms)[:limit]
    worth = partial(worth_quoting, terms=terms, files=question.files, compared=judged.compared, told=told)
    near = worth(ranked, {})  # most turns are too far behind, whatever became of what they say
    is_repeated = any(item.episode is not None and item.episode.origin is Origin.ASSISTANT for item in near)
    statements = _statements_of(ranked if is_repeated else near, query, view, at)
    ranked = worth(near, statements)
    ordered = without_others(_truth_first(ranked, statements, query, question, view), asked)
    if query.unasked or question.is_task:  # turns led to more records
        led, in_project = candidates.own | candidates.linked_ids, query.read_scope.is_in_project
        bearing = bearing_on if query.unasked else concerning
        ordered = bearing(ordered, question, led=led, in_project=in_project)
    quoted = frozenset(item.id for item in ordered)
    return Ranking(
        items=tuple(ordered[:limit]),
        question=question,
        candidates=candidates,
        vector_weight=weight,
        speakers=speakers,
        relevance=judged.floor.relevance(judged.signals),
        signals=judged.signals,
        compared=judged.compared,
        told=tuple(item.episode.id for item in ranked if item.episode is not None and item.id not in quoted),
    )


def _records_anywhere(query: Query, view: ReadView) -> SearchFilter:
    """What holds is looked up beyond the conversation that a query is limited to."""
    return make_filters(replace(query, sources=(Source.RECORD,), conversation=None), view)[Source.RECORD]


def _statements_of(
    items: Sequence[RankedItem], query: Query, view: ReadView, at: datetime
) -> dict[EpisodeId, tuple[TurnStatement, ...]]:
    turns = [item.episode for item in items if item.episode is not None]
    ids = [turn.id for turn in turns]
    stated = find_statements(ids, _records_anywhere(query, view), view, at) if ids else {}
    return with_echoes(with_ended(stated, turns, at), turns)


def _truth_first(
    items: Sequence[RankedItem],
    statements: Mapping[EpisodeId, Sequence[TurnStatement]],
    query: Query,
    question: Question,
    view: ReadView,
) -> list[RankedItem]:
    is_open = Source.RECORD in query.sources and query.conversation is None
    where = _records_anywhere(query, view) if is_open else None
    return order_by_truth(
        items,
        statements,
        question,
        with_records=is_open,
        load=(lambda ids: view.load_records(ids, where)) if where else None,
    )


def _load_pool(
    question: Question,
    candidates: Candidates,
    weight: float,
    count: int,
    filters: Mapping[Source, SearchFilter],
    view: ReadView,
    loaded: dict[str, Episode] | None = None,
) -> _Pool:
    fused = fuse_scores(candidates.lexical, candidates.cosines, weight)
    best = _best_ids(fused, count)
    known = _load_episodes(best[Source.EPISODE], filters, loaded or {}, view)
    if echoes := {(Source.EPISODE, name) for name in best[Source.EPISODE] if _is_echo(known.get(name), question)}:
        candidates = candidates.without(echoes)
        fused = fuse_scores(candidates.lexical, candidates.cosines, weight)
        best = _best_ids(fused, count)
    records = _load_records(best[Source.RECORD], filters, view)
    while by_sort := {(Source.RECORD, name) for name in found_by_sort(records.values(), question, candidates)}:
        candidates = candidates.without_words(by_sort)
        fused = fuse_scores(candidates.lexical, candidates.cosines, weight)
        best = _best_ids(fused, count)
        records = _load_records(best[Source.RECORD], filters, view)
    known = _load_episodes(best[Source.EPISODE], filters, known, view)
    first = {known[name].conversation for name in best[Source.EPISODE][:_WITH_NEIGHBOURS] if name in known}
    dialogues = frozenset(name for name in first if (row := view.conversation(name)) is not None and row.is_dialogue)
    episodes = _add_neighbours(best[Source.EPISODE], known, dialogues, filters, view)
    return _Pool(
        question=question,
        candidates=candidates,
        fused=fused,
        best=best,
        records=records,
        episodes=episodes,
        dialogues=dialogues,
    )


def _is_echo(turn: Episode | None, question: Question) -> bool:
    """Whether a turn is the question itself, asked before, or a shorter one about the same: it tells nothing."""
    if turn is None or len(turn.text) > 2 * len(question.text):
        return False
    if set(folded_words(turn.text)) == set(folded_words(question.text)):
        return True
    asks = turn.text.rstrip().endswith(("?", "？"))
    return asks and text_terms(turn.text) <= text_terms(question.text)


def _search_episodes_again(
    question: Question,
    vector: QueryVector | None,
    filters: Mapping[Source, SearchFilter],
    view: ReadView,
    candidates: Candidates,
) -> Candidates:
    """Episodes searched again without the speakers' names among the terms; records as they were found."""
    again = find_candidates(question.terms, vector, {Source.EPISODE: filters[Source.EPISODE]}, view)
    lexical = {key: score for key, score in candidates.lexical.items() if key[0] is Source.RECORD}
    cosines = {key: score for key, score in candidates.cosines.items() if key[0] is Source.RECORD}
    return replace(candidates, lexical=lexical | dict(again.lexical), cosines=cosines | dict(again.cosines))


def _best_ids(fused: Mapping[CandidateKey, float], count: int) -> dict[Source, list[str]]:
    """Ids of the best `count` candidates by source, best first; the store's order decides ties."""
    keys = sorted(fused, key=lambda key: (-fused[key], key[0]))[:count]
    return {source: [candidate for key_source, candidate in keys if key_source is source] for source in Source}


def _load_records(best: Sequence[str], filters: Mapping[Source, SearchFilter], view: ReadView) -> Mapping[str, Record]:
    return view.load_records(best, filters[Source.RECORD]) if best else {}


def _load_episodes(
    best: Sequence[str], filters: Mapping[Source, SearchFilter], known: Mapping[str, Episode], view: ReadView
) -> dict[str, Episode]:
    """The best episodes; those that are `known` already are not loaded again."""
    where = filters.get(Source.EPISODE)
    missing = [candidate for candidate in best if candidate not in known]
    return {**known, **(view.load_episodes(missing, where) if where and missing else {})}


def _add_neighbours(
    best: Sequence[str],
    loaded: dict[str, Episode],
    dialogues: frozenset[ConversationId],
    filters: Mapping[Source, SearchFilter],
    view: ReadView,
) -> dict[str, Episode]:
    """The episodes and, in dialogues, the neighbours of the very best: an answer may share no word with a question."""
    indexes_by_conversation: dict[ConversationId, set[int]] = {}
    for candidate in best[:_WITH_NEIGHBOURS]:
        if candidate in loaded and loaded[candidate].conversation in dialogues:
            turn = loaded[candidate]
            around = range(max(0, turn.index - 2), turn.index + 3)
            indexes_by_conversation.setdefault(turn.conversation, set()).update(around)
    neighbours: list[str] = []
    for conversation, indexes in indexes_by_conversation.items():
        for first, last in _ranges(sorted(indexes)):
            turns = view.turn_ids(conversation, first, last)
            neighbours += [turn_id for index, turn_id in turns.items() if index in indexes and turn_id not in loaded]
    return loaded | (view.load_episodes(neighbours, filters[Source.EPISODE]) if neighbours else {})


def _ranges(indexes: Sequence[int]) -> list[tuple[int, int]]:
    """Sorted indexes as few ranges."""
    ranges: list[tuple[int, int]] = []
    for index in indexes:
        if ranges and index - ranges[-1][1] <= _GAP:
            ranges[-1] = (ranges[-1][0], index)
        else:
            ranges.append((index, index))
    return ranges


def _named_speakers(question: Question, episodes: Iterable[Episode]) -> frozenset[str]:
    """Words of the question that are speakers' names: they say who, not what."""
    speakers = {episode.speaker for episode in episodes}
    return frozenset(name for speaker in speakers for name in speaker_names(speaker)) & question.words


def _rank_episodes(pool: _Pool, speakers: frozenset[str]) -> list[RankedItem]:
    scores: dict[ConversationId, dict[int, float]] = {}
    for turn in pool.episodes.values():
        score = pool.fused.get((Source.EPISODE, turn.id), 0.0)
        if score > 0:
            scores.setdefault(turn.conversation, {})[turn.index] = score
    items = []
    for turn in pool.episodes.values():
        if turn.text == WITHHELD or is_acknowledgement(turn.text) or _is_echo(turn, pool.question):
            continue
        key = (Source.EPISODE, str(turn.id))
        neighbours = scores.get(turn.conversation, {}) if turn.conversation in pool.dialogues else {}
        is_answer = bool(neighbours) and is_speech(turn)
        carried = _carried_score(neighbours, turn.index) * brevity(turn.text) if is_answer else 0.0
        if key in pool.fused or carried > 0:
            weight = weigh_episode(pool.question, turn, speakers)
            items.append(_make_item(pool, key, carried, weight, episode=turn))
    return items


def _carried_score(scores: Mapping[int, float], index: int) -> float:
    """The best score that carries over from a neighbouring turn."""
    given = weights()
    return max(
        share * max(scores.get(index - distance, 0.0), scores.get(index + distance, 0.0))
        for distance, share in ((1, given.beside), (2, given.beyond))
    )


def _rank_records(pool: _Pool, now: datetime) -> list[RankedItem]:
    return [
        _make_item(pool, (Source.RECORD, str(record.id)), 0.0, weigh_record(pool.question, record, now), record=record)
        for record in pool.records.values()
    ]


def _make_item(
    pool: _Pool,
    key: CandidateKey,
    carried: float,
    weight: ItemWeight,
    record: Record | None = None,
    episode: Episode | None = None,
) -> RankedItem:
    fused = pool.fused.get(key, 0.0)
    return RankedItem(
        source=key[0],
        score=(fused + carried) * weight.factor,
        fused=fused,
        lexical=pool.candidates.lexical.get(key, 0.0),
        cosine=pool.candidates.cosines.get(key),
        from_neighbours=carried,
        weight=weight.factor,
        reasons=weight.reasons,
        record=record,
        episode=episode,
    )
