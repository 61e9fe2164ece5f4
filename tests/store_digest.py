"""What a store holds, as its own digests of every row say it: turns, memories, proposals, ledger, reviewers, held rows.

Takes: a data directory. Gives: a text that is the same as long as nothing was written but notes of use. Never: opens
the store, or writes beside it.
"""

from __future__ import annotations

from pathlib import Path

import apsw

from dopejar.adapters.sqlite.row_digests import META_KEY
from dopejar.compose import STORE_NAME


def store_digest(home: Path) -> str:
    """The sums of the digests; "" where there is no store."""
    file = home / STORE_NAME
    if not file.exists():
        return ""
    connection = apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        ((text,),) = connection.execute("SELECT value FROM meta WHERE key = ?", (META_KEY,)).fetchall()
    finally:
        connection.close()
    return text
