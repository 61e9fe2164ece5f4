"""Reads episodes, proposals and the ledger.

Takes: ids and places. Gives: values. Never: changes a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from dopejar.adapters.sqlite.codec import (
    CONVERSATION_COLUMNS,
    EPISODE_COLUMNS,
    Row,
    conversation_of,
    episode_of,
    time_of,
    when,
)
from dopejar.adapters.sqlite.ledger_codec import LEDGER_COLUMNS, ledger_of
from dopejar.adapters.sqlite.transaction import Transaction, listed, marks, prefix_range
from dopejar.values.proposal_enums import ProposalState

if TYPE_CHECKING:
    from datetime import datetime

    from dopejar.ports.store import ProposalLink
    from dopejar.values.episode import Conversation, Episode
    from dopejar.values.ids import ActId, ConversationId, EpisodeId, ProposalId, RecordId
    from dopejar.values.ledger import LedgerEntry, LedgerHead
    from dopejar.values.proposal import Proposal

PROPOSAL_COLUMNS: Final = (
    "id, act_id, action, state, priority, at, origin, via, made_by, trace_id, scope, confidence, proposer, reviewer,"
    " record_id, version, rationale, reason, payload, targets, evidence, signals"
)
"""The order of a proposal's row; what its columns hold is in `payloads`."""

_EPISODES: Final = f"SELECT {EPISODE_COLUMNS} FROM episodes"
_CONVERSATIONS: Final = f"SELECT {CONVERSATION_COLUMNS} FROM conversations"
_PROPOSALS: Final = f"SELECT {PROPOSAL_COLUMNS} FROM proposals"
_LEDGER: Final = f"SELECT {LEDGER_COLUMNS} FROM ledger"
_NEWEST_FIRST: Final = "ORDER BY coalesce(started_at, '') DESC, id"
_RECENT_ACTS: Final = (
    f"SELECT {LEDGER_COLUMNS} FROM ledger l WHERE seq < ?"
    " AND NOT EXISTS (SELECT 1 FROM ledger n WHERE n.act_id = l.act_id AND n.seq > l.seq) ORDER BY seq DESC LIMIT ?"
)
_ACTS_OF: Final = """
SELECT act_id FROM (
  SELECT v.act_id AS act_id FROM episodes e JOIN evidence v ON v.episode_id = e.id WHERE e.conversation = ?1
  UNION
  SELECT p.act_id FROM episodes e
    JOIN proposal_links k ON k.ref = e.id AND k.kind = 'episode'
    JOIN proposals p ON p.id = k.proposal_id
    WHERE e.conversation = ?1
) JOIN ledger USING (act_id) GROUP BY act_id ORDER BY max(seq) DESC
"""
_SAYING: Final = """
SELECT conversation FROM json_each(?1) wanted
  CROSS JOIN episodes e ON e.kind = 'turn' AND substr(e.content_hash, 1, 16) = substr(wanted.value, 1, 16)
  WHERE e.content_hash = wanted.value
  GROUP BY conversation HAVING count(DISTINCT content_hash) >= ?2
  ORDER BY count(DISTINCT content_hash) DESC, conversation LIMIT ?3
"""
_EVERY_SEQ: Final = 1 << 62


def _proposal_of(row: Row) -> "Proposal":
    from dopejar.adapters.sqlite.proposal_codec import proposal_of  # recall reads none, and every payload is a class

    return proposal_of(row)


class EpisodeReads(Transaction):
    """`ports.store.EpisodeReader`, the proposals of `ReviewReader`, and `LedgerReader`."""

    def episode(self, episode_id: "EpisodeId") -> "Episode | None":
        """The episode with this whole id."""
        row = self._row(f"{_EPISODES} WHERE id = ?", (episode_id,))
        return self._require_decoded("turn", episode_of, row)

    def episodes(self, ids: "Sequence[EpisodeId]") -> "dict[EpisodeId, Episode]":
        """Those of the ids that exist, in the order asked for."""
        rows = self._rows(f"{_EPISODES} WHERE id IN (SELECT value FROM json_each(?))", (listed(ids),))
        episodes = {episode.id: episode for episode in self._decoded(episode_of, rows)}
        return {episode_id: episodes[episode_id] for episode_id in ids if episode_id in episodes}

    def conversation(self, conversation: "ConversationId") -> "Conversation | None":
        """The row of a conversation."""
        row = self._row(f"{_CONVERSATIONS} WHERE id = ?", (conversation,))
        return self._require_decoded("conversation", conversation_of, row)

    def conversations(self, limit: int, prefix: str = "") -> "tuple[Conversation, ...]":
        """Conversations, the last started first; with a prefix, those whose id or name begins with it."""
        if not prefix:
            rows = self._rows(f"{_CONVERSATIONS} {_NEWEST_FIRST} LIMIT ?", (limit,))
        else:
            rows = self._rows(
                f"{_CONVERSATIONS} WHERE (id >= ?1 AND id < ?2) OR (name >= ?1 AND name < ?2) {_NEWEST_FIRST} LIMIT ?3",
                (*prefix_range(prefix), limit),
            )
        return self._decoded(conversation_of, rows)

    def turns(self, conversation: "ConversationId", first: int = 0, last: int | None = None) -> "tuple[Episode, ...]":
        """Episodes of a conversation by index, both ends inclusive."""
        rows = self._rows(
            f"{_EPISODES} WHERE conversation = ? AND place BETWEEN ? AND ? ORDER BY place, rowid",
            (conversation, first, _EVERY_SEQ if last is None else last),
        )
        return self._decoded(episode_of, rows)

    def conversations_with_content(
        self, content_hashes: "Sequence[str]", least: int, limit: int
    ) -> "tuple[ConversationId, ...]":
        """Conversations with turns of at least so many of these contents, those with the most of them first."""
        found = self._texts(_SAYING, (listed(content_hashes), least, limit))
        return tuple(cast("list[ConversationId]", found))

    def proposal(self, proposal_id: "ProposalId") -> "Proposal | None":
        """The proposal with this whole id."""
        return self._require_decoded("proposal", _proposal_of, self._row(f"{_PROPOSALS} WHERE id = ?", (proposal_id,)))

    def proposals(self, states: Sequence[ProposalState], limit: int, offset: int = 0) -> "tuple[Proposal, ...]":
        """Proposals in these states: most severe first, then oldest."""
        rows = self._rows(
            f"{_PROPOSALS} WHERE state IN ({marks(len(states))}) ORDER BY priority, at, id LIMIT ? OFFSET ?",
            (*states, limit, offset),
        )
        return self._decoded(_proposal_of, rows)

    def count_proposals(self, state: ProposalState, project: str | None = None) -> int:
        """How many proposals are in this state; with a project, without those of other projects."""
        counted = "SELECT count(*) FROM proposals WHERE state = ?"
        if project is None:
            return self._number(counted, (state.value,))
        return self._number(
            f"{counted} AND (scope NOT LIKE 'project:%' OR scope = ?)", (state.value, f"project:{project}")
        )

    def proposal_of(self, record_id: "RecordId") -> "Proposal | None":
        """The waiting proposal of a staged record."""
        row = self._row(
            f"{_PROPOSALS} WHERE record_id = ? AND state = ? ORDER BY at, id LIMIT 1",
            (record_id, ProposalState.STAGED.value),
        )
        return self._require_decoded("proposal", _proposal_of, row)

    def linked_proposals(self, linked_to: str, link: ProposalLink) -> "tuple[Proposal, ...]":
        """Proposals in any state that are tied to a record or an episode in this way."""
        rows = self._rows(
            f"{_PROPOSALS} WHERE id IN (SELECT proposal_id FROM proposal_links WHERE ref = ? AND kind = ?) ORDER BY id",
            (linked_to, link.value),
        )
        return self._decoded(_proposal_of, rows)

    def find_proposal_id(self, prefix: str) -> "tuple[ProposalId, ...]":
        """At most ten whole ids that begin with the prefix."""
        ids = self._texts(
            "SELECT id FROM proposals WHERE id >= ? AND id < ? ORDER BY id LIMIT 10", prefix_range(prefix)
        )
        return tuple(cast("list[ProposalId]", ids))

    def head(self) -> "LedgerHead":
        """The newest entry's number, hash and time; without the time where it was made unreadable."""
        from dopejar.values.ledger import LedgerHead

        row = self._row("SELECT seq, hash, at FROM ledger ORDER BY seq DESC LIMIT 1")
        if row is None:
            return LedgerHead()
        seq, digest, at = cast("tuple[int, str, str]", row)
        try:
            return LedgerHead(seq=seq, hash=digest, at=time_of(at))
        except ValueError:  # the doctor names the entry; the clock alone tells the time until then
            self._cache.unreadable.add(str(seq))
            return LedgerHead(seq=seq, hash=digest)

    def entries(self, first: int = 1, limit: int = 1000) -> "tuple[LedgerEntry, ...]":
        """Entries from a number on, in order."""
        return self._decoded(ledger_of, self._rows(f"{_LEDGER} WHERE seq >= ? ORDER BY seq LIMIT ?", (first, limit)))

    def entries_of_act(self, act_id: "ActId") -> "tuple[LedgerEntry, ...]":
        """Entries of one act, in order."""
        return self._decoded(ledger_of, self._rows(f"{_LEDGER} WHERE act_id = ? ORDER BY seq", (act_id,)))

    def entries_about(self, target: str) -> "tuple[LedgerEntry, ...]":
        """Entries about one target, in order."""
        return self._decoded(ledger_of, self._rows(f"{_LEDGER} WHERE target = ? ORDER BY seq", (target,)))

    def recent_acts(self, limit: int, before: int | None = None) -> "tuple[LedgerEntry, ...]":
        """The last entry of each of the newest acts, newest first."""
        rows = self._rows(_RECENT_ACTS, (_EVERY_SEQ if before is None else before, limit))
        return self._decoded(ledger_of, rows)

    def find_act_id(self, prefix: str) -> "tuple[ActId, ...]":
        """At most ten whole ids that begin with the prefix."""
        ids = self._texts(
            "SELECT DISTINCT act_id FROM ledger WHERE act_id >= ? AND act_id < ? ORDER BY act_id LIMIT 10",
            prefix_range(prefix),
        )
        return tuple(cast("list[ActId]", ids))

    def acts_of(self, conversation: "ConversationId") -> "tuple[ActId, ...]":
        """Acts whose evidence lies in the conversation, newest first."""
        return tuple(cast("list[ActId]", self._texts(_ACTS_OF, (conversation,))))

    def seq_at(self, at: "datetime") -> int:
        """The number of the last entry not younger than the time; 0 where there is none."""
        return self._number("SELECT seq FROM ledger WHERE at <= ? ORDER BY at DESC, seq DESC LIMIT 1", (when(at),))
