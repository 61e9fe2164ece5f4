"""The lifecycle of a record, as one table.

Takes: a status and an event. Gives: the next status. Never: writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from dopejar.errors import IllegalMoveError
from dopejar.values.record import Status


class Event(StrEnum):
    """The events of a record's life."""

    STAGE = "stage"
    ALLOW = "allow"
    PLACE = "place"  # a reviewer puts a new bullet into a hemisphere
    ASSIGN = "assign"
    APPROVE = "approve"
    REJECT = "reject"
    EXPIRE = "expire"
    PROVE = "prove"
    DEMOTE = "demote"
    SUPERSEDE = "supersede"
    RESUME = "resume"  # the version that superseded it is gone
    DEPRECATE = "deprecate"
    RETRACT = "retract"
    REVIVE = "revive"  # its evidence was reinstated
    RESTORE = "restore"  # a reviewer has it back
    RECONSIDER = "reconsider"  # the decision about it was undone; it is staged again
    ERASE = "erase"


_S, _E = Status, Event

MOVES: Mapping[tuple[Status | None, Event], Status] = MappingProxyType(
    {
        (None, _E.STAGE): _S.STAGED,
        (None, _E.ALLOW): _S.ACTIVE,
        (None, _E.PLACE): _S.QUARANTINED,
        (_S.STAGED, _E.ASSIGN): _S.QUARANTINED,
        (_S.STAGED, _E.APPROVE): _S.ACTIVE,
        (_S.STAGED, _E.REJECT): _S.REJECTED,
        (_S.STAGED, _E.EXPIRE): _S.EXPIRED,
        (_S.QUARANTINED, _E.PROVE): _S.ACTIVE,
        (_S.ACTIVE, _E.DEMOTE): _S.QUARANTINED,
        (_S.ACTIVE, _E.SUPERSEDE): _S.SUPERSEDED,
        (_S.SUPERSEDED, _E.RESUME): _S.ACTIVE,
        (_S.ACTIVE, _E.DEPRECATE): _S.DEPRECATED,
        (_S.QUARANTINED, _E.DEPRECATE): _S.DEPRECATED,
        (_S.SUPERSEDED, _E.DEPRECATE): _S.DEPRECATED,
        (_S.STAGED, _E.RETRACT): _S.RETRACTED,
        (_S.QUARANTINED, _E.RETRACT): _S.RETRACTED,
        (_S.ACTIVE, _E.RETRACT): _S.RETRACTED,
        (_S.SUPERSEDED, _E.RETRACT): _S.RETRACTED,
        (_S.DEPRECATED, _E.RETRACT): _S.RETRACTED,
        (_S.RETRACTED, _E.REVIVE): _S.ACTIVE,
        (_S.SUPERSEDED, _E.RESTORE): _S.ACTIVE,
        (_S.DEPRECATED, _E.RESTORE): _S.ACTIVE,
        (_S.RETRACTED, _E.RESTORE): _S.ACTIVE,
        (_S.REJECTED, _E.RESTORE): _S.STAGED,
        (_S.EXPIRED, _E.RESTORE): _S.STAGED,
        (_S.ACTIVE, _E.RECONSIDER): _S.STAGED,
        (_S.QUARANTINED, _E.RECONSIDER): _S.STAGED,
        (_S.SUPERSEDED, _E.RECONSIDER): _S.STAGED,
        (_S.REJECTED, _E.RECONSIDER): _S.STAGED,
        (_S.EXPIRED, _E.RECONSIDER): _S.STAGED,
        **{(status, _E.ERASE): _S.ERASED for status in _S if status is not _S.ERASED},
    }
)

_DONE: Mapping[Event, str] = MappingProxyType(
    {
        _E.STAGE: "staged",
        _E.ALLOW: "added",
        _E.PLACE: "placed on a side",
        _E.ASSIGN: "assigned to a side",
        _E.APPROVE: "approved",
        _E.REJECT: "rejected",
        _E.EXPIRE: "left to expire",
        _E.PROVE: "proven by outcomes",
        _E.DEMOTE: "put on trial",
        _E.SUPERSEDE: "replaced by a newer version",
        _E.RESUME: "put in the place of a newer version",
        _E.DEPRECATE: "taken out of use",
        _E.RETRACT: "withdrawn by an undo",
        _E.REVIVE: "given back by an undo",
        _E.RESTORE: "brought back",
        _E.RECONSIDER: "staged again",
        _E.ERASE: "erased",
    }
)
_COMMANDS: Mapping[Event, str] = MappingProxyType(
    {
        _E.APPROVE: "`dopejar review approve`",
        _E.REJECT: "`dopejar review reject`",
        _E.DEPRECATE: "`dopejar forget`",
        _E.RESTORE: "`dopejar bring-back`",
        _E.ERASE: "`dopejar erase`",
    }
)  # of the moves that a person can ask for

IN_CHAIN = frozenset({Status.ACTIVE, Status.SUPERSEDED, Status.DEPRECATED})


def step(status: Status | None, event: Event) -> Status:
    """The status after the event; None stands for a record that does not exist yet.

    Raises:
        IllegalMoveError: the table has no such move.
    """
    try:
        return MOVES[status, event]
    except KeyError:
        possible = ", ".join(command for move, command in _COMMANDS.items() if (status, move) in MOVES) or "nothing"
        current = status.value if status else "new"
        raise IllegalMoveError(
            f"A memory that is {current} cannot be {_DONE[event]}. What can be done with it: {possible}."
        ) from None
