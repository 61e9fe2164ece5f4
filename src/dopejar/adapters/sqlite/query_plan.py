"""Query plan of the full-text search: which terms a row must contain to be ranked, and which are scored.

Takes: how many rows contain each term. Gives: the terms to require and the terms to score. Never: reads the file.

BM25 over every row that contains any term spends nearly all of its time on rows that contain frequent terms alone, and
such rows score low: a frequent term has a low weight. So the rarest terms are required, as many as select enough rows,
and every term still counts in the score of these rows. Of a question as long as a page the rarest terms alone are
scored: the others have a low weight, and each costs as much as a rare one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

ENOUGH_ROWS: Final = 8000
"""No further term is required once the required ones select this many rows."""
FEWEST_ROWS: Final = 3000
"""Below this many rows the next term is required as well, however frequent it is."""
MOST_TERMS: Final = 16
"""At most so many terms are scored."""


class QueryPlan(NamedTuple):
    """`required`: a row contains at least one of these. `scored`: the terms of BM25. Rarest first.

    `known`: every term that any row contains.
    """

    required: tuple[str, ...]
    scored: tuple[str, ...]
    known: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether every row that contains a known term is ranked."""
        return len(self.required) == len(self.known)


def plan_query(frequencies: Mapping[str, int], rows: int) -> QueryPlan:
    """The plan by the number of rows, out of `rows`, that contain each term.

    A term that no row contains is dropped. So is one in more than half of the rows, where there are others: its weight
    in BM25 is zero. Of the others the rarest `MOST_TERMS` stay.
    """
    known = sorted((count, term) for term, count in frequencies.items() if count)
    rare = ([(count, term) for count, term in known if count * 2 <= rows] or known)[:MOST_TERMS]
    required: list[str] = []
    total = 0
    for count, term in rare:
        if total >= FEWEST_ROWS and total + count > ENOUGH_ROWS:
            break
        required.append(term)
        total += count
    return QueryPlan(
        required=tuple(required),
        scored=tuple(term for _, term in rare),
        known=tuple(term for _, term in known),
    )


def quoted(term: str) -> str:
    """A term as a string literal of the FTS5 query language."""
    doubled = term.replace('"', '""')
    return f'"{doubled}"'


def any_of(terms: tuple[str, ...]) -> str:
    """The FTS5 query for rows that contain any of the terms."""
    return f"({' OR '.join(map(quoted, terms))})"


def expressions(chosen: QueryPlan) -> tuple[str, ...]:
    """The FTS5 queries of a plan: no row matches two of them, and in each BM25 counts every term once.

    A single query would have to name the required terms twice, and BM25 would count them twice.
    """
    others = tuple(term for term in chosen.scored if term not in chosen.required)
    required = any_of(chosen.required)
    if not others:
        return (required,)
    return f"{required} AND {any_of(others)}", f"{required} NOT {any_of(others)}"
