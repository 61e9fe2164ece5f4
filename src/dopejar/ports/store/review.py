"""Review: proposals and the reviewers who decide about them.

Takes: proposals, and hashes of passphrases. Gives: the same. Never: decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

from dopejar.ports.protocol import Protocol
from dopejar.values.ids import EpisodeId, ProposalId, RecordId

if TYPE_CHECKING:  # annotations only: recall loads no module that it does not call
    from dopejar.values.proposal import Proposal, ProposalState


class ProposalLink(StrEnum):
    """How a proposal is tied to a record or an episode."""

    EPISODE = "episode"  # its evidence lies in the episode
    RECORD = "record"  # it is the proposal of this staged record
    TARGET = "target"  # it would change this record
    CONFLICT = "conflict"  # it was found to contradict this record


class ReviewReader(Protocol):
    """Reads proposals and reviewers."""

    def proposal(self, proposal_id: ProposalId) -> Proposal | None:
        """The proposal with this whole id."""

    def proposals(self, states: Sequence[ProposalState], limit: int, offset: int = 0) -> tuple[Proposal, ...]:
        """Proposals in these states: most severe first, then oldest."""

    def count_proposals(self, state: ProposalState, project: str | None = None) -> int:
        """How many proposals are in this state; cheap enough to ask at every start.

        With a project's id ("" for none), those of other projects are not counted.
        """

    def proposal_of(self, record_id: RecordId) -> Proposal | None:
        """The waiting proposal of a staged record."""

    def linked_proposals(self, linked_to: RecordId | EpisodeId, link: ProposalLink) -> tuple[Proposal, ...]:
        """Proposals in any state that are tied to a record or an episode in this way."""

    def find_proposal_id(self, prefix: str) -> tuple[ProposalId, ...]:
        """At most ten whole ids that begin with the prefix."""

    def reviewer(self, name: str) -> str | None:
        """The scrypt hash of a reviewer's passphrase."""

    def reviewers(self) -> tuple[str, ...]:
        """Names of the reviewers."""


class ReviewWriter(Protocol):
    """Writes proposals (`memory.commit` alone) and reviewers."""

    def put_proposal(self, proposal: Proposal) -> None:
        """Insert or replace a proposal."""

    def put_reviewer(self, name: str, passphrase_hash: str) -> None:
        """Insert or replace a reviewer."""

    def drop_reviewer(self, name: str) -> None:
        """Remove a reviewer."""
