"""Which words of a query must stand in a row for it to be worth ranking.

Takes: how many rows hold each term. Gives: the terms to require and the terms to score. Never: reads the file.

BM25 over every row that holds any term spends nearly all of its time on rows that hold nothing but frequent terms, and
such rows score low: a frequent term weighs little. So the rarest terms are required, as many of them as bring enough
rows, and every term still counts in the score of the rows that are left. Of a question as long as a page the rarest
terms alone are scored: the others weigh little, and each costs as much as a rare one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

ENOUGH_ROWS: Final = 8000
"""No further term is required once the rows of the required ones come to this."""
FEWEST_ROWS: Final = 3000
"""Below this many rows the next term is required as well, however frequent it is."""
MOST_TERMS: Final = 16
"""At most so many terms are scored."""


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryPlan:
    """`required`: at least one of these stands in the row. `scored`: what BM25 counts. Rarest first.

    `known`: every term that any row holds.
    """

    required: tuple[str, ...]
    scored: tuple[str, ...]
    known: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Whether no row that holds any known term is passed over."""
        return len(self.required) == len(self.known)


def plan_query(frequencies: Mapping[str, int], rows: int) -> QueryPlan:
    """What to require and what to score, by the number of rows that hold each term out of `rows`.

    A term that no row holds is dropped; so is one that stands in more than half of the rows where there are others: its
    weight in BM25 is none. Of the others the rarest `MOST_TERMS` stay.
    """
    known = sorted((count, term) for term, count in frequencies.items() if count)
    telling = ([(count, term) for count, term in known if count * 2 <= rows] or known)[:MOST_TERMS]
    required: list[str] = []
    total = 0
    for count, term in telling:
        if total >= FEWEST_ROWS and total + count > ENOUGH_ROWS:
            break
        required.append(term)
        total += count
    return QueryPlan(
        required=tuple(required),
        scored=tuple(term for _, term in telling),
        known=tuple(term for _, term in known),
    )


def quoted(term: str) -> str:
    """A term as a string of the full-text query language."""
    doubled = term.replace('"', '""')
    return f'"{doubled}"'


def any_of(terms: tuple[str, ...]) -> str:
    """The full-text query for rows that hold any of the terms."""
    return f"({' OR '.join(map(quoted, terms))})"


def expressions(chosen: QueryPlan) -> tuple[str, ...]:
    """The full-text queries of a plan: no row fits two of them, and in each BM25 counts every term once.

    A single query would have to name the required terms twice, and BM25 would count them twice.
    """
    others = tuple(term for term in chosen.scored if term not in chosen.required)
    required = any_of(chosen.required)
    if not others:
        return (required,)
    return f"{required} AND {any_of(others)}", f"{required} NOT {any_of(others)}"
