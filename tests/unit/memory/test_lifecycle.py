"""The lifecycle table, whole."""

import re

import pytest

from dopejar.doors.cli.overview import FURTHER, GROUPS
from dopejar.errors import IllegalMoveError
from dopejar.memory.lifecycle import IN_CHAIN, MOVES, Event, step
from dopejar.values.record import Status

# the design's table, written a second time by hand: (from, event) -> to
TABLE = {
    (None, "stage"): "staged",
    (None, "allow"): "active",
    (None, "place"): "quarantined",
    ("staged", "assign"): "quarantined",
    ("staged", "approve"): "active",
    ("staged", "reject"): "rejected",
    ("staged", "expire"): "expired",
    ("staged", "retract"): "retracted",
    ("staged", "erase"): "erased",
    ("quarantined", "prove"): "active",
    ("quarantined", "deprecate"): "deprecated",
    ("quarantined", "retract"): "retracted",
    ("quarantined", "reconsider"): "staged",
    ("quarantined", "erase"): "erased",
    ("active", "demote"): "quarantined",
    ("active", "supersede"): "superseded",
    ("active", "deprecate"): "deprecated",
    ("active", "retract"): "retracted",
    ("active", "reconsider"): "staged",
    ("active", "erase"): "erased",
    ("superseded", "resume"): "active",
    ("superseded", "restore"): "active",
    ("superseded", "deprecate"): "deprecated",
    ("superseded", "retract"): "retracted",
    ("superseded", "reconsider"): "staged",
    ("superseded", "erase"): "erased",
    ("deprecated", "restore"): "active",
    ("deprecated", "retract"): "retracted",
    ("deprecated", "erase"): "erased",
    ("rejected", "restore"): "staged",
    ("rejected", "reconsider"): "staged",
    ("rejected", "erase"): "erased",
    ("expired", "restore"): "staged",
    ("expired", "reconsider"): "staged",
    ("expired", "erase"): "erased",
    ("retracted", "revive"): "active",
    ("retracted", "restore"): "active",
    ("retracted", "erase"): "erased",
}


@pytest.mark.parametrize("status", [None, *Status])
@pytest.mark.parametrize("event", list(Event))
def test_every_pair_is_as_written(status, event):
    """Every (state, event) pair moves as the table says, and every other pair is refused."""
    expected = TABLE.get((status.value if status else None, event.value))
    if expected is None:
        with pytest.raises(IllegalMoveError) as fault:
            step(status, event)
        assert (status.value if status else "new") in str(fault.value)
    else:
        assert step(status, event) is Status(expected)


def test_an_error_names_commands_that_exist():
    """A refused move names what a person can type: every command in a message is one, and it would be allowed."""
    known = {name for _, names in (*GROUPS, *FURTHER) for name, _ in names}
    events = {"approve": "approve", "reject": "reject", "forget": "deprecate", "bring-back": "restore"}
    for status in Status:
        refused = next(event for event in Event if (status, event) not in MOVES)
        with pytest.raises(IllegalMoveError) as fault:
            step(status, refused)
        named = re.findall(r"`dopejar ([^`]+)`", str(fault.value))
        assert bool(named) is (status is not Status.ERASED)
        for command in named:
            first, *rest = command.split()
            assert first in known
            event = events.get((rest or [first])[0], (rest or [first])[0])
            assert (status, Event(event)) in MOVES


def test_erased_is_the_end():
    """Nothing leads out of erased."""
    assert not [event for status, event in MOVES if status is Status.ERASED]


def test_every_status_can_be_reached():
    """No status of the table is out of reach."""
    assert set(MOVES.values()) == set(Status)


def test_chain_members_are_believed_or_were():
    """Only what is or was believed takes part in a chain."""
    assert frozenset({Status.ACTIVE, Status.SUPERSEDED, Status.DEPRECATED}) == IN_CHAIN
