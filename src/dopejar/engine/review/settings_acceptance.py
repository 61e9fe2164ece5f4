"""`Memory.settings`: the governed settings that a reviewer accepted, and what is configured otherwise.

Takes: differences and a reviewer. Gives: the accepted settings, in the store and in the ledger. Never: accepts a policy
file that cannot be parsed, or puts a value in force in a memory that is open already.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from dopejar.engine.arguments import checked
from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.errors import SettingError
from dopejar.memory.accepted_settings import (
    POLICY_TEXT,
    ROW,
    accepted_digest,
    accepted_row,
    policy_digest,
    read_accepted,
    read_accepted_policy,
    row_digest,
)
from dopejar.ports.store import Fault, ReadView, WriteTransaction
from dopejar.values.accepted_settings import POLICY_FILE, AcceptedSettings, SettingDifference, unaccepted_sentence
from dopejar.values.ids import TraceId, new_trace_id

_TARGET = "settings"


@checked
class SettingsAcceptance:
    """The accepted settings of a memory. `Memory.settings` is one."""

    def __init__(self, deps: Dependencies) -> None:
        self._deps = deps

    @property
    def accepted(self) -> AcceptedSettings:
        """What was accepted when the memory was opened."""
        return self._deps.accepted_settings

    @property
    def differences(self) -> tuple[SettingDifference, ...]:
        """The governed settings that were configured otherwise when the memory was opened."""
        return self._deps.setting_differences

    @property
    def unaccepted(self) -> str:
        """One sentence about what is configured and not in force; "" where there is nothing."""
        return unaccepted_sentence(self.differences, self.accepted.fault)

    def policy_text(self) -> str:
        """The text of the accepted policy file; "" for the shipped policy."""
        with self._deps.store.read() as view:
            accepted = read_accepted(view)
            return read_accepted_policy(view, accepted) if accepted.policy else ""

    def accept(
        self, by: Reviewer, differences: Sequence[SettingDifference] | None = None, trace_id: TraceId | None = None
    ) -> None:
        """Accept differences, all where none are named; they are in force when a memory is opened next.

        Raises:
            SettingError: a policy file cannot be used; the message names file, line and key. Nothing was accepted.
        """
        # every command asks for `unaccepted`; only this one writes
        from dopejar.engine.review.reviewer_sessions import require_reviewer

        chosen = self.differences if differences is None else tuple(differences)
        for one in chosen:
            _require_usable(one)
        with self._deps.store.write() as tx:
            require_reviewer(tx, by, self._deps.system_clock.now())
            before = read_accepted(tx)
            values, policy = dict(before.values), before.policy
            for one in chosen:
                values[one.key] = one.wanted
                if one.key == POLICY_FILE:
                    policy = policy_digest(one.content)
                    tx.set_meta(POLICY_TEXT, one.content)
            now = self._deps.clock.now()
            _write(tx, AcceptedSettings(values=values, policy=policy), by, now, trace_id or new_trace_id())


def keep_accepted(today: ReadView, tx: WriteTransaction, by: Reviewer, now: datetime, trace_id: TraceId) -> None:
    """Let another store have the settings that are in force today, where it has others: a backup loosens none."""
    accepted, text = read_accepted(today), ""
    try:
        text = read_accepted_policy(today, accepted) if accepted.policy else ""
    except SettingError:  # neither policy is a reviewer's word any more
        accepted = AcceptedSettings()
    if accepted.fault:
        accepted = AcceptedSettings()
    there = read_accepted(tx)
    has_text = (tx.meta(POLICY_TEXT) or "") == text or not accepted.policy
    if (there.values, there.policy, there.fault) == (accepted.values, accepted.policy, "") and has_text:
        return
    tx.set_meta(POLICY_TEXT, text)
    _write(tx, accepted, by, now, trace_id)


def _write(tx: WriteTransaction, accepted: AcceptedSettings, by: Reviewer, now: datetime, trace_id: TraceId) -> None:
    """Write accepted settings, and who accepted them into the ledger."""
    from dopejar.memory.commit import secret_of
    from dopejar.memory.governance_acts import GovernanceAction, record_governance

    old = row_digest(tx)
    digest = accepted_digest(secret_of(tx), accepted.values, accepted.policy)
    tx.set_meta(ROW, accepted_row(accepted.values, accepted.policy, digest))
    record_governance(
        tx,
        GovernanceAction.SETTINGS_ACCEPTED,
        _TARGET,
        now=now,
        trace_id=trace_id,
        proposer=by.name,
        approver=by.name,
        digests=(old, digest),
    )


def _require_usable(difference: SettingDifference) -> None:
    """Raises SettingError where the difference is a policy file that cannot be used."""
    if difference.fault:
        raise SettingError(difference.fault)
    if difference.key == POLICY_FILE and difference.content:
        from dopejar.governance.policy.policy_file import override_policy, shipped_policy

        override_policy(shipped_policy(), difference.content, file=str(difference.wanted))


def settings_faults(deps: Dependencies, view: ReadView) -> list[Fault]:
    """What is configured and not accepted, and accepted settings that are not those of the ledger."""
    sentence = unaccepted_sentence(deps.setting_differences, deps.accepted_settings.fault)
    if not sentence:
        last = view.entries_about(_TARGET)
        if row_digest(view) != (last[-1].to_digest if last else ""):
            sentence = (
                "The accepted settings are not those that the ledger says a reviewer accepted last. A reviewer looks at"
                " them with `dopejar config list` and accepts them again with `dopejar config accept`."
            )
    return [Fault(what="settings", detail=sentence, repairable=False)] if sentence else []
