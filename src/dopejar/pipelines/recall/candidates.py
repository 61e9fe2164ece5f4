"""Candidates for a question: lexical, vector and graph search, fused into one score.

Takes: terms, the question's vector where there is one, and a snapshot. Gives: BM25 scores and cosines by source and id,
and fused scores from 0 to 1. Never: a candidate that the filter excludes (the store applies scope, status and validity
before it ranks), or numpy where there is no vector.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Set
from dataclasses import dataclass, field, replace
from math import sqrt
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from dopejar.pipelines.recall.question import Question
    from dopejar.ports.embedder import EmbedderIdentity
    from dopejar.ports.store import ReadView

from dopejar.pipelines.recall.kinds_of_work import MEALS, work_of_task
from dopejar.pipelines.recall.standing_rules import asks_for_rules, standing_rules
from dopejar.pipelines.recall.weights import weights
from dopejar.values.recall import Query, SearchFilter, Source

MOST_HITS: Final = 100
"""Hits per index and source."""

MOST_LINKED: Final = 32
"""Records that the graph may add."""

_LONGEST_LINKED_QUESTION: Final = 300  # characters; a longer text names so much that a link says nothing

CandidateKey = tuple[Source, str]
"""A candidate: its source and its id."""

Embed = Callable[[str], "npt.NDArray[np.float32]"]

Key = TypeVar("Key", bound=Hashable)


class QueryVector(NamedTuple):
    """The question's vector and the embedder that made it."""

    vector: "npt.NDArray[np.float32]"
    embedder: EmbedderIdentity


@dataclass(frozen=True, kw_only=True, slots=True)
class Candidates:
    """BM25 scores and cosines by candidate.

    `linked` are those that only the graph added, `own` the ids of those that fill the asker's slot that is asked for.
    """

    lexical: Mapping[CandidateKey, float] = field(default_factory=dict)
    cosines: Mapping[CandidateKey, float] = field(default_factory=dict)
    linked: frozenset[CandidateKey] = frozenset()
    own: frozenset[str] = frozenset()

    @property
    def linked_ids(self) -> frozenset[str]:
        """The ids of those that the graph added."""
        return frozenset(name for _, name in self.linked)

    def without(self, keys: Set[CandidateKey]) -> Candidates:
        """The same candidates but these."""
        return replace(
            self,
            lexical={key: score for key, score in self.lexical.items() if key not in keys},
            cosines={key: score for key, score in self.cosines.items() if key not in keys},
        )

    def without_words(self, keys: Set[CandidateKey]) -> Candidates:
        """The same candidates, these by their vectors alone."""
        return replace(self, lexical={key: score for key, score in self.lexical.items() if key not in keys})


# -- search ------------------------------------------------------------------------------------------------------------


def make_filters(query: Query, view: ReadView) -> dict[Source, SearchFilter]:
    """One filter per source. A query for kinds of records does not search episodes, which have none."""
    seq = view.seq_at(query.believed_at) if query.believed_at is not None else None
    sources = tuple(source for source in query.sources if not query.kinds or source is Source.RECORD)
    return {
        source: SearchFilter(
            read_scope=query.read_scope,
            source=source,
            kinds=query.kinds,
            conversation=query.conversation,
            without=query.without if source is Source.EPISODE else (),
            valid_at=query.as_of,
            believed_seq=seq,
            announced=source is Source.RECORD and query.as_of is None and query.believed_at is None,
        )
        for source in dict.fromkeys(sources)
    }


def embed_query(text: str, embed: Embed | None, embedder: EmbedderIdentity | None) -> QueryVector | None:
    """The question's vector; None without an embedder."""
    if embed is None or embedder is None:
        return None
    return QueryVector(vector=embed(text), embedder=embedder)


def find_candidates(
    terms: tuple[str, ...],
    vector: QueryVector | None,
    filters: Mapping[Source, SearchFilter],
    view: ReadView,
    *,
    respelled: frozenset[str] = frozenset(),
) -> Candidates:
    """The best hits of each index, with exact cosines for hits that only the lexical index found.

    Records are searched for the `respelled` terms as well; in quotations, words that are near each other mostly differ.
    """
    lexical: dict[CandidateKey, float] = {}
    cosines: dict[CandidateKey, float] = {}
    for source, where in filters.items():
        wanted = (*terms, *sorted(respelled)) if source is Source.RECORD else terms
        hits = view.lexical(wanted, where, MOST_HITS)
        lexical.update({(source, hit.id): hit.score for hit in hits})
        if vector is None:
            continue
        nearest = view.nearest(vector.vector, vector.embedder, where, MOST_HITS)
        cosines.update({(source, hit.id): hit.score for hit in nearest})
        others = [hit.id for hit in hits if (source, hit.id) not in cosines]
        exact = view.similarities(vector.vector, vector.embedder, source, others) if others else {}
        cosines.update({(source, candidate): cosine for candidate, cosine in exact.items()})
    return Candidates(lexical=lexical, cosines=cosines)


def add_linked_records(
    candidates: Candidates, text: str, filters: Mapping[Source, SearchFilter], view: ReadView, *, own: bool = False
) -> Candidates:
    """The candidates, and records that edges link to entities of the question under any of their names.

    A record that an index found keeps its score. Costs one query; none for a question as long as a page.
    """
    where = filters.get(Source.RECORD)
    if where is None or len(text) > _LONGEST_LINKED_QUESTION or not view.has_edges():
        return candidates
    from dopejar.pipelines.graph.entities import entity_ids_in_question

    linked = view.linked(entity_ids_in_question(text), where, MOST_LINKED)
    keys = [(Source.RECORD, str(record_id)) for record_id in linked]
    added = [key for key in keys if key not in candidates.lexical]
    if not added:
        return candidates
    score = weights().linked * max(candidates.lexical.values(), default=1.0)
    return replace(candidates, lexical={**candidates.lexical, **dict.fromkeys(added, score)}, linked=frozenset(added))


def add_own_records(
    candidates: Candidates, question: Question, filters: Mapping[Source, SearchFilter], view: ReadView
) -> Candidates:
    """The candidates, and before them what fills the asker's slot that is asked for, the rules, or limits of a meal."""
    where, text = filters.get(Source.RECORD), question.text
    if where is None or len(text) > _LONGEST_LINKED_QUESTION:
        return candidates
    own: tuple[str, ...] = ()
    if asks_for_rules(question):
        own = standing_rules(where, view)
    elif question.is_about_self:
        from dopejar.pipelines.recall.own_slots import own_slot_records  # its expressions cost a short process much

        own = own_slot_records(text, where, view)
    if not own and work_of_task(question) == MEALS:
        from dopejar.pipelines.recall.own_slots import limits_of_meals

        own = limits_of_meals(where, view)
    score = weights().own * max(candidates.lexical.values(), default=1.0)
    added = dict.fromkeys(((Source.RECORD, name) for name in own), score)
    return replace(candidates, lexical={**candidates.lexical, **added}, own=frozenset(own)) if own else candidates


# -- fused scores ------------------------------------------------------------------------------------------------------


def vector_weight(terms: int, *, is_lexical: bool = False) -> float:
    """The share of the cosine in the fused score, by the number of terms in the question.

    More for a whole dialogue than for a single word: each further word makes a chance match likelier, while the vector
    of a longer text is more reliable. Hashed vectors (`is_lexical`) know spelling only and get a share of it.
    """
    given = weights()
    weight = given.vector_least + given.vector_more * terms / (terms + given.vector_terms)
    return given.hashed * weight if is_lexical else weight


def fuse_scores(lexical: Mapping[Key, float], cosines: Mapping[Key, float], weight: float) -> dict[Key, float]:
    """Scores from 0 (the least) to 1 (the best): a weighted sum of both measures in standard deviations.

    A candidate without a lexical hit has 0 there. One without a vector counts as average, so that work still in the
    outbox neither helps nor hurts it. Where there is only one measure, it alone decides.
    """
    keys = [*lexical, *(key for key in cosines if key not in lexical)]
    if not keys:
        return {}
    if not cosines:
        best = max(lexical.values())
        return {key: score / best if best > 0 else 1.0 for key, score in lexical.items()}
    mean, cosine_deviation = _mean_and_deviation(cosines.values())
    _, lexical_deviation = _mean_and_deviation([lexical.get(key, 0.0) for key in keys])
    sums = {
        key: (1 - weight) * lexical.get(key, 0.0) / (lexical_deviation or 1.0)
        + weight * (cosines.get(key, mean) - mean) / (cosine_deviation or 1.0)
        for key in keys
    }
    least, most = min(sums.values()), max(sums.values())
    return {key: (score - least) / (most - least) if most > least else 1.0 for key, score in sums.items()}


def _mean_and_deviation(values: Iterable[float]) -> tuple[float, float]:
    numbers = list(values)
    mean = sum(numbers) / len(numbers)
    return mean, sqrt(sum((number - mean) ** 2 for number in numbers) / len(numbers))
