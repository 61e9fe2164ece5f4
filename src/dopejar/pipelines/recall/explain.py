"""How an answer came about, in lines for people.

Takes: a ranking and the query. Gives: lines. Never: timings; the caller has them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dopejar.values.recall import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dopejar.pipelines.recall.question import Question
    from dopejar.pipelines.recall.rank import Ranked, Ranking
    from dopejar.values.recall import Query


def explain(query: Query, ranking: Ranking) -> tuple[str, ...]:
    """The reading of the question, the filter, the candidates, and every ranked item with what made its score."""
    return (*_reading(ranking.question, ranking), *_filter(query), *_candidates(ranking), *_items(ranking.items))


def _reading(question: Question, ranking: Ranking) -> Iterator[str]:
    yield f"terms: {' '.join(question.terms)}"
    told = (
        ("about the asker", question.is_about_self),
        ("about replies", question.is_about_replies),
        ("a request", question.is_request),
        ("asks for a number or a time", question.wants_measure),
    )
    read = [name for name, holds in told if holds]
    read += [f"between {window.first} and {window.last}{' of any year' if window.is_yearly else ''}"
             for window in question.windows]
    read += [f"speaker {name}" for name in sorted(ranking.named)]
    if read:
        yield f"read as: {', '.join(read)}"


def _filter(query: Query) -> Iterator[str]:
    scopes = "every scope" if query.read_scope.all_projects else ", ".join(str(scope) for scope in query.read_scope.scopes)
    yield f"sees: {query.read_scope.namespace.value}; {scopes}"
    if query.as_of is not None:
        yield f"true at {query.as_of.isoformat()}"
    if query.believed_at is not None:
        yield f"believed at {query.believed_at.isoformat()}"


def _candidates(ranking: Ranking) -> Iterator[str]:
    found = ranking.found
    for source in Source:
        by_words = sum(place[0] is source for place in found.words)
        by_meaning = sum(place[0] is source for place in found.cosines)
        if by_words or by_meaning:
            yield f"candidates: {by_words} {source.value}s by words, {by_meaning} with a vector"
    if found.linked:
        yield f"candidates: {len(found.linked)} records by the graph"
    meaning = f"{ranking.weight:.2f} vectors" if ranking.weight else "no vectors"
    yield f"weights: {1 - ranking.weight:.2f} words, {meaning}"


def _items(items: tuple[Ranked, ...]) -> Iterator[str]:
    for number, item in enumerate(items, start=1):
        cosine = "none" if item.cosine is None else f"{item.cosine:.3f}"
        reasons = f" ({'; '.join(item.reasons)})" if item.reasons else ""
        yield (
            f"{number}. {item.id} {item.score:.3f} = ({item.own:.3f} own + {item.lent:.3f} lent) x {item.weight:.2f};"
            f" bm25 {item.words:.3g}, cosine {cosine}{reasons}"
        )
