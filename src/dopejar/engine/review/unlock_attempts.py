"""Wrong passphrases: counted by account and place, with pauses that grow.

Takes: an account, a place (a terminal, a browser session, a process) and the time. Gives: until when no passphrase is
checked. Never: lets strangers lock a reviewer out of a place of theirs, or grows with the number of places that fail.

A place where the account's passphrase was given before has a counter of its own. All other places share one counter for
the account: new places cost nothing, so one counter each would mean no limit.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from typing import Final

from dopejar.governance.reviewer_credentials import LONGEST_PAUSE, is_pause_step, pause_after
from dopejar.memory.governance_acts import GovernanceAction, record_governance
from dopejar.memory.hold import hold
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.held_bodies import number_in, object_of, time_in
from dopejar.values.ids import TraceId
from dopejar.values.versioned_rows import KeyValueRow

ATTEMPTS_ROW: Final = "unlock_attempts"
_KNOWN_FOR: Final = timedelta(days=7)  # after its last success a place is as any other
_COUNTED_FOR: Final = timedelta(days=1)  # failures at other places are forgotten a day after the last one
_SHARED: Final = ""


def paused_until(view: ReadView, account: str, place: str, now: datetime) -> datetime | None:
    """Until when no passphrase of the account is checked at this place; None where one is checked now."""
    row = _counter(view, account, place, now)
    if row is None:
        return None
    _, until = read_attempts(row)
    return until if now < until <= now + LONGEST_PAUSE else None  # later: the clock was set back


def count_failure(tx: WriteTransaction, account: str, place: str, now: datetime, trace_id: TraceId) -> None:
    """Count a wrong passphrase, and note it in the ledger where it makes the pause longer."""
    row = _counter(tx, account, place, now)
    failures = 1 + (read_attempts(row)[0] if row else 0)
    is_own = row is not None and row.key == _key(account, place) != _key(account, _SHARED)
    expires_at = row.expires_at if row and is_own else now + _COUNTED_FOR
    key = _key(account, place if is_own else _SHARED)
    _put(tx, key, failures, now + pause_after(failures), expires_at)
    if is_pause_step(failures):
        record_governance(
            tx,
            GovernanceAction.UNLOCK_FAILED,
            f"reviewer:{account}",
            now=now,
            trace_id=trace_id,
            proposer="somebody",
        )


def count_success(tx: WriteTransaction, account: str, place: str, now: datetime) -> None:
    """Start counting anew for the account, and give this place a counter of its own."""
    tx.drop_held(ATTEMPTS_ROW, _key(account, _SHARED))
    if place:
        _put(tx, _key(account, place), 0, now, now + _KNOWN_FOR)


def read_attempts(row: KeyValueRow) -> tuple[int, datetime]:
    """How many passphrases were wrong, and until when none is checked. Raises as `values.held_bodies` does."""
    body = object_of(row)
    return number_in(body, "failures"), time_in(body, "until")


def _counter(view: ReadView, account: str, place: str, now: datetime) -> KeyValueRow | None:
    """The place's own counter, else the one that all other places share."""
    for key in dict.fromkeys((_key(account, place), _key(account, _SHARED))):
        row = view.held(ATTEMPTS_ROW, key)
        if row is not None and row.expires_at is not None and now < row.expires_at:
            return row
    return None


def _put(tx: WriteTransaction, key: str, failures: int, until: datetime, expires_at: datetime | None) -> None:
    old = tx.held(ATTEMPTS_ROW, key)
    body = json.dumps({"failures": failures, "until": until.isoformat()})
    version = old.version if old else 0
    hold(tx, KeyValueRow(kind=ATTEMPTS_ROW, key=key, body=body, version=version, expires_at=expires_at))


def _key(account: str, place: str) -> str:
    return hashlib.sha256(f"{account}\x1f{place}".encode("utf-8", "surrogatepass")).hexdigest()
