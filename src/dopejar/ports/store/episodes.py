"""Conversations and their episodes.

Takes: episodes that were admitted. Gives: episodes. Never: changes an episode, but for words that were erased.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from dopejar.ports.protocol import Protocol
from dopejar.values.ids import ConversationId, EpisodeId

if TYPE_CHECKING:  # annotations only: recall loads no module that it does not call
    from dopejar.values.episode import Conversation, Episode


class EpisodeReader(Protocol):
    """Reads conversations and episodes."""

    def episode(self, episode_id: EpisodeId) -> Episode | None:
        """The episode with this whole id."""

    def episodes(self, ids: Sequence[EpisodeId]) -> dict[EpisodeId, Episode]:
        """Those of the ids that exist, in the order asked for."""

    def conversation(self, conversation: ConversationId) -> Conversation | None:
        """The row of a conversation."""

    def conversations(self, limit: int, prefix: str = "") -> tuple[Conversation, ...]:
        """Conversations, the last started first; with a prefix, those whose id or name begins with it."""

    def turns(self, conversation: ConversationId, first: int = 0, last: int | None = None) -> tuple[Episode, ...]:
        """Episodes of a conversation by index, both ends inclusive."""

    def conversations_with_content(
        self, content_hashes: Sequence[str], least: int, limit: int
    ) -> tuple[ConversationId, ...]:
        """Conversations with turns of at least so many of these contents, those with the most of them first."""

    def turn_ids(self, conversation: ConversationId, first: int, last: int) -> dict[int, EpisodeId]:
        """Index in the conversation to episode, both ends inclusive."""


class EpisodeWriter(Protocol):
    """Writes conversations and episodes: `memory.append`, and `memory.commit` where an erasure rewrites episodes."""

    def put_conversation(self, conversation: Conversation) -> None:
        """Insert or replace the row of a conversation."""

    def append_episodes(self, episodes: Sequence[Episode]) -> tuple[EpisodeId, ...]:
        """Append those that do not exist yet, each with an outbox line; the ids of the new ones."""

    def rewrite_episode(
        self, episode_id: EpisodeId, text: str, content_hash: str, *, is_nameless: bool = False
    ) -> None:
        """Replace the text of an episode after an erasure; its vectors go, and a text that is left waits for new ones.

        `is_nameless` takes away its speaker's name, its id in its source, and its note.
        Raises NotFoundError where there is no such episode.
        """
