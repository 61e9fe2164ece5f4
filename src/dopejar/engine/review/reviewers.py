"""Reviewers: who may decide, their passphrases, and their sessions at a terminal.

Takes: names, passphrases and terminals. Gives: a `Reviewer` for whoever proved who they are. Never: stores a
passphrase, or opens a session for somebody who gave none.
"""

from __future__ import annotations

import json
import secrets
from datetime import datetime
from typing import Final

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.errors import InputError, NotFoundError, ReviewerRequiredError
from dopejar.governance.reviewer_credentials import (
    SALT_BYTES,
    ReviewerSession,
    check_name,
    check_new_passphrase,
    hash_passphrase,
    is_open,
    open_session,
    verify_passphrase,
)
from dopejar.memory.hold import update_row
from dopejar.values.versioned_rows import KeyValueRow

_SESSION: Final = "session"


class Reviewers:
    """The people who may decide. `Memory.reviewers` is one."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    def names(self) -> tuple[str, ...]:
        """The names of all reviewers."""
        with self._deps.store.read() as view:
            return view.reviewers()

    def add(self, name: str, passphrase: str, by: Reviewer | None = None) -> None:
        """Add a reviewer, or change a passphrase. Only the first reviewer can be added without another reviewer.

        Raises:
            InputError: the name or passphrase is not acceptable.
            ReviewerRequiredError: there is a reviewer already, and `by` is None.
        """
        checked_name = check_name(name)
        check_new_passphrase(passphrase)
        passphrase_hash = hash_passphrase(passphrase, secrets.token_bytes(SALT_BYTES))
        with self._deps.store.write() as tx:
            if tx.reviewers() and by is None:
                raise ReviewerRequiredError("There is a reviewer already; only a reviewer can add or change one.")
            tx.put_reviewer(checked_name, passphrase_hash)

    def remove(self, name: str, by: Reviewer) -> None:
        """Remove a reviewer. Raises NotFoundError; InputError for the last one."""
        with self._deps.store.write() as tx:
            names = tx.reviewers()
            if name not in names:
                raise NotFoundError(f"There is no reviewer {name!r}. `dopejar reviewer list` names them.")
            if len(names) == 1:
                raise InputError(f"{name} is the last reviewer, so {by.name} cannot remove it. Add another one first.")
            tx.drop_reviewer(name)

    def unlock(self, passphrase: str, *, name: str = "", terminal: str = "") -> Reviewer:
        """The reviewer whose passphrase this is. With a terminal, a session of 15 minutes is opened there.

        Raises:
            ReviewerRequiredError: there is no reviewer, or the passphrase belongs to none.
        """
        with self._deps.store.read() as view:
            if not view.reviewers():
                raise ReviewerRequiredError("There is no reviewer yet. Add one with `dopejar reviewer add NAME`.")
            candidates = (name,) if name else view.reviewers()
            hashes = {candidate: view.reviewer(candidate) or "" for candidate in candidates}
        owner = next((candidate for candidate in hashes if verify_passphrase(passphrase, hashes[candidate])), None)
        if owner is None:
            raise ReviewerRequiredError("No reviewer has this passphrase. Try again, or see `dopejar reviewer list`.")
        if terminal and not self._deps.store.is_read_only:
            self._open_session(owner, terminal)
        return Reviewer(name=owner)

    def _open_session(self, name: str, terminal: str) -> None:
        session = open_session(name, terminal, self._deps.clock.now())
        body = json.dumps({"name": session.name, "until": session.until.isoformat()})

        def next_row(old: KeyValueRow | None) -> KeyValueRow:
            version = old.version if old else 0
            return KeyValueRow(kind=_SESSION, key=terminal, body=body, version=version, expires_at=session.until)

        update_row(self._deps.store, _SESSION, terminal, next_row)

    def at_terminal(self, terminal: str) -> Reviewer | None:
        """The reviewer with an open session at this terminal, if any."""
        if not terminal:
            return None
        with self._deps.store.read() as view:
            row = view.held(_SESSION, terminal)
            if row is None:
                return None
            body = json.loads(row.body)
            session = ReviewerSession(name=body["name"], terminal=terminal, until=datetime.fromisoformat(body["until"]))
            is_reviewer = session.name in view.reviewers()
        if is_reviewer and is_open(session, terminal, self._deps.clock.now()):
            return Reviewer(name=session.name)
        return None

    def lock(self, terminal: str) -> bool:
        """End the session at this terminal; whether there was one."""
        with self._deps.store.write() as tx:
            was_open = tx.held(_SESSION, terminal) is not None
            tx.drop_held(_SESSION, terminal)
        return was_open
