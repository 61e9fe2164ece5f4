"""Modules of the engine that execute when they are first used: a short process calls few of them.

Takes: nothing. Gives: the engine's modules, imported and not executed. Never: for a process with several threads.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.util import LazyLoader

TYPE_CHECKING = False  # every hook waits for what is imported here
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

_PREFIX = "dopejar.engine."


def load_engine_lazily() -> None:
    """Execute each module of the engine when it is first used: one command calls few of them.

    Only for a process that has one thread. Modules that are already imported stay as they are.
    """
    if _LazyFinder not in sys.meta_path:
        sys.meta_path.insert(0, _LazyFinder)


class _LazyFinder:
    """Finds modules of the engine, but no packages, with a loader that waits."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """How to load a module of the engine; None for any other."""
        spec = PathFinder.find_spec(name, path, target) if name.startswith(_PREFIX) else None
        if spec is not None and spec.loader is not None and spec.submodule_search_locations is None:
            spec.loader = LazyLoader(spec.loader)
        return spec
