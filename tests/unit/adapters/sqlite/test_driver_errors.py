"""Each of the driver's errors becomes one of ours, with a sentence and the next step."""

import errno
import shutil
from collections import namedtuple
from pathlib import Path

import apsw
import pytest

from dopejar.adapters.sqlite.driver_errors import translate_driver_error
from dopejar.errors import (
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
)

PATH = Path("/nowhere/store.db")


@pytest.mark.parametrize(
    ("fault", "kind", "words"),
    [
        (apsw.FullError("full"), StoreFullError, "Make room"),
        (apsw.BusyError("busy"), StoreBusyError, "Try again"),
        (apsw.LockedError("locked"), StoreBusyError, "Try again"),
        (apsw.ReadOnlyError("read only"), StoreReadOnlyError, "write permission"),
        (apsw.PermissionsError("no"), StoreReadOnlyError, "write permission"),
        (apsw.NotADBError("no database"), StoreDamagedError, "dopejar doctor"),
        (apsw.CorruptError("malformed"), StoreDamagedError, "restore a backup"),
        (apsw.CantOpenError("no"), StoreError, "Check that its directory exists"),
        (apsw.IOError("disk"), StoreError, "Check the disk"),
        (apsw.ConstraintError("FOREIGN KEY"), StoreError, "before its episodes"),
        (apsw.SQLError("no such table"), StoreError, "dopejar doctor"),
    ],
)
def test_driver_errors_are_translated(fault: apsw.Error, kind: type[StoreError], words: str) -> None:
    """The error has the kind of what happened and says what to do next, and how to get there."""
    error = translate_driver_error(fault, PATH)
    assert type(error) is kind
    assert words in str(error)
    assert kind is StoreError or str(PATH) in str(error)


def test_a_failed_write_on_a_full_disk_is_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the driver only says that writing failed, the disk is asked whether it is full."""
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(100, 100, 0))
    assert isinstance(translate_driver_error(apsw.IOError("disk I/O error"), PATH), StoreFullError)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1 << 40, 0, 1 << 40))
    assert type(translate_driver_error(apsw.IOError("disk I/O error"), PATH)) is StoreError


def test_a_code_of_no_space_is_a_full_disk() -> None:
    """An error that carries the system's code for a full disk is one."""
    fault = apsw.IOError("disk I/O error")
    fault.errno = errno.ENOSPC  # type: ignore[attr-defined]
    assert isinstance(translate_driver_error(fault, PATH), StoreFullError)
