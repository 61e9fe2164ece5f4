"""Two reviewers at the same time, on two handles or in two processes: no decision is lost, and none is made twice."""

import json
import subprocess
import sys

import pytest
from whole_store import seen, unlocked

from dopejar import Status, open_memory
from dopejar.errors import StaleProposalError
from dopejar.values.ids import proposal_id_of

QUIET = {"DOPEJAR_EMBEDDER_KIND": "none"}
MANY = 24
REVIEWER = """
import json, sys
from dopejar import Reviewer, open_memory
from dopejar.errors import StaleProposalError
home, name, credential, way = sys.argv[1:]
by = Reviewer(name=name, credential=credential)
with open_memory(home, environment={"DOPEJAR_EMBEDDER_KIND": "none"}, said_by="user") as memory:
    items = [(item.proposal.id, item.proposal.version, item.proposal.record_id) for item in memory.review.queue()]
    print("ready", flush=True)
    sys.stdin.readline()
    decided, conflicts = [], []
    for proposal, version, record in items:
        try:
            if way == "assign":
                memory.bullets.assign({record: "left"}, by, seen={proposal: version})
            else:
                memory.review.reject([proposal], by, "no", seen={proposal: version})
            decided.append(record)
        except StaleProposalError as fault:
            conflicts.append(str(fault))
    print(json.dumps([decided, conflicts]))
"""


@pytest.fixture
def home(tmp_path):
    """A data directory with waiting bullets."""
    with open_memory(tmp_path / "home", environment=QUIET, said_by="user") as memory:
        for number in range(MANY):
            memory.bullets.add(f"Always close valve {number} at night.")
        unlocked(memory, "ben")
    return tmp_path / "home"


def test_two_processes_decide_each_bullet_once(home):
    """Two processes that work through one queue at the same time share it: each bullet is decided by exactly one."""
    with open_memory(home, environment=QUIET) as memory:
        ana, ben = unlocked(memory, "ana"), unlocked(memory, "ben")
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", REVIEWER, str(home), by.name, by.credential, way],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for by, way in ((ana, "assign"), (ben, "reject"))
    ]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    reports = [json.loads(process.communicate(timeout=250)[0]) for process in processes]
    (assigned, ana_conflicts), (rejected, ben_conflicts) = reports
    assert (len(assigned) + len(rejected), len(ana_conflicts) + len(ben_conflicts)) == (MANY, MANY)
    assert not set(assigned) & set(rejected)
    assert all("rejected" in conflict for conflict in ana_conflicts)
    assert all("ana" in conflict for conflict in ben_conflicts)
    with open_memory(home, environment=QUIET, said_by="user") as memory:
        assert memory.review.queue() == ()
        with memory.store.read() as view:
            statuses = {name: view.record(name).status for name in (*assigned, *rejected)}
            states = {name: [entry.to_state for entry in view.entries_about(name)] for name in statuses}
        assert statuses == {**dict.fromkeys(assigned, Status.QUARANTINED), **dict.fromkeys(rejected, Status.REJECTED)}
        assert states == {name: ["staged", status.value] for name, status in statuses.items()}
        memory.verify()


DECISIONS = {
    "approve": lambda memory, item, seen: memory.review.approve([item.id], unlocked(memory, "ben"), seen=seen),
    "reject": lambda memory, item, seen: memory.review.reject([item.id], unlocked(memory, "ben"), "no", seen=seen),
    "edit": lambda memory, item, seen: memory.review.edit(
        item.id, "Close every valve.", unlocked(memory, "ben"), seen=seen
    ),
    "assign": lambda memory, item, seen: memory.bullets.assign(
        {item.record_id: "right"}, unlocked(memory, "ben"), seen=seen
    ),
}


@pytest.mark.parametrize("decision", DECISIONS)
def test_a_decision_about_an_older_version_fails(home, decision):
    """Evidence that another handle added makes it another version: the decision about the version seen before fails."""
    with (
        open_memory(home, environment=QUIET, said_by="user") as first,
        open_memory(home, environment=QUIET, said_by="user") as second,
    ):
        item = first.review.queue()[0].proposal
        text = first.review.queue()[0].text
        second.bullets.add(text)
        with pytest.raises(StaleProposalError, match="changed since you saw it"):
            DECISIONS[decision](first, item, {item.id: item.version})
        with second.store.read() as view:
            assert view.record(item.record_id).status is Status.STAGED
            now = view.proposal(item.id).version
        DECISIONS[decision](first, item, {item.id: now})
        assert len(second.review.queue()) == MANY - 1


@pytest.mark.parametrize("decision", DECISIONS)
def test_the_second_decision_names_the_first(home, decision):
    """A decision about what another handle has decided fails, names that decision, and writes nothing."""
    with (
        open_memory(home, environment=QUIET, said_by="user") as first,
        open_memory(home, environment=QUIET, said_by="user") as second,
    ):
        item = first.review.queue()[0].proposal
        second.review.reject([item.id], unlocked(second), "not ours", seen=seen(second))
        head = second.verify().head
        with pytest.raises(StaleProposalError, match="rejected"):
            DECISIONS[decision](first, item, {item.id: item.version})
        assert second.verify().head == head


def test_a_bulk_decision_is_all_or_nothing(home):
    """Where another handle decided one of many, all the others stay waiting."""
    with (
        open_memory(home, environment=QUIET, said_by="user") as first,
        open_memory(home, environment=QUIET, said_by="user") as second,
    ):
        bullets = first.bullets.list_staged(limit=MANY)
        seen = {proposal_id_of(bullet.id): 1 for bullet in bullets}
        second.bullets.assign({bullets[7].id: "left"}, unlocked(second), seen=seen)
        with pytest.raises(StaleProposalError, match="ana"):
            first.bullets.assign(
                dict.fromkeys((bullet.id for bullet in bullets), "right"), unlocked(first, "ben"), seen=seen
            )
        assert len(first.review.queue()) == MANY - 1
