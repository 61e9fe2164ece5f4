"""The store in one SQLite file.

Takes: a path. Gives: `ports.store.Store`. Never: is named by any room but compose; loads the driver when imported.
"""

from dopejar.adapters.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
