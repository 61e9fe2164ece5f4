"""A pytest plugin: LangGraph's own tests of its store in memory run on ours. `make test-frameworks` loads it.

An embedder that a test gives takes the place of the installed model.
"""

from __future__ import annotations

from contextlib import ExitStack
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import langgraph.store.memory
import numpy as np

from dopejar import open_memory
from dopejar.doors.frameworks import LangGraphStore

OPENED = ExitStack()


class StoreUnderTest(LangGraphStore):
    """Our store over a new memory, made with the arguments of theirs."""

    def __init__(self, *, index: dict[str, Any] | None = None) -> None:
        home = OPENED.enter_context(TemporaryDirectory())
        memory = OPENED.enter_context(open_memory(home))
        self.index_config = index or {}
        super().__init__(memory, fields=self.index_config.get("fields") or ("$",))
        if index:
            embed = index["embed"].embed_documents
            embedder = SimpleNamespace(
                embed=lambda texts: np.array(embed(list(texts)), dtype=np.float32),
                identity=SimpleNamespace(lexical=False),
            )
            object.__setattr__(memory._deps, "embedder", lambda: embedder)


langgraph.store.memory.InMemoryStore = StoreUnderTest


def pytest_unconfigure() -> None:
    """Close the memories and remove their homes."""
    OPENED.close()
