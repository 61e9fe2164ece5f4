"""Conversations and episodes, proposals and reviewers, and the ledger.

Takes: ids, places and values. Gives: values. Never: decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from dopejar.adapters.in_memory.records import RecordReads, RecordWrites
from dopejar.adapters.in_memory.snapshot import require_text, with_prefix
from dopejar.errors import LedgerBrokenError, NotFoundError
from dopejar.ports.store import ProposalLink
from dopejar.values.episode import Conversation, Episode, EpisodeKind
from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId
from dopejar.values.ledger import LedgerEntry, LedgerHead
from dopejar.values.proposal import Proposal, ProposalState
from dopejar.values.recall import Source

_UNDATED = datetime.min.replace(tzinfo=UTC)


class EpisodeReads(RecordReads):
    """`ports.store.EpisodeReader`, `ReviewReader` and `LedgerReader`."""

    def episode(self, episode_id: EpisodeId) -> Episode | None:
        """The episode with this whole id."""
        return self._tables.episodes.get(episode_id)

    def episodes(self, ids: Sequence[EpisodeId]) -> dict[EpisodeId, Episode]:
        """Those of the ids that exist, in the order asked for."""
        return {episode.id: episode for episode in map(self.episode, ids) if episode is not None}

    def conversation(self, conversation: ConversationId) -> Conversation | None:
        """The row of a conversation."""
        return self._tables.conversations.get(conversation)

    def conversations(self, limit: int, prefix: str = "") -> tuple[Conversation, ...]:
        """Conversations, the last started first; with a prefix, those whose id or name begins with it."""
        rows = self._tables.conversations.values()
        named = [row for row in rows if row.id.startswith(prefix) or row.name.startswith(prefix)]
        by_id = sorted(named, key=lambda row: row.id)
        return tuple(sorted(by_id, key=lambda row: row.started_at or _UNDATED, reverse=True)[:limit])

    def turns(self, conversation: ConversationId, first: int = 0, last: int | None = None) -> tuple[Episode, ...]:
        """Episodes of a conversation by index, both ends inclusive."""
        episodes = self._tables.episodes.at("conversation", conversation)
        wanted = [episode for episode in episodes if first <= episode.index and (last is None or episode.index <= last)]
        return tuple(sorted(wanted, key=lambda episode: episode.index))

    def conversations_with_content(
        self, content_hashes: Sequence[str], least: int, limit: int
    ) -> tuple[ConversationId, ...]:
        """Conversations with turns of at least so many of these contents, those with the most of them first."""
        wanted = frozenset(content_hashes)
        said: dict[ConversationId, set[str]] = {}
        for episode in self._tables.episodes.values():
            if episode.kind is EpisodeKind.TURN and episode.content_hash in wanted:
                said.setdefault(episode.conversation, set()).add(episode.content_hash)
        found = [conversation for conversation, hashes in said.items() if len(hashes) >= least]
        return tuple(sorted(found, key=lambda conversation: (-len(said[conversation]), conversation))[:limit])

    def turn_ids(self, conversation: ConversationId, first: int, last: int) -> dict[int, EpisodeId]:
        """Index in the conversation to episode, both ends inclusive."""
        return {episode.index: episode.id for episode in self.turns(conversation, first, last)}

    def proposal(self, proposal_id: ProposalId) -> Proposal | None:
        """The proposal with this whole id."""
        return self._tables.proposals.get(proposal_id)

    def _queue(self, states: Sequence[ProposalState]) -> list[Proposal]:
        by_state = (self._tables.proposals.at("state", state) for state in dict.fromkeys(states))
        proposals = [proposal for proposals in by_state for proposal in proposals]
        return sorted(proposals, key=lambda proposal: (proposal.priority, proposal.at, proposal.id))

    def proposals(self, states: Sequence[ProposalState], limit: int, offset: int = 0) -> tuple[Proposal, ...]:
        """Proposals in these states: most severe first, then oldest."""
        return tuple(self._queue(states)[offset : offset + limit])

    def count_proposals(self, state: ProposalState, project: str | None = None) -> int:
        """How many proposals are in this state; with a project, without those of other projects."""
        if project is None:
            return self._tables.proposals.count_at("state", state)
        waiting = self.proposals((state,), self._tables.proposals.count_at("state", state))
        return sum(row.scope.kind != "project" or row.scope.name == project for row in waiting)

    def proposal_of(self, record_id: RecordId) -> Proposal | None:
        """The waiting proposal of a staged record."""
        linked = self.linked_proposals(record_id, ProposalLink.RECORD)
        staged = [proposal for proposal in linked if proposal.state is ProposalState.STAGED]
        return min(staged, key=lambda proposal: (proposal.at, proposal.id), default=None)

    def linked_proposals(self, linked_to: RecordId | EpisodeId, link: ProposalLink) -> tuple[Proposal, ...]:
        """Proposals in any state that are tied to a record or an episode in this way."""
        return tuple(sorted(self._tables.proposals.at("link", (linked_to, link)), key=lambda proposal: proposal.id))

    def find_proposal_id(self, prefix: str) -> tuple[ProposalId, ...]:
        """At most ten whole ids that begin with the prefix."""
        return tuple(map(ProposalId, with_prefix(self._tables.proposals, prefix)))

    def reviewer(self, name: str) -> str | None:
        """The scrypt hash of a reviewer's passphrase."""
        return self._tables.reviewers.get(name)

    def reviewers(self) -> tuple[str, ...]:
        """Names of the reviewers."""
        return tuple(sorted(self._tables.reviewers))

    def head(self) -> LedgerHead:
        """The newest entry's number, hash and time."""
        entry = self._tables.ledger.get(len(self._tables.ledger))
        return LedgerHead() if entry is None else LedgerHead(seq=entry.seq, hash=entry.hash, at=entry.at)

    def entries(self, first: int = 1, limit: int = 1000) -> tuple[LedgerEntry, ...]:
        """Entries from a number on, in order."""
        ledger, first = self._tables.ledger, max(first, 1)
        entries = (ledger.get(seq) for seq in range(first, min(first + limit, len(ledger) + 1)))
        return tuple(entry for entry in entries if entry is not None)

    def entries_of_act(self, act_id: ActId) -> tuple[LedgerEntry, ...]:
        """Entries of one act, in order."""
        return tuple(self._tables.ledger.at("act", act_id))

    def entries_about(self, target: str) -> tuple[LedgerEntry, ...]:
        """Entries about one target, in order."""
        return tuple(self._tables.ledger.at("target", target))

    def recent_acts(self, limit: int, before: int | None = None) -> tuple[LedgerEntry, ...]:
        """The last entry of each of the newest acts, newest first."""
        last = {entry.act_id: entry for entry in self._tables.ledger.values()}
        older = [entry for entry in last.values() if before is None or entry.seq < before]
        return tuple(sorted(older, key=lambda entry: entry.seq, reverse=True)[:limit])

    def find_act_id(self, prefix: str) -> tuple[ActId, ...]:
        """At most ten whole ids that begin with the prefix."""
        return tuple(map(ActId, with_prefix({entry.act_id for entry in self._tables.ledger.values()}, prefix)))

    def acts_of(self, conversation: ConversationId) -> tuple[ActId, ...]:
        """Acts whose evidence lies in the conversation, newest first."""
        tables, acts = self._tables, set[ActId]()
        for episode_id in tables.episodes.keys_at("conversation", conversation):
            for rows in tables.evidence.at("episode", episode_id):
                acts.update(row.act_id for row in rows if row.episode_id == episode_id)
            acts.update(proposal.act_id for proposal in tables.proposals.at("link", (episode_id, ProposalLink.EPISODE)))
        last = {act: entries[-1].seq for act in acts if (entries := tables.ledger.at("act", act))}
        return tuple(sorted(last, key=last.__getitem__, reverse=True))

    def seq_at(self, at: datetime) -> int:
        """The number of the last entry not younger than the time; 0 where there is none."""
        entries = [entry for entry in self._tables.ledger.values() if entry.at <= at]
        return max(entries, key=lambda entry: (entry.at, entry.seq)).seq if entries else 0


class EpisodeWrites(EpisodeReads, RecordWrites):
    """`ports.store.EpisodeWriter`, `ReviewWriter` and `LedgerWriter`."""

    def put_conversation(self, conversation: Conversation) -> None:
        """Insert or replace the row of a conversation."""
        self._tables.conversations.put(conversation.id, conversation)

    def append_episodes(self, episodes: Sequence[Episode]) -> tuple[EpisodeId, ...]:
        """Append those that do not exist yet, each with an outbox line; the ids of the new ones."""
        fresh = []
        for episode in episodes:
            require_text(episode.text)
            if episode.id not in self._tables.episodes:
                self._tables.episodes.put(episode.id, episode)
                fresh.append(episode.id)
                if episode.text:
                    self._renew_vectors(Source.EPISODE, episode.id, has_text=True)
        return tuple(fresh)

    def rewrite_episode(
        self, episode_id: EpisodeId, text: str, content_hash: str, *, is_nameless: bool = False
    ) -> None:
        """Replace the text of an episode after an erasure; raises NotFoundError where there is no such episode."""
        episode = self._tables.episodes.get(episode_id)
        if episode is None:
            raise NotFoundError(f"There is no episode {episode_id} to rewrite. Give the id of one that exists.")
        named = replace(episode, speaker="", source_id="", note="") if is_nameless else episode
        self._tables.episodes.put(episode_id, replace(named, text=text, content_hash=content_hash))
        self._renew_vectors(Source.EPISODE, episode_id, has_text=bool(text))

    def put_proposal(self, proposal: Proposal) -> None:
        """Insert or replace a proposal."""
        self._tables.proposals.put(proposal.id, proposal)

    def put_reviewer(self, name: str, passphrase_hash: str) -> None:
        """Insert or replace a reviewer."""
        self._tables.reviewers.put(name, passphrase_hash)

    def drop_reviewer(self, name: str) -> None:
        """Remove a reviewer."""
        self._tables.reviewers.drop(name)

    def append_ledger(self, entry: LedgerEntry) -> None:
        """Append one entry. Raises LedgerBrokenError where its number or `previous` does not follow the head."""
        head = self.head()
        if entry.seq != head.seq + 1 or entry.previous != head.hash:
            raise LedgerBrokenError(
                f"Entry {entry.seq} does not follow the ledger's head {head.seq}; nothing was written. Read the head"
                " inside the transaction that appends."
            )
        self._tables.ledger.put(entry.seq, entry)
