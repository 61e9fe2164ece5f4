"""The reader of turns: how a model reads an utterance before governance decides about it.

Takes: an utterance. Gives: shares of signals, altitude, type of request, strategy and stakes. Never: decides; the
tables of governance decide with the shares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dopejar.ports.protocol import Protocol

if TYPE_CHECKING:  # annotations only: every start of the program reads this port
    from dopejar.values.turn_decisions import TurnShares


class TurnReader(Protocol):
    """Reads single utterances."""

    def shares(self, text: str) -> TurnShares:
        """What it reads in the utterance. Raises EmbedderError where its model cannot be used."""
