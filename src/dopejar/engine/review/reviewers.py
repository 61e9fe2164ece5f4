"""Reviewers: who may decide, their passphrases, and their sessions.

Takes: names, passphrases and places. Gives: a `Reviewer` with an open session for whoever proved who they are. Never:
stores a passphrase, opens a session for somebody who gave none, or checks guesses side by side.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from dopejar.engine.arguments import checked
from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.review.reviewer_sessions import (
    end_session,
    end_sessions_of,
    find_session,
    name_host,
    open_session,
    require_reviewer,
    terminal_credential,
)
from dopejar.engine.review.trusted_terminals import (
    TrustedTerminal,
    distrust_terminal,
    trust_terminal,
    trusted_terminals,
    voucher_at,
)
from dopejar.engine.review.unlock_attempts import count_failure, count_success, paused_until
from dopejar.errors import InputError, NotFoundError, ReviewerRequiredError
from dopejar.governance.reviewer_credentials import (
    LONGEST_SESSION,
    SALT_BYTES,
    SESSION_LIFETIME,
    check_name,
    check_new_passphrase,
    hash_passphrase,
    verify_passphrase,
)
from dopejar.memory.governance_acts import GovernanceAction, record_governance
from dopejar.ports.store import WriteTransaction
from dopejar.values.ids import TraceId, new_trace_id


@checked
class Reviewers:
    """The people who may decide. `Memory.reviewers` is one."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps
        self._process = secrets.token_hex(16)  # this process as a place where passphrases are given

    def names(self) -> tuple[str, ...]:
        """The names of all reviewers."""
        with self._deps.store.read() as view:
            return view.reviewers()

    def add(self, name: str, passphrase: str, by: Reviewer | None = None, trace_id: TraceId | None = None) -> None:
        """Add a reviewer, or change a passphrase, which ends that reviewer's sessions.

        Only the first reviewer can be added without another reviewer.

        Raises:
            InputError: the name or passphrase is not acceptable.
            ReviewerRequiredError: there is a reviewer already, and `by` is None or has no open session.
        """
        checked_name = check_name(name)
        check_new_passphrase(passphrase)
        passphrase_hash = hash_passphrase(passphrase, secrets.token_bytes(SALT_BYTES))
        now = self._deps.system_clock.now()
        with self._deps.store.write() as tx:
            if by is not None:
                require_reviewer(tx, by, now)
            elif tx.reviewers():
                raise ReviewerRequiredError("There is a reviewer already; only a reviewer can add or change one.")
            tx.put_reviewer(checked_name, passphrase_hash)
            end_sessions_of(tx, checked_name)
            approver = by.name if by else checked_name
            _record(tx, GovernanceAction.REVIEWER_ADDED, checked_name, approver, now, trace_id)

    def remove(self, name: str, by: Reviewer, trace_id: TraceId | None = None) -> None:
        """Remove a reviewer and end their sessions.

        Raises NotFoundError; InputError for the last one; ReviewerRequiredError.
        """
        now = self._deps.system_clock.now()
        with self._deps.store.write() as tx:
            require_reviewer(tx, by, now)
            names = tx.reviewers()
            if name not in names:
                raise NotFoundError(f"There is no reviewer {name!r}. `dopejar reviewer list` names them.")
            if len(names) == 1:
                raise InputError(f"{name} is the last reviewer, so {by.name} cannot remove it. Add another one first.")
            tx.drop_reviewer(name)
            end_sessions_of(tx, name)
            _record(tx, GovernanceAction.REVIEWER_REMOVED, name, by.name, now, trace_id)

    def unlock(
        self,
        passphrase: str,
        *,
        name: str = "",
        terminal: str = "",
        place: str | None = None,
        lifetime: timedelta = SESSION_LIFETIME,
        host: str = "",
    ) -> Reviewer:
        """The reviewer whose passphrase this is, with an open session of 15 minutes unless told otherwise.

        At a terminal the session is open for every command there. `place` is where the passphrase was given: the
        terminal or this process where omitted, "" for none that will be there again. Passphrases are checked one
        after the other; after wrong ones there are pauses, counted for this place alone once it succeeded. With a
        `host`, the session is not for the caller but for the assistant that `name_host` named so.

        Raises:
            ReviewerRequiredError: there is no reviewer, the passphrase belongs to none, or there is a pause.
            NotFoundError: no host has that name. InputError: the session would be longer than `LONGEST_SESSION`.
        """
        if lifetime > LONGEST_SESSION:
            hours = LONGEST_SESSION // timedelta(hours=1)
            raise InputError(f"A session of a reviewer lasts {hours} hours at most. Give a shorter lifetime.")
        now = self._deps.system_clock.now()
        where = place if place is not None else terminal or self._process
        with self._deps.store.write() as tx:  # held while a passphrase is checked, so that every guess is counted
            known = tx.reviewers()
            if not known:
                raise ReviewerRequiredError("There is no reviewer yet. Add one with `dopejar reviewer add NAME`.")
            accounts = [account for account in known if account == name] if name else list(known)
            pauses = {account: paused_until(tx, account, where, now) for account in accounts or [""]}
            checked = [account for account, until in pauses.items() if until is None]
            owner = next((account for account in checked if _is_passphrase_of(tx, account, passphrase)), None)
            if owner is not None:
                count_success(tx, owner, where, now)
                return open_session(tx, owner, terminal, lifetime, now, host)
            for account in checked:
                count_failure(tx, account, where, now, new_trace_id())
        ends = [until for until in pauses.values() if until is not None]
        raise ReviewerRequiredError(_refusal(ends, now))

    def at_terminal(self, terminal: str) -> Reviewer | None:
        """The reviewer with an open session at this terminal, if any."""
        return self.holding(terminal_credential(terminal))

    def holding(self, credential: str) -> Reviewer | None:
        """The reviewer with an open session under this credential, if any."""
        with self._deps.store.read() as view:
            session = find_session(view, credential, self._deps.system_clock.now())
        return Reviewer(name=session.name, credential=credential) if session else None

    def name_host(self, host: str, credential: str) -> None:
        """Say by which name a reviewer can unlock the holder of a credential; good for a day."""
        with self._deps.store.write() as tx:
            name_host(tx, host, credential, self._deps.system_clock.now())

    def voucher_at(self, terminal: str) -> Reviewer | None:
        """The reviewer who vouches for who types at this terminal, by an open session or by trust; else None."""
        with self._deps.store.read() as view:
            return voucher_at(view, terminal, self._deps.system_clock.now())

    def trust_terminal(
        self, terminal: str, by: Reviewer, label: str = "", trace_id: TraceId | None = None
    ) -> TrustedTerminal:
        """Trust a terminal for 30 days: what the user types there may direct the work at once. Decides nothing else.

        Raises InputError without a terminal; ReviewerRequiredError.
        """
        return trust_terminal(self._deps, terminal, label, by, trace_id or new_trace_id())

    def distrust_terminal(self, name: str, trace_id: TraceId | None = None) -> TrustedTerminal:
        """End the trust in a terminal, by its label or the beginning of its id. Raises NotFoundError."""
        return distrust_terminal(self._deps, name, trace_id or new_trace_id())

    def trusted_terminals(self) -> tuple[TrustedTerminal, ...]:
        """The terminals that a reviewer trusts."""
        with self._deps.store.read() as view:
            return trusted_terminals(view, self._deps.system_clock.now())

    def is_open(self, by: Reviewer) -> bool:
        """Whether this reviewer has an open session still."""
        with self._deps.store.read() as view:
            session = find_session(view, by.credential, self._deps.system_clock.now())
        return session is not None and session.name == by.name

    def lock(self, terminal: str) -> bool:
        """End the session at this terminal; whether there was one."""
        return bool(terminal) and self._end(terminal_credential(terminal))

    def end(self, by: Reviewer) -> bool:
        """End this reviewer's session; whether there was one."""
        return self._end(by.credential)

    def _end(self, credential: str) -> bool:
        with self._deps.store.write() as tx:
            return end_session(tx, credential)


def _is_passphrase_of(tx: WriteTransaction, account: str, passphrase: str) -> bool:
    passphrase_hash = tx.reviewer(account)
    return passphrase_hash is not None and verify_passphrase(passphrase, passphrase_hash)


def _refusal(pauses: Sequence[datetime], now: datetime) -> str:
    if not pauses:
        return "No reviewer has this passphrase. Try again, or see `dopejar reviewer list`."
    seconds = -int(-(min(pauses) - now).total_seconds() // 1)
    return (
        f"Too many wrong passphrases. Try again in {seconds} s (at {min(pauses):%H:%M:%S} UTC); until then none is "
        "checked here. A terminal or browser where it was right before is not affected by others."
    )


def _record(
    tx: WriteTransaction, action: GovernanceAction, name: str, approver: str, now: datetime, trace_id: TraceId | None
) -> None:
    trace = trace_id or new_trace_id()
    record_governance(tx, action, f"reviewer:{name}", now=now, trace_id=trace, proposer=approver, approver=approver)
