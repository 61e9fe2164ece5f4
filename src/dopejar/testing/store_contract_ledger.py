"""What a store promises about the ledger and about proposals.

Takes: an opened store. Gives: one test per promise. Never: knows an adapter.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from dopejar.errors import LedgerBrokenError
from dopejar.testing.builders import (
    a_proposal,
    a_record,
    an_entry,
    an_episode,
    append_conversation,
    append_entry,
    insert_record,
    raising,
    some_evidence,
)
from dopejar.testing.fixed_clock import NOON
from dopejar.testing.store_contract_base import StoreContractBase
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.ids import (
    ActId,
    BlockId,
    ConversationId,
    DossierId,
    EpisodeId,
    ProposalId,
    RecordId,
    conversation_id,
)
from dopejar.values.ledger import LedgerHead
from dopejar.values.proposal import (
    Activate,
    Add,
    Assign,
    Deprecate,
    Erase,
    Level,
    Link,
    Merge,
    Payload,
    ProposalState,
    Reinforce,
    Rekey,
    Rest,
    Restore,
    Share,
    Signals,
    Supersede,
    Tag,
    Undo,
)
from dopejar.values.record import Draft, Kind
from dopejar.values.scope import Scope, Side
from dopejar.values.target import BlockTarget, DossierTarget, RecordTarget, TurnRangeTarget

HOUR = timedelta(hours=1)
_DRAFT = Draft(
    kind=Kind.RULE,
    text="Always rinse first.",
    key="K",
    slot="s",
    value="+first",
    scope=Scope.language("go"),
    side=Side.RIGHT,
    tags=("a",),
    pinned=True,
    valid_from=NOON,
    valid_to=NOON + HOUR,
    temporary=True,
    attributes={"why": "taste"},
)
PAYLOADS: tuple[Payload, ...] = (
    Add(draft=_DRAFT),
    Reinforce(),
    Supersede(draft=_DRAFT, predecessor=RecordId("m_a"), resume_from=NOON),
    Supersede(draft=_DRAFT),
    Supersede(draft=_DRAFT, predecessor=RecordId("m_a"), into=RecordId("m_b")),
    Supersede(draft=_DRAFT, predecessor=RecordId("m_a"), joins=(RecordId("m_b"), RecordId("m_c"))),
    Supersede(draft=_DRAFT, rests=(Rest(of=RecordId("m_a"), draft=_DRAFT), Rest(of=None, draft=_DRAFT))),
    Assign(side=Side.LEFT),
    Activate(),
    Share(text="Rinse first."),
    Deprecate(),
    Merge(into=RecordId("m_a")),
    Tag(add=("a",), remove=("b",), pinned=False),
    Tag(),
    Link(edges=(Edge(src="a", dst="b", kind=EdgeKind.USES, record_id=RecordId("m_a")),)),
    Erase(episodes=(EpisodeId("e_a"),), proposals=(ProposalId("p_a"),), conversation=ConversationId("c_a")),
    Restore(),
    Undo(act_id=ActId("a_a")),
    Undo(conversation=ConversationId("c_a")),
    Rekey(keys=("Kettle-Fact-Place", "")),
)


class LedgerPromises(StoreContractBase):
    """The chain, and what was wished for."""

    def test_entries_follow_the_head(self, tmp_path: Path) -> None:
        """The head moves with each entry; an entry that skips, repeats or links elsewhere is refused."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                assert tx.head() == LedgerHead()
                first = an_entry(tx.head(), "m_a")
                tx.append_ledger(first)
                assert tx.head() == LedgerHead(seq=1, hash=first.hash)
                second = an_entry(tx.head(), "m_b", "a_second", NOON + HOUR)
                tx.append_ledger(second)
            for wrong in (second, replace(second, seq=4), replace(second, seq=3, previous=first.hash)):
                with raising(LedgerBrokenError), store.write() as tx:
                    tx.append_ledger(wrong)
            with store.read() as view:
                assert view.entries() == (first, second)
                assert view.entries(2) == (second,)
                assert view.entries(1, 1) == (first,)
                assert view.entries_about("m_a") == (first,)
                assert view.entries_of_act(ActId("a_second")) == (second,)
                assert view.sizes().ledger == 2

    def test_recent_acts_are_told_by_their_last_entries(self, tmp_path: Path) -> None:
        """Each act is shown once, by its last entry, newest first; `before` goes on from there."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                for act in ("a_one", "a_two", "a_one", "a_three", "a_three"):
                    append_entry(tx, "m_a", act)
            with store.read() as view:
                assert [(act.act_id, act.seq) for act in view.recent_acts(9)] == [
                    ("a_three", 5),
                    ("a_one", 3),
                    ("a_two", 2),
                ]
                assert [act.seq for act in view.recent_acts(1)] == [5]
                assert [act.seq for act in view.recent_acts(9, before=3)] == [2]
                assert view.find_act_id("a_t") == ("a_three", "a_two")
                assert view.find_act_id("a_x") == ()

    def test_the_ledger_is_read_by_time(self, tmp_path: Path) -> None:
        """The entry of a time is the last one that was there by then, and none before the first."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                for hour in (0, 1, 1, 3):
                    append_entry(tx, "m_a", at=NOON + HOUR * hour)
            with store.read() as view:
                times = (NOON - HOUR, NOON, NOON + HOUR, NOON + 2 * HOUR, NOON + 9 * HOUR)
                assert [view.seq_at(at) for at in times] == [0, 1, 3, 3, 4]

    def test_acts_are_found_by_the_conversation_they_learned_from(self, tmp_path: Path) -> None:
        """An act whose evidence lies in a conversation is found by it, newest first; others are not."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                a, b = append_conversation(tx, "First.", "Second.")
                (c,) = append_conversation(tx, "Elsewhere.", conversation="tuesday")
                insert_record(tx, a_record("x"), [some_evidence(a, "a_one")], "a_one")
                insert_record(tx, a_record("y"), [some_evidence(c, "a_two")], "a_two")
                insert_record(tx, a_record("z"), [some_evidence(b, "a_three")], "a_three")
            with store.read() as view:
                assert view.acts_of(conversation_id("kitchen-notes", "monday")) == ("a_three", "a_one")
                assert view.acts_of(conversation_id("kitchen-notes", "sunday")) == ()

    def test_a_proposal_comes_back_as_it_was_written(self, tmp_path: Path) -> None:
        """Every payload, and every other field of a proposal, survives the file; writing it again replaces it."""
        full = a_proposal(
            "full",
            targets=(
                RecordTarget(record_id=RecordId("m_a"), version=3),
                BlockTarget(block_id=BlockId("b_a"), version=2),
                DossierTarget(dossier_id=DossierId("d_a"), version=1),
                TurnRangeTarget(conversation=ConversationId("c_a"), first=0, last=4),
            ),
            evidence=(some_evidence(an_episode("Rinse.")),),
            scope=Scope.project("x"),
            confidence=0.4,
            signals=Signals(
                conflict=Level.HIGH,
                conflicts_with=(RecordId("m_b"),),
                own_update=True,
                alignment=0.1,
                progress_delta=0.2,
                instruction_like=True,
                recall_loop=True,
                boot_file=True,
                curated_away="rejected",
                quotes_user=True,
            ),
            rationale="because",
            priority=1,
            proposer="ana",
            state=ProposalState.REJECTED,
            reviewer="rosa",
            reason="no",
            record_id=RecordId("m_c"),
            version=4,
        )
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                wishes = [full, *(a_proposal(f"n{place}", payload) for place, payload in enumerate(PAYLOADS))]
                for wish in wishes:
                    tx.put_proposal(wish)
            with store.write() as tx:
                tx.put_proposal(replace(full, reason="yes", version=5))
            with store.read() as view:
                assert [view.proposal(wish.id) for wish in wishes[1:]] == wishes[1:]
                assert view.proposal(full.id) == replace(full, reason="yes", version=5)
                assert view.proposal(ProposalId("p_none")) is None
                assert view.find_proposal_id("p_fu") == (full.id,)
                assert view.sizes().proposals == {"rejected": 1, "staged": len(PAYLOADS)}

    def test_the_queue_puts_the_severe_and_the_old_first(self, tmp_path: Path) -> None:
        """Proposals of the asked states come by severity, then age; pages follow each other."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                tx.put_proposal(a_proposal("late", priority=1, at=NOON + HOUR))
                tx.put_proposal(a_proposal("mild", priority=3))
                tx.put_proposal(a_proposal("early", priority=1))
                tx.put_proposal(a_proposal("done", priority=1, state=ProposalState.APPROVED))
            with store.read() as view:
                staged = (ProposalState.STAGED,)
                assert [proposal.id for proposal in view.proposals(staged, 9)] == ["p_early", "p_late", "p_mild"]
                assert [proposal.id for proposal in view.proposals(staged, 1, 1)] == ["p_late"]
                assert len(view.proposals((ProposalState.STAGED, ProposalState.APPROVED), 9)) == 4
                assert view.proposals((), 9) == ()
                assert view.count_proposals(ProposalState.STAGED) == 3
                assert view.count_proposals(ProposalState.REJECTED) == 0

    def test_proposals_of_another_project_are_not_counted_for_a_project(self, tmp_path: Path) -> None:
        """Counted for a project are its own proposals and those that hold for more than one."""
        with self.opened(tmp_path) as store:
            with store.write() as tx:
                for name, scope in (("u", "universal"), ("l", "language:go"), ("a", "project:a"), ("b", "project:ab")):
                    tx.put_proposal(a_proposal(name, scope=Scope.parse(scope)))
            with store.read() as view:
                counts = [view.count_proposals(ProposalState.STAGED, name) for name in (None, "a", "ab", "x", "")]
                assert counts == [4, 3, 3, 2, 2]

    def test_a_staged_record_has_its_waiting_proposal(self, tmp_path: Path) -> None:
        """The proposal that waits for a record is found by it; a decided one is not."""
        with self.opened(tmp_path) as store, store.write() as tx:
            tx.put_proposal(a_proposal("old", record_id=RecordId("m_a"), state=ProposalState.REJECTED))
            assert tx.proposal_of(RecordId("m_a")) is None
            waits = a_proposal("new", record_id=RecordId("m_a"))
            tx.put_proposal(waits)
            assert tx.proposal_of(RecordId("m_a")) == waits
