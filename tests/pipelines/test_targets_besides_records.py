"""Proposals about turns, blocks and dossiers: tagged and linked, named in the ledger, and nothing else."""

from contextlib import closing
from dataclasses import replace

import pytest

from dopejar.adapters.sqlite.store import SqliteStore
from dopejar.engine.unit_of_work import commit
from dopejar.errors import InputError
from dopejar.governance.policy.policy_file import shipped_policy
from dopejar.governance.policy.write_gate import JudgeContext, judge
from dopejar.memory.commit_plan import plan_commit
from dopejar.memory.ledger import verify
from dopejar.memory.overlay import Overlay
from dopejar.testing.builders import NOON, a_proposal, an_episode, append_conversation
from dopejar.testing.fixed_clock import FixedClock
from dopejar.values.edge import Edge, EdgeKind
from dopejar.values.episode import Origin
from dopejar.values.ids import BlockId, ConversationId, DossierId
from dopejar.values.proposal import (
    Activate,
    Assign,
    Deprecate,
    Erase,
    Link,
    Merge,
    ProposalState,
    Reinforce,
    Restore,
    Share,
    Tag,
    Undo,
)
from dopejar.values.scope import Side
from dopejar.values.target import BlockTarget, DossierTarget, TurnRangeTarget
from dopejar.values.verdict import Allow, Refuse, Stage

ALLOWED = Allow(rules=("allow-user",), reason="the user said so")
TURNS = TurnRangeTarget(conversation=ConversationId("c_kitchen"), first=2, last=5)
BLOCK = BlockTarget(block_id=BlockId("b_kiln"), version=1)
DOSSIER = DossierTarget(dossier_id=DossierId("d_kiln"), version=3)
OTHERS = [TURNS, BLOCK, DOSSIER]
ABOUT_KILN = Link(edges=(Edge(src="d_kiln", dst="thing:kiln", kind=EdgeKind.ABOUT),))


@pytest.fixture
def store(tmp_path):
    """A store in which one turn was said."""
    with closing(SqliteStore.open(tmp_path / "store.db", clock=FixedClock())) as opened:
        with opened.write() as tx:
            append_conversation(tx, an_episode("The kiln is fired on Mondays.").text)
        yield opened


def proposal(payload, *targets, state=ProposalState.NEW):
    """A proposal of the user about these targets."""
    return a_proposal("topic", payload, state=state, targets=targets)


@pytest.mark.parametrize("target", OTHERS)
@pytest.mark.parametrize("payload", [Tag(add=("topic:kiln",)), ABOUT_KILN])
def test_what_is_no_record_is_tagged_and_linked(store, target, payload):
    """The ledger names the target, its chain holds, and the kept proposal says what was decided."""
    wanted = proposal(payload, target)
    with store.write() as tx:
        receipt = commit(tx, wanted, ALLOWED, NOON)
    with store.read() as view:
        entries = view.entries_of_act(wanted.act_id)
        kept = view.proposal(wanted.id)
        assert target.subject in [entry.target for entry in entries]
        assert verify(view).head.seq == receipt.seq
    assert receipt.outcome in {"tagged", "linked"}
    assert kept == replace(wanted, state=ProposalState.COMMITTED, reviewer="policy")


def test_a_staged_tag_waits_and_is_approved(store):
    """Staged, it waits under the id that a repeat of it has; approved, the ledger names the target."""
    with store.write() as tx:
        first = commit(tx, proposal(Tag(add=("x",)), TURNS), Stage(rules=("r",), reason="look"), NOON)
    with store.read() as view:
        waiting = view.proposal(first.proposal_id)
        again = plan_commit(view, replace(waiting, state=ProposalState.NEW), Stage(rules=("r",), reason="look"), NOON)
    assert again.change.is_empty
    with store.write() as tx:
        assert commit(tx, waiting, ALLOWED, NOON).outcome == "tagged"
    with store.read() as view:
        assert view.proposal(first.proposal_id).state is ProposalState.APPROVED
        assert [entry.target for entry in view.entries_of_act(waiting.act_id)][-1] == TURNS.subject


def test_different_targets_are_different_proposals(store):
    """The same tag on other turns is another proposal."""
    later = replace(TURNS, first=6, last=9)
    stage = Stage(rules=("r",), reason="look")
    with store.write() as tx:
        receipts = [commit(tx, proposal(Tag(add=("x",)), target), stage, NOON) for target in (TURNS, later, BLOCK)]
    assert len({receipt.proposal_id for receipt in receipts}) == 3


@pytest.mark.parametrize("target", OTHERS)
@pytest.mark.parametrize(
    "payload",
    [
        Reinforce(),
        Assign(side=Side.LEFT),
        Activate(),
        Share(text="x"),
        Deprecate(),
        Merge(into="m_a"),
        Erase(),
        Restore(),
        Undo(),
        Tag(pinned=True),
        Tag(outcome="helpful"),
    ],
)
def test_anything_else_is_a_clear_error(store, target, payload):
    """Only tagging and linking make sense; the error names the target, and nothing is written."""
    with store.write() as tx:
        head = tx.head()
        with pytest.raises(InputError, match=target.subject):
            commit(tx, proposal(payload, target), ALLOWED, NOON)
        assert tx.head() == head


def test_an_overlay_knows_what_was_decided(store):
    """A pending tag of turns is part of the overlay's proposals."""
    with store.read() as view:
        overlay = Overlay(view)
        plan = plan_commit(overlay, proposal(Tag(add=("x",)), TURNS), ALLOWED, NOON)
        overlay.apply(plan.change)
        assert overlay.proposal(plan.proposal.id).targets == (TURNS,)


@pytest.mark.parametrize(
    ("origin", "verdict"), [(Origin.USER, Allow), (Origin.ASSISTANT, Stage), (Origin.FETCHED, Stage)]
)
@pytest.mark.parametrize("target", OTHERS)
def test_the_gate_judges_a_tag_as_a_fact(origin, verdict, target):
    """A tag of turns states how things are; who says so decides."""
    wanted = replace(proposal(Tag(add=("x",)), target), origin=origin)
    assert isinstance(judge(wanted, JudgeContext(policy=shipped_policy(), now=NOON, trust=1.0)), verdict)


def test_the_gate_refuses_what_needs_a_record():
    """An assignment that names no record is refused, whatever else it names."""
    context = JudgeContext(policy=shipped_policy(), now=NOON, trust=1.0, approval="ana")
    assert isinstance(judge(proposal(Assign(side=Side.LEFT), TURNS), context), Refuse)
