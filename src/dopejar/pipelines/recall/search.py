"""Candidates: what the indexes return for a question.

Takes: a question, its vector where there is one, a snapshot. Gives: lexical scores and cosines by place. Never: a
candidate that the filter forbids; scope, status and validity are applied by the store before it ranks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

from dopejar.ports.store import ReadView
from dopejar.values.embedding import EmbedderIdentity
from dopejar.values.recall import Query, SearchFilter, Source

HITS: Final = 100
"""How many candidates each index gives for each source."""

Place = tuple[Source, str]
"""A candidate: its source and its id."""

Embed = Callable[[str], "npt.NDArray[np.float32]"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Meaning:
    """The question's vector and who made it."""

    vector: "npt.NDArray[np.float32]"
    embedder: EmbedderIdentity


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """What was found: BM25 by place, cosine by place; `linked` came in by the graph alone."""

    words: Mapping[Place, float] = field(default_factory=dict)
    cosines: Mapping[Place, float] = field(default_factory=dict)
    linked: frozenset[Place] = frozenset()


def filters_of(query: Query, view: ReadView) -> dict[Source, SearchFilter]:
    """One filter per source. Kinds are kinds of records: where some are asked for, episodes are not searched."""
    seq = view.seq_at(query.believed_at) if query.believed_at is not None else None
    sources = tuple(source for source in query.sources if not query.kinds or source is Source.RECORD)
    return {
        source: SearchFilter(
            read_scope=query.read_scope,
            source=source,
            kinds=query.kinds,
            conversation=query.conversation,
            valid_at=query.as_of,
            believed_seq=seq,
        )
        for source in dict.fromkeys(sources)
    }


def meaning_of(text: str, embed: Embed | None, embedder: EmbedderIdentity | None) -> Meaning | None:
    """The question's vector; None where nothing embeds."""
    if embed is None or embedder is None:
        return None
    return Meaning(vector=embed(text), embedder=embedder)


def search(
    terms: tuple[str, ...], meaning: Meaning | None, filters: Mapping[Source, SearchFilter], view: ReadView
) -> Found:
    """The best of every index, with exact cosines for what only the words found."""
    words: dict[Place, float] = {}
    cosines: dict[Place, float] = {}
    for source, where in filters.items():
        hits = view.lexical(terms, where, HITS)
        words.update({(source, hit.id): hit.score for hit in hits})
        if meaning is None:
            continue
        near = view.nearest(meaning.vector, meaning.embedder, where, HITS)
        cosines.update({(source, hit.id): hit.score for hit in near})
        rest = [hit.id for hit in hits if (source, hit.id) not in cosines]
        exact = view.similarities(meaning.vector, meaning.embedder, source, rest) if rest else {}
        cosines.update({(source, candidate): cosine for candidate, cosine in exact.items()})
    return Found(words=words, cosines=cosines)
