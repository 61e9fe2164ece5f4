"""`recall`: from a query to a cited pack, with an explanation on request.

Takes: a query, a snapshot, and a function that embeds the question. Gives: a `ContextPack`. Never: writes (the engine
notes the use), or puts timings into the explanation (the caller has them).
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Final

from dopejar.errors import InputError
from dopejar.pipelines.recall.answer_odds import FewReadings
from dopejar.pipelines.recall.asked_pieces import parts_of, with_pieces
from dopejar.pipelines.recall.candidates import make_filters
from dopejar.pipelines.recall.context_pack import pack_items
from dopejar.pipelines.recall.ranking import rank_with_details
from dopejar.pipelines.recall.second_round import with_second_round
from dopejar.pipelines.recall.temporary_order import announced_first, announced_last
from dopejar.values.recall import ContextPack, Query, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dopejar.pipelines.recall.answer_odds import Answers
    from dopejar.pipelines.recall.block_context import ContextOf
    from dopejar.pipelines.recall.candidates import Embed
    from dopejar.pipelines.recall.context_pack import PackedItems
    from dopejar.pipelines.recall.dossier_section import DossierOf
    from dopejar.pipelines.recall.prompt_selection import Pasted
    from dopejar.pipelines.recall.ranked_item import RankedItem
    from dopejar.pipelines.recall.ranking import Ranking
    from dopejar.ports.embedder import EmbedderIdentity
    from dopejar.ports.store import ReadView
    from dopejar.values.episode import Episode
    from dopejar.values.ids import RecordId, TraceId
    from dopejar.values.recall import Citation

MOST_CITATIONS: Final = 3
"""Citations of one record, the newest last."""


def recall(
    query: Query,
    view: ReadView,
    *,
    embed: Embed | None = None,
    embedder: EmbedderIdentity | None = None,
    answers: Answers | None = None,
    now: datetime,
    trace_id: TraceId,
    context_of: ContextOf | None = None,
    dossier_of: DossierOf | None = None,
    pasted: Pasted | None = None,
) -> ContextPack:
    """What memory holds for the query, packed under `query.budget` tokens, each item with its sources and reasons.

    Without `embed`, or where the store holds no vectors of `embedder`, lexical search alone decides. An empty question
    returns nothing. `answers` reads whether the first items answer the question. `context_of` tells what a quotation
    inherits from its block, `dossier_of` what holds of the subject that the question names, `pasted` which spans of a
    turn nobody said.

    Raises:
        InputError: the budget or the limit is negative.
    """
    if query.budget < 0 or query.limit < 0:
        raise InputError("A budget and a limit are 0 or more. Give the number of tokens or items you have room for.")
    few = FewReadings(answers) if answers is not None else None
    rank = partial(
        rank_with_details, view=view, embed=embed, embedder=embedder, answers=few, now=now, limit=query.limit
    )
    ranking = rank(query)
    items = _searched_on(query, ranking, view, rank, few) if _is_open(query) else ranking.items
    if query.unasked:
        from dopejar.pipelines.recall.prompt_selection import worth_telling  # only hooks speak unasked

        items = worth_telling(items, ranking.question, lambda turn: _turn_before(turn, view), pasted)
    if items and items[0].record is not None and items[0].record.slot.startswith("self."):
        from dopejar.pipelines.recall.newer_wordings import with_newer_wordings  # few questions are about the asker

        items = with_newer_wordings(items, make_filters(query, view)[Source.RECORD], view)
    titles: Mapping[RecordId, str] = {}
    section = dossier_of(query.text) if dossier_of is not None and _is_open(query) else None
    if section is not None:
        from dopejar.pipelines.recall.dossier_section import with_dossier  # few questions name a subject with names

        items, titles = with_dossier(items, section, ranking.question.terms, query.budget)
    if _is_open(query) and Source.EPISODE in query.sources:
        from dopejar.pipelines.recall.situation_rules import with_situation_rules  # a search needs none

        items = with_situation_rules(items, query, ranking.question, view, now)
    items = _changes_asked_for(query, ranking, view, now) or items
    cited, terms = _citations(items, view), ranking.question.terms
    is_of_now = query.as_of is None and query.believed_at is None
    items = announced_first(items, cited, query.as_of or query.believed_at or now, frozenset(terms))
    if is_of_now:
        items = announced_last(items, now)
    if is_of_now and any(item.record is not None for item in items):
        from dopejar.pipelines.recall.later_statements import mark_later_statements  # a search needs none

        items = mark_later_statements(items, cited, query.read_scope, view)
    in_time = ranking.question.is_over_time
    packed = pack_items(items, cited, terms, query.budget, context_of, titles, now, in_time=in_time)
    if query.known:
        fresh = {item.id for item in packed.items} - query.known
        items = [item for item in items if item.id in fresh]
        fitted = pack_items(items, cited, terms, query.budget, context_of, titles, now, in_time=in_time)
        packed = fitted._replace(left_out=packed.left_out)
    return ContextPack(
        text=packed.text,
        items=packed.items,
        tokens=packed.tokens,
        budget=query.budget,
        left_out=packed.left_out,
        trace_id=trace_id,
        explanation=(*_why_not(query, view, ranking, packed), *(explain(query, ranking) if query.explain else ())),
    )


def _searched_on(
    query: Query, ranking: Ranking, view: ReadView, rank: Callable[..., Ranking], few: FewReadings | None
) -> Sequence[RankedItem]:
    """The items, with what further searches find: by names in place of descriptions, and for each of listed things."""
    if few is None:  # nothing tells which of the found pieces answers: each would cost a search for little
        return ranking.items
    where = make_filters(query, view)[Source.RECORD]
    items: Sequence[RankedItem] = with_second_round(ranking, where, view, lambda text: rank(replace(query, text=text)))
    is_asked = ranking.question.is_asking and not query.unasked
    parts = parts_of(query.text) if is_asked else ()
    answers: list[tuple[frozenset[str], Sequence[RankedItem]]] = []
    for place, part in enumerate(parts):
        few.share(len(parts) - place)
        found = rank(replace(query, text=part), is_part=True)
        answers.append((frozenset(found.question.terms), found.items))
    return with_pieces(items, answers)[: query.limit] if answers else items


def _changes_asked_for(query: Query, ranking: Ranking, view: ReadView, now: datetime) -> Sequence[RankedItem]:
    """What changed in a time, where a question asks for that alone."""
    names_time = bool(ranking.question.windows) or "since" in ranking.question.words
    if not (names_time and _is_open(query)) or query.unasked:
        return ()
    from dopejar.pipelines.recall.asked_changes import asked_changes  # few questions name a time

    return asked_changes(query, view, now)


def _turn_before(turn: Episode, view: ReadView) -> Episode | None:
    return next(iter(view.turns(turn.conversation, turn.index - 1, turn.index - 1)), None) if turn.index else None


def _why_not(query: Query, view: ReadView, ranking: Ranking, packed: PackedItems) -> tuple[str, ...]:
    if not query.why_not:
        return ()
    from dopejar.pipelines.recall.why_not import why_not  # few recalls ask

    return (why_not(query, view, ranking, packed),)


def _is_open(query: Query) -> bool:
    """Whether a query asks for what holds now, wherever it was said."""
    is_of_now = query.as_of is None and query.believed_at is None
    return is_of_now and not query.kinds and query.conversation is None and Source.RECORD in query.sources


def _citations(items: Sequence[RankedItem], view: ReadView) -> Mapping[RecordId, tuple[Citation, ...]]:
    ids = [item.record.id for item in items if item.record is not None]
    return view.citations_of(ids, MOST_CITATIONS) if ids else {}


def explain(query: Query, ranking: Ranking) -> tuple[str, ...]:
    """Lines for people: the parsed question, the filter, the candidates, and the parts of each item's score."""
    return (
        *_explain_question(ranking),
        *_explain_filter(query),
        *_explain_candidates(ranking),
        *_explain_items(ranking.items),
        *(f"not quoted: {turn}; memories tell what it says, or it was forgotten" for turn in ranking.told),
    )


def _explain_question(ranking: Ranking) -> Iterator[str]:
    question = ranking.question
    yield f"terms: {' '.join(question.terms)}"
    flags = (
        ("about the asker", question.is_about_self),
        ("about replies", question.is_about_replies),
        ("a request", question.is_request),
        ("asks for a number or a time", question.wants_measure),
        ("asks for an order in time", question.is_over_time),
    )
    features = [name for name, is_set in flags if is_set]
    features += [
        f"between {window.first} and {window.last}{' of any year' if window.is_yearly else ''}"
        for window in question.windows
    ]
    features += [f"speaker {name}" for name in sorted(ranking.speakers)]
    if features:
        yield f"read as: {', '.join(features)}"


def _explain_filter(query: Query) -> Iterator[str]:
    scope = query.read_scope
    scopes = "every scope" if scope.all_projects else ", ".join(str(name) for name in scope.scopes)
    yield f"sees: {scope.namespace.value}; {scopes}"
    if query.as_of is not None:
        yield f"true at {query.as_of.isoformat()}"
    if query.believed_at is not None:
        yield f"believed at {query.believed_at.isoformat()}"


def _explain_candidates(ranking: Ranking) -> Iterator[str]:
    candidates = ranking.candidates
    for source in Source:
        lexical = sum(key[0] is source for key in candidates.lexical)
        with_vector = sum(key[0] is source for key in candidates.cosines)
        if lexical or with_vector:
            yield f"candidates: {lexical} {source.value}s by words, {with_vector} with a vector"
    if candidates.linked:
        yield f"candidates: {len(candidates.linked)} records by the graph"
    vectors = f"{ranking.vector_weight:.2f} vectors" if ranking.vector_weight else "no vectors"
    fate, signals = "" if ranking.items else ", below the floor", ranking.signals
    parts = f"best cosine {signals.cosine:.2f}, best share of terms {signals.coverage:.2f}, crowd {signals.crowd:.2f}"
    if any(item.answer is not None for item in ranking.items):
        parts += f", best log odds of an answer {signals.answer:.1f}"
    yield f"relevance: {ranking.relevance:.2f}{fate} ({parts})"
    yield f"weights: {1 - ranking.vector_weight:.2f} words, {vectors}"


def _explain_items(items: tuple[RankedItem, ...]) -> Iterator[str]:
    for number, item in enumerate(items, start=1):
        cosine = "none" if item.cosine is None else f"{item.cosine:.3f}"
        fate = [f"its statement is {one.fate}" for one in item.statements if one.fate]
        reasons = f" ({'; '.join((*item.reasons, *fate))})" if item.reasons or fate else ""
        yield (
            f"{number}. {item.id} {item.score:.3f} = ({item.fused:.3f} own + {item.from_neighbours:.3f} neighbours)"
            f" x {item.weight:.2f}; bm25 {item.lexical:.3g}, cosine {cosine}{reasons}"
        )
