"""The same words wait once, however often they are said, and are believed once, however they were approved."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from dopejar import Memory, open_memory
from dopejar.engine.dependencies import Reviewer
from dopejar.values.ids import ProposalId
from dopejar.values.proposal import ProposalState

PASSPHRASE = "a long passphrase"
STATEMENTS = (
    "The harp stand is walnut.",
    "The oboe room is closed on Mondays.",
    "The nightly export of the ledger service runs at four.",
    "The user takes oat milk in coffee.",
    "My colleague Imre leads the billing team and sits in Graz.",
    "Never rebase before a merge.",
    "Postgres listens on port 5433.",
)


@pytest.fixture
def memory() -> Iterator[Memory]:
    """An empty memory, for any speaker."""
    with open_memory(":memory:", environment={"DOPEJAR_EMBEDDER_KIND": "none"}) as opened:
        yield opened


@pytest.fixture
def ana(memory: Memory) -> Reviewer:
    """An unlocked reviewer."""
    memory.reviewers.add("ana", PASSPHRASE)
    return memory.reviewers.unlock(PASSPHRASE)


def approve_all(memory: Memory, by: Reviewer) -> None:
    """Approve everything that waits."""
    seen = {item.proposal.id: item.proposal.version for item in memory.review.queue()}
    memory.review.approve(list(seen), by, seen=seen)


def texts(memory: Memory) -> list[str]:
    """The words of everything that is believed, in order."""
    return sorted(record.text for record in memory.list())


@pytest.mark.parametrize("statement", STATEMENTS)
def test_the_same_words_wait_as_one_proposal(memory: Memory, ana: Reviewer, statement: str) -> None:
    """Each repeat gives the proposal that waits; approving everything makes one memory of it."""
    ids: set[ProposalId] = set()
    for _ in range(4):
        ids |= {receipt.proposal_id for receipt in memory.remember(statement, said_by="assistant").receipts}
    assert len(ids) == len(memory.review.queue()) == 1
    approve_all(memory, ana)
    assert len(texts(memory)) == 1


@pytest.mark.parametrize("statement", STATEMENTS)
def test_rejected_words_do_not_wait_again(memory: Memory, ana: Reviewer, statement: str) -> None:
    """What a reviewer rejected is not proposed again by an assistant that repeats it."""
    (receipt,) = memory.remember(statement, said_by="assistant").receipts
    (item,) = memory.review.queue()
    memory.review.reject([receipt.proposal_id], ana, "not so", seen={item.proposal.id: item.proposal.version})
    memory.remember(statement, said_by="assistant")
    assert memory.review.queue() == ()
    assert texts(memory) == []


def test_the_user_confirms_what_waits(memory: Memory) -> None:
    """A fact that an assistant proposed is believed when the user says it, and nothing waits beside it."""
    memory.remember("The oboe room is closed on Mondays.", said_by="assistant")
    memory.remember("The oboe room is closed on Mondays.", said_by="user")
    assert len(texts(memory)) == 1
    assert memory.review.queue() == ()


def test_approval_in_the_words_of_a_memory_strengthens_it(memory: Memory, ana: Reviewer) -> None:
    """A proposal that is approved in a memory's exact words becomes one with it; undoing that lets it wait again."""
    memory.remember("The cello room is closed on Mondays.", said_by="assistant")
    approve_all(memory, ana)
    before = texts(memory)
    memory.remember("The viola room is closed on Mondays.", said_by="assistant")
    (item,) = memory.review.queue()
    receipt = memory.review.edit(item.proposal.id, before[0], ana, seen={item.proposal.id: item.proposal.version})
    assert receipt.outcome == "reinforced"
    assert texts(memory) == before
    (believed,) = memory.list()
    assert len(memory.history(believed.id).evidence) == 2
    memory.undo(receipt.act_id, ana)
    assert texts(memory) == before
    assert [one.proposal.state for one in memory.review.queue()] == [ProposalState.STAGED]
    assert memory.maintenance.doctor().faults == ()
