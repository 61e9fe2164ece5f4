"""A complaint that a standing rule was broken counts for the rule, and proposes nothing against it."""

import pytest
from whole_store import seen

from dopejar import open_memory
from dopejar.compose.stores import in_memory_store
from dopejar.engine.ingest.rule_complaints import attribute_complaints
from dopejar.memory.overlay import Overlay
from dopejar.testing.builders import a_proposal, a_record, an_episode, insert_record, some_evidence
from dopejar.values.proposal import Reinforce, Supersede
from dopejar.values.record import Draft, Kind
from dopejar.values.target import RecordTarget

SECRET = "correct horse " + "battery"
BROKEN = [
    ("No wildcard imports; name each", "wildcard imports. AGAIN. come on"),
    ("Never use tabs in YAML files", "you used tabs in the YAML files again"),
]


@pytest.mark.parametrize(("rule", "said"), BROKEN)
def test_a_complaint_is_never_a_replacement(tmp_path, rule, said):
    """Told in a conversation, it leaves the approved rule as it is, and nothing waits that would retire it."""
    with open_memory(tmp_path, environment={}, said_by="user") as memory:
        memory.reviewers.add("ana", SECRET)
        memory.remember(rule)
        waiting = [item.proposal.id for item in memory.review.queue()]
        memory.review.approve(waiting, memory.reviewers.unlock(SECRET), seen=seen(memory))
        memory.add([{"role": "user", "content": said}], conversation="talk")
        assert rule.rstrip(".") in [record.text for record in memory.list(limit=9)]
        assert not [item for item in memory.review.queue() if memory.review.show(item.proposal.id).contradicts]


@pytest.mark.parametrize(
    ("said", "becomes"), [("Wildcard imports, again!", Reinforce), ("Use wildcard imports", Supersede)]
)
def test_a_complaint_becomes_evidence_of_the_rule(said, becomes):
    """In place of the replacement that it would be, the rule gains a turn and keeps its wording; an order stays one."""
    episode, rule = an_episode(said), a_record("rule", "No wildcard imports", kind=Kind.RULE)
    row = some_evidence(episode)
    store = in_memory_store()
    with store.write() as tx:
        insert_record(tx, rule)
    proposal = a_proposal(
        "new",
        Supersede(draft=Draft(kind=Kind.RULE, text=said), predecessor=rule.id),
        targets=(RecordTarget(record_id=rule.id, version=rule.version),),
        evidence=(row,),
    )
    with store.read() as view:
        (found,) = attribute_complaints([proposal], said, Overlay(view))
    assert isinstance(found.payload, becomes)
    if becomes is Reinforce:
        assert {one.wording for one in found.evidence} == {rule.text}
