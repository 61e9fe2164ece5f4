"""`AsyncMemory`: a memory for programs with an event loop.

Takes: an open memory. Gives: its verbs and services, to be awaited; each call runs in a thread, and the loop goes on.
Never: a rule of its own, or a verb that the memory does not have.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property, update_wrapper
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from dopejar.engine.dependencies import Progress, no_progress
from dopejar.engine.memory import Memory
from dopejar.engine.results import Learned
from dopejar.engine.services import Services
from dopejar.values.ids import TraceId

if TYPE_CHECKING:
    from dopejar.values.scope import Project

P = ParamSpec("P")
R = TypeVar("R")

SERVICES = frozenset(name for name, value in vars(Services).items() if isinstance(value, cached_property))


def _learn(
    memory: Memory,
    paths: Sequence[Path | str] | Path | str,
    *,
    format_name: str | None = None,
    namespace: str = "prod",
    directory: Path | str | None = None,
    progress: Progress = no_progress,
    trace_id: TraceId | None = None,
) -> tuple[Learned, ...]:
    """Learn from transcripts, one or several, and return all results; `progress` is called in another thread."""
    learned = memory.learn(
        paths,
        format_name=format_name,
        namespace=namespace,
        directory=directory,
        progress=progress,
        trace_id=trace_id,
    )
    return tuple(learned)


def _awaited(
    verb: Callable[Concatenate[Memory, P], R],
) -> Callable[Concatenate[AsyncMemory, P], Coroutine[Any, Any, R]]:
    """The same verb, to be awaited."""

    async def call(self: AsyncMemory, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await asyncio.to_thread(verb, self.memory, *args, **kwargs)

    return update_wrapper(call, verb)


class AsyncMemory:
    """A memory whose verbs are awaited. Use it in an `async with` block, or `await close()`.

    What a cancelled call began goes on in its thread to its end: a commit is whole or not there.
    """

    def __init__(self, memory: Memory) -> None:
        self.memory = memory

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __getattr__(self, name: str) -> AsyncService:
        if name not in SERVICES:
            raise AttributeError(f"{type(self).__name__} has no verb and no service {name!r}")
        return AsyncService(self.memory, name)

    @property
    def project(self) -> Project | None:
        """The project this memory is used in."""
        return self.memory.project

    close = _awaited(Memory.close)
    remember = _awaited(Memory.remember)
    add = _awaited(Memory.add)
    learn = _awaited(_learn)
    in_order_of_time = _awaited(Memory.in_order_of_time)
    observe = _awaited(Memory.observe)
    relearn = _awaited(Memory.relearn)
    note_injected = _awaited(Memory.note_injected)
    note_used = _awaited(Memory.note_used)
    recall = _awaited(Memory.recall)
    search = _awaited(Memory.search)
    get = _awaited(Memory.get)
    changes = _awaited(Memory.changes)
    list = _awaited(Memory.list)
    find_project = _awaited(Memory.find_project)
    project_labels = _awaited(Memory.project_labels)
    turn_shares = _awaited(Memory.turn_shares)
    history = _awaited(Memory.history)
    log = _awaited(Memory.log)
    verify = _awaited(Memory.verify)
    status = _awaited(Memory.status)
    check = _awaited(Memory.check)
    update = _awaited(Memory.update)
    delete = _awaited(Memory.delete)
    undo = _awaited(Memory.undo)
    bring_back = _awaited(Memory.bring_back)
    erase = _awaited(Memory.erase)


class AsyncService:
    """A service whose verbs are awaited; a value that it has as a property is awaited as a call without arguments."""

    def __init__(self, memory: Memory, name: str) -> None:
        self._memory, self._name = memory, name

    def __getattr__(self, verb: str) -> Callable[..., Coroutine[Any, Any, Any]]:
        if verb.startswith("_"):
            raise AttributeError(verb)

        async def call(*args: object, **kwargs: object) -> object:
            return await asyncio.to_thread(self._call, verb, args, kwargs)

        return call

    def _call(self, verb: str, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        found: object = getattr(getattr(self._memory, self._name), verb)
        return found(*args, **kwargs) if callable(found) else found
