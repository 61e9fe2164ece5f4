"""The ingestion protocol: extract, classify, integrity, write, reinforce.

Takes: an open memory and texts. Gives: what became of them. Never: a second way into memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from dopejar.engine.memory import Memory
from dopejar.engine.results import Remembered
from dopejar.pipelines.ingest import route_namespace

__all__ = ["MemoryOrchestrator", "route_namespace"]


class MemoryOrchestrator:
    """The five steps over one memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def add_memory(self, content: str, tags: Sequence[str] = (), *, said_by: str = "") -> Remembered:
        """Take a text through the five steps: each receipt names the memory that was added, reinforced or superseded.

        A repetition reinforces the memory of its key, a newer version supersedes it. `tags` help to route the text;
        `said_by` is whose words they are, and `open_memory`'s where omitted.

        Raises:
            InputError: the text is empty, or nobody said who speaks.
        """
        return self._memory.remember(content, tags=tags, said_by=said_by)
