"""The architecture's memory bus: working sets and shared references.

Takes: small JSON objects. Gives: the values that `memory.workspace` holds. Never: a belief.
"""

from __future__ import annotations

from dopejar.values.versioned_rows import SharedReference, WorkingSet

__all__ = ["SharedReference", "WorkingSet"]
