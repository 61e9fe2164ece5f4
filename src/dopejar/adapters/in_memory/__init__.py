"""The store in the memory of one process: everything but a file and durability.

Takes: a clock. Gives: `ports.store.Store`. Never: outlives its process, or is named by any room but compose.
"""

from dopejar.adapters.in_memory.store import InMemoryStore

__all__ = ["InMemoryStore"]
