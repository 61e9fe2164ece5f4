"""What the handles of one process share about one file.

Takes: a path. Gives: caches that follow the file's change count. Never: holds a row that a filter could leak; every
candidate is joined back to the store.
"""

from __future__ import annotations

import threading
from pathlib import Path


class Shared:
    """Caches of one file in this process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()


_shared: dict[tuple[int, int], Shared] = {}
_lock = threading.Lock()


def shared_of(path: Path) -> Shared:
    """The caches of a file, the same for every handle of this process."""
    status = path.stat()
    with _lock:
        return _shared.setdefault((status.st_dev, status.st_ino), Shared())
