"""A commit does what its plan says, and a plan is used only where nothing moved meanwhile."""

from contextlib import closing
from dataclasses import replace

import pytest

from dopejar.adapters.sqlite.store import SqliteStore
from dopejar.engine.unit_of_work import JudgedProposal, apply_to_overlay, commit_with_retry
from dopejar.memory.overlay import Overlay
from dopejar.testing.builders import NOON, a_proposal, an_episode, revise, some_evidence, tell
from dopejar.testing.fixed_clock import FixedClock
from dopejar.values.proposal import Add, Deprecate, ProposalState
from dopejar.values.record import Draft, Kind, Status
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow

ALLOWED = Allow(rules=("allow-user",), reason="the user said so")
SAID = an_episode("The kiln is fired on Mondays.")


@pytest.fixture
def store(tmp_path):
    """A store in which one turn was said."""
    with closing(SqliteStore.open(tmp_path / "store.db", clock=FixedClock())) as opened:
        with opened.write() as tx:
            tell(tx, SAID.text)
        yield opened


def added(name, text=SAID.text):
    """The wish to add a fact, by what was said."""
    draft = Draft(kind=Kind.FACT, text=text, key=f"Kiln-{name}", valid_from=NOON)
    return a_proposal(name, Add(draft=draft), state=ProposalState.NEW, evidence=(some_evidence(SAID),))


def thought(store, *wishes):
    """The wishes, judged over one snapshot, each knowing what the one before changed."""
    with store.read() as view:
        overlay = Overlay(view)
        return [apply_to_overlay(overlay, JudgedProposal(proposal=one, verdict=ALLOWED), NOON) for one in wishes]


def test_a_commit_does_what_was_planned(store):
    """Records and their versions stand in the store as the overlay showed them."""
    judged = thought(store, added("day"), added("place", "The kiln stands in the yard."))
    receipts = commit_with_retry(store, lambda: judged, None, NOON)
    planned = [revision.after for one in judged for revision in one.commit_plan.change.revisions]
    assert [record for receipt in receipts for record in receipt.records] == planned
    with store.read() as view:
        assert [view.record(record.id) for record in planned] == planned


def test_what_moved_meanwhile_is_thought_again(store):
    """A snapshot that another writer overtook is not committed from: the second thought sees what was written."""
    (first,) = commit_with_retry(store, lambda: thought(store, added("day")), None, NOON)
    (kiln,) = first.records
    thoughts = []

    def think():
        with store.read() as view:
            now = view.record(kiln.id)
        wish = a_proposal(
            f"old{len(thoughts)}",
            Deprecate(),
            state=ProposalState.NEW,
            targets=(RecordTarget(record_id=now.id, version=now.version),),
        )
        judged = thought(store, wish)
        if not thoughts:
            with store.write() as tx:
                revise(tx, replace(now, version=now.version + 1, tags=("fired",)))
        thoughts.append(now.version)
        return judged

    commit_with_retry(store, think, None, NOON)
    assert thoughts == [kiln.version, kiln.version + 1]
    with store.read() as view:
        assert view.record(kiln.id).status is Status.DEPRECATED
