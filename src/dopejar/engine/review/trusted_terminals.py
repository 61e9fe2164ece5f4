"""Trusted terminals: where a reviewer vouches that it is the user who types.

Takes: a terminal's id, a reviewer, a view of the store. Gives: whose trust a terminal has. Never: lets a terminal
decide anything: what the user types there may direct the work at once, and a decision still asks for the passphrase.

A terminal's id ends with its shell, so that a program that opens a terminal of its own has none that is trusted.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.review.reviewer_sessions import (
    find_session,
    require_reviewer,
    terminal_credential,
)
from dopejar.errors import InputError, NotFoundError
from dopejar.memory.governance_acts import GovernanceAction, record_governance
from dopejar.memory.hold import hold
from dopejar.ports.store import ReadView, WriteTransaction
from dopejar.values.digests import sha256_hex
from dopejar.values.held_bodies import object_of, text_in, time_in
from dopejar.values.ids import TraceId
from dopejar.values.versioned_rows import KeyValueRow

TRUST_ROW: Final = "trusted_terminal"
LIFETIME: Final = timedelta(days=30)


@dataclass(frozen=True, kw_only=True, slots=True)
class TrustedTerminal:
    """A terminal that a reviewer trusts. `id` is the digest of its credential, `label` its device."""

    id: str
    reviewer: str
    label: str
    since: datetime
    until: datetime


def trust_terminal(deps: Dependencies, terminal: str, label: str, by: Reviewer, trace_id: TraceId) -> TrustedTerminal:
    """Trust a terminal for 30 days, or until its shell ends. Raises InputError, ReviewerRequiredError."""
    if not terminal:
        raise InputError("Trust is per terminal, and stdin is not a terminal. Run this command at a terminal.")
    now = deps.system_clock.now()
    key = sha256_hex(terminal_credential(terminal))
    trusted = TrustedTerminal(id=key, reviewer=by.name, label=label, since=now, until=now + LIFETIME)
    body = json.dumps({"name": by.name, "label": label, "since": now.isoformat(), "until": trusted.until.isoformat()})
    with deps.store.write() as tx:
        require_reviewer(tx, by, now)
        old = tx.held(TRUST_ROW, key)
        version = old.version if old else 0
        hold(tx, KeyValueRow(kind=TRUST_ROW, key=key, body=body, version=version, expires_at=trusted.until))
        _note(tx, GovernanceAction.TERMINAL_TRUSTED, trusted, now, trace_id, by.name)
    return trusted


def distrust_terminal(deps: Dependencies, name: str, trace_id: TraceId) -> TrustedTerminal:
    """End the trust in a terminal, by the beginning of its id or its label; anybody may. Raises NotFoundError."""
    now = deps.system_clock.now()
    with deps.store.write() as tx:
        found = [one for one in trusted_terminals(tx, now) if one.id.startswith(name) or one.label == name]
        if not name or not found:
            raise NotFoundError(f"No terminal {name!r} is trusted. `dopejar reviewer list` names those that are.")
        tx.drop_held(TRUST_ROW, found[0].id)
        _note(tx, GovernanceAction.TERMINAL_DISTRUSTED, found[0], now, trace_id, "")
    return found[0]


def trusted_terminals(view: ReadView, now: datetime) -> tuple[TrustedTerminal, ...]:
    """Every trusted terminal, the oldest trust first."""
    found = (read_trust(row) for row in view.held_of(TRUST_ROW))
    return tuple(sorted((one for one in found if _holds(view, one, now)), key=lambda one: (one.since, one.id)))


def voucher_at(view: ReadView, terminal: str, now: datetime) -> Reviewer | None:
    """The reviewer whose session is open at a terminal, or who trusts it; None where nobody vouches for who types."""
    credential = terminal_credential(terminal)
    session = find_session(view, credential, now)
    if session is not None:
        return Reviewer(name=session.name, credential=credential)
    trusted = _trust_in(view, credential, now)
    return Reviewer(name=trusted.reviewer, credential=credential) if trusted else None


def require_voucher(view: ReadView, by: Reviewer, now: datetime) -> None:
    """Check that a reviewer vouches for who speaks: by an open session, or by the trust in that terminal.

    Raises:
        ReviewerRequiredError: neither holds.
    """
    trusted = _trust_in(view, by.credential, now)
    if trusted is None or trusted.reviewer != by.name:
        require_reviewer(view, by, now)


def _trust_in(view: ReadView, credential: str, now: datetime) -> TrustedTerminal | None:
    row = view.held(TRUST_ROW, sha256_hex(credential)) if credential else None
    found = read_trust(row) if row is not None else None
    return found if found is not None and _holds(view, found, now) else None


def _holds(view: ReadView, trusted: TrustedTerminal, now: datetime) -> bool:
    """Whether the trust is in force: its time, 30 days at most, has begun and not ended; its reviewer is one still."""
    return (
        trusted.since <= now < trusted.until <= trusted.since + LIFETIME and view.reviewer(trusted.reviewer) is not None
    )


def read_trust(row: KeyValueRow) -> TrustedTerminal:
    """The trusted terminal of a row. Raises as `values.held_bodies` does."""
    body = object_of(row)
    return TrustedTerminal(
        id=row.key,
        reviewer=text_in(body, "name"),
        label=text_in(body, "label"),
        since=time_in(body, "since"),
        until=time_in(body, "until"),
    )


def _note(
    tx: WriteTransaction,
    action: GovernanceAction,
    terminal: TrustedTerminal,
    now: datetime,
    trace_id: TraceId,
    approver: str,
) -> None:
    name = terminal.reviewer if approver else "user"
    target = f"terminal:{terminal.id[:8]}"
    record_governance(tx, action, target, now=now, trace_id=trace_id, proposer=name, approver=approver)
