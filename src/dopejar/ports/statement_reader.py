"""Readers of statements: what a sentence states, and what a later statement does to an earlier one.

Takes: sentences, and pairs of them. Gives: statements and relations, in the order given. Never: writes, or decides;
integrity and the gate decide.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dopejar.ports.protocol import Protocol

if TYPE_CHECKING:  # annotations only: every start of the program reads this port
    from collections.abc import Container, Sequence

    from dopejar.values.statement import FactClass, MarkedStatement, Related, Renaming, SideShares, Statement


class StatementReader(Protocol):
    """A reader. `name` says which one, for receipts and figures.

    `knows_dates`: it reads "on 2026-03-12" as well as "today", which a reader fitted with what people say does not.
    `finds_frames`: its statements have frames. `is_graded`: its shares tell how likely each relation is, so that
    several can be weighed together; else they only name one.
    """

    name: str
    knows_dates: bool
    finds_frames: bool
    is_graded: bool

    def read(self, sentences: Sequence[str]) -> tuple[Statement, ...]:
        """What each sentence states. Raises EmbedderError where its model cannot be used."""

    def relate(self, pairs: Sequence[tuple[str, str]]) -> tuple[Related, ...]:
        """What the later sentence of each pair, an earlier and a later one, does to the earlier one."""

    def rests(self, pairs: Sequence[tuple[str, str]]) -> tuple[str | None, ...]:
        """What of the earlier sentence of each pair still holds where the later one changes or ends it, in its words.

        That is all of it where the later one leaves it as it is, "" where nothing is left, and None where the reader
        cannot tell which of its words go.
        """


class StatementMarker(Protocol):
    """Finds what lasts in what somebody said in a conversation."""

    def mark(self, texts: Sequence[str], searched: Container[str] = ()) -> tuple[tuple[MarkedStatement, ...], ...]:
        """The lasting statements of each text, in its order and apart from each other.

        The vectors of those that are `searched` for may be made in the same pass. Raises EmbedderError where its model
        cannot be used.
        """

    def classes(self, texts: Sequence[str]) -> tuple[FactClass, ...]:
        """Of which class each text is, taken as one lasting statement. Raises as `mark` does."""


class ChangeReader(Protocol):
    """Finds new names of things and new figures of limits in what somebody said."""

    def changes(self, texts: Sequence[str]) -> tuple[Renaming, ...]:
        """What each text says to have changed. Raises EmbedderError where its model cannot be used."""


class AnswerReader(Protocol):
    """Tells whether a text says what a question asks."""

    def answers(self, question: str, texts: Sequence[str]) -> tuple[float, ...]:
        """The log odds that each text answers it. Raises EmbedderError where its model cannot be used."""


class SideReader(Protocol):
    """Tells which side a short piece of advice suits."""

    def sides(self, texts: Sequence[str]) -> tuple[SideShares, ...]:
        """The shares of each text. Raises EmbedderError where its model cannot be used."""
