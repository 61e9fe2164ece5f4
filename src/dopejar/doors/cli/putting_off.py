"""Loading the engine piece by piece.

Takes: nothing. Gives: an engine whose modules are executed when they are first touched. Never: changes what they do; a
command line calls one verb and should not pay for the others.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys


def put_off() -> None:
    """Let each module of the engine be executed when it is first touched: most of its verbs are not called here.

    Only for this process, which has one thread; a module that is loaded already stays as it is.
    """
    package = importlib.import_module("dopejar.engine")
    for found in pkgutil.walk_packages(package.__path__, "dopejar.engine."):
        if found.ispkg:  # a package holds a docstring alone; its modules are put off one by one
            continue
        spec = None if found.name in sys.modules else importlib.util.find_spec(found.name)
        if spec is None or spec.loader is None:
            continue
        spec.loader = importlib.util.LazyLoader(spec.loader)
        module = importlib.util.module_from_spec(spec)
        sys.modules[found.name] = module
        parent, _, name = found.name.rpartition(".")
        setattr(sys.modules[parent], name, module)
        spec.loader.exec_module(module)
