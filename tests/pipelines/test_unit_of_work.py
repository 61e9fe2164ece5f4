"""A commit carries out its plan, and a plan is used only where the memory has not changed since."""

from contextlib import closing
from dataclasses import replace

import pytest

from dopejar.adapters.sqlite.store import SqliteStore
from dopejar.engine.unit_of_work import JudgedProposal, apply_to_overlay, commit_with_retry
from dopejar.memory.change_set import Change, Revision
from dopejar.memory.overlay import Overlay
from dopejar.testing.builders import NOON, a_proposal, an_episode, append_conversation, some_evidence, update_record
from dopejar.testing.fixed_clock import FixedClock
from dopejar.text.normalisation import content_hash
from dopejar.values.proposal import Add, Deprecate, ProposalState
from dopejar.values.record import Draft, Kind, Status
from dopejar.values.target import RecordTarget
from dopejar.values.verdict import Allow

ALLOWED = Allow(rules=("allow-user",), reason="the user said so")
SAID = an_episode("The kiln is fired on Mondays.")


@pytest.fixture
def store(tmp_path):
    """A store with one turn."""
    with closing(SqliteStore.open(tmp_path / "store.db", clock=FixedClock())) as opened:
        with opened.write() as tx:
            append_conversation(tx, SAID.text)
        yield opened


def addition(name, text=SAID.text):
    """A proposal to add a fact that a turn states."""
    draft = Draft(kind=Kind.FACT, text=text, key=f"Kiln-{name}", valid_from=NOON)
    return a_proposal(name, Add(draft=draft), state=ProposalState.NEW, evidence=(some_evidence(SAID),))


def judge_all(store, *proposals):
    """The proposals, judged on one snapshot, each with the changes of those before it applied."""
    with store.read() as view:
        overlay = Overlay(view)
        return [
            apply_to_overlay(overlay, JudgedProposal(proposal=proposal, verdict=ALLOWED), NOON)
            for proposal in proposals
        ]


def test_a_commit_does_what_was_planned(store):
    """Records and their versions are in the store as they were in the overlay."""
    judged = judge_all(store, addition("day"), addition("place", "The kiln stands in the yard."))
    receipts = commit_with_retry(store, lambda: judged, None, NOON)
    planned = [revision.after for item in judged for revision in item.commit_plan.change.revisions]
    assert [record for receipt in receipts for record in receipt.records] == planned
    with store.read() as view:
        assert [view.record(record.id) for record in planned] == planned


def test_a_memory_that_moves_leaves_what_was_looked_up_before(store):
    """A stored memory that a pending change puts under another key is found there alone."""
    (first,) = commit_with_retry(store, lambda: judge_all(store, addition("day")), None, NOON)
    (kiln,) = first.records
    moved = replace(kiln, key="Kiln-Week", text="Fired weekly.", content_hash=content_hash("Fired weekly."))
    with store.read() as view:
        overlay, place = Overlay(view), (kiln.namespace, kiln.scope, kiln.side)
        old = (overlay.chain(*place, kiln.key), overlay.with_key(*place, kiln.key))
        assert (old, overlay.with_content(kiln.namespace, kiln.content_hash)) == (((kiln,), (kiln,)), (kiln,))
        overlay.apply(Change(revisions=(Revision(before=kiln, after=moved),)))
        assert (overlay.chain(*place, kiln.key), overlay.with_key(*place, kiln.key)) == ((), ())
        assert overlay.with_content(kiln.namespace, kiln.content_hash) == ()
        assert (overlay.chain(*place, "Kiln-Week"), overlay.with_key(*place, "Kiln-Week")) == ((moved,), (moved,))


def test_a_stale_plan_is_made_again(store):
    """Where another writer commits in between, the proposals are judged again and see what was written."""
    (first,) = commit_with_retry(store, lambda: judge_all(store, addition("day")), None, NOON)
    (kiln,) = first.records
    versions = []

    def think():
        with store.read() as view:
            now = view.record(kiln.id)
        proposal = a_proposal(
            f"old{len(versions)}",
            Deprecate(),
            state=ProposalState.NEW,
            targets=(RecordTarget(record_id=now.id, version=now.version),),
        )
        judged = judge_all(store, proposal)
        if not versions:
            with store.write() as tx:
                update_record(tx, replace(now, version=now.version + 1, tags=("fired",)))
        versions.append(now.version)
        return judged

    commit_with_retry(store, think, None, NOON)
    assert versions == [kiln.version, kiln.version + 1]
    with store.read() as view:
        assert view.record(kiln.id).status is Status.DEPRECATED
