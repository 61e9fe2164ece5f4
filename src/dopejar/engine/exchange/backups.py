"""Putting a backup in the place of the data file.

Takes: a backup and a reviewer. Gives: the memory of that moment, without what was erased since. Never: swaps the file
under another process, or lets a damaged backup in.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from dopejar.engine.dependencies import Dependencies, Reviewer
from dopejar.engine.review.reviewer_actions import erase_buried
from dopejar.errors import InputError, NotFoundError, StoreDamagedError, StoreError
from dopejar.memory.ledger import verify
from dopejar.ports.store import Store
from dopejar.values.ids import TraceId

_KEPT = (".before-restore", ".restoring")
_CARRIED = "backup"  # held rows that tell where backups lie


def restore(deps: Dependencies, source: Path, open_store: Callable[[Path], Store], by: Reviewer, trace_id: TraceId) -> int:
    """Hold what a backup holds, after checking it; what was erased since is erased in it, too.

    Gives how many memories and turns were erased again. Reviewers stay those of today, and other processes go on with
    the restored memory. What stood before is kept beside the data file.

    Raises:
        NotFoundError: there is no such file. StoreDamagedError: the backup, or what it is to replace, is no intact
        store. StoreError: it cannot be placed. Nothing has changed then.
    """
    target = deps.store.path
    if target is None:
        raise InputError("This store has no data file to replace.")
    with brought_beside(source, target) as fresh:
        store = open_store(fresh)
        try:
            require_intact(store)
            _carry_over(deps, store)
            again = _bury_again(deps, replace(deps, store=store), by, trace_id)
            store.compact()
        finally:
            store.close()
        kept = target.with_name(target.name + _KEPT[0])
        kept.unlink(missing_ok=True)
        deps.store.backup(kept)
        deps.store.take_over(fresh)
    return again


@contextmanager
def brought_beside(source: Path, target: Path) -> Iterator[Path]:
    """A copy of a backup beside the data file, to be looked at and changed; gone at the end, unless it was moved.

    Raises NotFoundError, StoreError.
    """
    if not source.is_file():
        raise NotFoundError(f"There is no file {source}.")
    fresh = target.with_name(target.name + _KEPT[1])
    try:
        for suffix in ("", "-wal"):  # a store that was copied while it was open has a part of itself in its log
            one = source.with_name(source.name + suffix)
            if one.is_file():
                _copy(one, fresh.with_name(fresh.name + suffix))
        yield fresh
    finally:
        for left in fresh.parent.glob(f"{fresh.name}*"):
            left.unlink(missing_ok=True)


def _copy(source: Path, target: Path) -> None:
    try:
        shutil.copyfile(source, target)
        target.chmod(0o600)
    except OSError as fault:
        raise StoreError(f"{source} could not be copied to {target}: {fault.strerror}.") from fault


def require_intact(store: Store) -> None:
    """Raises StoreDamagedError, LedgerBrokenError."""
    faults = [one for one in store.check() if not one.repairable]
    if faults:
        raise StoreDamagedError(f"The backup is not intact: {faults[0].detail}. Take another one.")
    with store.read() as view:
        verify(view)


def _carry_over(deps: Dependencies, fresh: Store) -> None:
    """Who may decide, and where backups lie, stays as it is today: no older passphrase comes back."""
    with deps.store.read() as view:
        reviewers = {name: view.reviewer(name) or "" for name in view.reviewers()}
        backups = view.held_of(_CARRIED)
    with fresh.write() as tx:
        for name in tx.reviewers():
            if name not in reviewers:
                tx.drop_reviewer(name)
        for name, hashed in reviewers.items():
            tx.put_reviewer(name, hashed)
        for one in backups:
            old = tx.held(_CARRIED, one.key)
            tx.put_held(replace(one, version=old.version if old else 0))


def _bury_again(deps: Dependencies, fresh: Dependencies, by: Reviewer, trace_id: TraceId) -> int:
    """Erase in the restored store what was erased since the backup was taken."""
    with deps.store.read() as view:
        stones = view.tombstones()
        secret = view.meta("secret")
    if not stones or secret is None:
        return 0
    with fresh.store.write() as tx:
        tx.put_tombstones(stones)
    return erase_buried(fresh, bytes.fromhex(secret), by, trace_id)
