"""Open sessions of reviewers: held rows that a passphrase opened, and the check that every decision makes.

Takes: a `Reviewer`, a view of the store and the time. Gives: nothing, or a refusal. Never: keeps a credential; a row is
keyed by its digest.
"""

from __future__ import annotations

import json
import secrets
from datetime import datetime, timedelta
from typing import Final

from dopejar.engine.dependencies import Reviewer
from dopejar.errors import NotFoundError, ReviewerRequiredError
from dopejar.governance.reviewer_credentials import ReviewerSession
from dopejar.memory.hold import hold
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.digests import sha256_hex
from dopejar.values.held_bodies import object_of, text_in, time_in
from dopejar.values.versioned_rows import KeyValueRow

SESSION_ROW: Final = "reviewer_session"
HOST_ROW: Final = "reviewer_host"
_TOKEN_BYTES: Final = 32
_NAMED_FOR: Final = timedelta(days=1)


def require_reviewer(view: ReadView, by: Reviewer, now: datetime) -> None:
    """Check that a reviewer holds an open session and is a reviewer still.

    Whoever decides calls this inside the transaction of the decision.

    Raises:
        ReviewerRequiredError: the value was made by hand, its session is over, or the reviewer was removed.
    """
    session = find_session(view, by.credential, now)
    if session is None or session.name != by.name:
        raise ReviewerRequiredError(
            f"{by.name or 'Nobody'} has no open session as a reviewer. Unlock with the passphrase, then decide again."
        )


def find_session(view: ReadView, credential: str, now: datetime) -> ReviewerSession | None:
    """The open session of a credential, of somebody who is a reviewer still; None where there is none."""
    row = view.held(SESSION_ROW, sha256_hex(credential)) if credential else None
    if row is None:
        return None
    session = read_session(row)
    return session if session.is_open(now) and view.reviewer(session.name) is not None else None


def read_session(row: KeyValueRow) -> ReviewerSession:
    """The session of a row. Raises as `values.held_bodies` does."""
    body = object_of(row)
    return ReviewerSession(name=text_in(body, "name"), since=time_in(body, "since"), until=time_in(body, "until"))


def open_session(
    tx: WriteTransaction, name: str, terminal: str, lifetime: timedelta, now: datetime, host: str = ""
) -> Reviewer:
    """Open a session: at a terminal whoever sits there has it, elsewhere whoever holds the credential.

    With a `host` the session is that host's, who alone has its credential. Raises NotFoundError where it has no name.
    """
    by = Reviewer(name=name, credential=terminal_credential(terminal) or secrets.token_hex(_TOKEN_BYTES))
    key = _key_of_host(tx, host, now) if host else sha256_hex(by.credential)
    old = tx.held(SESSION_ROW, key)
    until = now + lifetime
    body = json.dumps({"name": name, "since": now.isoformat(), "until": until.isoformat()})
    version = old.version if old else 0
    hold(tx, KeyValueRow(kind=SESSION_ROW, key=key, body=body, version=version, expires_at=until))
    return by


def name_host(tx: WriteTransaction, host: str, credential: str, now: datetime) -> None:
    """Note the name by which the holder of a credential can be unlocked for a day."""
    old = tx.held(HOST_ROW, host)
    version, until = old.version if old else 0, now + _NAMED_FOR
    body = sha256_hex(credential)
    hold(tx, KeyValueRow(kind=HOST_ROW, key=host, body=body, version=version, expires_at=until))


def _key_of_host(view: ReadView, host: str, now: datetime) -> str:
    row = view.held(HOST_ROW, host)
    if row is None or row.expires_at is None or row.expires_at <= now:
        raise NotFoundError(f"No assistant is called {host!r}. It says its name when something that it proposed waits.")
    return row.body


def end_session(tx: WriteTransaction, credential: str) -> bool:
    """End the session of a credential; whether there was one."""
    key = sha256_hex(credential)
    was_open = tx.held(SESSION_ROW, key) is not None
    tx.drop_held(SESSION_ROW, key)
    return was_open


def end_sessions_of(tx: WriteTransaction, name: str) -> None:
    """End every session of a reviewer who was removed or has another passphrase."""
    for row in tx.held_of(SESSION_ROW):
        if read_session(row).name == name:
            tx.drop_held(SESSION_ROW, row.key)


def terminal_credential(terminal: str) -> str:
    """The credential of whoever sits at a terminal; "" where there is none."""
    return f"terminal:{terminal}" if terminal else ""
