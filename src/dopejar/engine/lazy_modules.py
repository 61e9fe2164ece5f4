"""Modules of the engine that execute when they are first used: a short process calls few of them.

Takes: nothing. Gives: the engine's modules, registered and not executed. Never: for a process with several threads.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import cast


def load_engine_lazily() -> None:
    """Execute each module of the engine when it is first used: one command calls few of them.

    Only for a process that has one thread. Modules that are already imported stay as they are.
    """
    pending = [importlib.import_module("dopejar.engine")]
    while pending:
        package = pending.pop()
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            if module.ispkg:
                pending.append(importlib.import_module(module.name))
            elif module.name not in sys.modules:
                _register(module.name, package)


def _register(name: str, package: ModuleType) -> None:
    spec = importlib.util.find_spec(name)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    module.__class__ = _Unexecuted
    sys.modules[name] = module
    setattr(package, name.rpartition(".")[2], module)


class _Unexecuted(ModuleType):
    """A module that executes at the first look at what it holds; again, where that was interrupted.

    Its `__spec__` alone can be seen before: the import statement looks at it, and drops whatever is raised there, so
    that Control-C would leave half a module. (`importlib.util.LazyLoader` executes for it.)
    """

    def __getattribute__(self, name: str) -> object:
        spec: ModuleSpec = ModuleType.__getattribute__(self, "__spec__")
        if name == "__spec__":
            return spec
        self.__class__ = ModuleType  # type: ignore[assignment]
        try:
            cast("Loader", spec.loader).exec_module(self)
        except BaseException:
            self.__class__ = _Unexecuted
            raise
        return getattr(self, name)
