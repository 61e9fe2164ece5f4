"""Modules of the engine that execute when they are first used: a short process calls few of them.

Takes: nothing. Gives: the engine's modules, imported and not executed. Never: for a process with several threads,
unless it executes what still waits before the second one begins.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from types import ModuleType
from typing import cast

TYPE_CHECKING = False  # every hook waits for what is imported here
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec

_PREFIX = "dopejar.engine."


def load_engine_lazily() -> None:
    """Execute each module of the engine when it is first used: one command calls few of them.

    Only while the process has one thread; see `execute_engine`. Modules that are already imported stay as they are.
    """
    if _LazyFinder not in sys.meta_path:
        sys.meta_path.insert(0, _LazyFinder)


def execute_engine() -> None:
    """Execute every module that still waits, and let none wait from now on: before a second thread begins."""
    if _LazyFinder in sys.meta_path:
        sys.meta_path.remove(_LazyFinder)
        for module in [one for one in sys.modules.values() if type(one) is _Unexecuted]:
            vars(module)


class _LazyFinder:
    """Finds modules of the engine, but no packages, with a loader that waits."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """How to load a module of the engine; None for any other."""
        spec = PathFinder.find_spec(name, path, target) if name.startswith(_PREFIX) else None
        if spec is not None and spec.loader is not None and spec.submodule_search_locations is None:
            spec.loader = _WaitingLoader(spec.loader)  # type: ignore[assignment]
        return spec


class _WaitingLoader:
    """Leaves the execution of a module to its first use."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The module as its own loader makes it."""
        return self.loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Mark it as not executed."""
        module.__class__ = _Unexecuted


class _Unexecuted(ModuleType):
    """A module that executes at the first look at what it holds; again, where that was interrupted.

    Its `__spec__` alone can be seen before: the import statement looks at it, and drops whatever is raised there, so
    that Control-C would leave half a module. (`importlib.util.LazyLoader` executes for it.)
    """

    def __getattribute__(self, name: str) -> object:
        spec: ModuleSpec = ModuleType.__getattribute__(self, "__spec__")
        if name == "__spec__":
            return spec
        loader: object = spec.loader
        try:
            self.__class__ = ModuleType  # type: ignore[assignment]
            if isinstance(loader, _WaitingLoader):
                loader = spec.loader = self.__loader__ = loader.loader
            cast("Loader", loader).exec_module(self)
        except BaseException:
            self.__class__ = _Unexecuted
            raise
        return getattr(self, name)
