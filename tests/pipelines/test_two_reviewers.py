"""Two reviewers at once, on two handles or in two processes: no decision is lost, none is made twice."""

import json
import subprocess
import sys

import pytest

from dopejar import Reviewer, Status, open_memory
from dopejar.errors import StaleProposalError
from dopejar.values.ids import proposal_id_of

ANA, BEN = Reviewer(name="ana"), Reviewer(name="ben")
QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
MANY = 24
REVIEWER = """
import json, sys
from dopejar import Reviewer, open_memory
from dopejar.engine.bullets.procedural_memory import ProceduralMemory
from dopejar.errors import StaleProposalError
home, name, way = sys.argv[1:]
by = Reviewer(name=name)
with open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"}) as memory:
    items = [(one.proposal.id, one.proposal.version, one.proposal.record_id) for one in memory.review.queue()]
    bullets = memory.bullets
    print("ready", flush=True)
    sys.stdin.readline()
    mine, told = [], []
    for wish, version, record in items:
        try:
            if way == "assign":
                bullets.assign({record: "left"}, by, seen={wish: version})
            else:
                memory.review.reject([wish], by, "no", seen={wish: version})
            mine.append(record)
        except StaleProposalError as fault:
            told.append(str(fault))
    print(json.dumps([mine, told]))
"""


@pytest.fixture
def home(tmp_path):
    """A data directory with bullets that wait."""
    with open_memory(tmp_path / "home", environment=QUIET) as memory:
        bullets = memory.bullets
        for number in range(MANY):
            bullets.add(f"Always close valve {number} at night.")
    return tmp_path / "home"


def test_two_processes_decide_each_bullet_once(home):
    """Two processes that work through one queue at the same time share it: each bullet is decided by exactly one."""
    people = [
        subprocess.Popen(
            [sys.executable, "-c", REVIEWER, str(home), *who], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for who in (("ana", "assign"), ("ben", "reject"))
    ]
    for one in people:
        assert one.stdout.readline() == "ready\n"
    for one in people:
        one.stdin.write("go\n")
        one.stdin.flush()
    (assigned, ana_told), (rejected, ben_told) = (json.loads(one.communicate(timeout=100)[0]) for one in people)
    assert (len(assigned) + len(rejected), len(ana_told) + len(ben_told)) == (MANY, MANY)
    assert not set(assigned) & set(rejected)
    assert all("rejected" in one for one in ana_told)
    assert all("ana" in one for one in ben_told)
    with open_memory(home, environment=QUIET) as memory:
        assert memory.review.queue() == ()
        with memory.store.read() as view:
            ends = {name: view.record(name).status for name in (*assigned, *rejected)}
            told = {name: [one.to_state for one in view.entries_about(name)] for name in ends}
        assert ends == {**dict.fromkeys(assigned, Status.QUARANTINED), **dict.fromkeys(rejected, Status.REJECTED)}
        assert told == {name: ["staged", status.value] for name, status in ends.items()}
        memory.verify()


DECISIONS = {
    "approve": lambda memory, item, seen: memory.review.approve([item.id], BEN, seen=seen),
    "reject": lambda memory, item, seen: memory.review.reject([item.id], BEN, "no", seen=seen),
    "edit": lambda memory, item, seen: memory.review.edit(item.id, "Close every valve.", BEN, seen=seen),
    "assign": lambda memory, item, seen: memory.bullets.assign(
        {item.record_id: "right"}, BEN, seen=seen
    ),
}


@pytest.mark.parametrize("decision", DECISIONS)
def test_what_changed_since_it_was_seen_is_looked_at_again(home, decision):
    """Evidence that another handle added meanwhile makes it another version: the decision about the old one fails."""
    with open_memory(home, environment=QUIET) as one, open_memory(home, environment=QUIET) as two:
        item = one.review.queue()[0].proposal
        text = one.review.queue()[0].text
        two.bullets.add(text)
        with pytest.raises(StaleProposalError, match="changed since you saw it"):
            DECISIONS[decision](one, item, {item.id: item.version})
        with two.store.read() as view:
            assert view.record(item.record_id).status is Status.STAGED
            now = view.proposal(item.id).version
        DECISIONS[decision](one, item, {item.id: now})
        assert len(two.review.queue()) == MANY - 1


@pytest.mark.parametrize("decision", DECISIONS)
def test_the_later_of_two_reads_who_was_quicker(home, decision):
    """A decision about what another handle has decided fails, names who and what, and writes nothing."""
    with open_memory(home, environment=QUIET) as one, open_memory(home, environment=QUIET) as two:
        item = one.review.queue()[0].proposal
        two.review.reject([item.id], ANA, "not ours")
        head = two.verify().head
        with pytest.raises(StaleProposalError, match="rejected"):
            DECISIONS[decision](one, item, {item.id: item.version})
        assert two.verify().head == head


def test_a_bulk_in_which_one_moved_is_wholly_left(home):
    """All or none: one of many that another handle decided leaves all the others waiting."""
    with open_memory(home, environment=QUIET) as one, open_memory(home, environment=QUIET) as two:
        bullets = one.bullets.list_staged(limit=MANY)
        seen = {proposal_id_of(found.id): 1 for found in bullets}
        two.bullets.assign({bullets[7].id: "left"}, ANA)
        with pytest.raises(StaleProposalError, match="ana"):
            one.bullets.assign(dict.fromkeys((found.id for found in bullets), "right"), BEN, seen=seen)
        assert len(one.review.queue()) == MANY - 1
