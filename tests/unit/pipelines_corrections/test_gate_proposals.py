"""From a summary to proposals for the gate: new wishes, repeats, conflicts, and what a person refused before."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from correction_turns import AT, exchange

from dopejar.memory.derivation import create_record
from dopejar.pipelines.corrections import CorrectionContext, ProposalEngine, cluster, detect, make_gate_proposals
from dopejar.values.ids import ActId, TraceId, record_id_of
from dopejar.values.proposal import Add, Level, Reinforce, Supersede, Via
from dopejar.values.record import Kind, Record, Status
from dopejar.values.scope import Project, Scope

ATLAS = Project(id="example.org/team/atlas", label="atlas", languages=("python",))
WISH = ["why didn't you use the staging database?", "again: use the staging database!"]


class Known:
    """What is known, as a plain list with its evidence."""

    def __init__(self, *kept):
        self.records = [record for record, _ in kept]
        self.support = {record.id: evidence for record, evidence in kept}

    def chain(self, namespace, scope, side, chain):
        """Records of one chain."""
        found = [
            one
            for one in self.records
            if (one.namespace, one.scope, one.side, one.chain) == (namespace, scope, side, chain)
        ]
        return tuple(sorted(found, key=lambda one: one.valid_from))

    def evidence(self, record_id):
        """What a record rests on."""
        return self.support.get(record_id, ())


def context() -> CorrectionContext:
    """An act of learning in project atlas."""
    return CorrectionContext(act_id=ActId("a_1"), trace_id=TraceId("t_1"), now=AT + timedelta(days=1), project=ATLAS)


def wishes(texts, known=None, conversation="c_one"):
    """The proposals of one conversation against what is known."""
    known = known or Known()
    found = detect([exchange(text, index=place, conversation=conversation) for place, text in enumerate(texts)])
    summary = ProposalEngine().generate_proposals(cluster(found), project=ATLAS.id)
    return make_gate_proposals(summary, known=known, stored=known.records, context=context())


def kept(proposal, status=Status.ACTIVE) -> tuple[Record, tuple]:
    """The record that a proposal makes, with its evidence."""
    record = create_record(
        record_id_of(proposal.id), proposal.payload.draft, proposal.evidence, status=status, now=proposal.at,
        made_by=proposal.made_by,
    )  # fmt: skip
    return record, proposal.evidence


def test_a_new_wish_is_an_add_with_its_evidence():
    """A proposal says what, where, why, and rests on every turn that said it, each within its words."""
    (found,) = wishes(WISH)
    draft = found.payload.draft
    assert isinstance(found.payload, Add)
    assert (draft.text, draft.kind, draft.scope) == ("Use the staging database", Kind.RULE, Scope.project(ATLAS.id))
    assert (found.via, found.made_by, found.priority) == (Via.CONVERSATION, "corrections@1", 2)
    assert draft.key
    assert draft.attributes["frequency"] == "2"
    assert [WISH[place][one.start : one.end] for place, one in enumerate(found.evidence)] == WISH
    assert {one.wording for one in found.evidence} == {draft.text}


@pytest.mark.parametrize("status", [Status.ACTIVE, Status.STAGED])
def test_a_repeat_is_more_evidence(status):
    """What stands or waits gets the new turns as evidence, worded as the record, and no second record."""
    (first,) = wishes(WISH)
    record, evidence = kept(first, status)
    (again,) = wishes(["no, use the staging database", WISH[1]], Known((record, evidence)), "c_two")
    assert isinstance(again.payload, Reinforce)
    assert [one.record_id for one in again.targets] == [record.id]
    assert {one.wording for one in again.evidence} == {record.text}


def test_the_same_conversation_again_proposes_nothing():
    """Learning the same turns twice changes nothing."""
    (first,) = wishes(WISH)
    assert wishes(WISH, Known(kept(first))) == ()


@pytest.mark.parametrize("status", [Status.REJECTED, Status.RETRACTED])
def test_what_was_refused_is_not_proposed_again(status):
    """A rejected or retracted wish stays away, also in other words and from another conversation."""
    (first,) = wishes(WISH)
    assert wishes(["you should be using the staging database", *WISH], Known(kept(first, status)), "c_two") == ()


def test_a_contrary_wish_is_a_conflict():
    """A wish against an active record is proposed with the conflict marked, and nothing is retired silently."""
    (first,) = wishes(["from now on use tabs instead of spaces"])
    record, evidence = kept(first)
    (other,) = wishes(["from now on use spaces instead of tabs"], Known((record, evidence)), "c_two")
    assert isinstance(other.payload, Add | Supersede)
    assert record.id in other.signals.conflicts_with
    assert other.signals.conflict is not Level.NONE


def test_the_same_slot_with_another_value_waits_as_a_record():
    """A rule and its denial share a slot: the newer one waits as a record of its own, named as a conflict."""
    (first,) = wishes(["from now on always squash commits"])
    record, evidence = kept(first)
    (other,) = wishes(
        ["from now on never squash commits", "again: never squash commits"], Known((record, evidence)), "c_two"
    )
    assert isinstance(other.payload, Add)
    assert other.payload.draft.slot == record.slot
    assert other.signals.conflicts_with == (record.id,)


def test_a_proposal_without_turns_is_left_out():
    """A record without evidence is a defect: a cluster that rests on no turn at hand proposes nothing."""
    found = detect([exchange(text, index=place) for place, text in enumerate(WISH)])
    bare = [replace(one, members=()) for one in cluster(found)]
    summary = ProposalEngine().generate_proposals(bare, project=ATLAS.id)
    assert summary.total_proposed == 1
    assert make_gate_proposals(summary, known=Known(), stored=[], context=context()) == ()
