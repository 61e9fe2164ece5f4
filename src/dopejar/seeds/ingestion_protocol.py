"""The ingestion protocol: extract, classify, integrity, write, reinforce.

Takes: an open memory and texts. Gives: what became of them. Never: a second way into memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from dopejar.engine.memory import Memory
from dopejar.engine.results import Remembered
from dopejar.pipelines.ingest import route_namespace

__all__ = ["MemoryOrchestrator", "route_namespace"]


class MemoryOrchestrator:
    """The five steps over one memory."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def add_memory(
        self, content: str, tags: Sequence[str] = (), *, said_by: str = "", reading: Mapping[str, str] | None = None
    ) -> Remembered:
        """Take a text through the five steps: each receipt names the memory that was added, reinforced or superseded.

        A repetition reinforces the memory of its key, a newer version supersedes it. `tags` help to route the text;
        `said_by` is whose words they are, and `open_memory`'s where omitted; `reading` is the agent's own, as
        `remember` takes it: its key takes the place of the one that rules make.

        Raises:
            InputError: the text is empty, nobody said who speaks, or the words do not bear out the reading.
        """
        return self._memory.remember(content, tags=tags, said_by=said_by, reading=reading)
