"""Restoring: a backup replaces the data file.

Takes: a backup and a reviewer. Gives: the memory of that moment, without what was erased since. Never: swaps the file
under another process, or accepts a damaged backup.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.exchange.backups import BACKUP_ROW, EXPORT_ROW, require_file
from dopejar.engine.review.api_keys import ROW as API_KEY_ROW
from dopejar.engine.review.erasure import erase_buried
from dopejar.engine.review.page_links import LINK_ROW, PAGE_ROW
from dopejar.engine.review.reviewer_sessions import HOST_ROW, SESSION_ROW, require_reviewer
from dopejar.engine.review.settings_acceptance import keep_accepted
from dopejar.engine.review.shown_proposals import SHOWN_ROW
from dopejar.engine.review.trusted_terminals import TRUST_ROW
from dopejar.engine.review.unlock_attempts import ATTEMPTS_ROW
from dopejar.errors import NotFoundError, StoreDamagedError, StoreError
from dopejar.memory.ledger import verify
from dopejar.ports.store import Store
from dopejar.values.ids import TraceId
from dopejar.values.versioned_rows import SPEND_ROW

_REPLACED_SUFFIX: Final = ".before-restore"
_COPY_SUFFIX: Final = ".restoring"
_TRUST: Final = (API_KEY_ROW, SESSION_ROW, HOST_ROW, TRUST_ROW, PAGE_ROW, LINK_ROW, SHOWN_ROW)
_OF_TODAY: Final = (*_TRUST, ATTEMPTS_ROW, SPEND_ROW)
_COPIES: Final = (BACKUP_ROW, EXPORT_ROW)


def restore(
    deps: Dependencies, source: Path, open_store: Callable[[Path], Store], by: Reviewer, trace_id: TraceId
) -> int:
    """Replace the data file by a backup, after checking it; what was erased since is erased in it, too.

    Returns how many memories and turns were erased again. Reviewers, API keys and accepted settings stay those of
    today, and other processes continue with the restored memory. The replaced data file is kept beside the new one.

    Raises:
        NotFoundError: there is no such file. StoreDamagedError: the backup, or the file that it is to replace, is no
        intact store. StoreError: it cannot be placed. Nothing has changed in these cases.
    """
    file = require_file(deps.store)
    _require_reviewer(deps, by)
    target = file.path
    with copy_beside(source, target) as copy:
        store = open_store(copy)
        try:
            require_intact(store)
            restored = replace(deps, store=store)
            _keep_of_today(deps, restored, by, trace_id)
            erased = _erase_again(deps, restored, by, trace_id)
            require_file(store).compact()
        finally:
            store.close()
        replaced = target.with_name(target.name + _REPLACED_SUFFIX)
        replaced.unlink(missing_ok=True)
        _require_reviewer(deps, by)
        file.backup(replaced)
        file.take_over(copy)
    return erased


def _require_reviewer(deps: Dependencies, by: Reviewer) -> None:
    with deps.store.read() as view:
        require_reviewer(view, by, deps.system_clock.now())


@contextmanager
def copy_beside(source: Path, target: Path) -> Iterator[Path]:
    """A copy of a backup beside the data file, to check and change; removed at the end, unless it was moved.

    Raises NotFoundError, StoreError.
    """
    if not source.is_file():
        raise NotFoundError(f"There is no file {source}.")
    copy = target.with_name(target.name + _COPY_SUFFIX)
    try:
        for suffix in ("", "-wal"):  # the write-ahead log of a store that was copied while open holds part of its data
            file = source.with_name(source.name + suffix)
            if file.is_file():
                _copy(file, copy.with_name(copy.name + suffix))
        yield copy
    finally:
        for left in copy.parent.glob(f"{copy.name}*"):
            left.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
        target.chmod(0o600)
    except OSError as fault:
        raise StoreError(f"{source} could not be copied to {target}: {fault.strerror}.") from fault


def require_intact(store: Store) -> None:
    """Raises StoreDamagedError, LedgerBrokenError."""
    faults = [fault for fault in require_file(store).check() if not fault.repairable]
    if faults:
        raise StoreDamagedError(f"The backup is not intact: {faults[0].detail}. Take another one.")
    with store.read() as view:
        verify(view)


def drop_trust(store: Store) -> None:
    """Take out of a backup what would let somebody in: API keys, sessions, trusted terminals, links to a page.

    For a backup that replaces a store of which nothing can be read: what was ended since is not known.
    """
    with store.write() as tx:
        for kind in _TRUST:
            for row in tx.held_of(kind):
                tx.drop_held(kind, row.key)


def _keep_of_today(deps: Dependencies, restored: Dependencies, by: Reviewer, trace_id: TraceId) -> None:
    """Who may do what stays as it is today, and so do the lists of backups and exports.

    No older passphrase, session, key, trust, setting or listing becomes valid again, and what was counted today (wrong
    passphrases, the language model's use) stays counted.
    """
    now = restored.clock.now()
    with deps.store.read() as view, restored.store.write() as tx:
        keep_accepted(view, tx, by, now, trace_id)
        reviewers = {name: view.reviewer(name) or "" for name in view.reviewers()}
        rows = [row for kind in (*_COPIES, *_OF_TODAY) for row in view.held_of(kind)]
        for name in tx.reviewers():
            if name not in reviewers:
                tx.drop_reviewer(name)
        for name, passphrase_hash in reviewers.items():
            tx.put_reviewer(name, passphrase_hash)
        for kind in _OF_TODAY:
            for row in tx.held_of(kind):
                tx.drop_held(kind, row.key)
        for row in rows:
            old = tx.held(row.kind, row.key)
            tx.put_held(replace(row, version=old.version if old else 0))


def _erase_again(deps: Dependencies, restored: Dependencies, by: Reviewer, trace_id: TraceId) -> int:
    """Erase in the restored store what was erased since the backup was made."""
    with deps.store.read() as view:
        tombstones = view.tombstones()
        secret = view.meta("secret")
    if not tombstones or secret is None:
        return 0
    with restored.store.write() as tx:
        tx.put_tombstones(tombstones)
    return erase_buried(restored, bytes.fromhex(secret), by, trace_id)
