"""Modules of the engine that execute when they are first used: a short process calls few of them.

Takes: nothing. Gives: the engine's modules, registered and not executed. Never: for a process with several threads.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from types import ModuleType


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
    spec.loader = importlib.util.LazyLoader(spec.loader)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    setattr(package, name.rpartition(".")[2], module)
    spec.loader.exec_module(module)
